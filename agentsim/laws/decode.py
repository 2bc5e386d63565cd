"""Decoding: one step gives each of B sequences a token and takes s(B) + c * T seconds.

T is the sum of the contexts of the B sequences (docs/model.md, "A call").
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from agentsim.laws.checks import finite

Knots = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Decode:
    """A decode law, from exactly one of `knots` and `fit`.

    knots: (streams, seconds of a step), streams rising from 1 or more. Between knots the step time
      is a straight line; flat below the first, the last slope beyond the last (never falling
      there); one knot is flat.
    fit: (a, b, d) of a + b*B + d*sqrt(B) seconds.
    slope: c, seconds a step takes longer for each token of context.
    per_step: tokens that a sequence gets from one step (speculative decoding); 1 where the law was
      given as tok/s, which are as measured.

    All times may be 0: an infinitely fast server. ValueError for anything that no server can do.
    """

    knots: Knots | None = None
    fit: tuple[float, float, float] | None = None
    slope: float = 0.0
    per_step: float = 1.0

    def __post_init__(self) -> None:
        finite(self.slope, "the slope over context")
        finite(self.per_step, "tokens per step", above_zero=True)
        if (self.knots is None) == (self.fit is None):
            raise ValueError("a decode law is given either by a table or by a fit")
        if self.knots is not None:
            _check_knots(self.knots)
        if self.fit is not None:
            _check_fit(self.fit)

    def step(self, streams: float) -> float:
        """s(B): seconds of one step of `streams` >= 1 sequences at empty context."""
        if self.fit is not None:
            a, b, d = self.fit
            return a + b * streams + d * math.sqrt(streams)
        knots = self.knots or ()
        last = len(knots) - 1
        i = bisect_right(knots, streams, key=lambda knot: knot[0]) - 1
        if i < 0 or last == 0:
            return knots[0][1]
        # Beyond the last knot the line through the last two goes on.
        (b0, s0), (b1, s1) = knots[min(i, last - 1)], knots[min(i, last - 1) + 1]
        if i >= last and s1 <= s0:
            return s1
        return s0 + (s1 - s0) * (streams - b0) / (b1 - b0)

    @property
    def rate(self) -> float:
        """Tokens per second of one stream at empty context; `math.inf` where a step takes none."""
        step = self.step(1)
        return self.per_step / step if step else math.inf

    def alone(self, tokens: float, context: float) -> float:
        """Seconds of `tokens` made alone after `context` tokens: n*s(1) + c*(L*n + p*n*n/2).

        n = tokens / p steps, p = per_step; with p = 1 it is D*s(1) + c*(L*D + D*D/2), as in
        docs/model.md under "A call".
        """
        n = tokens / self.per_step
        return n * self.step(1) + self.slope * n * (context + 0.5 * self.per_step * n)

    def solo(self) -> Callable[[float, int, int, int], tuple[float, float, float]]:
        """`alone` for three token counts at once, with one stream's constants worked out once.

        The function takes (context, n1, n2, n3) and gives the seconds of each.
        """
        step = self.step(1) / self.per_step
        slope = self.slope / self.per_step
        half = 0.5 * slope

        def alone(context: float, n1: int, n2: int, n3: int) -> tuple[float, float, float]:
            token = step + slope * context
            return n1 * (token + half * n1), n2 * (token + half * n2), n3 * (token + half * n3)

        return alone

    def times(self, factor: float) -> Decode:
        """The law with all its times multiplied by `factor` (0 = infinitely fast)."""
        finite(factor, "a factor")
        knots, fit = self.knots, self.fit
        return replace(
            self,
            knots=None if knots is None else tuple((b, s * factor) for b, s in knots),
            fit=None if fit is None else (fit[0] * factor, fit[1] * factor, fit[2] * factor),
            slope=self.slope * factor,
        )

    def scaled(self, rate: float) -> Decode:
        """The whole law, slope too, scaled so that one stream at empty context makes `rate` tok/s.

        This is what `--rates` does (docs/format.md, "Hardware profiles"). ValueError for a law that
        takes no time.
        """
        finite(rate, "a rate", above_zero=True)
        if self.step(1) == 0.0:
            raise ValueError("an infinitely fast server cannot be scaled to a rate")
        return self.times(self.rate / rate)


def knots_from_rate(rate: float) -> Knots:
    """One stream's tok/s as a table: the same step time whatever the number of streams."""
    return knots_from_per_stream({1: rate})


def knots_from_per_stream(rates: Mapping[float, float]) -> Knots:
    """tok/s of each stream by number of streams: s(B) = 1 / rate."""
    pairs = sorted(rates.items())
    return tuple((b, 1.0 / finite(rate, "a rate", above_zero=True)) for b, rate in pairs)


def knots_from_total(rates: Mapping[float, float]) -> Knots:
    """tok/s of all streams together by number of streams: s(B) = B / rate."""
    pairs = sorted(rates.items())
    return tuple((b, b / finite(rate, "a rate", above_zero=True)) for b, rate in pairs)


def _check_knots(knots: Knots) -> None:
    if not knots:
        raise ValueError("a decode table needs at least one number of streams")
    for streams, seconds in knots:
        if not (math.isfinite(streams) and streams >= 1):
            raise ValueError(f"a decode table starts at one stream, got {streams:g}")
        finite(seconds, "the time of a step")
    if any(after[0] <= before[0] for before, after in pairwise(knots)):
        raise ValueError("the numbers of streams of a decode table must rise")


def _check_fit(fit: tuple[float, float, float]) -> None:
    """No number of streams >= 1 may give a negative step: with x = sqrt(B), a + d*x + b*x*x."""
    a, b, d = fit
    if not all(map(math.isfinite, fit)):
        raise ValueError("a decode fit needs finite numbers")
    lowest = a + b + d
    if b > 0.0 and -d / (2.0 * b) > 1.0:
        lowest = a - d * d / (4.0 * b)
    if lowest < 0.0 or b < 0.0 or (b == 0.0 and d < 0.0):
        raise ValueError(f"a + b*B + d*sqrt(B) with {a:g}, {b:g}, {d:g} falls below 0 seconds")
