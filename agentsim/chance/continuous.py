"""Distributions over a range, in closed form."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from agentsim.chance.base import Distribution, Drawn, factor_of, number, phi, score, scored

_exp = math.exp
_Z90 = score(0.9)
_WIDEST = 100.0  # a cv: far beyond anything measured; of a wider one no mean can be drawn
_FLAT = 1e-12  # a relative width below which a range is one value


@dataclass(frozen=True, slots=True)
class Constant(Drawn):
    """Always the same value."""

    value: float
    between: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        number(self.value, "a value")

    @property
    def mean(self) -> float:
        return self.value

    @property
    def low(self) -> float:
        return self.value

    @property
    def high(self) -> float:
        return self.value

    def at(self, u: float) -> float:
        return self.value

    def below(self, x: float) -> float:
        return 1.0 if x >= self.value else 0.0

    def mean_below(self, x: float) -> float:
        return self.value if x >= self.value else 0.0

    def scaled(self, factor: float) -> Constant:
        return Constant(self.value * factor_of(factor))


@dataclass(frozen=True, slots=True)
class LogNormal(Drawn):
    """exp(mu + sigma * z), z standard normal; mean exp(mu + sigma^2 / 2)."""

    mu: float
    sigma: float
    between: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        number(self.sigma, "the spread of a log-normal", above_zero=True)
        if not math.isfinite(self.mu):
            raise ValueError(f"the log of a median must be finite, got {self.mu:g}")
        # The mean and the largest draw (u = 1 - 2^-53, z = 8.21) must both be numbers.
        if self.mu + self.sigma * max(self.sigma, 8.3) > 700.0:
            raise ValueError("the spread of a log-normal is too wide to compute with")

    @property
    def mean(self) -> float:
        return _exp(self.mu + 0.5 * self.sigma * self.sigma)

    @property
    def low(self) -> float:
        return 0.0

    @property
    def high(self) -> float:
        return math.inf

    def at(self, u: float) -> float:
        return _exp(self.mu + self.sigma * score(u))

    def many(self, us: Iterable[float]) -> list[float]:
        mu, sigma = self.mu, self.sigma
        return [_exp(scored(u, mu, sigma)) for u in us]

    def below(self, x: float) -> float:
        return phi((math.log(x) - self.mu) / self.sigma) if x > 0.0 else 0.0

    def mean_below(self, x: float) -> float:
        if x <= 0.0:
            return 0.0
        return self.mean * phi((math.log(x) - self.mu) / self.sigma - self.sigma)

    def scaled(self, factor: float) -> Distribution:
        if factor_of(factor) == 0.0:
            return Constant(0.0)
        return LogNormal(self.mu + math.log(factor), self.sigma)


@dataclass(frozen=True, slots=True)
class Uniform(Drawn):
    """Evenly between low and high."""

    low: float
    high: float
    between: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        number(self.low, "the low end")
        number(self.high, "the high end")
        if not self.low < self.high:
            raise ValueError(f"the low end {self.low:g} must lie below the high end {self.high:g}")

    @property
    def mean(self) -> float:
        return 0.5 * (self.low + self.high)

    def at(self, u: float) -> float:
        return min(self.low + (self.high - self.low) * u, self.high)

    def below(self, x: float) -> float:
        return min(max((x - self.low) / (self.high - self.low), 0.0), 1.0)

    def mean_below(self, x: float) -> float:
        x = min(max(x, self.low), self.high)
        return 0.5 * (x - self.low) * (x + self.low) / (self.high - self.low)

    def scaled(self, factor: float) -> Distribution:
        if factor_of(factor) == 0.0:
            return Constant(0.0)
        return Uniform(self.low * factor, self.high * factor)


@dataclass(frozen=True, slots=True)
class Triangular(Drawn):
    """A density that rises from low to mode and falls to high; mean (low + mode + high) / 3."""

    low: float
    mode: float
    high: float
    between: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        for value, what in ((self.low, "min"), (self.mode, "mode"), (self.high, "max")):
            number(value, what)
        if not (self.low <= self.mode <= self.high and self.low < self.high):
            raise ValueError("min, mode and max must rise in this order")

    @property
    def mean(self) -> float:
        return (self.low + self.mode + self.high) / 3.0

    def at(self, u: float) -> float:
        width, rise = self.high - self.low, self.mode - self.low
        if u * width < rise:
            return min(self.low + math.sqrt(u * width * rise), self.mode)
        return max(self.high - math.sqrt((1.0 - u) * width * (width - rise)), self.mode)

    def below(self, x: float) -> float:
        width, rise = self.high - self.low, self.mode - self.low
        if x < self.mode:
            return (x - self.low) ** 2 / (width * rise) if x > self.low else 0.0
        return 1.0 - (self.high - x) ** 2 / (width * (width - rise)) if x < self.high else 1.0

    def mean_below(self, x: float) -> float:
        width, rise = self.high - self.low, self.mode - self.low
        if x <= self.low:
            return 0.0
        if x < self.mode:
            t = x - self.low  # the density rises as 2 t / (width rise)
            return (self.low * t**2 + 2.0 / 3.0 * t**3) / (width * rise)
        if x >= self.high:
            return self.mean
        t = self.high - x
        return self.mean - (self.high * t**2 - 2.0 / 3.0 * t**3) / (width * (width - rise))

    def scaled(self, factor: float) -> Distribution:
        if factor_of(factor) == 0.0:
            return Constant(0.0)
        return Triangular(self.low * factor, self.mode * factor, self.high * factor)


@dataclass(frozen=True, slots=True)
class Exponential(Drawn):
    """Without memory: P(X > x) = exp(-x / mean)."""

    mean: float
    between: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        number(self.mean, "the mean of an exponential", above_zero=True)

    @property
    def low(self) -> float:
        return 0.0

    @property
    def high(self) -> float:
        return math.inf

    def at(self, u: float) -> float:
        return -self.mean * math.log1p(-u)

    def below(self, x: float) -> float:
        return -math.expm1(-x / self.mean) if x > 0.0 else 0.0

    def mean_below(self, x: float) -> float:
        if x <= 0.0:
            return 0.0
        if x == math.inf:
            return self.mean
        return self.mean * self.below(x) - x * _exp(-x / self.mean)

    def scaled(self, factor: float) -> Distribution:
        if factor_of(factor) == 0.0:
            return Constant(0.0)
        return Exponential(self.mean * factor)


def lognormal_p50_p90(p50: float, p90: float) -> Distribution:
    """`{p50:, p90:}`: the log-normal through both; one value where they are equal."""
    number(p50, "p50", above_zero=True)
    number(p90, "p90", above_zero=True)
    if p90 < p50:
        raise ValueError(f"p90 ({p90:g}) must not lie below p50 ({p50:g})")
    sigma = (math.log(p90) - math.log(p50)) / _Z90
    return LogNormal(math.log(p50), sigma) if sigma > _FLAT else Constant(p50)


def lognormal_mean_cv(mean: float, cv: float) -> Distribution:
    """`{mean:, cv:}`: sigma^2 = ln(1 + cv^2), mu = ln(mean) - sigma^2 / 2; cv 0 is one value."""
    number(mean, "the mean", above_zero=True)
    if number(cv, "cv") > _WIDEST:
        raise ValueError(f"cv must not exceed {_WIDEST:g}, got {cv:g}")
    variance = math.log1p(cv**2)
    if variance <= _FLAT**2:
        return Constant(mean)
    return LogNormal(math.log(mean) - 0.5 * variance, math.sqrt(variance))


def uniform(low: float, high: float) -> Distribution:
    """`{uniform: [low, high]}`; one value where both are equal."""
    return Constant(low) if low == high else Uniform(low, high)


def triangular(low: float, mode: float, high: float) -> Distribution:
    """`{min:, mode:, max:}`; one value where all are equal."""
    return Constant(mode) if low == mode == high else Triangular(low, mode, high)
