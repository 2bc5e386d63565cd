"""Prices by hand. Case E08 of the worked cases."""

import pytest

from agentsim.laws.hours import Hours, stretches_of
from agentsim.laws.price import Hourly, Price, Tier, owned

S = 1_000_000_000
DAY = 86_400 * S
FULL = Price(input=3, cached=0.3, cache_write=3.75, output=15)


def session(price, hit, written):
    """E08: 100,000 in, then 111,000 in of which `hit` are cached; 1,000 and 2,000 tokens out."""
    return price.cost(100_000, 0, 1000, written) + price.cost(111_000 - hit, hit, 2000, written)


def test_new_tokens_cost_the_write_price():
    # 111000*3.75/1e6 + 100000*0.3/1e6 + 0.045 for 211,000 in and 3,000 out
    assert session(FULL, 100_000, True) == pytest.approx(0.49125, rel=1e-12)


def test_without_a_cache():
    assert session(FULL, 0, False) == pytest.approx(0.678, rel=1e-12)


def test_without_a_write_price():
    assert session(Price(input=3, cached=0.3, output=15), 100_000, True) == pytest.approx(0.408)


def test_two_roles():
    assert FULL.cost(0, 0, 1000, False) == pytest.approx(0.015)
    assert FULL.cost(0, 0, 3000, False) == pytest.approx(0.045)


def test_without_a_price_for_cached_input():
    assert Price(input=3, output=15).cost(0, 1e6, 0, True) == pytest.approx(3.0)


def test_tiers_by_context():
    price = Price(
        3, 15, 0.3, tiers=(Tier(Price(6, 22.5, 0.6), 200_000), Tier(Price(12, 45), 500_000))
    )

    def cost(fresh, cached, output):
        return price.of(fresh + cached).cost(fresh, cached, output, False)

    assert cost(100_000, 100_000, 0) == pytest.approx(0.33)  # at the edge: below
    assert cost(100_001, 100_000, 0) == pytest.approx(0.660006)
    assert cost(600_000, 0, 1000) == pytest.approx(7.2 + 0.045)


def test_the_last_tier_that_holds_counts():
    """Monday 2026-11-30 is 20,787 days after 1970: 16:30 UTC is 59,400 s later."""
    night = Hours("", stretches_of(tuple(range(7)), 59_400, 1_800), "UTC", 20_787 * DAY)
    price = Price(4, 4, tiers=(Tier(Price(8, 8), 100), Tier(Price(2, 2), hours=night)))
    assert price.of(101, 59_400 * S - 1).input == 8
    assert price.of(101, 59_400 * S).input == 2  # the first instant of it
    assert price.of(101, DAY + 1_800 * S - 1).input == 2  # after midnight
    assert price.of(101, DAY + 1_800 * S).input == 8
    assert price.of(100, DAY + 1_800 * S).input == 4
    assert price.of(100).input == 4  # at no time


def test_a_zone_whose_clocks_are_set_back():
    """2026-10-25 in Amsterdam: 03:00 is 02:00 again at 01:00 UTC, 20,751 days after 1970.

    From 02:30 to 03:00 is 00:30 to 01:00 UTC, and once more 01:30 to 02:00 UTC.
    """
    hours = Hours("", stretches_of((6,), 9_000, 10_800), "Europe/Amsterdam", 20_751 * DAY)
    found = [minute for minute in range(0, 180, 10) if hours.hold(minute * 60 * S)]
    assert found == [30, 40, 50, 90, 100, 110]


def test_an_own_machine():
    # 4,000 / (3 * 52 * 40) = 0.641026 and 0.15 kW * 0.30 = 0.045
    found = owned(4000, 3, 150, 0.30, 40)
    assert found.rate == pytest.approx(4000 / 6240 + 0.045)
    assert (found.weekly, found.running) == pytest.approx((4000 / 156, 0.045))
    assert Hourly(3.6).cost(100) == pytest.approx(0.1)


def test_refused():
    with pytest.raises(ValueError, match="price"):
        Price(input=-1, output=1)
    with pytest.raises(ValueError, match="price"):
        Hourly(float("nan"))
