"""How far two things are apart, pair by pair, and how many runs would tell."""

from __future__ import annotations

import math

import pytest

from agentsim.experiment.paired import MOST_RUNS, Apart, apart
from agentsim.records import SECOND


def seconds(*values: float) -> list[int]:
    return [round(value * SECOND) for value in values]


def test_constants_are_apart_exactly() -> None:
    found = apart(seconds(3), seconds(2), exact=True)
    assert found == Apart(1.0, (1.0, 1.0), 0.0, 1)
    assert found.is_clear


def test_one_run_that_draws_tells_nothing() -> None:
    found = apart(seconds(3), seconds(2))
    assert (found.mean, found.ci95, found.needed) == (1.0, None, None)
    assert not found.is_clear
    assert not apart(seconds(2), seconds(2)).is_clear


def test_what_never_differs_is_the_same() -> None:
    found = apart(seconds(2, 5), seconds(2, 5))
    assert found.is_same
    assert found.is_clear


def test_runs_that_would_tell() -> None:
    """Differences of 1 +- 10 s, half and half: sd 10 sqrt(n / (n - 1)), mean 1.

    (1.959964 + 0.841621)^2 is 7.8489; times 100 x 100 / 99 that is 792.8, so 793 runs. The
    interval of 100 runs is 1 +- 1.9842 x 10.0504 / 10.
    """
    base = seconds(*[100.0] * 100)
    found = apart(seconds(*[111.0, 91.0] * 50), base)
    assert found.mean == 1
    assert found.ci95 == pytest.approx((1 - 1.99422, 1 + 1.99422), abs=1e-4)
    assert not found.is_clear
    assert found.needed == 793


def test_more_runs_than_the_command_takes_are_not_advised() -> None:
    """Differences of 0.02 +- 10 s: 7.85 x 100 / 0.0004 is 2 million."""
    found = apart(seconds(*[110.02, 90.02] * 50), seconds(*[100.0] * 100))
    assert found.needed is None
    none = apart(seconds(*[110.0, 90.0] * 50), seconds(*[100.0] * 100))
    assert (none.mean, none.needed) == (0, None)


def test_just_below_that_they_are() -> None:
    """Differences of 0.03 +- 10 s: 7.8489 x 101.0101 / 0.0009 is 880,910."""
    found = apart(seconds(*[110.03, 90.03] * 50), seconds(*[100.0] * 100))
    assert found.needed == pytest.approx(880_910, rel=1e-4)
    assert found.needed is not None
    assert found.needed < MOST_RUNS
    assert math.isclose(found.sd, 10 * math.sqrt(100 / 99))


def test_where_a_few_runs_did_not_tell_it_takes_twice_as_many() -> None:
    """Differences of 1 and 1.4 s: mean 1.2, sd 0.4 / sqrt(2), 12.706 x 0.2 = 2.54 s of error.

    By the formula 7.8489 x 0.08 / 1.44 = 0.44 runs would tell, so one; two did not. So four.
    """
    found = apart(seconds(3, 3.4), seconds(2, 2))
    assert not found.is_clear
    assert found.sd == pytest.approx(0.4 / math.sqrt(2))
    assert found.needed == 4
