"""Distributions made of distributions: capped, drawn per task, mixed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from agentsim.chance.base import Distribution, Drawn, factor_of, number, score
from agentsim.chance.continuous import Constant

_CLOSE = 1e-12  # relative width at which the search for a mixture's quantile ends
_LEAST, _MOST = 1e-300, 1.0 - 2.0**-53  # shares with a finite normal score


@dataclass(frozen=True, slots=True)
class Capped(Drawn):
    """`inner`, moved to the caps where it lies outside; its mean is that of the moved values."""

    inner: Distribution
    at_least: float = 0.0
    at_most: float = math.inf

    def __post_init__(self) -> None:
        number(self.at_least, "at_least")
        if not self.at_least <= self.at_most:
            least, most = f"{self.at_least:g}", f"{self.at_most:g}"
            raise ValueError(f"at_least ({least}) must not lie above at_most ({most})")

    @property
    def between(self) -> float:
        return self.inner.between

    @property
    def mean(self) -> float:
        return self.mean_below(math.inf)

    @property
    def low(self) -> float:
        return self._within(self.inner.low)

    @property
    def high(self) -> float:
        return self._within(self.inner.high)

    def at(self, u: float) -> float:
        value = self.inner.at(u)
        if value < self.at_least:
            return self.at_least
        return value if value < self.at_most else self.at_most

    def many(self, us: Iterable[float]) -> list[float]:
        least, most = self.at_least, self.at_most
        return [
            least if value < least else value if value < most else most
            for value in self.inner.many(us)
        ]

    def below(self, x: float) -> float:
        if x >= self.at_most:
            return 1.0
        return self.inner.below(x) if x >= self.at_least else 0.0

    def mean_below(self, x: float) -> float:
        """at_least P(X <= at_least) + E[X; at_least < X <= x], + at_most P(X > at_most)."""
        if x < self.at_least:
            return 0.0
        inner, least, most = self.inner, self.at_least, self.at_most
        lifted = least * inner.below(least) - inner.mean_below(least) if least else 0.0
        if x < most:
            return lifted + inner.mean_below(x)
        if most == math.inf:
            return lifted + inner.mean
        return lifted + inner.mean_below(most) + most * (1.0 - inner.below(most))

    def scaled(self, factor: float) -> Distribution:
        if factor_of(factor) == 0.0:
            return Constant(0.0)
        inner = self.inner.scaled(factor)
        return Capped(inner, self.at_least * factor, self.at_most * factor)

    def _within(self, value: float) -> float:
        return min(max(value, self.at_least), self.at_most)


@dataclass(frozen=True, slots=True)
class PerTask(Drawn):
    """`inner` with the share `between` of its variance (on the normal score) drawn once a task.

    1 = the whole of it. `at` is that of `inner`: whoever draws blends the task's uniform with the
    draw's own (`streams.blend`), which leaves the distribution of a single draw as it is.
    """

    inner: Distribution
    between: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.between <= 1.0:
            raise ValueError(f"a share between tasks lies from 0 to 1, got {self.between:g}")

    @property
    def mean(self) -> float:
        return self.inner.mean

    @property
    def low(self) -> float:
        return self.inner.low

    @property
    def high(self) -> float:
        return self.inner.high

    def at(self, u: float) -> float:
        return self.inner.at(u)

    def many(self, us: Iterable[float]) -> list[float]:
        return self.inner.many(us)

    def below(self, x: float) -> float:
        return self.inner.below(x)

    def mean_below(self, x: float) -> float:
        return self.inner.mean_below(x)

    def scaled(self, factor: float) -> Distribution:
        return PerTask(self.inner.scaled(factor), self.between)


@dataclass(frozen=True, slots=True)
class Mixture(Drawn):
    """One of `parts`, by `weights`.

    The inverse is the true one, found by search on the mixed distribution function. Choosing a
    part with u and using the rest of u inside it would be quicker, but then the value jumps up and
    down as u rises: two variants that share draws would no longer move together, and `per: task`
    would mean something else. A search costs some twenty microseconds; a part that is one value
    (no wait in most cases, a long one in some) costs none where it is the answer.
    """

    parts: tuple[Distribution, ...]
    weights: tuple[float, ...]
    between: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        if not self.parts or len(self.parts) != len(self.weights):
            raise ValueError(f"a mixture of {len(self.parts)} parts needs as many weights")
        for weight in self.weights:
            number(weight, "a weight", above_zero=True)
        if any(part.between for part in self.parts):
            raise ValueError("`per: task` belongs to a whole mixture, not to a part of it")
        total = math.fsum(self.weights)
        object.__setattr__(self, "weights", tuple(w / total for w in self.weights))

    @property
    def mean(self) -> float:
        pairs = zip(self.parts, self.weights, strict=True)
        return math.fsum(part.mean * weight for part, weight in pairs)

    @property
    def low(self) -> float:
        return min(part.low for part in self.parts)

    @property
    def high(self) -> float:
        return max(part.high for part in self.parts)

    def at(self, u: float) -> float:
        """The true inverse of the mixed distribution function, by search between the parts'."""
        # The answer lies between the parts' own answers, which also are where the jumps stand.
        low = high = -1.0
        for x in sorted(part.at(u) for part in self.parts):
            if self.below(x) >= u:
                high = x
                break
            low = x
        if high < 0.0:  # rounding: even the largest part's answer fell short
            return low
        if low < 0.0 or self.below(math.nextafter(high, 0.0)) < u:
            return high
        return self._search(u, low, high)

    def _search(self, u: float, low: float, high: float) -> float:
        """The x in (low, high] where the share below reaches u.

        By secants of the normal score over the log of x, on which most curves are nearly straight;
        every third step halves, so that a jump or a plateau cannot hold the search up.
        """
        target = score(u)
        at_low, at_high = self._score(low) - target, self._score(high) - target
        steps = 0
        while high - low > _CLOSE * high:
            steps += 1
            x = 0.5 * (low + high)
            if steps % 3 and low > 0.0:
                part = at_low / (at_low - at_high)
                secant = low * (high / low) ** min(max(part, 1e-13), 1.0 - 1e-13)
                x = secant if low < secant < high else x
            at = self._score(x) - target
            if at >= 0.0:
                high, at_high = x, at
            else:
                low, at_low = x, at
        return high

    def _score(self, x: float) -> float:
        return score(min(max(self.below(x), _LEAST), _MOST))

    def below(self, x: float) -> float:
        share = 0.0
        for part, weight in zip(self.parts, self.weights, strict=True):
            share += weight * part.below(x)
        return share

    def mean_below(self, x: float) -> float:
        pairs = zip(self.parts, self.weights, strict=True)
        return math.fsum(part.mean_below(x) * weight for part, weight in pairs)

    def scaled(self, factor: float) -> Distribution:
        if factor_of(factor) == 0.0:
            return Constant(0.0)
        return Mixture(tuple(part.scaled(factor) for part in self.parts), self.weights)


def capped(
    inner: Distribution, *, at_least: float | None = None, at_most: float | None = None
) -> Distribution:
    """`at_least:` and `at_most:` beside a quantity; `inner` itself where neither can bind."""
    least = 0.0 if at_least is None else at_least
    result = Capped(inner, least, math.inf if at_most is None else at_most)
    if result.at_least <= inner.low and inner.high <= result.at_most:
        return inner
    if result.low == result.high:
        return Constant(result.low)
    return result


def mixture(parts: Sequence[tuple[float, Distribution]]) -> Distribution:
    """`{mixture: [{weight:, ...}, ...]}` as (weight, part): parts of weight 0 are left out."""
    for weight, _ in parts:
        number(weight, "a weight")
    kept = [(weight, part) for weight, part in parts if weight]
    if not kept:
        raise ValueError("a mixture needs weights that add up to more than 0")
    if len(kept) == 1:
        return kept[0][1]
    return Mixture(tuple(part for _, part in kept), tuple(weight for weight, _ in kept))
