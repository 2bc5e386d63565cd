"""Means, intervals and quantiles against tables and arithmetic."""

from __future__ import annotations

import math
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.analysis.estimate import (
    Z95,
    half_width,
    interval,
    of_occurrences,
    of_runs,
    quantile,
    quantile_error,
    share_interval,
    t95,
)

numbers = st.floats(0, 1e9, allow_nan=False)


@pytest.mark.parametrize(
    ("freedom", "point"),
    # two-sided 95 % points of Student's t, from the usual tables
    [(1, 12.706), (2, 4.303), (9, 2.262), (10, 2.228), (15, 2.131), (30, 2.042), (100, 1.984)],
)
def test_students_t(freedom: int, point: float) -> None:
    assert t95(freedom) == pytest.approx(point, abs=6e-4)


def test_students_t_falls_to_the_normal_point() -> None:
    points = [t95(freedom) for freedom in range(1, 300)]
    assert points == sorted(points, reverse=True)
    assert t95(10**9) == pytest.approx(Z95)


@pytest.mark.parametrize(
    ("p", "value"),
    # of 10, 20, 30, 40 at position 3p: the same as numpy.quantile's default
    [(0, 10), (0.5, 25), (0.9, 37), (1, 40), (1 / 3, 20)],
)
def test_quantile(p: float, value: float) -> None:
    assert quantile([10, 20, 30, 40], p) == pytest.approx(value)


def test_interval_of_five_values() -> None:
    # mean 3, sd sqrt(2.5), t(4) = 2.776: half width 2.776 * 1.5811 / sqrt(5) = 1.963
    assert interval([1, 2, 3, 4, 5]) == pytest.approx((3 - 1.9632, 3 + 1.9632), abs=1e-3)


def test_one_value_is_exact() -> None:
    stat = of_runs([0.1])
    assert stat.ci95 == (0.1, 0.1)
    assert stat.mean == stat.p5 == stat.p99 == stat.min == stat.max == 0.1
    assert stat.sd == stat.p50_error == stat.p90_error == 0


@given(numbers, st.integers(1, 40))
def test_equal_values_are_exact(value: float, n: int) -> None:
    stat = of_runs([value] * n)
    assert stat.mean == stat.p5 == stat.p50 == stat.p90 == stat.p99 == stat.min == value
    assert stat.ci95 == (value, value)
    assert stat.sd == 0


@given(st.lists(numbers, min_size=1, max_size=40))
def test_a_stat_is_in_order_and_holds_no_nan(values: list[float]) -> None:
    stat = of_runs(values)
    chain = [stat.min, stat.p5, stat.p50, stat.p80, stat.p90, stat.p95, stat.p99, stat.max]
    assert chain == sorted(chain)
    assert stat.min <= stat.mean <= stat.max
    assert all(map(math.isfinite, (stat.sd, *stat.ci95, stat.p50_error, stat.p90_error)))


def test_the_interval_of_the_median_lies_between_order_statistics() -> None:
    # 101 values 0..100: sd of the share below the median sqrt(0.25/101) = 0.04975, reach 0.0975;
    # positions 50 -+ 9.75, so half the interval is 9.75
    assert quantile_error(list(range(101)), 0.5, 101) == pytest.approx(9.751, abs=1e-3)


def test_occurrences_are_pooled_with_their_zeros() -> None:
    stat = of_occurrences([((4.0,), 2), ((2.0, 6.0), 2)])
    assert stat is not None
    assert stat.n == 4  # 0, 2, 4, 6
    assert (stat.min, stat.mean, stat.p50, stat.max) == (0, 3, 3, 6)


def test_with_equal_counts_the_interval_is_that_of_the_means() -> None:
    runs = [(3.0, 5.0), (1.0, 1.0), (8.0, 4.0)]
    stat = of_occurrences([(own, 2) for own in runs])
    assert stat is not None
    half = half_width([sum(own) / 2 for own in runs])
    assert stat.ci95[1] - stat.mean == pytest.approx(half)


def test_occurrences_of_unequal_number() -> None:
    # sums 2 and 12, counts 1 and 3: mean 14/4 = 3.5; residuals 2-3.5 = -1.5 and 12-10.5 = 1.5;
    # error sqrt(4.5/1/2)/2 = 0.75, t(1) = 12.706: half width 9.53
    stat = of_occurrences([((2.0,), 1), ((3.0, 4.0, 5.0), 3)])
    assert stat is not None
    assert stat.mean == 3.5
    assert stat.ci95[1] - stat.mean == pytest.approx(9.5297, abs=1e-3)


def test_the_error_of_a_quantile_of_occurrences_goes_by_the_runs() -> None:
    # 0..100 in four runs: the share below the median has an sd of sqrt(0.25 / 4) = 0.25, reach
    # 0.489991: positions 50 -+ 48.9991 of 0..100. That of p90: sqrt(0.09 / 4) = 0.15, reach
    # 0.293995, from position 60.6005 to the end, 100. By 101 occurrences it would be 9.75
    values = list(map(float, range(101)))
    parts = (values[:25], values[25:50], values[50:75], values[75:])
    stat = of_occurrences([(part, len(part)) for part in parts])
    assert stat is not None
    assert stat.n == 101
    assert stat.p50_error == pytest.approx(48.9991, abs=1e-4)
    assert stat.p90_error == pytest.approx((100 - 60.6005) / 2, abs=1e-4)


def test_what_never_occurs_has_no_figure() -> None:
    assert of_occurrences([((), 0), ((), 0)]) is None
    assert of_occurrences([]) is None


def test_only_zeros() -> None:
    stat = of_occurrences([((), 3), ((), 2)])
    assert stat is not None
    assert asdict(stat) | {"n": 0} == dict.fromkeys(asdict(stat), 0) | {"ci95": (0, 0)}


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    # Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine
    # 17 (1998) 857-872, table I, method 3
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
     (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_the_interval_of_a_share_is_the_published_one(
    count: int, n: int, low: float, high: float
) -> None:
    assert share_interval(count, n) == pytest.approx((low, high), abs=5e-5)


def test_the_interval_of_a_share_by_hand() -> None:
    # 840 of 1,000: z^2 = 3.841459; middle (0.84 + 0.001921) / 1.003841 = 0.838699; half
    # 1.959964 / 1.003841 x root of (0.0001344 + 0.00000096) = 1.952463 x 0.0116345 = 0.022716
    assert share_interval(840, 1000) == pytest.approx((0.815983, 0.861415), abs=2e-6)


def test_all_and_none_are_whole() -> None:
    # with p = 1 the lower end is n / (n + z^2): 20 / 23.841459
    low, high = share_interval(20, 20)
    assert low == pytest.approx(20 / 23.841459)
    assert high == 1.0
    low, high = share_interval(0, 20)
    assert low == 0.0
    assert high == pytest.approx(3.841459 / 23.841459)
