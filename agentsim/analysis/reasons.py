"""Why runs failed, told together where reasons differ in their figures only.

`ask: 12,345 tokens do not fit the context of 10,000` is one reason, not one for each number of
tokens: what differs is told as a range, what is the same stays.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

_FIGURE = re.compile(r"(?<![\w.-])(\d+(?:,\d{3})*(?:\.\d+)?)(?![\w-])")
"""A number that stands by itself: `12,345`, not the one in `coder-2`."""


def reasons(texts: Sequence[str], runs: int, paths: Container[str] = ()) -> dict[str, float]:
    """Reason -> share of all `runs`, the most frequent first. `paths`: those of the steps."""
    groups: dict[tuple[str, ...], list[list[str]]] = {}
    for text in texts:
        head = _head(text, paths)
        words = _FIGURE.split(text[len(head) :])
        groups.setdefault((head, *words[::2]), []).append(words[1::2])
    told = sorted((-len(figures), _text(words, figures)) for words, figures in groups.items())
    return {text: -count / runs for count, text in told}


def _head(text: str, paths: Container[str]) -> str:
    """The step's path and the colon behind it: a name, whatever digits and colons it holds."""
    parts = text.split(": ")
    known = [": ".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)]
    own = next((path for path in known if path in paths), parts[0])
    return f"{own}: " if len(parts) > 1 else ""


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
