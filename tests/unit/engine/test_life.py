"""An agent with steps of its own: whose session they speak in, and what is returned to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentsim.records import CallFacts, Outcome
from tests.runs import run

AGENTS = {
    "lead": {"prompt": 10_000},
    "sub": {"prompt": 1000, "turns": 1, "output": 100},
}
SELF = {"call": "self", "input": 0, "output": 50}


def inputs(folder: Path, *steps: Any, **agents: Any) -> list[tuple[str, int]]:
    """(path, input tokens) of each call, in the order in which they ended."""
    workflow = {
        "agents": {**AGENTS, **agents},
        "tools": {"shell": {"time": "3s", "returns": 500}},
        "steps": list(steps),
    }
    found = run(folder, workflow)
    assert found.trace.outcome is Outcome.DONE, found.trace.reason
    return [
        (found.graph.steps[span.step].path, span.facts.fresh + span.facts.cached)
        for span in found.trace.spans
        if isinstance(span.facts, CallFacts)
    ]


def test_tools_and_agents_return_to_its_session(tmp_path: Path) -> None:
    """10,000 + 1,000; then its answer of 100, a tool's 500, and 700 of each of two agents."""
    lead = {
        "agent": "lead",
        "do": [
            {"call": "self", "input": 1000, "output": 100},
            {"tool": "shell"},
            {"parallel": [{"agent": "sub", "returns": 700}, {"agent": "sub", "returns": 700}]},
            SELF,
        ],
    }
    found = inputs(tmp_path, lead)
    assert found == [
        ("lead.self", 11_000),
        ("lead.parallel.sub", 1000),
        ("lead.parallel.sub-2", 1000),
        ("lead.self-2", 11_000 + 100 + 500 + 2 * 700),
    ]


def test_an_agent_returns_its_last_answer_where_nothing_else_is_said(tmp_path: Path) -> None:
    lead = {"agent": "lead", "do": [{"agent": "sub"}, SELF]}
    assert inputs(tmp_path, lead)[-1] == ("lead.self", 10_100)


def test_what_is_returned_goes_to_the_nearest(tmp_path: Path) -> None:
    """The inner lead has its own session of 10,000 + 100; it returns 2,000 to the outer one."""
    inner = {"agent": "lead", "id": "inner", "returns": 2000, "do": [{"agent": "sub"}, SELF]}
    outer = {"agent": "lead", "id": "outer", "task": 5, "do": [inner, SELF]}
    found = inputs(tmp_path, outer)
    assert found[1:] == [("outer.inner.self", 10_100), ("outer.self", 12_005)]


def test_outside_nothing_is_returned(tmp_path: Path) -> None:
    """The tool after the agent's steps returns to nobody: the next step of the session has none."""
    lead = {"agent": "lead", "do": [SELF]}
    more = {"call": "main", "session": "lead", "input": 1, "output": 1}
    found = inputs(tmp_path, lead, {"tool": "shell"}, more)
    assert found[-1] == ("main", 10_000 + 50 + 1)


def test_its_session_goes_on_in_another_life(tmp_path: Path) -> None:
    first = {"agent": "lead", "id": "first", "do": [SELF]}
    second = {"agent": "lead", "session": "first", "do": [SELF]}
    assert [tokens for _, tokens in inputs(tmp_path, first, second)] == [10_000, 10_050]


def test_what_it_says_is_the_last_of_its_steps(tmp_path: Path) -> None:
    """A loop leaves when a review in it approves: in round 3, of 1 s each."""
    review = {"wait": "1s", "approves": ["0%", "0%", "100%"]}
    loop = {"loop": 9, "do": [{"agent": "lead", "do": [review]}]}
    assert run(tmp_path, {"agents": AGENTS, "steps": [loop]}).wall == 3


def test_branches_return_to_their_own(tmp_path: Path) -> None:
    """Two items with a lead each: 500 tokens come back to each session."""
    lead = {"agent": "lead", "do": [{"tool": "shell"}, SELF]}
    found = inputs(tmp_path, {"each": 2, "do": [lead]})
    assert [tokens for _, tokens in found] == [10_500, 10_500]
