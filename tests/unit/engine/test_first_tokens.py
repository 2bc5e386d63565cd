"""When the tokens of a call in a batch are made: the stalls lie where they were.

One stream makes a token in 10 ms, two in 15 ms each; a prompt stops all decoding, 1 ms a token.
Call `a` decodes alone from 0 s; `b` asks at 2 s with a prompt of 3,000, which is read by 5 s, and
makes 100 tokens by 6.5 s (case E09).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.records import SECOND, Outcome, Part
from tests.runs import File, run

BOX: File = {
    "decode": {"step": {1: "10ms", 2: "15ms"}},
    "prefill": {"rate": "1000 tok/s", "schedule": "exclusive"},
    "slots": 4,
}


def work(**a: Any) -> File:
    b = {"call": "main", "id": "b", "input": 3000, "output": 100}
    call = {"call": "main", "id": "a", "input": 0, **a}
    return {"steps": [{"id": "p", "parallel": [call, {"id": "d", "do": [{"wait": "2s"}, b]}]}]}


@pytest.mark.parametrize(
    ("thinking", "shown"),
    [
        (0, 0.010),  # the first of all its tokens
        (199, 2.000),  # the 200th, just before all stands still
        (200, 5.015),  # the 201st is the first after that
        (250, 5.765),  # 51 steps of 15 ms from 5 s on
        (350, 7.010),  # 100 such steps to 6.5 s, then 51 of 10 ms: the 351st
    ],
)
def test_the_first_visible_token(thinking: int, shown: float, tmp_path: Path) -> None:
    found = run(tmp_path, work(thinking=thinking, output=1000 - thinking), BOX)
    facts = found.calls("p.a")[0]
    assert facts.shown == round(shown * SECOND)
    # 1,000 tokens by 13.5 s: 200 in 2 s, a stall of 3 s, 100 in 1.5 s, 700 in 7 s
    assert found.ends("p.a") == [13.5]
    assert facts.decoding == round(13.49 * SECOND)


def test_the_other_call(tmp_path: Path) -> None:
    """It decodes from 5 s to 6.5 s: the first of its 100 tokens is there at 5.015 s."""
    facts = run(tmp_path, work(output=1000), BOX).calls("p.d.b")[0]
    assert facts.shown == round(5.015 * SECOND)
    assert facts.decoding == round(1.485 * SECOND)


def test_a_call_that_is_cut_short(tmp_path: Path) -> None:
    """A time limit of 6 s: 200 tokens by 2 s, 66 whole steps of 15 ms from 5 s to 5.99 s."""
    workflow = work(thinking=250, output=750, timeout="6s")
    facts = run(tmp_path, workflow, BOX).calls("p.a")[0]
    assert (facts.thinking, facts.visible, facts.wasted) == (250, 16, 266)
    assert facts.shown == round(5.765 * SECOND)
    assert facts.decoding == round((5.99 - 0.01) * SECOND)


def test_a_lone_call_that_is_cut_short(tmp_path: Path) -> None:
    """10 ms a token: 150 whole ones in 1.505 s, the first at 0.01 s and the last at 1.5 s."""
    call = {"call": "main", "id": "a", "input": 0, "thinking": 100, "output": 900}
    limited = {**call, "timeout": "1505ms", "or": "go on"}
    found = run(tmp_path, {"steps": [limited]})
    facts = found.calls("a")[0]
    assert found.spans("a")[0].outcome is Outcome.CANCELLED
    assert (facts.thinking, facts.visible) == (100, 50)
    assert facts.shown == round(1.01 * SECOND)
    assert facts.decoding == round(1.49 * SECOND)


@pytest.mark.parametrize("schedule", ["exclusive", "separate"])
def test_a_batch_of_one_is_a_lone_call(schedule: str, tmp_path: Path) -> None:
    """The same spans whether calls could share the server or not, to the nanosecond."""
    profile: File = {
        "decode": {"rate": "37 tok/s", "per_context_token": "191ns"},
        "latency": "0.3s",
        "cache": {"kind": "ttl", "ttl": "5m", "covers": "all"},
    }
    prefill = {"rate": "700 tok/s", "per_context_token": "70ns"}
    calls = [
        {"call": "main", "id": f"c{i}", "session": "s", "input": 1000 * i, "thinking": 7 * i,
         "output": out, "timeout": "60s", "or": "go on"}
        for i, out in enumerate((1, 0, 300, 5000, 40))
    ]  # fmt: skip
    told = []
    for more in ({"prefill": prefill}, {"prefill": {**prefill, "schedule": schedule}, "slots": 3}):
        trace = run(tmp_path, {"steps": calls}, {**profile, **more}).trace
        told.append([(span.marks, span.outcome, span.facts) for span in trace.spans])
    assert len(told[0]) == len(calls)
    for lone, batched in zip(*told, strict=True):
        assert batched[1:] == lone[1:]
        for (part, until), (own, at) in zip(batched[0], lone[0], strict=True):
            assert part == own
            assert abs(until - at) <= 1


def test_prompts_are_read_by_priority(tmp_path: Path) -> None:
    """`a` is read until 3 s; `b` and the more urgent `c` ask at 1 and 2 s: `c` is read first."""

    def after(wait: str, name: str, **more: Any) -> File:
        call = {"call": "main", "id": name, "input": 3000, "output": 1, **more}
        return {"id": f"d{name}", "do": [{"wait": wait}, call]}

    steps = [after("0s", "a"), after("1s", "b"), after("2s", "c", priority=9)]
    found = run(tmp_path, {"steps": [{"id": "p", "parallel": steps}]}, BOX)
    # the answers of one token each wait until no prompt is read any more, and share the steps
    assert found.spans("p.dc.c")[0].marks[0] == (Part.PREFILL, 6 * SECOND)
    assert found.calls("p.db.b")[0].shown > found.calls("p.dc.c")[0].shown - SECOND
    reads = {name: found.spans(f"p.d{name}.{name}")[0] for name in "abc"}
    assert reads["b"].marks[0] == (Part.PREFILL, 9 * SECOND)


@pytest.mark.parametrize("more", [{}, {"slots": 4}], ids=["alone", "batch"])
def test_a_token_that_came_with_the_first_token_time_counts(more: File, tmp_path: Path) -> None:
    """1 s to the first token, then 10 ms each; cut at 2.505 s: that one and 150 more.

    The 101st is the first that is shown, 100 steps after the first; the last is there at 2.5 s.
    """
    profile = {"decode": {"step": {1: "10ms", 2: "15ms"}}, "first_token": "1s", **more}
    if not more:
        profile["decode"] = {"rate": "100 tok/s"}
    call = {"call": "main", "id": "a", "input": 0, "thinking": 100, "output": 900}
    found = run(tmp_path, {"steps": [{**call, "timeout": "2505ms", "or": "go on"}]}, profile)
    facts = found.calls("a")[0]
    assert (facts.thinking, facts.visible, facts.wasted) == (100, 51, 151)
    assert facts.shown == 2 * SECOND
    assert facts.decoding == round(1.5 * SECOND)
