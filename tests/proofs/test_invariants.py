"""What holds in every run whatever the workflow: on random workflows of every kind of step.

Each trace is looked at from outside (`tests/held_*.py`). `AGENTSIM_WORKFLOWS=3000` tries more of
them than the suite does.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentsim.engine import run as engine
from agentsim.engine import simulate
from agentsim.engine.frame import Stage
from agentsim.engine.quota import Quotas
from agentsim.errors import EngineFault, Problems
from agentsim.experiment import Options, answer
from agentsim.graph import (
    AGENTS_AT_ONCE,
    TOOLS_AT_ONCE,
    Agent,
    Ask,
    Call,
    CapsPlan,
    Graph,
    Life,
    Merge,
)
from agentsim.records import CallFacts, Outcome, Part, Trace
from agentsim.report import json_
from agentsim.spec import Source, load
from agentsim.spec.steps import KINDS
from tests.held.caps import refusing
from tests.held.quality import check_books
from tests.held.runs import check, check_over, is_deadlocked
from tests.held.times import Seen, Shape, looked
from tests.made.workflows import loaded, made, source
from tests.runs import changed, graph_of, write

WORKFLOWS = int(os.environ.get("AGENTSIM_WORKFLOWS", "300"))
SEEDS = (0, 7)


def played(graph: Graph, seed: int, seen: Counter[str]) -> Trace | None:
    """One run with all that must hold of it; None where it ends in a deadlock, which is one."""
    stage = engine._stage(graph, seed, 0, Quotas(), engine.copied(graph))
    try:
        gated = engine._run(stage, 0)
    except EngineFault as fault:
        check_deadlock(stage, graph, fault)
        with pytest.raises(EngineFault, match=r"^deadlock"):
            simulate(graph, seed, 0)
        return None
    check(gated, graph)
    check_over(stage)
    trace = simulate(graph, seed, 0)
    turns, lives = check(trace, graph)
    seen.update(check_books(looked(trace, graph), seed))
    seen["grew"] += turns
    seen["grew in steps"] += lives
    assert (trace.ended, trace.outcome, trace.reason) == (gated.ended, gated.outcome, gated.reason)
    return trace


def check_deadlock(stage: Stage, graph: Graph, fault: EngineFault) -> None:
    """It is named, nobody can go on, and it is the places held for life that make it one."""
    assert str(fault).startswith("deadlock: circle "), fault
    assert AGENTS_AT_ONCE in str(fault)
    assert is_deadlocked(stage), fault
    free = replace(graph, caps=_freed(graph.caps), root=changed(graph.root, _without_places))
    assert free != graph, fault
    check(simulate(free, 0, 0), free)


def _freed(caps: CapsPlan | None) -> CapsPlan | None:
    """Caps without the places that are held for life."""
    return caps if caps is None or caps.per_call else replace(caps, agents=None)


def _without_places(node: Any) -> Any:
    """The step; an agent without caps that hold places for life."""
    return replace(node, caps=_freed(node.caps)) if isinstance(node, Agent | Life) else node


def tell(trace: Trace, graph: Graph, shape: Shape, seen: Counter[str]) -> None:
    """Counts what happened in a run, by name."""
    happened = {"done" if trace.outcome is Outcome.DONE else "failed run"}
    for visit in trace.visits:
        node = shape.nodes[visit.step]
        happened.add(graph.steps[visit.step].kind)
        around = shape.nodes.get(shape.around[visit.step])
        happened |= {"within a merge"} if isinstance(around, Merge) else set()
        if isinstance(around, Agent):
            happened.add("asked in mid-turn" if isinstance(node, Ask) else "called")
        if isinstance(node, Agent) and node.fork:
            happened.add("copied")
        if isinstance(node, Call) and node.voice is not None:
            happened.add("spoke itself")
    for span in trace.spans:
        happened.add(span.outcome.label)
        happened |= {part.label for part, _ in span.marks}
        if isinstance(span.facts, CallFacts):
            happened |= {"wasted"} if span.facts.wasted else set()
            happened |= {Part.COMPACTION.label} if span.facts.compaction else set()
        if isinstance(shape.nodes[span.step], Merge) and span.outcome is Outcome.FAILED:
            happened.add("conflict")
        happened |= {"include"} if span.resource.startswith("part-") else set()
        what, _, agent = span.resource.partition(" in ")
        if what in (AGENTS_AT_ONCE, TOOLS_AT_ONCE):
            happened.add(f"waited for {what.split()[0]}" + (" in an agent" if agent else ""))
    for who in refusing(Seen(trace, shape)):
        happened.add("one too many" + ("" if who == "the run" else " in an agent"))
    seen.update(happened)


CHUNKS = 4  # so that two processes can share them out


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_run_of_random_workflows(chunk: int, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    faults: list[str] = []
    for seed in range(chunk, WORKFLOWS, CHUNKS):
        try:
            graph = loaded(tmp_path, made(seed))
        except Problems as problems:
            faults.append(f"workflow {seed} is refused: {problems.problems[0]}")
            continue
        traces = []
        for draw in SEEDS:
            try:
                trace = played(graph, draw, seen)
            except Exception as fault:
                faults.append(f"workflow {seed}, seed {draw}: {type(fault).__name__}: {fault}")
                break
            if trace is None:
                seen["deadlock"] += 1
            else:
                traces.append(trace)
                tell(trace, graph, Shape(graph), seen)
        if len(traces) < len(SEEDS):
            continue
        if simulate(graph, SEEDS[0], 0) != traces[0]:
            faults.append(f"workflow {seed}: the same seed gives another trace")
        if graph.exact and traces[0] != traces[1]:
            faults.append(f"workflow {seed}: nothing is drawn, and still seeds differ")
        seen["drawn"] += not graph.exact
        seen["differ"] += traces[0] != traces[1]
    print(dict(seen))
    assert not faults, "\n".join(faults[:20]) + f"\n{len(faults)} faults"
    # the workflows do what they are made for: every kind of time, ends of every kind
    for part in Part:
        if part not in (Part.MODEL_LOAD, Part.OFF_HOURS):
            assert seen[part.label], f"no {part.label} in any run"
    lacking = [name for name in (*KINDS, *HAPPENED) if not seen[name]]
    assert not lacking, f"in no run: {lacking}"
    # in most runs the trace tells all that the books of the defects need
    assert seen["books kept"] > 2 * seen["books not told"]
    assert seen["grew"] > 100
    assert seen["grew in steps"] > 2
    assert seen["differ"] > 0.8 * seen["drawn"]


HAPPENED = (
    *("cancelled", "failed run", "done", "wasted", "asked in mid-turn", "spoke itself", "called"),
    *("copied", "waited for agents", "waited for tools", "conflict", "within a merge"),
    *("waited for agents in an agent", "waited for tools in an agent", "one too many in an agent"),
    *("defects found", "defects mended", "picked", "defects of a picked one"),
    *("said approved when clean", "said changes when clean"),
)
"""What has to come about in some of the runs, beside all kinds of steps."""


LIFE = {"agent": "lead", "id": "lead", "do": [{"agent": "one", "id": "inner"}]}


@pytest.mark.parametrize(("places", "ends"), [(1, False), (2, True)])
def test_a_deadlock_is_taken_for_one_only_where_it_is(
    places: int, ends: bool, tmp_path: Path
) -> None:
    """The lead holds a place for life while its own agent waits for one."""
    one = {"prompt": 0, "turns": 1, "output": 10}
    workflow = {"agents": {"lead": one, "one": one}, "caps": {"agents": places}, "steps": [LIFE]}
    graph = graph_of(tmp_path, workflow)
    assert (played(graph, 0, Counter()) is not None) is ends
    stage = engine._stage(graph, 0, 0, Quotas(), engine.copied(graph))
    assert not is_deadlocked(stage)  # before it has begun nobody waits


@pytest.mark.parametrize("seed", range(4))
def test_one_process_or_two_say_the_same(seed: int, tmp_path: Path) -> None:
    """The same bytes of the whole answer, levers included."""
    whole = made(100 + seed)
    whole.workflow.pop("caps", None)  # a deadlock would be no answer
    asked = source(tmp_path, whole)
    one, two = (
        json_.text(json_.answer(answer(asked, Options(runs=6, jobs=jobs, sensitivity=False))))
        for jobs in (1, 2)
    )
    assert one == two


def test_nothing_drawn_is_the_same_for_every_seed(tmp_path: Path) -> None:
    workflow = {
        "steps": [{"each": 3, "do": [{"wait": "3s"}, {"call": "main", "input": 1, "output": 9}]}]
    }
    path = write(tmp_path, "workflow.yaml", workflow)
    hardware = write(tmp_path, "main.yaml", {"decode": {"rate": "50 tok/s"}, "prefill": "none"})
    graph = load(Source(str(path), (str(hardware),)))
    assert graph.exact
    assert simulate(graph, 0, 0) == simulate(graph, 1, 0)


def test_a_draw_differs_by_seed_and_by_replication(tmp_path: Path) -> None:
    path = write(tmp_path, "workflow.yaml", {"steps": [{"wait": {"exponential": "1m"}}]})
    graph = load(Source(str(path)))
    ends = {simulate(graph, seed, run).ended for seed in range(5) for run in range(5)}
    assert len(ends) == 25
