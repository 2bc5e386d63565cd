"""Stretches of time: what lies between two instants, and which intervals make them."""

from __future__ import annotations

import pytest

from agentsim.analysis.stretches import Stretches, together


@pytest.mark.parametrize(
    ("began", "until", "wanted"),
    [
        (0, 40, [(5, 10), (10, 12), (20, 30)]),
        (6, 25, [(6, 10), (10, 12), (20, 25)]),
        (10, 20, [(10, 12)]),  # what ends or begins at an edge is outside
        (7, 8, [(7, 8)]),
        (12, 20, []),
        (30, 40, []),
    ],
)
def test_what_lies_between(began: int, until: int, wanted: list[tuple[int, int]]) -> None:
    # given in any order
    assert Stretches({20: 30, 5: 10, 10: 12}).within(began, until) == wanted


def test_intervals_that_overlap_or_touch_are_one() -> None:
    assert list(together([9, 0, 2, 20], [12, 5, 9, 21])) == [(0, 12), (20, 21)]
    assert list(together([], [])) == []
