"""What holds in every run whatever the workflow: on random workflows of every kind of step.

Each trace is looked at from outside, with sums and sweeps of its own; nothing here is shared with
the analysis. `AGENTSIM_WORKFLOWS=3000` tries more of them than the suite does.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from agentsim.analysis import fold
from agentsim.engine import simulate
from agentsim.errors import Problems
from agentsim.graph import Graph
from agentsim.records import (
    CallFacts,
    Outcome,
    Part,
    PersonFacts,
    Span,
    Trace,
    WorkFacts,
)
from agentsim.spec import Source, load
from tests.made_workflows import made
from tests.runs import write

WORKFLOWS = int(os.environ.get("AGENTSIM_WORKFLOWS", "300"))
SEEDS = (0, 7)

BEFORE = {Part.SLOT_WAIT, Part.QUOTA_WAIT}


def loaded(folder: Path, seed: int) -> Graph:
    workflow, main, small = made(seed)
    path = write(folder, "workflow.yaml", workflow)
    hardware = write(folder, "main.yaml", main), write(folder, "small.yaml", small)
    roles = {role for role in ("main", "small") if _asks(workflow, role)}
    bound = tuple(
        str(file) if role == "main" else f"small={file}"
        for role, file in zip(("main", "small"), hardware, strict=True)
        if role in roles
    )
    return load(Source(str(path), bound or (str(hardware[0]),)))


def _asks(workflow: object, role: str) -> bool:
    """Whether some step asks for a role (agents that no step uses do not)."""
    assert isinstance(workflow, dict)
    agents = {name for name, one in workflow["agents"].items() if one["model"] == role}

    def inside(steps: Iterable[object]) -> bool:
        for step in steps:
            assert isinstance(step, dict)
            if step.get("call") == role or step.get("agent") in agents:
                return True
            for key in ("do", "between", "parallel", "choose"):
                if inside(step.get(key, ())):
                    return True
        return False

    return inside(workflow["steps"])


# --- one trace --------------------------------------------------------------------------------


def check_times(trace: Trace) -> None:
    """Marks rise, a span begins where its cause ended, and none ends after the run."""
    for index, span in enumerate(trace.spans):
        at = span.began
        for _, until in span.marks:
            assert until >= at, f"span {index}: a mark goes back"
            at = until
        assert span.ended == at
        assert span.cause < index
        if span.cause < 0:
            assert span.began == 0, f"span {index} begins from nothing at {span.began}"
        else:
            assert trace.spans[span.cause].ended == span.began, f"span {index}: a gap"
        # not in the order of time: a stretch that is worked ahead is written when it ends
        assert span.ended <= trace.ended
    for visit in trace.visits:
        assert 0 <= visit.began <= visit.ended <= trace.ended
        assert 0 <= visit.waited <= visit.began


def check_path(trace: Trace) -> None:
    """From the last span back to the start the parts add up to the wall time, exactly."""
    total, index = 0, trace.last
    end = trace.spans[index].ended if index >= 0 else 0
    assert end == trace.ended
    while index >= 0:
        span = trace.spans[index]
        at = span.began
        for _, until in span.marks:
            total += until - at
            at = until
        index = span.cause
    assert total == trace.ended


def sweep(stretches: Iterable[tuple[int, int, float]]) -> float:
    """The most held at once; what is freed at an instant can be taken at it."""
    moves: dict[int, float] = defaultdict(float)
    for began, ended, units in stretches:
        if ended > began:
            moves[began] += units
            moves[ended] -= units
    most = held = 0.0
    for time in sorted(moves):
        held += moves[time]
        most = max(most, held)
    return most


def after(span: Span, parts: set[Part]) -> int:
    """Where the leading marks of these parts end."""
    at = span.began
    for part, until in span.marks:
        if part not in parts:
            return at
        at = until
    return at


def check_capacities(trace: Trace, graph: Graph) -> None:
    """What held a unit never overlaps more than there are; the peaks say the same."""
    peaks = {peak.resource: peak for peak in trace.peaks}
    for index, pool in enumerate(graph.pools):
        held = []
        for span in trace.spans:
            if isinstance(span.facts, WorkFacts):
                for number, units in span.facts.uses:
                    if number == index:
                        held.append((after(span, {Part.POOL_WAIT}), span.ended, units))
        most = sweep(held)
        assert most <= pool.capacity + 1e-9
        assert most <= peaks[pool.name].in_use + 1e-9 <= pool.capacity + 2e-9
    for server in graph.servers:
        if server.slots is None:
            continue
        calls = [
            (after(span, BEFORE), span.ended, 1.0)
            for span in trace.spans
            if isinstance(span.facts, CallFacts) and span.resource == server.name
        ]
        assert sweep(calls) <= server.slots
        assert peaks[server.name].in_use <= server.slots
    for person in graph.people:
        pieces = [span for span in trace.spans if span.resource == person.name]
        by_number: dict[int, list[tuple[int, int, float]]] = defaultdict(list)
        for span in pieces:
            assert isinstance(span.facts, PersonFacts)
            began = after(span, {Part.PICKUP, Part.PERSON_WAIT})
            by_number[span.facts.person].append((began, span.ended, 1.0))
        assert all(0 <= number < person.count for number in by_number)
        for own in by_number.values():
            assert sweep(own) <= 1
        assert peaks[person.name].in_use <= person.count


def check_sessions(trace: Trace) -> int:
    """Two calls of one session never overlap; it grows by what was answered, or was compacted.

    Between two calls of one run of an agent it grows by the answer and by what the tools of that
    turn gave back, and by nothing else. Returns how many such pairs there were.
    """
    exact = 0
    sessions: dict[tuple[int, str], list[Span]] = defaultdict(list)
    for span in trace.spans:
        if isinstance(span.facts, CallFacts):
            sessions[span.facts.session, ""].append(span)
    for own in sessions.values():
        for before, later in pairwise(own):
            assert before.ended <= later.began
            first, second = before.facts, later.facts
            assert isinstance(first, CallFacts)
            assert isinstance(second, CallFacts)
            if Outcome.CANCELLED in (before.outcome, later.outcome):
                continue
            if first.compaction or trace.notes.get("compactions"):
                continue
            sent, answered = first.fresh + first.cached, first.visible
            grown = second.fresh + second.cached - sent
            assert grown >= answered
            if (before.step, before.place) != (later.step, later.place):
                continue
            returned = [
                span.facts.returned
                for span in trace.spans
                if isinstance(span.facts, WorkFacts)
                and span.facts.attempt == 0  # the last try counts; tools with tries return 10
                and (span.step, span.place) == (before.step, before.place)
                and before.ended <= span.began
                and span.ended <= later.began
            ]
            if returned:
                exact += 1
                assert grown - answered in (sum(returned), sum(returned) + first.thinking)
    return exact


def check_calls(trace: Trace, graph: Graph) -> None:
    """Tokens and money of each call; every call ended, and is in the span of a step that ended."""
    servers = {server.name: server for server in graph.servers}
    for span in trace.spans:
        facts = span.facts
        if not isinstance(facts, CallFacts):
            continue
        server = servers[span.resource]
        tokens = facts.thinking + facts.visible
        assert min(facts.fresh, facts.cached, facts.thinking, facts.visible, facts.cut) >= 0
        whole = tokens + facts.fresh + facts.cached
        # a call that ended is wasted with its branch, if that lost
        assert facts.wasted == whole or (facts.wasted == 0 and span.outcome is Outcome.DONE)
        assert span.outcome in (Outcome.DONE, Outcome.CANCELLED, Outcome.FAILED)
        assert -1 <= facts.shown <= span.ended
        assert facts.shown == -1 or (facts.visible and facts.shown >= span.began)
        assert facts.money >= 0
        if server.cache.kind == "none":
            assert facts.cached == 0
        if server.context is not None:
            assert facts.fresh + facts.cached + tokens <= server.context
        if server.max_output is not None and not facts.compaction:
            assert tokens <= server.max_output
        # one token may come with a first-token time of 0 s
        if tokens > 1 and span.outcome is Outcome.DONE:
            assert any(part in (Part.DECODE, Part.LATENCY) for part, _ in span.marks)


def check_ends(trace: Trace) -> None:
    """What happened is told: a run that failed says why, and nothing is left unfinished."""
    if trace.outcome is Outcome.DONE:
        assert trace.reason == ""
    else:
        assert trace.reason
        assert trace.outcome in (Outcome.FAILED, Outcome.REJECTED)
    within = Counter(visit.step for visit in trace.visits)
    for span in trace.spans:
        assert within[span.step], f"a span of step {span.step}, which was never visited"


def check_agreement(trace: Trace, graph: Graph) -> None:
    """The fold, which has checks of its own, takes it, and agrees on the wall time."""
    tally = fold(trace, graph)
    assert tally.wall == trace.ended
    assert sum(row[3] for row in tally.path) == trace.ended


def check(trace: Trace, graph: Graph) -> int:
    """All of them; returns how often a session was seen to grow by what its tools gave back."""
    check_times(trace)
    check_path(trace)
    check_capacities(trace, graph)
    exact = check_sessions(trace)
    check_calls(trace, graph)
    check_ends(trace)
    check_agreement(trace, graph)
    return exact


# --- many -------------------------------------------------------------------------------------


CHUNKS = 4  # so that two processes can share them out


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_run_of_random_workflows(chunk: int, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    faults: list[str] = []
    for seed in range(chunk, WORKFLOWS, CHUNKS):
        try:
            graph = loaded(tmp_path, seed)
        except Problems as problems:
            faults.append(f"workflow {seed} is refused: {problems.problems[0]}")
            continue
        traces = []
        for draw in SEEDS:
            try:
                trace = simulate(graph, draw, 0)
                seen["grew"] += check(trace, graph)
            except Exception as fault:
                faults.append(f"workflow {seed}, seed {draw}: {type(fault).__name__}: {fault}")
                break
            traces.append(trace)
        if len(traces) < len(SEEDS):
            continue
        if simulate(graph, SEEDS[0], 0) != traces[0]:
            faults.append(f"workflow {seed}: the same seed gives another trace")
        if graph.exact and traces[0] != traces[1]:
            faults.append(f"workflow {seed}: nothing is drawn, and still seeds differ")
        seen["drawn"] += not graph.exact
        seen["differ"] += traces[0] != traces[1]
        seen["failed"] += traces[0].outcome is not Outcome.DONE
        for span in (span for trace in traces for span in trace.spans):
            seen[span.outcome.label] += 1
            for part, _ in span.marks:
                seen[part.label] += 1
            if isinstance(span.facts, CallFacts) and span.facts.compaction:
                seen[Part.COMPACTION.label] += 1
    assert not faults, "\n".join(faults[:20]) + f"\n{len(faults)} faults"
    # the workflows do what they are made for: every kind of time, ends of every kind
    for part in Part:
        if part not in (Part.MODEL_LOAD, Part.OFF_HOURS, Part.MERGE, Part.OTHER):
            assert seen[part.label], f"no {part.label} in any run"
    assert min(seen["cancelled"], seen["failed"], seen["done"]) > 0
    assert seen["grew"] > 100
    assert seen["differ"] > 0.8 * seen["drawn"]


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
