"""Timeout, retry, `or: go on`: what ends when, and that all that was held is given back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.engine import simulate
from agentsim.records import Outcome, Part, Verdict
from tests.runs import HUNDRED, READS, File, Run, graph_of, run

GATE: dict[str, Any] = {"gate": {"capacity": 1}}
DEV: dict[str, Any] = {"dev": {"count": 1, "pickup": "4s", "switch": "2s"}}
BROKEN: dict[str, Any] = {"broken": {"time": "10s", "returns": 0, "fails": "100%"}}


# --- timeouts ---------------------------------------------------------------------------------


def test_what_ends_exactly_at_the_limit_has_met_it(tmp_path: Path) -> None:
    found = run(tmp_path, {"steps": [{"wait": "10s", "id": "w", "timeout": "10s"}]})
    assert found.trace.outcome is Outcome.DONE
    assert found.spans("w")[0].outcome is Outcome.DONE


def test_a_nanosecond_later_is_cut_at_the_limit(tmp_path: Path) -> None:
    found = run(tmp_path, {"steps": [{"wait": "10000000001ns", "id": "w", "timeout": "10s"}]})
    assert found.trace.outcome is Outcome.FAILED
    assert "timed out" in found.trace.reason
    assert found.trace.ended == 10_000_000_000
    span = found.spans("w")[0]
    assert (span.outcome, span.marks) == (Outcome.CANCELLED, ((Part.WAIT, 10_000_000_000),))


@pytest.mark.parametrize(
    "step",
    [
        {"call": "main", "input": 0, "output": 1000},
        {"person": "dev", "time": "4s"},
        {"wait": "10s", "uses": {"gate": 1}},
        {"parallel": [{"wait": "10s"}, {"wait": "3s"}]},
        {"each": 2, "limit": 1, "do": [{"wait": "5s"}]},
        {"loop": 2, "do": [{"wait": "5s"}]},
        {"do": [{"wait": "4s"}, {"wait": "6s", "needs": []}, {"wait": "4s"}]},
    ],
    ids=["call", "person", "pool", "parallel", "each", "loop", "needs"],
)
def test_every_kind_meets_its_own_length(step: dict[str, Any], tmp_path: Path) -> None:
    """Each of them takes exactly 10 s (the person: 4 to notice, 2 to switch, 4 to work)."""
    world: File = {"pools": GATE, "people": DEV}
    whole = run(tmp_path, {**world, "steps": [{**step, "timeout": "10s"}]})
    assert (whole.trace.outcome, whole.wall) == (Outcome.DONE, 10)
    cut = run(tmp_path, {**world, "steps": [{**step, "timeout": "9999999999ns"}]})
    assert (cut.trace.outcome, cut.trace.ended) == (Outcome.FAILED, 9_999_999_999)


AFTER: dict[str, Any] = {"wait": "1s", "id": "after"}

# What stands under a timeout of 5 s, and the marks of the span that it cuts
UNDER: dict[str, tuple[dict[str, Any], str, list[tuple[Part, float]]]] = {
    "tool": ({"tool": "slow", "id": "x"}, "x", [(Part.TOOL, 5)]),
    "retry": (
        {"tool": "flaky", "id": "x"},
        "x",
        [(Part.RETRY, 5)],
    ),
    "call": (
        {"call": "main", "id": "x", "input": "2k", "output": 1000},
        "x",
        [(Part.PREFILL, 2), (Part.DECODE, 5)],
    ),
    "prompt": ({"call": "main", "id": "x", "input": "9k", "output": 1}, "x", [(Part.PREFILL, 5)]),
    "pickup": ({"person": "late", "id": "x", "time": "9s"}, "x", [(Part.PICKUP, 5)]),
    "switch": (
        {"person": "dev", "id": "x", "time": "9s"},
        "x",
        [(Part.PICKUP, 4), (Part.SWITCHING, 5)],
    ),
    "work": (
        {"person": "quick", "id": "x", "time": "9s"},
        "x",
        [(Part.PICKUP, 1), (Part.PERSON_WORK, 5)],
    ),
    "loop": ({"loop": 9, "do": [{"wait": "2s", "id": "x"}], "id": "l"}, "l.x", [(Part.WAIT, 5)]),
    "group": (
        {"do": [{"wait": "2s"}, {"wait": "9s", "id": "x"}], "id": "g"},
        "g.x",
        [(Part.WAIT, 5)],
    ),
    "parallel": (
        {"parallel": [{"wait": "9s", "id": "x"}, {"wait": "2s"}], "id": "p"},
        "p.x",
        [(Part.WAIT, 5)],
    ),
    "each": (
        {"each": 3, "limit": 1, "id": "e", "do": [{"wait": "2s", "id": "x"}]},
        "e.x",
        [(Part.WAIT, 5)],
    ),
    "needs": (
        {"id": "g", "do": [{"wait": "2s"}, {"wait": "9s", "id": "x", "needs": []}]},
        "g.x",
        [(Part.WAIT, 5)],
    ),
    "agent": (
        {"agent": "worker", "id": "x", "task": 0},
        "x",
        [(Part.TOOL, 5)],
    ),
    "side by side": ({"agent": "wide", "id": "x", "task": 0}, "x", [(Part.TOOL, 5)]),
}
CAST: File = {
    "pools": GATE,
    "tools": {
        "slow": {"time": "9s", "returns": 0},
        "flaky": {
            "time": "2s",
            "returns": 0,
            "fails": "100%",
            "retry": {"tries": 3, "wait": "4s"},
        },
    },
    "people": {**DEV, "late": {"pickup": "9s"}, "quick": {"pickup": "1s"}},
    "agents": {
        "worker": {"model": "main", "turns": 2, "output": 100, "tools": {"slow": "100%"}},
        "wide": {
            "model": "main",
            "turns": 2,
            "output": 100,
            "tools": {"slow": "100%"},
            "tools_per_turn": 3,
        },
    },
}


@pytest.mark.parametrize("name", UNDER)
def test_what_a_timeout_cuts(name: str, tmp_path: Path) -> None:
    """The span ends at the limit in the part that it was in, the chain goes on, and adds up."""
    step, path, marks = UNDER[name]
    workflow: File = {**CAST, "steps": [{**step, "timeout": "5s", "or": "go on"}, AFTER]}
    found = run(tmp_path, workflow, READS)
    assert found.wall == 6
    assert sum(found.breakdown.values()) == 6
    last = found.spans(path)[-1]
    assert last.outcome is Outcome.CANCELLED
    assert [(part, until / 1e9) for part, until in last.marks] == marks
    assert found.marks("after") == [(Part.WAIT, 6)]
    assert found.trace.outcome is Outcome.DONE


# --- what was held is given back --------------------------------------------------------------

HOLDERS: dict[str, tuple[dict[str, Any], dict[str, Any], float]] = {
    # (what is cut at 5 s, who asks for the same at 1 s, when that one ends)
    "pool": ({"wait": "9s", "uses": {"gate": 1}}, {"wait": "2s", "uses": {"gate": 1}}, 7),
    "slot": (
        {"call": "main", "input": 0, "output": 900},
        {"call": "main", "input": 0, "output": 200},
        7,
    ),
    "person": ({"person": "you", "time": "9s"}, {"person": "you", "time": "2s"}, 7),
    "agent": (
        {"agent": "chatty", "task": 0},
        {"call": "main", "input": 0, "output": 200},
        7,
    ),
    "tool of an agent": ({"agent": "tester", "task": 0}, {"wait": "2s", "uses": {"gate": 1}}, 7),
    "in branches": (
        {"parallel": [{"wait": "9s", "uses": {"gate": 1}}, {"wait": "9s"}]},
        {"wait": "2s", "uses": {"gate": 1}},
        7,
    ),
    "in items": (
        {"each": 3, "do": [{"wait": "9s", "uses": {"gate": 1}}]},
        {"wait": "2s", "uses": {"gate": 1}},
        7,
    ),
    "in rounds": (
        {"loop": 3, "do": [{"wait": "3s", "uses": {"gate": 1}}]},
        {"wait": "2s", "uses": {"gate": 1}},
        5,  # between the rounds at 3 the unit is free for an instant, and it asked first: 3 to 5
    ),
}
SHARED: File = {
    "pools": GATE,
    "people": {"you": {"count": 1}},
    "tools": {"tests": {"time": "9s", "returns": 0, "uses": {"gate": 1}}},
    "agents": {
        "chatty": {"model": "main", "turns": 1, "output": 900},
        "tester": {"model": "main", "turns": 2, "output": 0, "tools": {"tests": "100%"}},
    },
}


@pytest.mark.parametrize("name", HOLDERS)
@pytest.mark.parametrize("how", ["timeout", "join"])
def test_what_was_held_is_taken_at_the_same_instant(name: str, how: str, tmp_path: Path) -> None:
    holder, other, ends = HOLDERS[name]
    cut: dict[str, Any] = {**holder, "id": "cut"}
    if how == "timeout":
        cut |= {"timeout": "5s", "or": "go on"}
    else:
        cut = {"parallel": [cut, {"wait": "5s"}], "join": "any", "id": "race"}
    late = {"id": "late", "do": [{"wait": "1s"}, {**other, "id": "x"}]}
    workflow: File = {**SHARED, "steps": [{"id": "p", "parallel": [cut, late]}]}
    found = run(tmp_path, workflow, {**HUNDRED, "slots": 1})
    assert found.ends("p.late.x") == [ends]
    assert found.wall == max(5, ends)


def test_one_who_waits_and_gives_up_holds_up_nobody(tmp_path: Path) -> None:
    """Of 2 units one is held until 20; `big` wants both from 1 to 6; `small` gets its one at 6."""
    workflow: File = {
        "pools": {"gate": {"capacity": 2}},
        "steps": [
            {
                "id": "p",
                "parallel": [
                    {"wait": "20s", "id": "holder", "uses": {"gate": 1}},
                    {
                        "id": "b",
                        "do": [
                            {"wait": "1s"},
                            {
                                "wait": "3s",
                                "id": "big",
                                "uses": {"gate": 2},
                                "timeout": "5s",
                                "or": "go on",
                            },
                        ],
                    },
                    {
                        "id": "s",
                        "do": [{"wait": "2s"}, {"wait": "3s", "id": "small", "uses": {"gate": 1}}],
                    },
                ],
            }
        ],
    }
    found = run(tmp_path, workflow)
    assert found.marks("p.b.big") == [(Part.POOL_WAIT, 6)]
    assert found.marks("p.s.small") == [(Part.POOL_WAIT, 6), (Part.WAIT, 9)]
    gate = next(peak for peak in found.trace.peaks if peak.resource == "gate")
    assert (gate.queue, gate.in_use) == (2, 2)


def cut_at_5(how: str, step: dict[str, Any]) -> dict[str, Any]:
    """The step with id `cut`, ended at 5 s by its own timeout or by losing a race."""
    if how == "timeout":
        return {**step, "id": "cut", "timeout": "5s", "or": "go on"}
    return {"id": "race", "parallel": [{**step, "id": "cut"}, {"wait": "5s"}], "join": "any"}


@pytest.mark.parametrize("how", ["timeout", "join"])
def test_items_behind_a_limit_do_not_begin_after_the_cut(how: str, tmp_path: Path) -> None:
    """Items of 2 s, one after another: the third is cut at 5, six are never begun."""
    step = cut_at_5(how, {"each": 9, "limit": 1, "do": [{"wait": "2s", "id": "x"}]})
    found = run(tmp_path, {"steps": [step, {"wait": "30s"}]})
    path = "cut.x" if how == "timeout" else "race.cut.x"
    assert found.ends(path) == [2, 4, 5]
    assert found.wall == 35
    began = {span.place for span in found.trace.spans if span.place}
    assert began == {(0,), (1,), (2,)}


@pytest.mark.parametrize("how", ["timeout", "join"])
def test_steps_of_a_graph_do_not_begin_after_the_cut(how: str, tmp_path: Path) -> None:
    """`b` needs `a`, which is cut: it does not run, and nothing waits for it."""
    steps = [{"wait": "9s", "id": "a"}, {"wait": "3s", "id": "b", "needs": ["a"]}]
    found = run(tmp_path, {"steps": [cut_at_5(how, {"do": steps}), {"wait": "30s"}]})
    path = "cut" if how == "timeout" else "race.cut"
    assert found.ends(f"{path}.a") == [5]
    assert found.spans(f"{path}.b") == []
    assert found.wall == 35


# --- nested timeouts --------------------------------------------------------------------------


def nested(inner: str) -> File:
    """3 s, then a wait under the inner limit, then 1 s; all within 10 s; then 2 s."""
    slow = {"wait": "100s", "id": "slow", "timeout": inner, "or": "go on"}
    group = [{"wait": "3s"}, slow, {"wait": "1s", "id": "last"}]
    outer = {"id": "outer", "do": group, "timeout": "10s", "or": "go on"}
    return {"steps": [outer, {"wait": "2s"}]}


def test_the_inner_limit_first(tmp_path: Path) -> None:
    """3 + 6 = 9, then the last second ends exactly at the outer limit, which is met."""
    found = run(tmp_path, nested("6s"))
    assert found.wall == 12
    assert found.spans("outer.last")[0].outcome is Outcome.DONE
    assert found.ends("outer.last") == [10]


def test_the_outer_limit_first(tmp_path: Path) -> None:
    found = run(tmp_path, nested("8s"))
    assert found.wall == 12
    assert found.spans("outer.last") == []
    assert found.trace.outcome is Outcome.DONE


def test_both_limits_at_one_instant(tmp_path: Path) -> None:
    """The outer one was set first and wins; the inner one then has nothing left to cut."""
    found = run(tmp_path, nested("7s"))
    assert found.wall == 12
    assert found.ends("outer.slow") == [10]


def test_both_limits_at_one_instant_around_branches(tmp_path: Path) -> None:
    branches = [
        {"wait": "100s", "timeout": "10s"},
        {"parallel": [{"wait": "100s"}, {"wait": "50s", "timeout": "10s", "or": "go on"}]},
    ]
    group = {"parallel": branches, "timeout": "10s", "or": "go on"}
    outer = {"do": [group, {"wait": "5s"}], "timeout": "10s", "or": "go on"}
    found = run(tmp_path, {"steps": [outer, {"wait": "2s", "id": "then"}]})
    assert found.wall == 12
    assert found.trace.outcome is Outcome.DONE
    assert sum(found.breakdown.values()) == 12


# --- retries ----------------------------------------------------------------------------------


def test_waits_before_further_tries_are_retry(tmp_path: Path) -> None:
    """10 + 5 + 10 + 5 + 10 s, then it fails."""
    step = {"tool": "broken", "id": "x", "retry": {"tries": 2, "wait": "5s"}}
    found = run(tmp_path, {"tools": BROKEN, "steps": [step]})
    assert found.breakdown == {Part.TOOL: 30, Part.RETRY: 10}
    assert found.trace.outcome is Outcome.FAILED


def test_so_are_those_of_a_tool_itself(tmp_path: Path) -> None:
    broken = {**BROKEN["broken"], "retry": {"tries": 2, "wait": "5s"}}
    found = run(tmp_path, {"tools": {"broken": broken}, "steps": [{"tool": "broken"}]})
    assert found.breakdown == {Part.TOOL: 30, Part.RETRY: 10}
    assert found.trace.outcome is Outcome.FAILED


def test_a_retry_draws_anew(tmp_path: Path) -> None:
    """Three tries that fail take three different times, and chance is asked each time."""
    slow = {"broken": {"time": {"exponential": "10s"}, "returns": 0, "fails": "100%"}}
    found = run(tmp_path, {"tools": slow, "steps": [{"tool": "broken", "id": "x", "retry": 2}]})
    times = [span.ended - span.began for span in found.spans("x")]
    assert len(times) == len(set(times)) == 3
    # with 10 % to end well and 200 tries, one of them does (all fail: 0.9^200 = 7e-10)
    often = {"broken": {"time": "1s", "returns": 0, "fails": "90%"}}
    found = run(tmp_path, {"tools": often, "steps": [{"tool": "broken", "id": "x", "retry": 200}]})
    assert found.trace.outcome is Outcome.DONE
    assert found.wall == len(found.spans("x")) > 1


def test_a_try_has_the_whole_timeout(tmp_path: Path) -> None:
    """Two tries of 5 s each, and the wait between is under no limit."""
    step = {"wait": "9s", "id": "x", "timeout": "5s", "retry": {"tries": 1, "wait": "7s"}}
    found = run(tmp_path, {"steps": [{**step, "or": "go on"}, {"wait": "1s"}]})
    assert found.wall == 5 + 7 + 5 + 1
    assert found.breakdown == {Part.WAIT: 11, Part.RETRY: 7}


def test_a_retried_group_draws_anew(tmp_path: Path) -> None:
    steps = [{"wait": {"exponential": "10s"}, "id": "w"}, {"tool": "broken"}]
    group = {"id": "g", "do": steps, "retry": 3}
    found = run(tmp_path, {"tools": BROKEN, "steps": [group]})
    times = [span.ended - span.began for span in found.spans("g.w")]
    assert len(times) == len(set(times)) == 4


def test_a_rejection_is_not_tried_again(tmp_path: Path) -> None:
    step = {"person": "dev", "time": "1m", "rejects": "100%", "retry": 3, "or": "go on"}
    found = run(tmp_path, {"people": {"dev": {"count": 1}}, "steps": [step, {"wait": "5s"}]})
    assert (found.wall, found.trace.outcome) == (60, Outcome.REJECTED)


def test_changes_are_no_failure(tmp_path: Path) -> None:
    """A review that asks for changes ended well: it is not tried again."""
    found = run(tmp_path, {"steps": [{"wait": "10s", "approves": "0%", "retry": 3}]})
    assert (found.wall, found.trace.verdict) == (10, Verdict.CHANGES)


CUT_ONCE: dict[str, Any] = {"person": "p", "timeout": "4s"}  # 3 s of switching, then 2 s of work


@pytest.mark.parametrize(
    "step",
    [
        {"do": [CUT_ONCE], "retry": 1, "or": "go on"},
        {"agent": "b", "do": [CUT_ONCE], "retry": 1, "or": "go on"},
        {"loop": 1, "or": "go on", "do": [{"do": [CUT_ONCE], "retry": 1}]},
        {"loop": 2, "or": "go on", "do": [{**CUT_ONCE, "decides": "1.5s"}]},
        {"parallel": [{"do": [CUT_ONCE], "retry": 1, "or": "go on"}]},
        {"choose": [{"chance": "100%", "do": [{"do": [CUT_ONCE], "retry": 1, "or": "go on"}]}]},
    ],
)
def test_the_verdict_of_a_try_that_is_over_is_over_too(tmp_path: Path, step: Any) -> None:
    """4 s to the cut, then 2 s (the switch is paid): nothing failed that counts after it.

    In the loop of two rounds the first is cut at 4 s and the second takes 1.5 s.
    """
    people = {"p": {"switch": "3s", "decides": "2s"}}
    agents = {"b": {"prompt": 0}}
    steps = [step, {"wait": "100s", "when": ["failed", "changes"]}]
    file = {"people": people, "agents": agents, "steps": steps}
    if step.get("loop") == 2:
        file["steps"] = [step]
    found = run(tmp_path, file)
    assert (found.trace.outcome, found.trace.verdict) == (Outcome.DONE, None)
    assert found.wall == (5.5 if step.get("loop") == 2 else 6)


def test_after_a_silent_step_stands_what_stood_before(tmp_path: Path) -> None:
    """What a group's steps said is its verdict; of a loop, what its last round said."""
    asks = {"wait": "1s", "approves": "0%"}
    quiet = {"loop": 2, "do": [{"wait": "1s", "approves": ["0%", "100%"]}]}
    found = run(tmp_path, {"steps": [asks, {"loop": 2, "do": [{"wait": "1s"}]}]})
    assert found.trace.verdict is Verdict.CHANGES
    assert run(tmp_path, {"steps": [asks, quiet]}).trace.verdict is Verdict.APPROVED


# --- or: go on --------------------------------------------------------------------------------


def test_the_next_step_sees_what_failed(tmp_path: Path) -> None:
    steps = [
        {"tool": "broken", "or": "go on"},
        {"wait": "5s", "when": "failed"},
        {"wait": "100s", "when": "approved"},
    ]
    found = run(tmp_path, {"tools": BROKEN, "steps": steps})
    assert (found.wall, found.trace.outcome) == (15, Outcome.DONE)
    assert found.trace.verdict is Verdict.FAILED


def test_without_it_a_failure_ends_the_list(tmp_path: Path) -> None:
    found = run(tmp_path, {"tools": BROKEN, "steps": [{"tool": "broken"}, {"wait": "5s"}]})
    assert (found.wall, found.trace.outcome) == (10, Outcome.FAILED)
    assert "broken" in found.trace.reason


def test_a_retried_call_sends_the_same_again(tmp_path: Path) -> None:
    """2 s of prompt, 1 s of answer; the first try is cut at 2.5 s. The session holds 2k, not 4k."""
    chat = {"session": "chat", "call": "main", "output": 100}
    steps = [
        {"call": "main", "id": "chat", "input": 0, "output": 0},
        {**chat, "id": "ask", "input": "2k", "timeout": "2500ms", "retry": 1, "or": "go on"},
    ]
    found = run(tmp_path, {"steps": steps}, READS)
    assert [facts.fresh + facts.cached for facts in found.calls("ask")] == [2000, 2000]


def test_a_retry_changes_no_draw_before_it_is_needed(tmp_path: Path) -> None:
    """Around or within what is tried again: what was drawn without it is drawn with it.

    The tool fails in half of its runs and goes on; the group around it never fails, and neither
    does the wait in it, so that a `retry` of either is there for nothing.
    """
    tools: File = {"try": {"time": {"uniform": ["1s", "9s"]}, "fails": "50%", "returns": 0}}

    def walls(group: File, wait: File) -> list[float]:
        tried = {"tool": "try", "retry": {"tries": 3, "wait": "1s"}, "or": "go on"}
        idle = {"id": "idle", "wait": {"uniform": ["1s", "9s"]}, **wait}
        outer = {"do": [{"do": [tried, idle], "id": "in", **group}, {"tool": "try", "id": "end"}]}
        steps = [{**outer, "id": "out", "retry": 2, "or": "go on"}]
        graph = graph_of(tmp_path, {"tools": tools, "steps": steps})
        return [Run(graph, simulate(graph, seed, 0)).wall for seed in range(20)]

    plain = walls({}, {})
    assert len(set(plain)) == 20
    assert walls({"retry": 2}, {}) == plain
    assert walls({}, {"retry": 4}) == plain
