"""Distributions over single values."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import ClassVar

from agentsim.chance.base import Distribution, Drawn, factor_of, number
from agentsim.chance.continuous import Constant
from agentsim.chance.scaled import scaled

_MOST = 1e8  # the largest mean of a Poisson: its table holds about 24 sqrt(mean) numbers


@dataclass(frozen=True, slots=True)
class Discrete(Drawn):
    """One of `values`, by `weights`. Kept sorted and normed, so that `at` never falls."""

    values: tuple[float, ...]
    weights: tuple[float, ...]
    upto: tuple[float, ...] = field(init=False, repr=False, compare=False)
    between: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        if len(self.values) != len(self.weights):
            raise ValueError(f"{len(self.values)} values need as many weights")
        for weight in self.weights:
            number(weight, "a weight")
        total = math.fsum(self.weights)
        if not total > 0.0 or not math.isfinite(total):
            raise ValueError("values need weights that add up to more than 0")
        joined: dict[float, float] = {}
        for value, weight in sorted(zip(self.values, self.weights, strict=True)):
            number(value, "a value")
            if weight:
                joined[value] = joined.get(value, 0.0) + weight
        object.__setattr__(self, "values", tuple(joined))
        object.__setattr__(self, "weights", tuple(w / total for w in joined.values()))
        object.__setattr__(self, "upto", tuple(accumulate(self.weights)))

    @property
    def mean(self) -> float:
        return math.fsum(v * w for v, w in zip(self.values, self.weights, strict=True))

    @property
    def low(self) -> float:
        return self.values[0]

    @property
    def high(self) -> float:
        return self.values[-1]

    def at(self, u: float) -> float:
        # The last sum may round below 1: the search ends at the last value in any case.
        return self.values[bisect_left(self.upto, u, 0, len(self.values) - 1)]

    def below(self, x: float) -> float:
        n = bisect_right(self.values, x)
        return 1.0 if n == len(self.values) else self.upto[n - 1] if n else 0.0

    def mean_below(self, x: float) -> float:
        n = bisect_right(self.values, x)
        return math.fsum(v * w for v, w in zip(self.values[:n], self.weights[:n], strict=True))

    def scaled(self, factor: float) -> Distribution:
        if factor_of(factor) == 0.0:
            return Constant(0.0)
        return Discrete(tuple(v * factor for v in self.values), self.weights)


@dataclass(frozen=True, slots=True)
class Poisson(Drawn):
    """A count of independent happenings, mean `mean`: the smallest k with P(X <= k) >= u."""

    mean: float
    between: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        number(self.mean, "the mean of a Poisson", above_zero=True)
        if self.mean > _MOST:
            raise ValueError(f"the mean of a Poisson must not exceed {_MOST:g}, got {self.mean:g}")

    @property
    def low(self) -> float:
        return 0.0

    @property
    def high(self) -> float:
        return math.inf

    def at(self, u: float) -> float:
        first, upto = _poisson_sums(self.mean)
        return float(first + bisect_left(upto, u, 0, len(upto) - 1))

    def below(self, x: float) -> float:
        first, upto = _poisson_sums(self.mean)
        if x < first:
            return 0.0
        return 1.0 if x >= first + len(upto) - 1 else upto[math.floor(x) - first]

    def mean_below(self, x: float) -> float:
        return self.mean * self.below(x - 1.0)  # k P(k) = mean P(k - 1)

    def scaled(self, factor: float) -> Distribution:
        return scaled(self, factor)


@lru_cache(maxsize=256)
def _poisson_sums(mean: float) -> tuple[int, tuple[float, ...]]:
    """The first k that counts and the sums P(X <= k) from there, by recurrence from the mode.

    What lies further than 12 standard deviations (+ 40) from the mode is below 1e-30.
    """
    mode = math.floor(mean)
    reach = math.ceil(12.0 * math.sqrt(mean)) + 40
    first = max(mode - reach, 0)
    lower, upper = [1.0], []
    for k in range(mode, first, -1):
        lower.append(lower[-1] * k / mean)
    term = 1.0
    for k in range(mode + 1, mode + reach + 1):
        term *= mean / k
        upper.append(term)
    terms = [*reversed(lower), *upper]
    total = math.fsum(terms)
    return first, tuple(accumulate(t / total for t in terms))


LEAST_CHANCE = 1e-9
"""Of a try of a geometric: 1e9 tries in the mean, the most that a count of a file may be."""


@dataclass(frozen=True, slots=True)
class Geometric(Drawn):
    """How many tries up to and with the first success, each with chance `p`; mean 1 / p."""

    p: float
    between: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        if not 0.0 < self.p <= 1.0:
            raise ValueError(f"the chance of a try must lie above 0 and up to 1, got {self.p:g}")
        if self.p < LEAST_CHANCE:  # beyond that counts of tries are no numbers any more
            raise ValueError(f"the chance of a try must be 1e-9 or more, got {self.p:g}")

    @property
    def mean(self) -> float:
        return 1.0 / self.p

    @property
    def low(self) -> float:
        return 1.0

    @property
    def high(self) -> float:
        return 1.0 if self.p == 1.0 else math.inf

    def at(self, u: float) -> float:
        if self.p == 1.0:
            return 1.0
        return float(max(math.ceil(math.log1p(-u) / math.log1p(-self.p)), 1))

    def below(self, x: float) -> float:
        return 1.0 - self._beyond(x) if x >= 1.0 else 0.0

    def mean_below(self, x: float) -> float:
        """The sum of k p q^(k-1) up to n: (1 - q^n) / p - n q^n."""
        if x < 1.0:
            return 0.0
        if x == math.inf:
            return self.mean
        beyond = self._beyond(x)
        return (1.0 - beyond) / self.p - math.floor(x) * beyond

    def _beyond(self, x: float) -> float:
        """P(X > x), x >= 1: q to the power of floor(x)."""
        if self.p == 1.0 or x == math.inf:
            return 0.0
        return math.exp(math.floor(x) * math.log1p(-self.p))

    def scaled(self, factor: float) -> Distribution:
        return scaled(self, factor)


def discrete(values: Sequence[float], weights: Sequence[float] | None = None) -> Distribution:
    """`{values: [...], weights: [...]}`; equal weights where none are given."""
    if not values:
        raise ValueError("values need at least one value")
    given = Discrete(tuple(values), (1.0,) * len(values) if weights is None else tuple(weights))
    return Constant(given.values[0]) if len(given.values) == 1 else given


def geometric(*, mean: float | None = None, p: float | None = None) -> Distribution:
    """`{geometric: {mean:}}` (1 or more) or `{geometric: {p:}}`: exactly one of both."""
    if (mean is None) == (p is None):
        raise ValueError("a geometric needs either a mean or a chance p")
    if p is None:
        assert mean is not None
        if not (math.isfinite(mean) and mean >= 1.0):
            raise ValueError(f"the mean of a geometric must be 1 or more, got {mean:g}")
        p = 1.0 / mean
    return Geometric(p) if p != 1.0 else Constant(1.0)
