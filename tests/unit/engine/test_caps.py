"""What a harness allows: agents and tools at once, for life or for a call, and starts in a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis import fold
from agentsim.analysis.places import numbers
from agentsim.engine import simulate
from agentsim.errors import EngineFault
from agentsim.experiment import variants
from agentsim.records import SECOND, Outcome, Part
from tests.runs import Run, graph_of, run

AGENTS = {
    # a call of 1 s at 100 tok/s; the second one runs a tool of 3 s between two calls
    "one": {"prompt": 0, "turns": 1, "output": 100},
    "two": {"prompt": 0, "turns": 2, "output": 100, "tools": {"shell": "100%"}},
}
TOOLS = {"shell": {"time": "3s"}}


def of(folder: Path, caps: dict[str, Any], *steps: Any) -> Run:
    return run(folder, {"agents": AGENTS, "tools": TOOLS, "caps": caps, "steps": list(steps)})


def test_agents_at_once(tmp_path: Path) -> None:
    """Five of 1 s, two at once: 0-1, 0-1, 1-2, 1-2, 2-3; the waits are 0, 0, 1, 1 and 2 s."""
    found = of(tmp_path, {"agents": 2}, {"each": 5, "do": [{"agent": "one"}]})
    assert found.wall == 3
    assert found.breakdown == {Part.CAP_WAIT: 2.0, Part.DECODE: 1.0}
    waits = [
        (span.ended - span.began) // SECOND
        for span in found.trace.spans
        if span.marks[0][0] is Part.CAP_WAIT
    ]
    assert sorted(waits) == [1, 1, 2]
    peak = {it.resource: it for it in found.trace.peaks}["agents at once"]
    assert (peak.in_use, peak.queue) == (2, 3)


def test_the_wait_is_told_by_the_cap_and_one_more_helps(tmp_path: Path) -> None:
    """Five of 1 s, three at once: 2 s."""
    found = of(tmp_path, {"agents": 2}, {"each": 5, "do": [{"agent": "one"}]})
    rows = fold(found.trace, found.graph).path
    assert (1, Part.CAP_WAIT, "agents at once", 2 * SECOND) in [
        (step and 1, part, what, time) for step, part, what, time in rows
    ]
    more = variants.with_limit(found.graph, numbers(found.graph)["agents at once"])
    assert simulate(more, 0, 0).ended == 2 * SECOND


LEAD = {"agent": "one", "id": "lead", "do": [{"agent": "one", "id": "inner"}]}


def test_a_cap_held_for_life_by_those_above_ends_in_a_deadlock(tmp_path: Path) -> None:
    """The lead holds the only place, and waits for its own agent, which waits for a place."""
    with pytest.raises(EngineFault) as caught:
        of(tmp_path, {"agents": 1}, LEAD)
    assert "circle lead.inner -> lead -> lead.inner" in str(caught.value)
    assert "agents at once" in str(caught.value)


def test_held_for_a_call_it_runs(tmp_path: Path) -> None:
    assert of(tmp_path, {"agents": 1, "held": "call"}, LEAD).wall == 1


def test_a_call_gives_its_place_back(tmp_path: Path) -> None:
    """Two agents of call, tool, call under one place for calls: a 0-1, tool 1-4, 4-5; b waits
    until 1, 1-2, tool 2-5, 5-6. Held for life b begins at 5: 10 s."""
    both = {"parallel": [{"agent": "two", "id": "a"}, {"agent": "two", "id": "b"}]}
    assert of(tmp_path, {"agents": 1, "held": "call"}, both).wall == 6
    assert of(tmp_path, {"agents": 1}, both).wall == 10


def test_tools_at_once(tmp_path: Path) -> None:
    """Both call 0-1; a's tool runs 1-4, b's 4-7; they end at 5 and 8. A step that is a tool run of
    the workflow itself is none of the harness's."""
    both = {"parallel": [{"agent": "two", "id": "a"}, {"agent": "two", "id": "b"}]}
    assert of(tmp_path, {"tools": 1}, both).wall == 8
    assert of(tmp_path, {"tools": 1}, {"parallel": [both, {"tool": "shell"}]}).wall == 8


def test_tools_of_one_turn_share_the_cap(tmp_path: Path) -> None:
    """A turn of three runs of 3 s, two at once: 1 + 6 + 1 s."""
    turn = {"agent": "two", "tools_per_turn": 3}
    assert of(tmp_path, {"tools": 2}, turn).wall == 8


def test_no_more_agents_than_a_run_may_start(tmp_path: Path) -> None:
    found = of(tmp_path, {"spawns": 3}, {"each": 5, "limit": 1, "do": [{"agent": "one"}]})
    assert found.trace.outcome is Outcome.FAILED
    assert "has started 3 agents" in found.trace.reason
    assert of(tmp_path, {"spawns": 5}, {"each": 5, "do": [{"agent": "one"}]}).wall == 1


def test_an_agent_that_is_cut_while_it_waits_gives_its_place_up(tmp_path: Path) -> None:
    """b waits for the place and times out at 1 s; c, asked at 1 s, gets it when a ends at 5."""
    steps = {
        "parallel": [
            {"agent": "two", "id": "a"},
            {"agent": "one", "id": "b", "timeout": "1s", "or": "go on"},
            {"do": [{"wait": "1s"}, {"agent": "one", "id": "c"}]},
        ]
    }
    found = of(tmp_path, {"agents": 1}, steps)
    assert found.wall == 6
    assert found.trace.outcome is Outcome.DONE


def test_no_caps_draw_and_take_the_same(tmp_path: Path) -> None:
    """Caps that never bind change no time."""
    both = {"parallel": [{"agent": "two", "id": "a"}, {"agent": "two", "id": "b"}]}
    wide = {"agents": 9, "tools": 9, "spawns": 9, "held": "call"}
    assert of(tmp_path, wide, both).wall == of(tmp_path, {}, both).wall == 5


def test_a_graph_without_caps_has_none(tmp_path: Path) -> None:
    assert graph_of(tmp_path, {"steps": [{"wait": "1s"}]}).caps is None
