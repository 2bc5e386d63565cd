"""A factor times a distribution that has no such member of its own family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agentsim.chance.base import Distribution, Drawn, factor_of, number
from agentsim.chance.continuous import Constant


@dataclass(frozen=True, slots=True)
class Scaled(Drawn):
    """`factor` times what `inner` gives, the factor above 0."""

    inner: Distribution
    factor: float
    between: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        number(self.factor, "a factor", above_zero=True)

    @property
    def mean(self) -> float:
        return self.factor * self.inner.mean

    @property
    def low(self) -> float:
        return self.factor * self.inner.low

    @property
    def high(self) -> float:
        return self.factor * self.inner.high

    def at(self, u: float) -> float:
        return self.factor * self.inner.at(u)

    def below(self, x: float) -> float:
        return self.inner.below(x / self.factor)

    def mean_below(self, x: float) -> float:
        return self.factor * self.inner.mean_below(x / self.factor)

    def scaled(self, factor: float) -> Distribution:
        return scaled(self.inner, self.factor * factor_of(factor))


def scaled(inner: Distribution, factor: float) -> Distribution:
    """`factor` times `inner`: a `Scaled`, or the constant 0."""
    if factor_of(factor) == 0.0:
        return Constant(0.0)
    return inner if factor == 1.0 else Scaled(inner, factor)
