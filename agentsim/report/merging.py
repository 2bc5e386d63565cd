"""Warnings of one answer or of several as one list: each said once, and where it holds.

Which are the same is told by what their makers say they are about, never by their words: a name
may be a figure, and so may a line.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from agentsim.analysis.weights import by_weight
from agentsim.errors import Notice

Where = TypeVar("Where")
PlaceOf = Callable[[list[Where], str], str]
"""Where a warning holds, of those places; empty for everywhere. The text is the hardware that its
sentence names, which need not be told again; "" where it names none, or the place is asked for."""


def each(notices: Iterable[tuple[Notice, Where]], place_of: PlaceOf[Where]) -> list[str]:
    """Each text once, with where it holds, the weightiest first: nothing of it is left out."""
    found = _by(lambda notice: notice.text, notices)
    told = (group[0][0]._replace(text=with_place(group, place_of)) for group in found)
    return [it.text for it in by_weight(told)]


def groups(notices: Iterable[tuple[Notice, Where]]) -> list[list[tuple[Notice, Where]]]:
    """Those that are about the same, whatever their figures, together; else those of one text."""
    return _by(lambda notice: notice.about or notice.text, notices)


def with_place(group: Sequence[tuple[Notice, Where]], place_of: PlaceOf[Where]) -> str:
    """The first text of a group, and where it holds.

    Where there are others, with other figures, these are told after it: by their places, or as
    `elsewhere` if they hold in all that are left.
    """
    first = group[0][0]
    places = [place for _, place in group]
    own = [place for it, place in group if it.text == first.text]
    others = [place for it, place in group if it.text != first.text]
    if not others:
        where = place_of(places, first.profile)
    elif here := place_of(own, ""):
        apart = not any(place in own for place in others)
        left = apart and not place_of(places, "")
        rest = "elsewhere" if left else place_of(others, "") or "everywhere"
        where = f"{here}; {rest} with other figures"
    else:
        where = f"{place_of(others, '')} with other figures too".strip()
    return f"{first.text} ({where})" if where else first.text


def _by(
    key: Callable[[Notice], Hashable], notices: Iterable[tuple[Notice, Where]]
) -> list[list[tuple[Notice, Where]]]:
    found: dict[Hashable, list[tuple[Notice, Where]]] = {}
    for notice, place in notices:
        found.setdefault(key(notice), []).append((notice, place))
    return list(found.values())
