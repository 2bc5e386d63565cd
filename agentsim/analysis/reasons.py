"""Why runs failed, told together where reasons differ in their figures only.

`ask: 12,345 tokens do not fit the context of 10,000` is one reason, not one for each number of
tokens: what differs is told as a range, what is the same stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_FIGURE = re.compile(r"(?<![\w.-])(\d+(?:,\d{3})*(?:\.\d+)?)(?![\w-])")
"""A number that stands by itself: `12,345`, not the one in `coder-2`."""


def reasons(texts: Sequence[str], runs: int) -> dict[str, float]:
    """Reason -> share of all `runs`, the most frequent first."""
    groups: dict[tuple[str, ...], list[list[str]]] = {}
    for text in texts:
        path, colon, rest = text.partition(": ")
        words = _FIGURE.split(rest if colon else text)
        # a step's path is a name, whatever digits it holds
        groups.setdefault((path + colon if colon else "", *words[::2]), []).append(words[1::2])
    told = sorted((-len(figures), _text(words, figures)) for words, figures in groups.items())
    return {text: -count / runs for count, text in told}


def _text(words: Sequence[str], figures: Sequence[Sequence[str]]) -> str:
    head, first, *rest = words
    columns = zip(*figures, strict=True)
    return (
        head + first + "".join(_range(own) + word for own, word in zip(columns, rest, strict=True))
    )


def _range(own: Sequence[str]) -> str:
    """`10,000`, or `10,112 to 14,220` where they differ."""
    ordered = sorted(set(own), key=lambda text: float(text.replace(",", "")))
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"
