"""Least squares with coefficients of 0 or more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.importers.solve import least_squares


def test_a_line_through_its_own_points() -> None:
    # y = 2 + 3x at x = 1, 2, 4: 5, 8, 14
    rows = [[1.0, 1.0], [1.0, 2.0], [1.0, 4.0]]
    assert least_squares(rows, [5.0, 8.0, 14.0]) == pytest.approx([2.0, 3.0])


def test_errors_count_relative_to_what_was_measured() -> None:
    # one x for 1 and 3: (x - 1)**2 + (x/3 - 1)**2 is least at x = (1 + 1/3)/(1 + 1/9) = 1.2
    assert least_squares([[1.0], [1.0]], [1.0, 3.0]) == pytest.approx([1.2])


def test_what_would_fall_below_0_is_0() -> None:
    # y falls: 10, 8 at x = 1, 2, so no slope; the constant alone: (1/10 + 1/8)/(1/100 + 1/64)
    x = least_squares([[1.0, 1.0], [1.0, 2.0]], [10.0, 8.0])
    assert x == pytest.approx([0.225 / 0.025625, 0.0])


def test_a_column_of_zeros_and_one_twice_do_no_harm() -> None:
    assert least_squares([[0.0, 1.0], [0.0, 1.0]], [2.0, 2.0]) == pytest.approx([0.0, 2.0])
    twice = least_squares([[1.0, 1.0], [2.0, 2.0]], [2.0, 4.0])
    assert sum(twice) == pytest.approx(2.0)


POSITIVE = st.floats(0.0, 100.0, allow_subnormal=False)


@given(st.lists(POSITIVE, min_size=3, max_size=3), st.lists(st.floats(0.1, 50.0), min_size=4))
def test_no_coefficient_is_below_0_and_no_step_aside_is_better(
    wide: list[float], wanted: list[float]
) -> None:
    rows = [[1.0, (i % 5) + wide[0], (i * i % 7) + wide[1] / 10] for i in range(len(wanted))]
    x = least_squares(rows, wanted)

    def off(x: list[float]) -> float:
        made = [sum(a * b for a, b in zip(row, x, strict=True)) for row in rows]
        return sum((m / w - 1.0) ** 2 for m, w in zip(made, wanted, strict=True))

    assert min(x) >= 0.0
    for j in range(3):
        for by in (1e-3, -1e-3):
            aside = [*x]
            aside[j] = max(0.0, aside[j] + by)
            assert off(x) <= off(aside) + 1e-6
