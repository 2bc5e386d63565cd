"""Faults in closed form, against counting and adding up."""

from __future__ import annotations

import pytest

from agentsim.laws.faults import (
    Fate,
    broken_after,
    fate,
    given_up,
    mean_tries,
    mean_waits,
    over_at,
)


def test_one_uniform_tells_the_fate() -> None:
    """2 % turned away, then 1 % errors, then 1 % broken: the rest goes well."""
    shares = 0.02, 0.01, 0.01
    assert fate(0.0199, *shares)[0] is Fate.OVERLOAD
    assert fate(0.0201, *shares)[0] is Fate.ERROR
    assert fate(0.0301, *shares)[0] is Fate.DROPPED
    assert fate(0.0401, *shares)[0] is Fate.NONE
    kind, left = fate(0.035, *shares)
    assert kind is Fate.DROPPED
    assert left == pytest.approx(0.5)


def test_a_stream_breaks_after_any_number_of_tokens_but_all() -> None:
    n = 40_000
    found = [broken_after((i + 0.5) / n, 4, 0) for i in range(n)]
    assert [found.count(made) for made in range(5)] == [n / 4] * 4 + [0]
    assert {broken_after(u, 4, 1) for u in (0.0, 0.34, 0.67, 0.999)} == {1, 2, 3}
    assert [broken_after(0.5, 0, 0), broken_after(0.5, 1, 1)] == [0, 1]


def test_tries_are_geometric_and_bounded() -> None:
    """With 50 % and three tries: 1 + 1/2 + 1/4 tries, 1/8 given up; waits of 2 and 4 s: 1 + 1 s."""
    assert mean_tries(0.5, 3) == 1.75
    assert given_up(0.5, 3) == 0.125
    assert mean_waits(0.5, (2.0, 4.0)) == 2.0
    assert mean_tries(0.0, 3) == 1.0
    assert mean_tries(1.0, 3) == 3.0


def test_when_an_outage_is_over() -> None:
    outages = (5, 8), (8, 9), (20, 30)
    found = [over_at(outages, now) for now in (0, 4, 5, 7, 8, 9, 19, 20, 29, 30)]
    assert found == [-1, -1, 8, 8, 9, -1, -1, 30, 30, -1]
    assert over_at((), 5) == -1
