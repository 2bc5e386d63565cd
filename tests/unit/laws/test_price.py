"""Prices by hand. Case E08 of the worked cases."""

import pytest

from agentsim.laws.price import Price, Tier

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
    price = Price(3, 15, 0.3, tiers=(Tier(200_000, 6, 22.5, 0.6), Tier(500_000, 12, 45)))
    assert price.cost(100_000, 100_000, 0, False) == pytest.approx(0.33)  # at the edge: below
    assert price.cost(100_001, 100_000, 0, False) == pytest.approx(0.660006)
    assert price.cost(600_000, 0, 1000, False) == pytest.approx(7.2 + 0.045)


def test_refused():
    with pytest.raises(ValueError, match="price"):
        Price(input=-1, output=1)
    with pytest.raises(ValueError, match="price"):
        Price(1, 1, tiers=(Tier(10, 1, float("nan")),))
