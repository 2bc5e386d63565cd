"""Quotas that hand a call to another role: who serves it, at what speed and price, and how much."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.errors import Problems
from agentsim.records import CallFacts, Outcome, Part
from tests.runs import HUNDRED, File, Run, run

TEN: File = {"decode": {"rate": "10 tok/s"}, "prefill": "none"}
"""0.1 s a token."""


def limited(allow: int, on_limit: Any, base: File = HUNDRED, **more: Any) -> File:
    window = {"size": "100s", "allow": allow}
    limit = {"count": "requests", "window": window, "on_limit": on_limit}
    return {**base, "limits": [limit], **more}


FALLS = limited(1, {"fallback": "small"})


def play(folder: Path, main: File, **bound: File) -> Run:
    call = {"call": "main", "id": "x", "input": 500, "output": 100}
    return run(folder, {"steps": [{"each": 3, "id": "e", "do": [call]}]}, main, 0, **bound)


def served(found: Run) -> list[tuple[str, str, float, Outcome, int]]:
    """(server, role, end, outcome, tokens) of each request."""
    return [
        (span.resource, span.facts.role, span.ended / 1e9, span.outcome, span.facts.visible)
        for span in found.trace.spans
        if isinstance(span.facts, CallFacts)
    ]


BACK = ("main", "main", 0.0, Outcome.REJECTED, 0)


def test_what_finds_no_room_is_served_by_the_other_role(tmp_path: Path) -> None:
    """The first takes 100 x 10 ms on main, the others 100 x 0.1 s on small, at once."""
    found = play(tmp_path, FALLS, small=TEN)
    small = ("small", "small", 10.0, Outcome.DONE, 100)
    assert served(found) == [BACK, BACK, ("main", "main", 1.0, Outcome.DONE, 100), small, small]
    assert found.breakdown == {Part.DECODE: 10}
    assert found.trace.outcome is Outcome.DONE


def test_the_rules_of_the_other_hold_there(tmp_path: Path) -> None:
    """Small lets one through and makes the next wait, until its next window at 100 s."""
    found = play(tmp_path, FALLS, small=limited(1, "wait", TEN))
    assert [end for name, _, end, *_ in served(found) if name == "small"] == [10, 110]
    assert found.breakdown == {Part.QUOTA_WAIT: 100, Part.DECODE: 10}


def test_a_third_serves_what_the_second_sends_back(tmp_path: Path) -> None:
    second = limited(1, {"fallback": "tiny"}, TEN)
    found = play(tmp_path, FALLS, small=second, tiny=HUNDRED)
    done = sorted(it[:3] for it in served(found) if it[3] is Outcome.DONE)
    assert done == [("main", "main", 1), ("small", "small", 10), ("tiny", "tiny", 1)]


def test_the_second_may_reject(tmp_path: Path) -> None:
    second = limited(1, "reject", TEN, on_reject={"wait": "reset"})
    found = play(tmp_path, FALLS, small=second)
    assert [end for name, _, end, out, _ in served(found) if out is Outcome.DONE] == [1, 10, 110]


def test_an_answer_is_cut_to_what_the_other_gives(tmp_path: Path) -> None:
    """60 tokens of 100: so much stays in the session, and the next call sends 560 + 500."""
    step = {"call": "main", "session": "s", "input": 500, "output": 100}
    steps = [{**step, "id": "a"}, {**step, "id": "b"}, {**step, "id": "c"}]
    falls = limited(1, {"fallback": "small"})
    found = run(tmp_path, {"steps": steps}, falls, small={**TEN, "max_output": 60})
    assert [it[4] for it in served(found) if it[3] is Outcome.DONE] == [100, 60, 60]
    assert [call.fresh for call in found.calls("c") if call.visible] == [500 + 100 + 500 + 60 + 500]
    assert found.trace.notes["output_cut"] == 2


def test_an_agent_too_goes_on_with_what_was_answered(tmp_path: Path) -> None:
    """Turns of 100 tokens; the second is cut to 60 by the other: the third sends 160 more."""
    agents = {"a": {"turns": 3, "output": 100, "prompt": 500, "model": "main"}}
    steps = [{"agent": "a", "id": "w", "task": 0}]
    small = {**TEN, "max_output": 60}
    found = run(tmp_path, {"agents": agents, "steps": steps}, FALLS, small=small)
    assert [call.fresh for call in found.calls("w") if call.visible] == [500, 600, 660]


def test_what_outgrows_the_other_fails_with_a_reason(tmp_path: Path) -> None:
    step = {"call": "main", "session": "s", "input": 500, "output": 100}
    steps = [{**step, "id": "a"}, {**step, "id": "b"}]
    found = run(tmp_path, {"steps": steps}, FALLS, small={**TEN, "context": 700})
    assert found.trace.reason == (
        "b: 1,100 tokens do not fit the context of 700 of small, which serves what main sends back"
    )


def test_a_prompt_that_never_fits_the_other_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Problems, match="context"):
        play(tmp_path, FALLS, small={**TEN, "context": 400})


def test_the_same_server_or_a_circle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Problems, match=r"served by .* itself"):
        play(tmp_path, FALLS)
    with pytest.raises(Problems, match="leads back to") as caught:
        play(tmp_path, FALLS, small=limited(1, {"fallback": "main"}, TEN))
    assert {problem.code for problem in caught.value.problems} == {"fallback-circle"}
