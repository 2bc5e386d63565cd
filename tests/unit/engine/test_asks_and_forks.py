"""Permission prompts before tool runs, and agents that go on in a copy of a session."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis import fold
from agentsim.engine import simulate
from agentsim.records import SECOND, CallFacts, Part, PersonFacts
from tests.runs import READS, Run, graph_of, run

PEOPLE = {"dev": {"count": 1}}
TOOLS = {"shell": {"time": "3s", "returns": 0}}


def agent(**more: Any) -> dict[str, Any]:
    """Three calls of 1 s and two tool runs of 3 s: 9 s where nobody is asked."""
    return {"prompt": 0, "turns": 3, "output": 100, "tools": {"shell": "100%"}, **more}


def asked(folder: Path, chance: str, **more: Any) -> Run:
    asks = {"who": "dev", "chance": chance, "time": "10s"}
    coder = agent(asks=asks, **more)
    steps = [{"agent": "coder"}]
    workflow = {"people": PEOPLE, "tools": TOOLS, "agents": {"coder": coder}, "steps": steps}
    return run(folder, workflow)


def test_each_tool_run_waits_for_the_answer(tmp_path: Path) -> None:
    """9 s and twice 10 s of dev."""
    found = asked(tmp_path, "100%")
    assert found.wall == 29
    assert found.breakdown == {Part.DECODE: 3.0, Part.TOOL: 6.0, Part.PERSON_WORK: 20.0}
    pieces = [span for span in found.trace.spans if isinstance(span.facts, PersonFacts)]
    assert [found.graph.steps[span.step].path for span in pieces] == ["coder.asks"] * 2
    assert fold(found.trace, found.graph).people[0].pieces == 2


def test_two_runs_of_one_turn_ask_one_after_the_other(tmp_path: Path) -> None:
    """Dev answers at 10 and 20; the second run ends at 23: 3 calls and two such turns: 49 s."""
    assert asked(tmp_path, "100%", tools_per_turn=2).wall == 49


def test_nobody_is_asked_at_no_chance(tmp_path: Path) -> None:
    found = asked(tmp_path, "0%")
    assert found.wall == 9
    assert found.graph.exact
    assert found.graph.people == ()


def test_the_share_that_is_asked(tmp_path: Path) -> None:
    """Of 2 runs 25 %: 0.5 on average, 10 s each: 9 + 5 s; each draws for itself."""
    asks = {"who": "dev", "chance": "25%", "time": "10s"}
    workflow = {
        "people": PEOPLE,
        "tools": TOOLS,
        "agents": {"coder": agent(asks=asks)},
        "steps": [{"agent": "coder"}],
    }
    graph = graph_of(tmp_path, workflow)
    assert not graph.exact
    runs = 4000
    walls = [simulate(graph, 8, n).ended // SECOND for n in range(runs)]
    assert set(walls) == {9, 19, 29}
    deviation = 10 * math.sqrt(2 * 0.25 * 0.75 / runs)
    assert abs(sum(walls) / runs - 14) < 3.29 * deviation


# --- forks ------------------------------------------------------------------------------------

CACHED = {**READS, "cache": {"kind": "ttl", "ttl": "1h"}}
"""10 ms an output token, 1 ms an input token that is not cached."""

AGENTS = {"coder": {"prompt": 5000, "turns": 1, "output": 100}}


def inputs(found: Run) -> list[tuple[int, int]]:
    """(fresh, cached) of each call."""
    facts = [span.facts for span in found.trace.spans if isinstance(span.facts, CallFacts)]
    return [(one.fresh, one.cached) for one in facts]


def test_a_copy_begins_with_the_history_and_goes_its_own_way(tmp_path: Path) -> None:
    """5,000 and 100 answered; the copy adds 50 to 5,100; the original goes on at 5,100 + 7."""
    steps = [
        {"agent": "coder", "id": "first"},
        {"agent": "coder", "id": "copy", "session": "first", "fork": True, "task": 50},
        {"agent": "coder", "id": "more", "session": "first", "task": 7},
        {"agent": "coder", "id": "again", "session": "copy", "task": 1},
    ]
    found = run(tmp_path, {"agents": AGENTS, "steps": steps}, CACHED)
    # the cache holds what the last request sent: the answer of 100 is new each time
    assert inputs(found) == [(5000, 0), (150, 5000), (107, 5000), (101, 5150)]


def test_copies_side_by_side(tmp_path: Path) -> None:
    """Two branches may not speak in one session; in copies of it they may."""
    copy = {"agent": "coder", "session": "first", "fork": True, "task": 50}
    steps = [
        {"agent": "coder", "id": "first"},
        {"parallel": [{**copy, "id": "a"}, {**copy, "id": "b"}]},
    ]
    found = run(tmp_path, {"agents": AGENTS, "steps": steps}, CACHED)
    assert inputs(found) == [(5000, 0), (150, 5000), (150, 5000)]


def test_what_ran_out_is_read_again_by_the_copy(tmp_path: Path) -> None:
    """The pause is longer than the ttl."""
    hardware = {**READS, "cache": {"kind": "ttl", "ttl": "10s"}}
    steps = [
        {"agent": "coder", "id": "first"},
        {"wait": "11s"},
        {"agent": "coder", "session": "first", "fork": True, "task": 50},
    ]
    found = run(tmp_path, {"agents": AGENTS, "steps": steps}, hardware)
    assert inputs(found) == [(5000, 0), (5150, 0)]


def test_a_compacted_copy_keeps_its_prompt_only(tmp_path: Path) -> None:
    """At 5,150 tokens the copy is cut to 5,050 by a call (5,150 in); then its prompt of 5,000 is
    still cached, and 50 of the new history are read."""
    small = {"at": 5120, "to": 5050, "output": 10}
    steps = [
        {"agent": "coder", "id": "first"},
        {"agent": "coder", "session": "first", "fork": True, "task": 50, "compact": small},
    ]
    found = run(tmp_path, {"agents": AGENTS, "steps": steps}, CACHED)
    assert inputs(found) == [(5000, 0), (150, 5000), (50, 5000)]


LONG = {
    "agents": {
        "coder": {
            "prompt": 4000,
            "turns": 5,
            "output": 333,
            "tools": {"look": "100%"},
            "tools_per_turn": 2,
        }
    },
    "tools": {"look": {"time": "7s", "returns": 555}},
}
"""Each turn adds 333 + 2 * 555 = 1,443 tokens: with a task of 700 the calls send 4,700, 6,143,
7,586, 9,029 and 10,472 tokens. The cache has blocks of 64 and does not hold the answers."""

BLOCKS = {**READS, "cache": {"kind": "ttl", "ttl": "60s", "block": 64, "covers": "prompt"}}


@pytest.mark.parametrize("fork", [True, False])
def test_a_copy_finds_what_is_held_of_a_part_of_the_history(tmp_path: Path, fork: bool) -> None:
    """As the session itself: of 10,472 tokens whole blocks of 64 are 10,432; the last answer is
    not among them. The copy sends 10,472 + 333 + 120 tokens (the last turn has no tools)."""
    more = {"agent": "coder", "session": "first", "fork": fork, "task": 120, "turns": 1}
    steps = [{"agent": "coder", "id": "first", "task": 700}, more]
    found = run(tmp_path, {**LONG, "steps": steps}, BLOCKS)
    cached = [0, 4672, 6080, 7552, 9024, 10432]
    sent = [4700, 6143, 7586, 9029, 10472, 10925]
    assert inputs(found) == [(a - b, b) for a, b in zip(sent, cached, strict=True)]


@pytest.mark.parametrize(("pause", "cached"), [("50s", 10432), ("60s", 10432), ("61s", 0)])
def test_making_a_copy_is_no_use_of_the_cache(tmp_path: Path, pause: str, cached: int) -> None:
    """It is made when the step begins, and its first call waits for the cap: the original ended
    as the other began, so that the copy's call comes the pause later and has to be within 60 s."""
    caps = {"agents": 1, "held": "call"}
    slow = {"slow": {"prompt": 0, "turns": 1, "output": int(pause[:-1]) * 100}}
    copy = {"agent": "coder", "session": "first", "fork": True, "task": 120, "turns": 1}
    both = {"parallel": [{"agent": "slow", "id": "before"}, copy]}
    steps = [{"agent": "coder", "id": "first", "task": 700}, both]
    agents = {**LONG["agents"], **slow}
    found = run(tmp_path, {**LONG, "agents": agents, "caps": caps, "steps": steps}, BLOCKS)
    assert inputs(found)[-1] == (10925 - cached, cached)


def test_copies_of_a_copy_find_it_too(tmp_path: Path) -> None:
    """The copy's own call sends 10,925 tokens, of which 10,880 are whole blocks of 64; its copy
    adds its answer of 333 and a task of 5."""
    copy = {"agent": "coder", "fork": True, "turns": 1}
    steps = [
        {"agent": "coder", "id": "first", "task": 700},
        {**copy, "id": "copy", "session": "first", "task": 120},
        {**copy, "session": "copy", "task": 5},
    ]
    found = run(tmp_path, {**LONG, "steps": steps}, BLOCKS)
    assert inputs(found)[-1] == (11263 - 10880, 10880)
