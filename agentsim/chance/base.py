"""What every distribution can do, and the normal curve that several of them stand on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from statistics import NormalDist
from typing import Protocol

_ROOT_HALF = math.sqrt(0.5)

score = NormalDist().inv_cdf
"""The normal score of a share 0 < u < 1."""

try:
    # what `score` ends in, without its Python layer: draws by the block go through here
    from statistics import _normal_dist_inv_cdf  # type: ignore[attr-defined]
except ImportError:  # pragma: no cover - another Python than CPython

    def _normal_dist_inv_cdf(u: float, mu: float, sigma: float) -> float:
        return mu + sigma * score(u)


scored: Callable[[float, float, float], float] = _normal_dist_inv_cdf
"""mu + sigma times the normal score of a share: (u, mu, sigma)."""


class Drawn:
    """What all distributions draw alike."""

    __slots__ = ()

    def many(self: Distribution, us: Iterable[float]) -> list[float]:
        """`at` of each; a class that can do it with fewer calls does."""
        at = self.at
        return [at(u) for u in us]


class Distribution(Protocol):
    """A quantity, drawn by inverse transform: one uniform a draw.

    Values are never negative. Every implementation is a frozen dataclass with slots, so that it
    can be a key, be sent to another process and never change.
    """

    @property
    def between(self) -> float:
        """The share of its spread that is drawn once per task: 0 = every draw anew, 1 = once."""

    @property
    def mean(self) -> float:
        """The mean, exact."""

    @property
    def low(self) -> float:
        """No value lies below it."""

    @property
    def high(self) -> float:
        """No value lies above it; may be `math.inf`."""

    def at(self, u: float) -> float:
        """The value below which a share `u` of all values lies, 0 < u < 1; never falls with u."""

    def many(self, us: Iterable[float]) -> list[float]:
        """`at` of each of `us`: a stream draws by the block."""

    def below(self, x: float) -> float:
        """The share of the values that are `x` or less, 0..1."""

    def mean_below(self, x: float) -> float:
        """What values of `x` or less add to the mean: E[X; X <= x]."""

    def scaled(self, factor: float) -> Distribution:
        """The distribution of `factor` times the value; a factor of 0 gives the constant 0."""


def phi(x: float) -> float:
    """The normal distribution function, exact in both tails (by erfc)."""
    return 0.5 * math.erfc(-x * _ROOT_HALF)


def phi_between(a: float, b: float) -> float:
    """The share of the normal curve between a <= b, without loss in the upper tail."""
    return phi(-a) - phi(-b) if a > 0.0 else phi(b) - phi(a)


def number(value: float, what: str, *, above_zero: bool = False) -> float:
    """`value`, or `ValueError` where it is not finite, negative, or 0 where that is refused."""
    if not math.isfinite(value) or value < 0.0 or (above_zero and value == 0.0):
        least = "more than 0" if above_zero else "0 or more"
        raise ValueError(f"{what} must be {least}, got {value:g}")
    return value


def factor_of(value: float) -> float:
    """A factor to scale by: finite, 0 or more."""
    return number(value, "a factor")
