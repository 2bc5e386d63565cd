"""Prefill: reading the input tokens that no cache holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

from agentsim.laws.checks import finite

Piece = tuple[float, float, float]
"""(tokens, per_token, bend): the first n of them take per_token*n + bend*n*n seconds."""


class PrefillLaw(Protocol):
    """How long reading takes, from how much is new and how much the cache holds."""

    def seconds(self, new: float, cached: float) -> float:
        """Seconds to read `new` tokens after `cached` ones.

        A request without any input takes none. One whose whole input is cached (new = 0) still is
        a request that the server looks at: it takes the law's fixed part.
        """

    def pieces(self, new: float, cached: float) -> list[Piece]:
        """`new` tokens after `cached` ones, from front to back, without the fixed part."""

    def times(self, factor: float) -> PrefillLaw:
        """The law with all its times multiplied by `factor` (0 = infinitely fast)."""


@dataclass(frozen=True, slots=True)
class Prefill:
    """P new tokens after C cached ones take t0 + a*P + b*(C*P + P*P/2) (docs/model.md, "A call").

    fixed: t0 in seconds; per_token: a, seconds a token at empty context; slope: b, seconds a token
    takes longer for each token before it.
    """

    fixed: float = 0.0
    per_token: float = 0.0
    slope: float = 0.0

    def __post_init__(self) -> None:
        finite(self.fixed, "the fixed time of a prefill")
        finite(self.per_token, "the prefill time of a token")
        finite(self.slope, "the prefill slope over context")

    def seconds(self, new: float, cached: float) -> float:
        if new <= 0:
            return self.fixed if cached > 0 else 0.0
        return self.fixed + new * (self.per_token + self.slope * (cached + 0.5 * new))

    def pieces(self, new: float, cached: float) -> list[Piece]:
        return [(new, self.per_token + self.slope * cached, 0.5 * self.slope)]

    def times(self, factor: float) -> Prefill:
        finite(factor, "a factor")
        return Prefill(self.fixed * factor, self.per_token * factor, self.slope * factor)


@dataclass(frozen=True, slots=True)
class PrefillTable:
    """The time of a token by its depth: a straight line between knots, flat beyond both ends.

    knots: (depth in tokens, seconds per token), depths rising. P tokens after C cached ones take
    the integral from C to C + P, so one long prompt costs what its pieces cost one by one.
    Benchmarks give a rate at a depth: see `table_from_rates`.
    """

    knots: tuple[tuple[float, float], ...]
    fixed: float = 0.0

    def __post_init__(self) -> None:
        finite(self.fixed, "the fixed time of a prefill")
        if not self.knots:
            raise ValueError("a prefill table needs at least one depth")
        for depth, seconds in self.knots:
            finite(depth, "a depth")
            finite(seconds, "the prefill time of a token")
        if any(after[0] <= before[0] for before, after in pairwise(self.knots)):
            raise ValueError("the depths of a prefill table must rise")

    def seconds(self, new: float, cached: float) -> float:
        """The integral of the time per token from `cached` on, plus the fixed part."""
        if new <= 0:
            return self.fixed if cached > 0 else 0.0
        (first, above), (last, beyond) = self.knots[0], self.knots[-1]
        end = cached + new
        total = _overlap(cached, end, -math.inf, first) * above
        total += _overlap(cached, end, last, math.inf) * beyond
        for (d0, t0), (d1, t1) in pairwise(self.knots):
            length = _overlap(cached, end, d0, d1)
            if length:
                middle = max(cached, d0) + 0.5 * length
                total += length * (t0 + (t1 - t0) * (middle - d0) / (d1 - d0))
        return self.fixed + total

    def pieces(self, new: float, cached: float) -> list[Piece]:
        """One for each stretch of depth in which the time of a token is a straight line."""
        knots, end = self.knots, cached + new
        rows = [(-math.inf, knots[0][1]), *knots, (math.inf, knots[-1][1])]
        found: list[Piece] = []
        for (d0, t0), (d1, t1) in pairwise(rows):
            length = _overlap(cached, end, d0, d1)
            if length:
                grows = (t1 - t0) / (d1 - d0)  # 0 where it is flat, beyond both ends
                since = max(cached, d0) - d0 if grows else 0.0
                found.append((length, t0 + grows * since, 0.5 * grows))
        return found

    def times(self, factor: float) -> PrefillTable:
        finite(factor, "a factor")
        knots = tuple((depth, seconds * factor) for depth, seconds in self.knots)
        return replace(self, knots=knots, fixed=self.fixed * factor)


def table_from_rates(rates: Mapping[float, float], fixed: float = 0.0) -> PrefillTable:
    """A table from tok/s by depth: the time of a token at a depth is 1 / rate."""
    pairs = sorted(rates.items())
    knots = tuple((depth, 1.0 / finite(r, "a rate", above_zero=True)) for depth, r in pairs)
    return PrefillTable(knots, fixed)


def _overlap(a: float, b: float, c: float, d: float) -> float:
    """The length that the stretches a..b and c..d have in common."""
    return max(0.0, min(b, d) - max(a, c))
