"""A distribution through measured quantiles: log value linear in the normal score between them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from agentsim.chance.base import (
    Distribution,
    Drawn,
    factor_of,
    number,
    phi,
    phi_between,
    score,
)
from agentsim.chance.continuous import Constant, LogNormal


@dataclass(frozen=True, slots=True)
class QuantileTable(Drawn):
    """Quantiles (share, value), shares rising inside 0..1, values above 0 and never falling.

    Between two knots the log of the value is linear in the normal score of the share, so a piece
    is a piece of a log-normal; the first slope holds on below the first knot, the last slope
    beyond the last. Two knots are a log-normal; three follow a tail that one log-normal misses.
    """

    points: tuple[tuple[float, float], ...]
    # Piece i: log value = starts[i] + slopes[i] * z up to the score edges[i].
    edges: tuple[float, ...] = field(init=False, repr=False, compare=False)
    starts: tuple[float, ...] = field(init=False, repr=False, compare=False)
    slopes: tuple[float, ...] = field(init=False, repr=False, compare=False)
    between: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        if len(self.points) < 2:
            raise ValueError("a quantile table needs two quantiles or more")
        for share, value in self.points:
            if not 0.0 < share < 1.0:
                raise ValueError(f"a quantile lies between p0 and p100, got p{100 * share:g}")
            number(value, f"p{100 * share:g}", above_zero=True)
        for (share, value), (share2, value2) in pairwise(self.points):
            if share2 <= share or value2 < value:
                raise ValueError(f"p{100 * share2:g} must not lie below p{100 * share:g}")
        scores = [score(share) for share, _ in self.points]
        logs = [math.log(value) for _, value in self.points]
        slopes = [
            (b - a) / (zb - za) for (za, a), (zb, b) in pairwise(zip(scores, logs, strict=True))
        ]
        starts = [a - slope * z for slope, z, a in zip(slopes, scores, logs, strict=False)]
        if starts[-1] + slopes[-1] * max(slopes[-1], 8.3) > 700.0:
            raise ValueError("the tail of the quantiles is too wide to compute with")
        object.__setattr__(self, "edges", tuple(scores[1:-1]))
        object.__setattr__(self, "starts", tuple(starts))
        object.__setattr__(self, "slopes", tuple(slopes))

    @property
    def mean(self) -> float:
        return self.mean_below(math.inf)

    @property
    def low(self) -> float:
        return 0.0 if self.slopes[0] else self.points[0][1]

    @property
    def high(self) -> float:
        return math.inf if self.slopes[-1] else self.points[-1][1]

    def at(self, u: float) -> float:
        z = score(u)
        i = bisect_right(self.edges, z)
        return math.exp(self.starts[i] + self.slopes[i] * z)

    def below(self, x: float) -> float:
        return phi(self._score_of(x))

    def mean_below(self, x: float) -> float:
        """Exact: over a piece, E[exp(m + s z)] = exp(m + s^2/2) (Phi(b - s) - Phi(a - s))."""
        last, total = self._score_of(x), 0.0
        bounds = (-math.inf, *self.edges, math.inf)
        for (a, b), start, slope in zip(pairwise(bounds), self.starts, self.slopes, strict=True):
            if a < last:
                part = phi_between(a - slope, min(b, last) - slope)
                total += math.exp(start + 0.5 * slope * slope) * part if part else 0.0
        return total

    def _score_of(self, x: float) -> float:
        """The largest normal score whose value is `x` or less."""
        if x <= 0.0:
            return -math.inf
        if x == math.inf:
            return math.inf
        target = math.log(x)
        for i, edge in enumerate((*self.edges, math.inf)):
            slope = self.slopes[i]
            if slope == 0.0:
                reached = edge if self.starts[i] <= target else -math.inf
            else:
                reached = (target - self.starts[i]) / slope
            if reached < edge:
                floor = self.edges[i - 1] if i else -math.inf
                return max(reached, floor)
        return math.inf

    def scaled(self, factor: float) -> Distribution:
        if factor_of(factor) == 0.0:
            return Constant(0.0)
        return QuantileTable(tuple((share, value * factor) for share, value in self.points))


def quantiles(points: Mapping[float, float]) -> Distribution:
    """`{p50:, p90:, p99:}` as {0.5: ..., 0.9: ..., 0.99: ...}: two make a log-normal, more a table.

    Equal values are one value. ValueError for a value of 0 or a quantile below a lower one.
    """
    table = QuantileTable(tuple(sorted(points.items())))
    if not any(table.slopes):
        return Constant(table.points[0][1])
    if len(table.slopes) == 1:
        return LogNormal(table.starts[0], table.slopes[0])
    return table
