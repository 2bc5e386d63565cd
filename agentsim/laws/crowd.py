"""A table of decode speeds by which more streams make fewer tokens in all: rarely so, often a slip.

A server that serves several at once does so since a step for many costs little more than one for
few. A table whose total falls was mostly written as the speed of all under `per_stream`, or the
other way round.
"""

from __future__ import annotations

from typing import NamedTuple

from agentsim.laws.decode import Knots

SCATTER = 0.95
"""Measured tables scatter by a few percent; a total that falls to less than this is no scatter."""


class Crowd(NamedTuple):
    """`many` streams together make `ratio` of the tok/s, below 1, of the `few` that make most."""

    few: float
    many: float
    ratio: float

    @property
    def words(self) -> str:
        """`2 streams together make 37.9 % fewer tok/s than 1 alone`, and what may be the slip."""
        fewer = f"{100.0 * (1.0 - self.ratio):.3g} % fewer tok/s"
        than = "1 alone" if self.few == 1 else f"{self.few:g} do"
        return (
            f"{self.many:g} streams together make {fewer} than {than}: is that right? "
            "`per_stream` is the speed of each, `total` that of all"
        )


def slower_together(knots: Knots) -> Crowd | None:
    """The deepest fall of B / s(B), what B streams make together, below that of fewer streams."""
    few, quickest = knots[0]
    deepest: Crowd | None = None
    for many, step in knots[1:]:
        if not step:  # takes no time: nothing is quicker
            break
        ratio = many * quickest / (few * step)
        if ratio >= 1.0:
            few, quickest = many, step
        elif ratio < (deepest.ratio if deepest else SCATTER):
            deepest = Crowd(few, many, ratio)
    return deepest
