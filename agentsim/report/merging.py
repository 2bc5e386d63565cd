"""Warnings of several answers as one list: each said once, and where it holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

Where = TypeVar("Where")

_FIGURES = re.compile(r"(?<![\w.,-])(?:[<>]?\d[\d.,]*[kMB]?(?: times)?|once|twice)(?![\w-])")
"""`1,234`, `120k`, `<1`, `0.4 times`, `once`; not those of a name such as `tok5` or `m2-ultra`."""


def once(texts: Iterable[str]) -> list[str]:
    """Each text once, in order; of those that differ only in their figures the first."""
    return [own[0][0] for own in _groups((text, None) for text in texts)]


def placed(
    texts: Iterable[tuple[str, Where]], place_of: Callable[[list[Where], str], str]
) -> list[str]:
    """Each text once, with where it holds: `place_of(places, text)`, empty for everywhere.

    Where texts differ in their figures, the first one's are told with the places where they hold,
    and after that the others, which are `elsewhere` if together they are all places.
    """
    told = []
    for group in _groups(texts):
        text = group[0][0]
        places = [place for _, place in group]
        where = place_of(places, text)
        others = [place for own, place in group if own != text]
        if others:
            own = place_of([place for it, place in group if it == text], "")
            rest = place_of(others, "") if place_of(places, "") else "elsewhere"
            where = f"{own}; {rest} with other figures"
        told.append(f"{text} ({where})" if where else text)
    return told


def _groups(texts: Iterable[tuple[str, Where]]) -> list[list[tuple[str, Where]]]:
    found: dict[str, list[tuple[str, Where]]] = {}
    for text, place in texts:
        found.setdefault(_FIGURES.sub("", text), []).append((text, place))
    return list(found.values())
