"""Every distribution against its own inverse: mean, share below, bounds, scaling, pickling."""

import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.chance import (
    Capped,
    Constant,
    Discrete,
    Exponential,
    Geometric,
    LogNormal,
    Mixture,
    PerTask,
    Poisson,
    QuantileTable,
    Scaled,
    Triangular,
    Uniform,
    capped,
    discrete,
    geometric,
    lognormal_mean_cv,
    lognormal_p50_p90,
    mixture,
    quantiles,
    triangular,
    uniform,
)
from agentsim.chance.base import phi

TAIL = quantiles({0.5: 4.0, 0.9: 20.0, 0.99: 200.0})
ALL = [
    Constant(3.5),
    LogNormal(1.0, 0.8),
    Uniform(2.0, 5.0),
    Triangular(1.0, 2.0, 6.0),
    Triangular(1.0, 1.0, 6.0),
    Triangular(1.0, 6.0, 6.0),
    Exponential(4.0),
    TAIL,
    QuantileTable(((0.5, 4.0), (0.9, 4.0), (0.99, 30.0))),
    QuantileTable(((0.1, 2.0), (0.5, 4.0), (0.9, 4.0))),
    Discrete((5.0, 1.0, 3.0), (1.0, 2.0, 5.0)),
    Poisson(3.2),
    Poisson(400.0),
    Geometric(0.55),
    Geometric(1.0),
    Scaled(Poisson(3.2), 2.5),
    Capped(LogNormal(1.0, 0.8), 1.5, 8.0),
    Capped(Exponential(4.0), 0.0, 6.0),
    Capped(TAIL, 2.0),
    Capped(Geometric(0.3), 2.0, 5.0),
    PerTask(LogNormal(1.0, 0.8), 0.68),
    Mixture((Constant(0.0), LogNormal(1.0, 0.8)), (0.9, 0.1)),
    Mixture((LogNormal(0.0, 1.0), LogNormal(3.0, 0.5)), (3.0, 1.0)),
    Mixture((Uniform(1.0, 2.0), Constant(1.5), Uniform(4.0, 5.0)), (1.0, 1.0, 2.0)),
    Mixture((Poisson(3.0), Exponential(4.0)), (1.0, 1.0)),
]
IDS = [f"{i}-{type(d).__name__}" for i, d in enumerate(ALL)]
every = pytest.mark.parametrize("dist", ALL, ids=IDS)
shares = st.floats(2.0**-53, 1.0 - 2.0**-53)


def mean_by_integration(dist):
    """The mean of at(u) with u = Phi(z), trapezoids over z: apart from the classes' formulas."""
    n, reach = 8_000, 8.0
    step = 2 * reach / n
    total = 0.0
    for i in range(n + 1):
        z = -reach + i * step
        density = math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
        total += dist.at(min(max(phi(z), 2.0**-53), 1 - 2.0**-53)) * density * step
    return total


@every
def test_mean_is_that_of_the_draws(dist):
    # Jumps cost the trapezoids half a step's share: 4e-4 of a jump.
    assert dist.mean == pytest.approx(mean_by_integration(dist), rel=2e-3)


@every
@settings(max_examples=60, deadline=None)
@given(a=shares, b=shares)
def test_never_falls(dist, a, b):
    a, b = min(a, b), max(a, b)
    assert dist.at(a) <= dist.at(b) * (1 + 1e-11)


@every
@settings(max_examples=60, deadline=None)
@given(u=shares)
def test_within_its_bounds(dist, u):
    x = dist.at(u)
    assert math.isfinite(x)
    assert dist.low <= x <= dist.high


@every
@settings(max_examples=60, deadline=None)
@given(u=st.floats(1e-6, 1 - 1e-6))
def test_below_is_the_inverse_of_at(dist, u):
    x = dist.at(u)
    assert dist.below(x * (1 + 1e-9)) >= u * (1 - 1e-9)
    assert dist.below(x * (1 - 1e-9) - 1e-300) <= u * (1 + 1e-9) or x == 0.0


@every
def test_mean_below_adds_up_to_the_mean(dist):
    assert dist.mean_below(math.inf) == pytest.approx(dist.mean, rel=1e-12)
    assert dist.mean_below(-1.0) == 0.0
    # The part of the mean up to the 7th decile, by summing a staircase under at(u).
    x, n = dist.at(0.7) * (1 + 1e-9), 5_000
    stairs = sum(v for v in (dist.at((i + 0.5) / n) for i in range(n)) if v <= x) / n
    assert dist.mean_below(x) == pytest.approx(stairs, rel=2e-3, abs=1e-9)


@every
def test_scaled(dist):
    double = dist.scaled(2.0)
    for u in (0.01, 0.3, 0.5, 0.77, 0.999):
        assert double.at(u) == pytest.approx(2.0 * dist.at(u), rel=1e-9)
    assert double.mean == pytest.approx(2.0 * dist.mean, rel=1e-12)
    assert double.between == dist.between
    assert dist.scaled(0.0).at(0.5) == 0.0
    with pytest.raises(ValueError, match="factor"):
        dist.scaled(-1.0)


@every
def test_a_value_object(dist):
    again = pickle.loads(pickle.dumps(dist))
    assert again == dist
    assert hash(again) == hash(dist)
    assert again.at(0.37) == dist.at(0.37)
    with pytest.raises((AttributeError, TypeError)):
        dist.low = 1.0


def test_lognormal_goes_through_both_quantiles():
    dist = lognormal_p50_p90(4.0, 20.0)
    assert dist.at(0.5) == pytest.approx(4.0, rel=1e-12)
    assert dist.at(0.9) == pytest.approx(20.0, rel=1e-12)
    assert lognormal_p50_p90(4.0, 4.0) == Constant(4.0)


def test_lognormal_by_mean_and_cv():
    dist = lognormal_mean_cv(10.0, 0.5)
    assert dist.mean == pytest.approx(10.0, rel=1e-12)
    # cv^2 = exp(sigma^2) - 1
    assert math.sqrt(math.expm1(dist.sigma**2)) == pytest.approx(0.5, rel=1e-12)
    assert lognormal_mean_cv(10.0, 0.0) == Constant(10.0)


def test_quantile_table_goes_through_its_points_and_on():
    for share, value in ((0.5, 4.0), (0.9, 20.0), (0.99, 200.0)):
        assert TAIL.at(share) == pytest.approx(value, rel=1e-12)
    # Below p50 the slope of p50 to p90 goes on: p10 mirrors p90, 4 / 5.
    assert TAIL.at(0.1) == pytest.approx(4.0 / 5.0, rel=1e-9)
    # Beyond p99 the slope from p90 to p99 goes on.
    z90, z99, z999 = 1.2815515655446004, 2.3263478740408408, 3.090232306167813
    expected = 200.0 * 10.0 ** ((z999 - z99) / (z99 - z90))
    assert TAIL.at(0.999) == pytest.approx(expected, rel=1e-9)


def test_two_quantiles_are_a_lognormal_and_equal_ones_a_value():
    two = quantiles({0.5: 4.0, 0.9: 20.0})
    assert two.mean == pytest.approx(lognormal_p50_p90(4.0, 20.0).mean, rel=1e-12)
    assert isinstance(two, LogNormal)
    assert quantiles({0.5: 4.0, 0.9: 4.0, 0.99: 4.0}) == Constant(4.0)


def test_means_by_hand():
    assert Uniform(2.0, 5.0).mean == 3.5
    assert Triangular(1.0, 2.0, 6.0).mean == 3.0
    assert Geometric(0.55).mean == pytest.approx(1.818, abs=5e-4)  # issue 2: 1.818 rounds
    assert Discrete((1.0, 2.0), (3.0, 1.0)).mean == 1.25
    # Exponential of mean m cut at c: m (1 - exp(-c / m))
    cut = Capped(Exponential(4.0), 0.0, 6.0)
    assert cut.mean == pytest.approx(4.0 * (1 - math.exp(-1.5)), rel=1e-12)
    # Uniform 0..10 lifted to 2 and cut at 8: symmetric, so the mean stays.
    assert Capped(Uniform(0.0, 10.0), 2.0, 8.0).mean == pytest.approx(5.0, rel=1e-12)


def test_geometric_counts_from_one():
    dist = Geometric(0.25)
    assert [dist.at(u) for u in (0.2, 0.3, 0.5)] == [1.0, 2.0, 3.0]  # sums .25 .4375 .578
    assert geometric(mean=4.0) == Geometric(0.25) == geometric(p=0.25)
    assert geometric(mean=1.0) == Constant(1.0)


def test_poisson_by_hand():
    # P(0) = exp(-1) = .3679, P(X <= 1) = .7358, P(X <= 2) = .9197
    assert [Poisson(1.0).at(u) for u in (0.36, 0.37, 0.73, 0.74, 0.93)] == [0, 1, 1, 2, 3]
    assert Poisson(1e6).at(0.5) == pytest.approx(1e6, abs=1)


def test_discrete_is_sorted_joined_and_normed():
    assert Discrete((3.0, 1.0, 3.0), (1.0, 2.0, 1.0)) == Discrete((1.0, 3.0), (5.0, 5.0))
    assert Discrete((1.0, 2.0, 3.0), (1.0, 0.0, 1.0)).values == (1.0, 3.0)
    assert discrete([7.0, 7.0]) == Constant(7.0)
    assert discrete([1.0, 2.0]).mean == 1.5


def test_mixture_takes_its_jumps_exactly():
    rare = mixture([(0.9, Constant(0.0)), (0.1, Constant(600.0))])
    assert [rare.at(u) for u in (0.5, 0.9, 0.900001)] == [0.0, 0.0, 600.0]
    wait = mixture([(0.8, Uniform(0.0, 1.0)), (0.2, Constant(5.0))])
    assert wait.at(0.4) == pytest.approx(0.5, rel=1e-9)
    assert wait.at(0.81) == 5.0
    assert mixture([(1.0, Constant(2.0)), (0.0, Constant(9.0))]) == Constant(2.0)


def test_caps_that_cannot_bind_are_left_out():
    assert capped(Uniform(1.0, 2.0), at_most=3.0) == Uniform(1.0, 2.0)
    assert capped(Constant(5.0), at_most=3.0) == Constant(3.0)
    assert isinstance(capped(Exponential(1.0), at_most=3.0), Capped)
    assert Capped(PerTask(Exponential(1.0), 0.4), 0.0, 2.0).between == 0.4


@pytest.mark.parametrize(
    "make",
    [
        lambda: lognormal_p50_p90(0.0, 1.0),
        lambda: lognormal_p50_p90(2.0, 1.0),
        lambda: lognormal_p50_p90(math.nan, 1.0),
        lambda: lognormal_p50_p90(1.0, math.inf),
        lambda: lognormal_p50_p90(1.0, 1e300),
        lambda: lognormal_mean_cv(0.0, 1.0),
        lambda: lognormal_mean_cv(1.0, -1.0),
        lambda: lognormal_mean_cv(1.0, 100.1),  # 1,000 runs would miss its mean by 3 times itself
        lambda: quantiles({0.5: 1.0}),
        lambda: quantiles({0.5: 0.0, 0.9: 1.0, 0.99: 2.0}),
        lambda: quantiles({0.5: 3.0, 0.9: 1.0, 0.99: 2.0}),
        lambda: quantiles({0.5: 1.0, 1.0: 2.0}),
        lambda: quantiles({0.5: 1.0, 0.9: 2.0, 0.99: 1e300}),
        lambda: Constant(-1.0),
        lambda: Constant(math.nan),
        lambda: uniform(2.0, 1.0),
        lambda: triangular(1.0, 5.0, 4.0),
        lambda: Exponential(0.0),
        lambda: Poisson(0.0),
        lambda: Poisson(1e12),
        lambda: Geometric(0.0),
        lambda: Geometric(1e-310),
        lambda: geometric(mean=0.5),
        lambda: geometric(),
        lambda: geometric(mean=2.0, p=0.5),
        lambda: discrete([]),
        lambda: discrete([1.0], [1.0, 2.0]),
        lambda: discrete([1.0, 2.0], [0.0, 0.0]),
        lambda: discrete([1.0, 2.0], [-1.0, 2.0]),
        lambda: capped(Exponential(1.0), at_least=3.0, at_most=2.0),
        lambda: mixture([]),
        lambda: mixture([(-1.0, Constant(1.0)), (2.0, Constant(2.0))]),
        lambda: mixture([(1.0, PerTask(Constant(1.0))), (2.0, Constant(2.0))]),
        lambda: PerTask(Constant(1.0), 1.5),
    ],
)
def test_refused(make):
    with pytest.raises(ValueError):
        make()
