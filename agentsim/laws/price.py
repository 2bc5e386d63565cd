"""What a call costs, in dollars, and what a machine costs by the hour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentsim.laws.checks import finite

if TYPE_CHECKING:
    from agentsim.laws.hours import Hours

_MILLION = 1e6
_WEEKS = 52.0  # of a year
_HOUR = 3600.0  # seconds


@dataclass(frozen=True, slots=True)
class Tier:
    """Other prices, of calls with more than `above` input tokens that end within `hours`.

    -1 and None: of all calls.
    """

    price: Price
    above: int = -1
    hours: Hours | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens. Without a price for cached input, that of input.

    New tokens that enter the cache cost `cache_write` instead of `input`; without that price,
    `input` (docs/model.md, "A call"). Thinking is output. The whole call is paid at the prices of
    the last of the `tiers` that it is in; at its own where it is in none.
    """

    input: float
    output: float
    cached: float | None = None
    cache_write: float | None = None
    tiers: tuple[Tier, ...] = ()

    def __post_init__(self) -> None:
        for price in (self.input, self.output, self.cached, self.cache_write):
            if price is not None:
                finite(price, "a price")

    @property
    def goes_by_hours(self) -> bool:
        """Whether some of its tiers count at some hours only."""
        return any(tier.hours is not None for tier in self.tiers)

    def of(self, context: float, ended: int | None = None) -> Price:
        """The prices of a call with so much input that ended at an instant; None: at any."""
        for tier in reversed(self.tiers):
            if context <= tier.above:
                continue
            if tier.hours is None or (ended is not None and tier.hours.hold(ended)):
                return tier.price
        return self

    def cost(self, fresh: float, cached: float, output: float, written: bool) -> float:
        """Dollars of a call that read `fresh` and `cached` tokens and made `output`, in no tier.

        written: whether the fresh tokens entered a cache.
        """
        new = self.cache_write if written and self.cache_write is not None else self.input
        old = self.input if self.cached is None else self.cached
        return (fresh * new + cached * old + output * self.output) / _MILLION


@dataclass(frozen=True, slots=True)
class Hourly:
    """Dollars for each hour: of the whole run, or (`used`) in which a call is in service.

    `own`: a machine of one's own, and not rent.
    """

    rate: float
    used: bool = False
    own: bool = False
    weekly: float = 0.0
    """What of it is paid whether it is used or not: dollars a week."""
    running: float = 0.0
    """What of it goes by the hours of use: dollars an hour."""

    def __post_init__(self) -> None:
        finite(self.rate, "a price")

    def cost(self, seconds: float) -> float:
        """Dollars of so many seconds."""
        return self.rate * seconds / _HOUR


def owned(
    buy: float,
    years: float,
    watts: float,
    per_kwh: float,
    hours_per_week: float,
    used: bool = True,
) -> Hourly:
    """One's own machine: what it wears, and what it draws.

    It is bought for `buy` dollars and used `hours_per_week` for `years` of 52 weeks.
    """
    weekly = finite(buy, "what it is bought for") / (
        finite(years, "years", above_zero=True) * _WEEKS
    )
    running = finite(watts, "watts") / 1000.0 * finite(per_kwh, "a price")
    hours = finite(hours_per_week, "hours", above_zero=True)
    return Hourly(weekly / hours + running, used, own=True, weekly=weekly, running=running)
