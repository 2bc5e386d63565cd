"""Calls that are sent back: when they ask again, how often, and what they leave."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agentsim.records import CallFacts, Outcome, Part
from tests.runs import HUNDRED, File, Run, run

ONE: dict[str, Any] = {"count": "requests", "window": {"size": "10s", "allow": 1}}


def rejecting(on_reject: Any = None, *more: dict[str, Any]) -> File:
    found: dict[str, Any] = {**HUNDRED, "limits": [{**ONE, "on_limit": "reject"}, *more]}
    return found if on_reject is None else {**found, "on_reject": on_reject}


def play(folder: Path, hardware: File, count: int = 2, **more: Any) -> Run:
    call = {"call": "main", "id": "x", "input": 0, "output": 100, **more}
    return run(folder, {"steps": [{"each": count, "id": "e", "do": [call]}]}, hardware)


def asked(found: Run) -> list[tuple[float, Outcome, bool]]:
    """When each request was sent, how it ended, and whether it was sent again."""
    spans = [span for span in found.trace.spans if isinstance(span.facts, CallFacts)]
    return [
        (span.began / 1e9, span.outcome, span.facts.again)
        for span in spans
        if isinstance(span.facts, CallFacts)
    ]


def test_without_a_plan_it_fails_at_once(tmp_path: Path) -> None:
    found = play(tmp_path, rejecting())
    assert found.trace.outcome is Outcome.FAILED
    assert found.trace.reason == (
        "e.x: rejected once by the quota of main (requests, 1 in each 10 s)"
    )
    assert found.wall == 1


def test_waits_that_grow(tmp_path: Path) -> None:
    """1, 3, 4 and 4 s after one another: asked at 0, 1, 4, 8 and 12 s, in the next window."""
    plan = {"first": "1s", "factor": 3, "at_most": "4s", "tries": 5}
    found = play(tmp_path, rejecting(plan))
    back = [(at, Outcome.REJECTED, True) for at in (0, 1, 4, 8)]
    # spans stand in the order in which they end
    assert asked(found) == [back[0], (0, Outcome.DONE, False), *back[1:], (12, Outcome.DONE, False)]
    assert found.wall == 13
    assert found.breakdown == {Part.RETRY: 12, Part.DECODE: 1}


def test_tries_are_counted_in_all(tmp_path: Path) -> None:
    """Three tries: at 0, 1 and 3 s, all in the first window."""
    found = play(tmp_path, rejecting({"first": "1s", "tries": 3}))
    assert [at for at, outcome, _ in asked(found) if outcome is Outcome.REJECTED] == [0, 1, 3]
    assert "rejected 3 times" in found.trace.reason
    assert found.trace.outcome is Outcome.FAILED


def test_a_reset_may_be_waited_for_so_often_and_no_more(tmp_path: Path) -> None:
    """Four ask at 0, three at 10, two at 20: the fourth has asked three times and is given up."""
    found = play(tmp_path, rejecting({"wait": "reset", "tries": 3}), 4)
    assert "rejected 3 times" in found.trace.reason
    assert found.wall == 21
    assert len([it for it in asked(found) if it[1] is Outcome.REJECTED]) == 3 + 2 + 1


def test_jitter_stays_within_its_share_and_is_drawn_anew(tmp_path: Path) -> None:
    found = play(tmp_path, rejecting({"waits": ["1s"] * 40, "jitter": "50%"}))
    times = [at for at, outcome, _ in asked(found) if outcome is Outcome.REJECTED]
    gaps = [b - a for a, b in pairwise(times)]
    assert all(0.5 <= gap <= 1.5 for gap in gaps)
    assert len(set(gaps)) == len(gaps) > 5


def test_a_quota_that_makes_wait_is_passed_first(tmp_path: Path) -> None:
    """A request every 4 s is waited for, and only then the window rejects: at 4 and at 8 s."""
    own = {"count": "requests", "bucket": 1, "refill": "15/min"}
    found = play(tmp_path, rejecting({"waits": ["1s"] * 9}, own))
    # rejected at 4 s: the bucket is still full, and so at 5, 6, ... 9 s; at 10 s there is room
    assert [at for at, outcome, _ in asked(found) if outcome is Outcome.REJECTED] == [
        0, 5, 6, 7, 8, 9
    ]  # fmt: skip
    assert found.breakdown == {Part.QUOTA_WAIT: 4, Part.RETRY: 6, Part.DECODE: 1}


@pytest.mark.parametrize("at", [0.5, 2.5])
def test_a_step_that_is_given_up_meanwhile(tmp_path: Path, at: float) -> None:
    """Cut while it waits to ask again (at 1, 3 s): nothing is taken, no further try is counted."""
    found = play(tmp_path, rejecting({"waits": ["1s", "2s", "8s"]}), timeout=f"{at}s")
    rejected = [when for when, outcome, _ in asked(found) if outcome is Outcome.REJECTED]
    assert rejected == [when for when in (0, 1) if when < at]
    assert found.wall == max(at, 0.5 if at < 1 else 1)
