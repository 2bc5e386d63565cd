"""Windows by hand: fixed ones, and those that open at first use."""

from __future__ import annotations

import random

import pytest

from agentsim.laws.quotas import QUOTAS, quota_of
from agentsim.laws.quotas.session_window import SessionWindow
from agentsim.laws.quotas.window import Window

S = 10**9


def test_a_window_is_full_again_when_the_next_begins() -> None:
    window = Window(2, 0, 10 * S)
    assert window.ready_at(0, 2) == 0
    assert window.ready_at(0, 3) is None
    window.take(S, 2)
    assert window.ready_at(9 * S, 1) == 10 * S
    assert window.ready_at(10 * S, 2) == 10 * S
    with pytest.raises(ValueError, match="has left"):
        window.take(9 * S, 1)


def test_an_anchor_moves_all_windows() -> None:
    """From 3 s on: -7 to 3, 3 to 13."""
    window = Window(1, 0, 10 * S, 3 * S)
    window.take(0, 1)
    assert window.ready_at(2 * S, 1) == 3 * S
    window.take(3 * S, 1)
    assert window.ready_at(4 * S, 1) == 13 * S


def test_what_was_taken_of_an_earlier_window_does_not_come_back() -> None:
    window = Window(10, 0, 10 * S)
    window.take(0, 10)
    window.give_back(5 * S, 4, 0)
    assert window.ready_at(5 * S, 4) == 5 * S
    assert window.ready_at(5 * S, 5) == 10 * S
    window.take(10 * S, 10)
    window.give_back(11 * S, 4, 5 * S)
    assert window.ready_at(11 * S, 1) == 20 * S


def test_a_session_window_opens_at_its_first_use() -> None:
    """Used at 3 s, it is over at 8 s; used again at 9 s, at 14 s."""
    window = SessionWindow(10, 0, 5 * S)
    window.take(2 * S, 0)  # no use
    window.take(3 * S, 10)
    assert window.ready_at(4 * S, 1) == 8 * S
    assert window.ready_at(4 * S, 11) is None
    assert window.ready_at(8 * S, 10) == 8 * S
    window.take(9 * S, 9)
    assert window.ready_at(9 * S, 1) == 9 * S
    assert window.ready_at(9 * S, 2) == 14 * S
    window.give_back(10 * S, 5, 4 * S)  # of the window before
    assert window.ready_at(10 * S, 2) == 14 * S
    window.give_back(10 * S, 5, 9 * S)
    assert window.ready_at(10 * S, 6) == 10 * S


@pytest.mark.parametrize("kind", QUOTAS)
def test_what_is_ready_can_be_taken_and_not_before(kind: str) -> None:
    random_ = random.Random(kind)
    quota, now = quota_of(kind, 50, 7, 9 * S, 4 * S), 0
    for _ in range(2000):
        now += random_.choice([0, S // 3, 2 * S])
        amount = random_.randint(1, 50)
        ready = quota.ready_at(now, amount)
        assert ready is not None
        assert ready >= now
        if ready > now:
            with pytest.raises(ValueError, match="more than"):
                quota.take(now, amount)
            assert quota.ready_at(ready - 1, amount) == ready
        quota.take(ready, amount)
        now = ready
