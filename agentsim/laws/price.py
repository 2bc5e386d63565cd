"""What a call costs, in dollars."""

from __future__ import annotations

from dataclasses import dataclass

from agentsim.laws.checks import finite

_MILLION = 1e6


@dataclass(frozen=True, slots=True)
class Tier:
    """Prices of calls with more than `above` input tokens, as in `Price`."""

    above: int
    input: float
    output: float
    cached: float | None = None
    cache_write: float | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens. Without a price for cached input, that of input.

    New tokens that enter the cache cost `cache_write` instead of `input`; without that price,
    `input` (docs/model.md, "A call"). Thinking is output. The whole call is paid at the prices of
    the highest of the `tiers` that its input exceeds.
    """

    input: float
    output: float
    cached: float | None = None
    cache_write: float | None = None
    tiers: tuple[Tier, ...] = ()

    def __post_init__(self) -> None:
        tiers: tuple[Price | Tier, ...] = (self, *self.tiers)
        for tier in tiers:
            for price in (tier.input, tier.output, tier.cached, tier.cache_write):
                if price is not None:
                    finite(price, "a price")

    def cost(self, fresh: float, cached: float, output: float, written: bool) -> float:
        """Dollars of a call that read `fresh` and `cached` tokens and made `output`.

        written: whether the fresh tokens entered a cache.
        """
        price = self._prices_of(fresh + cached) if self.tiers else self
        new = price.cache_write if written and price.cache_write is not None else price.input
        old = price.input if price.cached is None else price.cached
        return (fresh * new + cached * old + output * price.output) / _MILLION

    def _prices_of(self, context: float) -> Price | Tier:
        reached = [tier for tier in self.tiers if context > tier.above]
        return max(reached, key=lambda tier: tier.above) if reached else self
