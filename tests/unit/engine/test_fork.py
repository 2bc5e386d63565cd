"""Branches and items: joins, losers and what they wasted, equal ends, limits and waves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.records import Outcome, Part, Verdict
from tests.runs import HUNDRED, READS, File, Run, run

BROKEN: dict[str, Any] = {"broken": {"time": "3s", "returns": 0, "fails": "100%"}}


def race(folder: Path, join: Any, *branches: dict[str, Any], hardware: File = READS) -> Run:
    steps = [{"id": "p", "parallel": list(branches), "join": join}, {"wait": "1s", "id": "then"}]
    return run(folder, {"tools": BROKEN, "steps": steps}, hardware)


def wait(id_: str, seconds: float, **more: Any) -> dict[str, Any]:
    return {"wait": f"{seconds}s", "id": id_, **more}


# --- joins ------------------------------------------------------------------------------------


def test_all_is_the_default(tmp_path: Path) -> None:
    found = race(tmp_path, "all", wait("a", 3), wait("b", 5), wait("c", 4))
    assert found.wall == 6
    assert found.marks("then") == [(Part.WAIT, 6)]
    assert found.trace.spans[found.spans("then")[0].cause] is found.spans("p.b")[0]


def test_a_failed_branch_stops_none_of_those_that_have_to_end(tmp_path: Path) -> None:
    """One fails at 1 s; all three are asked for, so the others go on to 10 and 20 s."""
    broken = {"tool": "t", "id": "t"}
    for join in ("all", 3):
        steps = [
            {"id": "p", "parallel": [broken, wait("a", 10), wait("b", 20)], "join": join,
             "or": "go on"},
            {"wait": "1s"},
        ]  # fmt: skip
        tools = {"t": {"time": "1s", "fails": "100%"}}
        assert run(tmp_path, {"tools": tools, "steps": steps}).wall == 21


@pytest.mark.parametrize(("join", "ends"), [("any", 3), (1, 3), (2, 4), (3, 5), ("all", 5)])
def test_the_join_ends_with_the_kth(join: Any, ends: int, tmp_path: Path) -> None:
    found = race(tmp_path, join, wait("a", 3), wait("b", 5), wait("c", 4))
    assert found.wall == ends + 1
    outcomes = {path: found.spans(f"p.{path}")[0] for path in "abc"}
    for path, time in (("a", 3), ("b", 5), ("c", 4)):
        span = outcomes[path]
        assert span.ended == min(time, ends) * 1_000_000_000
        assert span.outcome is (Outcome.DONE if time <= ends else Outcome.CANCELLED)


def test_of_equal_ends_the_first_declared_leads_on(tmp_path: Path) -> None:
    found = race(tmp_path, "all", wait("a", 5), wait("b", 5))
    assert found.trace.spans[found.spans("then")[0].cause] is found.spans("p.a")[0]


def test_of_equal_ends_the_first_declared_wins_the_race(tmp_path: Path) -> None:
    """`b`, declared first, asks for changes; both end at 5, however they came to it."""
    slow = {"id": "b", "do": [wait("x", 2), wait("y", 3, approves="0%")]}
    found = race(tmp_path, "any", slow, wait("a", 5, approves="100%"))
    assert found.trace.verdict is Verdict.CHANGES
    found = race(tmp_path, "any", wait("a", 5, approves="100%"), slow)
    assert found.trace.verdict is Verdict.APPROVED


def test_the_same_where_the_first_declared_is_a_fork_itself(tmp_path: Path) -> None:
    """Its own branches join at 5 too: what ends at one instant is counted together."""
    inner = {"id": "b", "parallel": [wait("x", 5, approves="0%"), wait("y", 4, approves="0%")]}
    found = race(tmp_path, "any", inner, wait("a", 5, approves="100%"))
    assert found.trace.verdict is Verdict.CHANGES
    assert found.visits("p.b")[0].outcome is Outcome.DONE


def test_two_deep_as_well(tmp_path: Path) -> None:
    deep = {"id": "b", "parallel": [{"id": "m", "parallel": [wait("x", 5, approves="0%")]}]}
    found = race(tmp_path, "any", wait("a", 6), deep, wait("c", 5, approves="100%"))
    assert found.trace.verdict is Verdict.CHANGES


# --- verdicts and failures --------------------------------------------------------------------


def test_the_verdict_is_the_worst_of_those_counted(tmp_path: Path) -> None:
    branches = (
        wait("a", 1, approves="100%"),
        wait("b", 2, approves="0%"),
        wait("c", 9, approves="100%"),
    )
    assert race(tmp_path, 2, *branches).trace.verdict is Verdict.CHANGES
    assert race(tmp_path, 1, *branches).trace.verdict is Verdict.APPROVED


def test_a_failed_branch_does_not_count_while_enough_remain(tmp_path: Path) -> None:
    """`broken` fails at 3; `a` ends at 5 and wins; `b` is cancelled then."""
    found = race(tmp_path, "any", {"tool": "broken"}, wait("a", 5), wait("b", 9))
    assert (found.wall, found.trace.outcome) == (6, Outcome.DONE)
    assert found.spans("p.b")[0].outcome is Outcome.CANCELLED


def test_where_too_few_remain_the_block_fails_at_once(tmp_path: Path) -> None:
    """Two of three must end; two have failed at 3: the third can't help and is cancelled."""
    found = race(tmp_path, 2, {"tool": "broken"}, {"tool": "broken"}, wait("b", 9))
    assert (found.wall, found.trace.outcome) == (3, Outcome.FAILED)
    assert found.ends("p.b") == [3]


def test_when_all_fail_the_block_fails_with_the_last(tmp_path: Path) -> None:
    late = {"id": "late", "do": [wait("w", 4), {"tool": "broken"}]}
    found = race(tmp_path, "any", {"tool": "broken"}, late)
    assert (found.wall, found.trace.outcome) == (7, Outcome.FAILED)


def test_a_failure_waits_for_its_siblings(tmp_path: Path) -> None:
    found = race(tmp_path, "all", {"tool": "broken"}, wait("a", 9))
    assert (found.wall, found.trace.outcome) == (9, Outcome.FAILED)
    assert found.spans("p.a")[0].outcome is Outcome.DONE


def test_a_rejection_is_worse_than_a_failure(tmp_path: Path) -> None:
    steps = [
        {
            "parallel": [
                {"tool": "broken"},
                {"person": "dev", "time": "1s", "rejects": "100%"},
                wait("a", 9),
            ],
            "or": "go on",
        },
        wait("then", 1),
    ]
    found = run(tmp_path, {"tools": BROKEN, "people": {"dev": {"count": 1}}, "steps": steps})
    assert (found.wall, found.trace.outcome) == (9, Outcome.REJECTED)


# --- what losers wasted -----------------------------------------------------------------------

ALONE: File = READS
BATCH: File = {**READS, "slots": 4}
SEPARATE: File = {**READS, "slots": 4, "prefill": {"rate": "1000 tok/s", "schedule": "separate"}}


@pytest.mark.parametrize("hardware", [ALONE, BATCH, SEPARATE], ids=["alone", "batch", "separate"])
@pytest.mark.parametrize(
    ("cut", "read", "made"),
    [
        (0.5, 500, 0),  # half of the prompt of 1 s
        (0.9995, 999, 0),  # a token that is not read whole does not count
        (1.0, 1000, 0),
        (1.0099, 1000, 0),  # whole tokens only
        (1.01, 1000, 1),
        (3.505, 1000, 250),
        (3.51, 1000, 251),
        (10.99, 1000, 999),
    ],
)
def test_wasted_is_input_read_and_whole_tokens_made(
    hardware: File, cut: float, read: int, made: int, tmp_path: Path
) -> None:
    """1,000 tokens of prompt in 1 s, then 10 ms a token: 400 of thinking, 600 of answer."""
    call = {"call": "main", "id": "x", "input": 1000, "thinking": 400, "output": 600}
    found = race(tmp_path, "any", call, {"wait": f"{round(cut * 1e6)}us"}, hardware=hardware)
    facts = found.calls("p.x")[0]
    assert facts.fresh + facts.cached == read
    assert (facts.thinking, facts.visible) == (min(made, 400), max(0, made - 400))
    assert facts.wasted == read + made
    assert found.ends("p.x") == [cut]


def test_a_call_done_wastes_nothing(tmp_path: Path) -> None:
    """It ends at 11 s, as does the wait: both are done."""
    call = {"call": "main", "id": "x", "input": 1000, "output": 1000}
    found = race(tmp_path, "any", wait("w", 11), call)
    assert found.calls("p.x")[0].wasted == 0
    assert found.spans("p.x")[0].outcome is Outcome.DONE


@pytest.mark.parametrize("hardware", [BATCH, SEPARATE], ids=["exclusive", "separate"])
def test_a_prompt_that_waits_for_another_is_not_read(hardware: File, tmp_path: Path) -> None:
    """`a` reads 0-2, `b` waits until 2 and has read half of its 2 s at 3, nothing at 1."""
    for cut, read in ((1, 0), (3, 1000)):
        call = {"call": "main", "input": 2000, "output": 500}
        branches = ({**call, "id": "a"}, {**call, "id": "b"}, wait("w", cut))
        found = race(tmp_path, "any", *branches, hardware=hardware)
        facts = found.calls("p.b")[0]
        assert (facts.fresh, facts.wasted) == (read, read)


def test_a_call_cut_while_it_waits_for_a_slot_wastes_nothing(tmp_path: Path) -> None:
    call = {"call": "main", "input": 0, "output": 1000}
    branches = ({**call, "id": "a"}, {**call, "id": "b"}, wait("w", 3))
    found = race(tmp_path, "any", *branches, hardware={**READS, "slots": 1})
    assert found.calls("p.a")[0].wasted == 300
    assert found.calls("p.b")[0].wasted == 0
    assert found.marks("p.b") == [(Part.SLOT_WAIT, 3)]


def test_half_of_a_batch_is_cut(tmp_path: Path) -> None:
    """Two at 15 ms a step until 3 s: 200 each. Then `a` alone at 10 ms: 800 more in 8 s."""
    hardware: File = {"decode": {"step": {1: "10ms", 2: "15ms"}}, "prefill": "none", "slots": 2}
    call = {"call": "main", "input": 0, "output": 1000}
    cut = {**call, "id": "b", "timeout": "3s", "or": "go on"}
    found = race(tmp_path, "all", {**call, "id": "a"}, cut, hardware=hardware)
    assert found.calls("p.b")[0].wasted == 200
    assert found.ends("p.a") == [11]


def test_all_that_a_losing_agent_made_is_wasted(tmp_path: Path) -> None:
    """Turns of 1 s and tools of 2 s: 100 tokens by 1 s; at 3.5 s a second call has read and made
    150 more, of which 100 are the same. What ended before the cut was not needed either.
    """
    workflow: File = {
        "tools": {"look": {"time": "2s", "returns": 0}},
        "agents": {
            "worker": {"model": "main", "turns": 9, "output": 100, "tools": {"look": "100%"}}
        },
        "steps": [
            {"id": "p", "parallel": [{"agent": "worker", "id": "x"}, wait("w", 3.5)], "join": 1}
        ],
    }
    found = run(tmp_path, workflow)
    assert [facts.wasted for facts in found.calls("p.x")] == [100, 150]
    assert found.ends("p.x") == [1, 3, 3.5]


# --- items ------------------------------------------------------------------------------------


def test_no_items_take_no_time(tmp_path: Path) -> None:
    found = run(tmp_path, {"steps": [{"each": 0, "do": [wait("w", 5)]}, wait("then", 1)]})
    assert found.wall == 1
    assert found.trace.outcome is Outcome.DONE


TIMES = ["5s", "1s", "1s", "3s", "1s"]


def items(folder: Path, **more: Any) -> Run:
    steps = [{"id": "e", "each": TIMES, "do": [{"wait": "$(item)", "id": "w"}], **more}]
    return run(folder, {"steps": steps}, HUNDRED)


def test_a_place_is_refilled_as_one_ends(tmp_path: Path) -> None:
    """Two places: 5 | 1 1 3: the fifth item begins at 5 in whichever is free: 5, 1, 2, 5, 6."""
    found = items(tmp_path, limit=2)
    assert sorted(found.ends("e.w")) == [1, 2, 5, 5, 6]
    assert found.wall == 6


def test_waves_begin_when_all_of_the_last_are_done(tmp_path: Path) -> None:
    """(5, 1), (1, 3), (1): 5 + 3 + 1."""
    found = items(tmp_path, limit=2, release="waves")
    assert found.wall == 9
    assert sorted(found.ends("e.w")) == [1, 5, 6, 8, 9]
    assert found.breakdown == {Part.CAP_WAIT: 8, Part.WAIT: 1}


def test_what_an_item_waited_is_in_its_visit(tmp_path: Path) -> None:
    found = items(tmp_path, limit=2)
    waited = {v.place: v.waited / 1e9 for v in found.visits("e") if len(v.place) == 1}
    assert waited == {(0,): 0, (1,): 0, (2,): 1, (3,): 2, (4,): 5}


def test_a_join_of_items_under_a_limit(tmp_path: Path) -> None:
    """Two of five, two at once: the second ends at 1 and the third at 2; the first is cut."""
    found = items(tmp_path, limit=2, join=2)
    assert found.wall == 2
    first = next(span for span in found.spans("e.w") if span.place == (0,))
    assert (first.outcome, first.ended) == (Outcome.CANCELLED, 2_000_000_000)
    # the fourth item took the free place at 1 or not at all: it must not begin at 2
    assert all(span.began < 2_000_000_000 for span in found.spans("e.w"))


def test_items_begin_in_order_of_declaration(tmp_path: Path) -> None:
    steps = [{"id": "e", "each": 6, "limit": 3, "do": [wait("w", 2)]}]
    found = run(tmp_path, {"steps": steps})
    began = {span.place[0]: span.began for span in found.spans("e.w") if span.marks}
    assert [began[i] / 1e9 for i in range(6)] == [0, 0, 0, 2, 2, 2]


def test_a_failed_item_stops_no_other(tmp_path: Path) -> None:
    tools = {"maybe": {"time": "2s", "returns": 0, "fails": "100%"}}
    steps = [{"id": "e", "each": 3, "limit": 1, "do": [{"tool": "maybe", "id": "t"}]}]
    found = run(tmp_path, {"tools": tools, "steps": steps})
    assert (found.wall, found.trace.outcome) == (6, Outcome.FAILED)


@pytest.mark.parametrize("hardware", [ALONE, BATCH], ids=["alone", "batch"])
def test_a_slow_call_has_made_fewer_tokens(hardware: File, tmp_path: Path) -> None:
    """A quarter slower than usual: 1 s of prompt, then 12.5 ms a token; at 3 s there are 160."""
    slow = {**hardware, "decode": {"rate": "100 tok/s", "spread": {"values": [1.25]}}}
    call = {"call": "main", "id": "x", "input": 1000, "output": 1000}
    found = race(tmp_path, "any", call, wait("w", 3), hardware=slow)
    assert found.calls("p.x")[0].visible == 160


def test_items_of_two_lists_draw_apart(tmp_path: Path) -> None:
    """What is drawn once a task differs between item 0 of one `each` and item 0 of another."""
    tools = {"t": {"time": {"exponential": "9s", "per": "task"}, "returns": 0}}
    steps = [
        {"id": name, "each": 2, "do": [{"tool": "t", "id": "x"}, {"tool": "t", "id": "y"}]}
        for name in "ab"
    ]
    found = run(tmp_path, {"tools": tools, "steps": steps})
    times = {
        (path, span.place): span.ended - span.began
        for path in ("a.x", "a.y", "b.x", "b.y")
        for span in found.spans(path)
    }
    assert times["a.x", (0,)] == times["a.y", (0,)]  # within an item it is one draw
    assert len(set(times.values())) == 4
