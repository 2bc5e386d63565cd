"""Warnings of one answer or of several as one list: each said once, and where it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from agentsim.analysis.weights import by_weight

Where = TypeVar("Where")
PlaceOf = Callable[[list[Where], str], str]
"""Where a text holds, of those places; empty for everywhere."""

_FIGURES = re.compile(r"(?<![\w.,-])(?:[<>]?\d[\d.,]*[kMB]?(?: times)?|once|twice)(?![\w-])")
"""`1,234`, `120k`, `<1`, `0.4 times`, `once`; not those of a name such as `tok5` or `m2-ultra`."""


def once(texts: Iterable[str]) -> list[str]:
    """Each text once, the weightiest first; of those that differ only in their figures one."""
    return by_weight([own[0][0] for own in groups((text, None) for text in texts)])


def placed(
    texts: Iterable[tuple[str, Where]], place_of: Callable[[list[Where], str], str]
) -> list[str]:
    """Each text once, with where it holds: `place_of(places, text)`, empty for everywhere.

    Where texts differ in their figures, the first one's are told with the places where they hold,
    and after that the others, which are `elsewhere` if together they are all places. The
    weightiest are first.
    """
    return by_weight([_with_place(group, place_of) for group in groups(texts)])


def _with_place(group: list[tuple[str, Where]], place_of: Callable[[list[Where], str], str]) -> str:
    text = group[0][0]
    places = [place for _, place in group]
    where = place_of(places, text)
    others = [place for own, place in group if own != text]
    if others:
        own = place_of([place for it, place in group if it == text], "")
        rest = place_of(others, "") if place_of(places, "") else "elsewhere"
        where = f"{own}; {rest} with other figures"
    return f"{text} ({where})" if where else text


def groups(texts: Iterable[tuple[str, Where]]) -> list[list[tuple[str, Where]]]:
    """Those that differ in their figures only, together."""
    found: dict[str, list[tuple[str, Where]]] = {}
    for text, place in texts:
        found.setdefault(_FIGURES.sub("", text), []).append((text, place))
    return list(found.values())
