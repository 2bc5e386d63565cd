"""Runs without an end, refused before them: each count is worked by hand."""

from __future__ import annotations

import pytest

from agentsim.spec.length import least_runs
from tests.unit.spec.conftest import Load, Refused

HEAD = """
agents:
  w: {turns: 3, output: 5, prompt: 0, tools: {t: 50%, bad: 25%}, tools_per_turn: 2}
tools: {t: {time: 1s}, bad: {time: 1s, fails: 100%, retry: 3}}
queues: {trunk: {ci: 1m}}
"""
MERGE = "merge: trunk"
LATE = "wait: 2s, timeout: 1s"  # each try ends after 1 s, in failure


@pytest.mark.parametrize(
    ("step", "runs"),
    [
        ("{wait: 1s}", 1),
        # 3 calls; 2 turns have 2 tool runs: half of them one of t, a quarter 4 tries of bad
        ("{agent: w}", 3 + 2 * 2 * (0.5 + 0.25 * 4)),
        ("{agent: w, turns: {poisson: 5}}", 5 + 4 * 2 * 1.5),
        ("{agent: w, turns: 1000}", 1000 + 999 * 2 * 1.5),
        ("{agent: w, turns: 1000, timeout: 1s}", 1),  # the timeout may end it in its first turn
        ("{agent: w, turns: 1000, when: no}", 1),
        ("{tool: bad}", 4),  # one run and 3 further tries
        ("{tool: t, retry: 9}", 1),  # it does not fail
        ("{tool: t, fails: 50%, retry: 9}", 1),  # it need not
        (f"{{{LATE}, retry: 9}}", 10),
        ("{wait: 1s, timeout: 1s, retry: 9}", 1),  # it just meets its deadline
        (f"{{do: [{{{LATE}, retry: 9}}], retry: 4}}", 5 * (1 + 10)),
        (f"{{do: [{{{LATE}, retry: 9, or: go on}}], retry: 4}}", 1 + 10),
        ("{do: [{wait: 1s}, {wait: 1s}], timeout: 1500ms, retry: 4}", 5 * 3),
        ("{each: 7, do: [{wait: 1s}]}", 1 + 7 * 2),
        ("{loop: 7, do: [{wait: 1s}], between: [{wait: 1s}]}", 1 + 7 * 2 + 6 * 2),
        ("{loop: 7, do: [{tool: bad}]}", 1 + (1 + 4)),  # a verdict may end it at once
        # rounds begin at 0, 3 s, 6 s and 9 s
        ("{loop: {within: 10s}, do: [{wait: 2s}], between: [{wait: 1s}]}", 1 + 4 * 2 + 3 * 2),
        ("{loop: {within: 10s}, do: [{wait: 2s, approves: 50%}]}", 1 + 2),
        ("{loop: {within: 10s}, do: [{tool: bad}]}", 1 + (1 + 4)),
        ("{loop: {within: 10s}, do: [{agent: w}]}", 1 + 1 + (3 + 2 * 2 * (0.5 + 0.25 * 4))),
        # any 2 of 7: the others are cancelled
        ("{each: 7, join: 2, do: [{wait: 1s}]}", 1 + 2 * 2),
        ("{parallel: [{each: 7, do: [{wait: 1s}]}, {wait: 1s}], join: any}", 1 + 1),
        # the first that succeeds may be the first of them all
        ("{attempts: 7, pick: first, do: [{wait: 1s}]}", 2 + 2),
        ("{attempts: 7, pick: {person: you, time: 1s}, do: [{wait: 1s}]}", 1 + (1 + 7 * 2) + 1),
        # a conflict at the first two tries; then there is none
        (f"{{{MERGE}, conflict: [100%, 100%, 0%], rework: [{{wait: 1s}}]}}", 1 + 2 * 2),
        (f"{{{MERGE}, conflict: 0%, rework: [{{wait: 1s}}]}}", 1),
        ("{agent: w, do: [{wait: 1s}, {each: 7, do: [{wait: 1s}]}]}", 1 + 1 + 1 + (1 + 7 * 2)),
    ],
)
def test_what_runs_at_least(graph: Load, step: str, runs: float) -> None:
    (node,) = graph(f"{HEAD}steps: [{step}]").root.steps
    assert least_runs(node) == runs


@pytest.mark.parametrize(
    ("turns", "is_good"), [("20000", True), ("20001", False), ("{geometric: {p: 1e-9}}", False)]
)
def test_the_turns_of_one_step_are_bounded(
    graph: Load, refused: Refused, turns: str, is_good: bool
) -> None:
    text = f"steps:\n  - {{agent: coder, turns: {turns}}}"
    if is_good:
        graph(text)
        return
    (problem,) = refused(text)
    assert problem.code == "too-many-steps"
    assert "turns on average" in problem.message
    assert "at most 20,000 turns" in problem.hint
    assert problem.place is not None
    assert (problem.place.line, problem.place.column) == (3, 27)


def test_turns_and_tool_runs_count_in_the_length_of_a_run(refused: Refused, graph: Load) -> None:
    """18,000 calls, and 100 runs in 17,999 turns of a tool that they all call: 1,817,900."""
    agent = "agents: {w: {turns: 18000, output: 5, prompt: 0, tools: {shell: 100%}}}\n"
    (problem,) = refused(f"{agent}steps: [{{agent: w, tools_per_turn: 100}}]")
    assert problem.code == "too-many-steps"
    assert "1,817,901 steps" in problem.message  # and the list that holds it
    assert graph(f"{agent}steps: [{{agent: w, tools_per_turn: 50}}]").root.steps  # 917,951


@pytest.mark.parametrize(
    ("step", "most"),
    [
        # 1,001 tries of 1,001 are beyond, so the third level is not looked at
        (f"{{do: [{{do: [{{{LATE}, retry: 1000}}], retry: 1000}}], retry: 1000}}", "1,002,001"),
        # 1,001 tries of a step, 101 of the tool in it
        ("{tool: often, retry: 1000}", "101,101"),
        ("{agent: coder, tools: {often: 100%}, retry: 1000}", "101,101"),
    ],
)
def test_tries_within_tries_are_bounded(refused: Refused, step: str, most: str) -> None:
    """How often they fail is not known, so the product is what counts."""
    tools = "tools: {often: {time: 1s, fails: 50%, retry: 100}}\n"
    (problem,) = refused(f"{tools}steps: [{step}]")
    assert problem.code == "too-many-steps"
    assert f"may run {most} times" in problem.message
    assert "100,000" in problem.hint


def test_many_tries_that_are_not_too_many(graph: Load) -> None:
    """1,001 x 99 = 99,099."""
    (step,) = graph("steps: [{do: [{wait: 1s, retry: 98}], retry: 1000}]").root.steps
    assert step.guard.tries == 1001
