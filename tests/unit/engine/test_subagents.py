"""Agents among an agent's tools: subagents that a turn calls and waits for."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from agentsim.engine import simulate
from agentsim.experiment import variants
from agentsim.records import SECOND, CallFacts, Outcome, Part
from tests.runs import Run, graph_of, run

HELPER = {"prompt": 1000, "turns": 3, "output": 100}
"""Three calls of 1 s at 100 tok/s: 1,000, 1,100 and 1,200 tokens in."""


def lead(**more: Any) -> dict[str, Any]:
    return {
        "prompt": 5000,
        "turns": 3,
        "output": 200,
        "tools": {"helper": "100%"},
        **more,
    }


def of(folder: Path, helper: dict[str, Any] = HELPER, **more: Any) -> Run:
    agents = {"lead": lead(**more), "helper": helper}
    return run(folder, {"agents": agents, "steps": [{"agent": "lead"}]})


def inputs(found: Run, path: str) -> list[int]:
    return [
        span.facts.fresh + span.facts.cached
        for span in found.trace.spans
        if isinstance(span.facts, CallFacts) and found.graph.steps[span.step].path == path
    ]


def test_a_turn_waits_for_its_subagent_and_takes_in_its_answer(tmp_path: Path) -> None:
    """Three turns of 2 s, a subagent of 3 s after two of them: 12 s. Its last answer is returned:
    5,000; + 200 + 100; + 200 + 100. Each subagent starts anew."""
    found = of(tmp_path)
    assert found.wall == 12
    assert inputs(found, "lead") == [5000, 5300, 5600]
    assert inputs(found, "lead.helper") == [1000, 1100, 1200] * 2
    places = {span.place for span in found.trace.spans if len(span.place)}
    assert places == {(0,), (1,)}


def test_returns_and_task_of_its_definition(tmp_path: Path) -> None:
    found = of(tmp_path, {**HELPER, "returns": 700, "task": 50})
    assert inputs(found, "lead") == [5000, 5900, 6800]
    assert inputs(found, "lead.helper")[:3] == [1050, 1150, 1250]


def test_two_at_once(tmp_path: Path) -> None:
    """Two a turn side by side: no longer; one after the other: 3 s more a turn."""
    assert of(tmp_path, tools_per_turn=2).wall == 12
    assert of(tmp_path, tools_per_turn=2, in_turn=True).wall == 18


def test_agents_that_call_agents(tmp_path: Path) -> None:
    """The helper of two turns calls a third agent of 1 s between them: 1 + 1 + 1 s, twice."""
    agents = {
        "lead": lead(),
        "helper": {"prompt": 0, "turns": 2, "output": 100, "tools": {"third": "100%"}},
        "third": {"prompt": 0, "turns": 1, "output": 100},
    }
    found = run(tmp_path, {"agents": agents, "steps": [{"agent": "lead"}]})
    assert found.wall == 3 * 2 + 2 * 3
    assert {span.place for span in found.spans("lead.helper.third")} == {(0, 0), (1, 0)}


def test_shares_of_subagents_are_drawn(tmp_path: Path) -> None:
    """A turn calls the helper with 25 %: 0.5 of 2 turns on average, 3 s each: 6 + 1.5 s."""
    agents = {"lead": lead(tools={"helper": "25%"}), "helper": HELPER}
    graph = graph_of(tmp_path, {"agents": agents, "steps": [{"agent": "lead"}]})
    assert not graph.exact
    runs = 4000
    mean = sum(simulate(graph, 4, n).ended for n in range(runs)) / runs / SECOND
    assert abs(mean - 7.5) < 3.29 * 3 * math.sqrt(2 * 0.25 * 0.75 / runs)


def test_a_cap_held_for_life_counts_the_parent(tmp_path: Path) -> None:
    """Under two places the lead and one helper: two helpers a turn run one after the other."""
    agents = {"lead": lead(tools_per_turn=2), "helper": HELPER}
    workflow = {"agents": agents, "caps": {"agents": 2}, "steps": [{"agent": "lead"}]}
    found = run(tmp_path, workflow)
    assert found.wall == 18
    assert found.breakdown == {Part.DECODE: 12.0, Part.CAP_WAIT: 6.0}


def test_a_subagent_that_fails_is_told_and_the_agent_goes_on(tmp_path: Path) -> None:
    """Its task is 0 or 2,000: 5,000 fit the context of 5,700 and 7,000 do not. A run that failed
    returns nothing and takes no time; one of 1 s returns its 100 tokens."""
    helper = {"prompt": 5000, "turns": 1, "output": 100, "task": {"values": [0, 2000]}}
    helper["compact"] = {"at": 5700, "to": 5500}  # only what does not fit anyway
    agents = {"lead": {**lead(), "prompt": 100, "output": 100, "turns": 2}, "helper": helper}
    hardware = {"decode": {"rate": "100 tok/s"}, "prefill": "none", "context": 5700}
    graph = graph_of(tmp_path, {"agents": agents, "steps": [{"agent": "lead"}]}, hardware)
    seen = set()
    for n in range(30):
        found = Run(graph, simulate(graph, 0, n))
        assert found.trace.outcome is Outcome.DONE
        failed = found.trace.notes.get("subagent_failed", 0)
        seen.add(failed)
        assert found.wall == (2 if failed else 3)
        assert inputs(found, "lead") == [100, 200 if failed else 300]
    assert seen == {0, 1}


def test_levers_reach_into_subagents(tmp_path: Path) -> None:
    """Twice the speed halves all decoding; the tools of a subagent are tools."""
    agents = {
        "lead": lead(),
        "helper": {"prompt": 0, "turns": 2, "output": 100, "tools": {"shell": "100%"}},
    }
    tools = {"shell": {"time": "4s"}}
    workflow = {"agents": agents, "tools": tools, "steps": [{"agent": "lead"}]}
    graph = graph_of(tmp_path, workflow)
    assert simulate(graph, 0, 0).ended == (6 + 2 * (2 + 4)) * SECOND
    assert simulate(variants.with_decode(graph, 0.5), 0, 0).ended == (3 + 2 * (1 + 4)) * SECOND
    assert simulate(variants.with_tools(graph, 0.5), 0, 0).ended == (6 + 2 * (2 + 2)) * SECOND


@pytest.mark.parametrize("limit", ["4s", "6s", "9s"])
def test_a_time_limit_cuts_the_subagent_too(tmp_path: Path, limit: str) -> None:
    agents = {"lead": lead(), "helper": HELPER}
    step = {"agent": "lead", "timeout": limit, "or": "go on"}
    found = run(tmp_path, {"agents": agents, "steps": [step]})
    assert found.wall == float(limit[:-1])
    assert found.trace.spans[found.trace.last].ended == found.trace.ended
