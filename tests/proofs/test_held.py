"""The checks of `test_invariants.py` see what they are for: each fails on what is tampered with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis import fold
from agentsim.engine import run as engine
from agentsim.engine import simulate
from agentsim.engine.quota import Quotas
from agentsim.graph import Graph
from agentsim.records import CallFacts, Outcome, Span, Trace
from tests.held import runs
from tests.held.caps import check_caps
from tests.held.lives import check_lives
from tests.held.runs import check, check_agreement, check_over, is_deadlocked
from tests.held.times import (
    check_capacities,
    check_chains,
    check_clock,
    check_nesting,
    check_order,
    looked,
)
from tests.held.tokens import check_calls, check_ends, check_sessions, check_wasted
from tests.runs import HUNDRED, graph_of

WORKER: dict[str, Any] = {"prompt": 100, "turns": 2, "output": 100, "tools": {"shell": "100%"}}
WORKFLOW = {
    "agents": {"worker": WORKER, "lead": {"prompt": 10}},
    "tools": {"shell": {"time": "2s", "returns": 40, "uses": {"ci": 1}}},
    "pools": {"ci": {"capacity": 2}},
    "people": {"dev": {"count": 2}},
    "queues": {"trunk": {"ci": "3s"}},
    "caps": {"agents": 3, "tools": 2, "spawns": 9},
    "steps": [
        {"each": 3, "id": "items", "do": [{"agent": "worker"}, {"merge": "trunk"}]},
        {"parallel": [{"agent": "worker", "id": "lost"}, {"wait": "0.5s"}], "join": "any"},
        {
            "agent": "lead",
            "do": [
                {"call": "self", "id": "one", "input": 1, "output": 50},
                {"tool": "shell"},
                {"call": "self", "id": "two", "input": 2, "output": 50},
            ],
        },
        {"each": 2, "id": "reads", "do": [{"person": "dev", "time": "4s"}]},
    ],
}
SERVER = {**HUNDRED, "slots": 3, "price": {"input": 1, "output": 5}}


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return graph_of(tmp_path, WORKFLOW, SERVER)


def changed(trace: Trace, which: Callable[[Span], bool], **new: Any) -> Trace:
    """The trace with its first such span otherwise; `facts` are changed in part."""
    spans = list(trace.spans)
    index = next(i for i, span in enumerate(spans) if which(span))
    facts = new.pop("facts", {})
    if facts:
        new["facts"] = spans[index].facts._replace(**facts)  # type: ignore[union-attr]
    spans[index] = spans[index]._replace(**new)
    return trace._replace(spans=spans)


def done(span: Span) -> bool:
    return isinstance(span.facts, CallFacts) and span.outcome is Outcome.DONE


def lost(span: Span) -> bool:
    return isinstance(span.facts, CallFacts) and span.outcome is Outcome.CANCELLED


def test_the_run_itself_passes(graph: Graph) -> None:
    trace = simulate(graph, 0, 0)
    assert trace.outcome is Outcome.DONE
    turns, lives = check(trace, graph)
    assert (turns, lives) == (3, 1)  # three items of two turns; the pair of the lead's own calls
    assert check_order(looked(trace, graph)) > 5
    assert any(map(lost, trace.spans))


def test_times(graph: Graph) -> None:
    trace = simulate(graph, 0, 0)
    span = trace.spans[3]
    with pytest.raises(AssertionError, match="goes back"):
        check_clock(changed(trace, lambda one: one is span, began=span.ended + 1))
    with pytest.raises(AssertionError):
        check_clock(trace._replace(ended=trace.ended - 1))
    with pytest.raises(AssertionError, match="written earlier"):
        check_clock(trace._replace(visits=trace.visits[::-1]))
    with pytest.raises(AssertionError, match="a gap"):
        check_chains(changed(trace, lambda one: one.cause > 2, cause=0))
    with pytest.raises(AssertionError):  # another chain is the longest
        check_chains(trace._replace(last=trace.last - 3))


def test_nesting_and_order(graph: Graph) -> None:
    trace = simulate(graph, 0, 0)
    merge = next(
        i for i, visit in enumerate(trace.visits) if graph.steps[visit.step].kind == "merge"
    )
    visits = list(trace.visits)
    visits[merge] = visits[merge]._replace(began=0)  # as if it had not waited for the agent
    with pytest.raises(AssertionError, match="begins too soon"):
        check_order(looked(trace._replace(visits=visits), graph))
    visits[merge] = visits[merge]._replace(ended=trace.ended)
    with pytest.raises(AssertionError, match="not nested"):
        check_nesting(looked(trace._replace(visits=visits), graph))
    early = changed(trace, lambda one: one.resource == "dev", began=0)
    with pytest.raises(AssertionError, match="outside of its step"):
        check_nesting(looked(early, graph))


@pytest.mark.parametrize("what", ["pools", "servers", "people"])
def test_capacities(graph: Graph, what: str) -> None:
    """The same run would not be one of a world with one unit less."""
    field = {"pools": "capacity", "servers": "slots", "people": "count"}[what]
    less = [replace(one, **{field: getattr(one, field) - 1}) for one in getattr(graph, what)]
    smaller: dict[str, Any] = {what: tuple(less)}
    seen = looked(simulate(graph, 0, 0), replace(graph, **smaller))
    with pytest.raises(AssertionError):
        check_capacities(seen)


@pytest.mark.parametrize(
    "fewer", [{"agents": 2}, {"tools": 1}, {"spawns": 3}, {"agents": 1, "per_call": True}]
)
def test_caps(graph: Graph, fewer: dict[str, Any]) -> None:
    assert graph.caps is not None
    seen = looked(simulate(graph, 0, 0), replace(graph, caps=replace(graph.caps, **fewer)))
    with pytest.raises(AssertionError):
        check_caps(seen)


def test_merges_one_at_a_time(graph: Graph) -> None:
    trace = simulate(graph, 0, 0)
    spans = [
        span._replace(marks=span.marks[-1:]) if span.resource == "trunk" else span
        for span in trace.spans
    ]
    with pytest.raises(AssertionError):
        check_capacities(looked(trace._replace(spans=spans), graph))


def test_tokens(graph: Graph) -> None:
    trace = simulate(graph, 0, 0)
    later = [span for span in trace.spans if done(span)]
    worker = next(span for span in later if span.facts.fresh > 200)  # type: ignore[union-attr]
    for facts in ({"fresh": 9}, {"fresh": 241}):  # grown too little, or by more than came back
        with pytest.raises(AssertionError):
            check_sessions(looked(changed(trace, lambda s: s is worker, facts=facts), graph))
    own = later[-1]
    more = own.facts.fresh + 1  # type: ignore[union-attr]
    with pytest.raises(AssertionError):
        check_lives(looked(changed(trace, lambda s: s is own, facts={"fresh": more}), graph))
    with pytest.raises(AssertionError):
        check_calls(looked(changed(trace, done, facts={"money": 1.0}), graph), True)
    with pytest.raises(AssertionError):
        check_calls(looked(changed(trace, done, facts={"cached": 1}), graph), True)


def test_wasted(graph: Graph) -> None:
    trace = simulate(graph, 0, 0)
    with pytest.raises(AssertionError):  # in part
        check_wasted(looked(changed(trace, done, facts={"wasted": 1}), graph))
    with pytest.raises(AssertionError):  # cut short, and not wasted
        check_wasted(looked(changed(trace, lost, facts={"wasted": 0}), graph))
    first = next(span for span in trace.spans if done(span)).facts
    assert isinstance(first, CallFacts)
    whole = first.fresh + first.cached + first.thinking + first.visible
    with pytest.raises(AssertionError, match="no branch that lost"):
        check_wasted(looked(changed(trace, done, facts={"wasted": whole}), graph))


def test_ends(graph: Graph) -> None:
    trace = simulate(graph, 0, 0)
    with pytest.raises(AssertionError):
        check_ends(looked(trace._replace(outcome=Outcome.FAILED), graph))
    silent = [span for span in trace.spans if not done(span)]
    with pytest.raises(AssertionError, match="made no call"):
        check_ends(looked(trace._replace(spans=silent), graph))


def test_what_is_left(graph: Graph) -> None:
    stage = engine._stage(graph, 0, 0, Quotas(), engine.copied(graph))
    engine._run(stage, 0)
    check_over(stage)
    assert not is_deadlocked(stage)
    job = stage.pools[0].ask(2, (0, ()), "somebody")
    with pytest.raises(AssertionError, match="is held"):
        check_over(stage)
    stage.pools[0].ask(1, (0, ()), "another")
    with pytest.raises(AssertionError, match="waits when all is over"):
        check_over(stage)
    assert not is_deadlocked(stage)  # who holds it does not wait: it may come to its end
    job.leave()


def test_the_fold_is_held_against_the_spans(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one is given and the other is not makes them differ."""
    trace = simulate(graph, 0, 0)
    check_agreement(trace, graph)
    others: dict[str, Any] = {"wall": 1, "path": [], "servers": ()}
    for name, value in others.items():
        told = fold(trace, graph)._replace(**{name: value})
        monkeypatch.setattr(runs, "fold", lambda *_, told=told: told)
        with pytest.raises((AssertionError, ValueError)):
            check_agreement(trace, graph)
