"""What makes runs quick changes nothing: stretches worked ahead, and quotas left out.

Random workflows on servers without doors, whose tools wait for nothing: with caches that forget
within a stretch, contexts that fill, tasks that do not fit, time limits and joins that cut
stretches in the middle. Only the order in which spans are written may differ.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis.chain import spent
from agentsim.engine import run as engine
from agentsim.engine import simulate
from agentsim.engine.quota import Quotas
from agentsim.engine.steps import agent
from agentsim.errors import EngineFault, Problems
from agentsim.graph import Graph
from agentsim.records import CallFacts, Outcome, Part, Trace
from agentsim.spec import Source, load
from tests.held.runs import check
from tests.made.workflows import Made, made, roles, source

WORKFLOWS, SEEDS = 250, (0, 1, 2)


def simple(seed: int) -> Made:
    """As `made`, on one server, but nothing that an agent uses is shared save the cache."""
    whole = made(seed, harness=seed % 4 == 0)  # under most of it nothing is worked ahead
    workflow, server = whole.workflow, whole.main
    draw = random.Random(f"ahead {seed}")
    for key in ("slots", "limits", "on_reject", "max_output", "faults", "throttle"):
        server.pop(key, None)
    server["decode"] = {"rate": "100 tok/s", "per_context_token": "100ns"}
    if isinstance(server.get("prefill"), dict):
        server["prefill"].pop("schedule", None)
    if draw.random() < 0.8:
        server["cache"] = {
            "kind": "ttl",
            "ttl": draw.choice(("1s", "4s", "20s", "5m")),
            "covers": draw.choice(("prompt", "all")),
            "block": draw.choice((1, 64)),
        }
    if draw.random() < 0.2:
        # nothing takes any time: whole stretches lie at one instant
        server["decode"] = {"rate": "1000000000 tok/s"}
        server |= {"prefill": "none"} if draw.random() < 0.7 else {}
        if server.get("prefill") == "none":
            server.pop("first_token", None)
            server.pop("latency", None)
    if draw.random() < 0.5:
        server["context"] = draw.choice((3000, 6000))
    for tool in ("tests", "wide"):
        workflow["tools"][tool].pop("uses")
    workflow["tools"]["flaky"].pop("retry")
    if draw.random() < 0.7:
        workflow.pop("caps", None)  # under a cap nothing is worked ahead
    if "context" not in server and draw.random() < 0.3:
        workflow["tools"]["shell"]["returns"] = 30_000
    if draw.random() < 0.3:
        go_on(workflow)
    for one in workflow["agents"].values():
        one["model"] = "main"
        one["turns"] = draw.choice((1, 4, {"p50": 6, "p90": 20}))
        if draw.random() < 0.6:
            one["tools_per_turn"] = 1
    return whole


def go_on(workflow: dict[str, Any]) -> None:
    """Work that is cut short after some seconds, and goes on in the session as it was then."""
    name = next(iter(workflow["agents"]))
    workflow["steps"].append(
        {"agent": name, "id": "cut", "session": "same", "timeout": "9s", "or": "go on"}
    )
    workflow["steps"].append({"agent": name, "id": "on", "session": "same"})


def told(trace: Trace) -> tuple[Any, ...]:
    """All that a trace says, whatever the order in which it was written down."""
    spans = [(s.began, s.step, s.place, s.who, s.resource, s.marks, s.outcome, s.facts)
             for s in trace.spans]  # fmt: skip
    rows, uses = spent(trace)
    return (
        sorted(spans, key=repr),
        sorted(trace.visits, key=repr),
        rows,
        uses,
        trace.peaks,
        (trace.outcome, trace.reason, trace.verdict, trace.ended),
        {code: count for code, count in sorted(trace.notes.items()) if count},
    )


def graph_of(folder: Path, seed: int, **more: Any) -> Graph | None:
    whole = simple(seed)
    whole.main.update(more)
    same = whole._replace(small=whole.main)
    asked = source(folder, same)
    main = asked.hardware[0].removeprefix("small=")
    bound = [given for role, given in (("main", main), ("small", f"small={main}"))
             if role in roles(same)]  # fmt: skip
    try:
        return load(Source(asked.workflow, tuple(bound) or (main,)))
    except Problems:
        return None


def _plain(graph: Graph, seed: int, monkeypatch: pytest.MonkeyPatch) -> Trace:
    with monkeypatch.context() as patched:
        patched.setattr(agent, "Ahead", lambda *_: None)
        return simulate(graph, seed, 0)


@pytest.mark.parametrize("chunk", range(2))
def test_the_same_runs_turn_by_turn(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: Counter[str] = Counter()
    different = []
    for seed in range(chunk, WORKFLOWS, 2):
        graph = graph_of(tmp_path, seed)
        if graph is None:
            seen["refused"] += 1
            continue
        for draw in SEEDS:
            try:
                ahead = simulate(graph, draw, 0)
            except EngineFault:  # agents that hold all places for life wait for their own
                seen["deadlock"] += 1
                with pytest.raises(EngineFault, match=r"^deadlock"):
                    _plain(graph, draw, monkeypatch)
                continue
            check(ahead, graph)
            plain = _plain(graph, draw, monkeypatch)
            if told(ahead) != told(plain):
                different.append((seed, draw))
            seen["other order"] += ahead.spans != plain.spans
            seen["failed"] += plain.outcome is not Outcome.DONE
            for span in plain.spans:
                seen[span.outcome.label] += 1
                if isinstance(span.facts, CallFacts):
                    seen["calls"] += 1
                    seen["hits"] += span.facts.cached > 0
            for code in plain.notes:
                seen[code] += 1
    assert not different
    assert seen["refused"] < WORKFLOWS / 10
    wanted = ("other order", "failed", "cancelled", "hits", "compactions", "output_cut", "tool_cut")
    assert all(seen[what] for what in wanted), seen


LIMITS = (
    [{"count": "requests", "bucket": 1000, "refill": "10/s"}],
    [{"count": "requests", "bucket": 2, "refill": "0.3/s"}],
    [{"count": "uncached_input", "bucket": 9000, "refill": "900/s"}],
    [{"count": "output", "bucket": 4000, "refill": "90/s", "reserve": "max_output",
      "refund": True}],
    [{"count": "requests", "window": {"size": "20s", "allow": 4, "anchor": "3s"}}],
    [
        {"count": "output", "session_window": {"size": "40s", "allow": 9000, "resume_delay": "5s"},
         "reserve": "max_output", "refund": True},
        {"count": "requests", "window": {"size": "1d", "allow": 900}},
    ],
    [
        {"count": "total", "bucket": 90_000, "refill": "900/s"},
        {"count": "output", "bucket": 9000, "refill": "500/s", "reserve": "max_output",
         "refund": True},
    ],
)  # fmt: skip


def test_quotas_that_let_all_through_may_be_left_out(tmp_path: Path) -> None:
    """The same runs as with a gate before every call: where it would hold one up, it is there."""
    seen: Counter[str] = Counter()
    different = []
    for seed in range(WORKFLOWS):
        limits = LIMITS[seed % len(LIMITS)]
        graph = graph_of(tmp_path, seed, limits=limits, max_output=2000)
        if graph is None:
            seen["refused"] += 1
            continue
        hopeful = engine.Simulator(graph, 0)
        for replication in range(4):
            stage = engine._stage(graph, 0, replication, Quotas(), engine.copied(graph))
            try:
                found = hopeful(replication)
            except EngineFault:
                with pytest.raises(EngineFault, match=r"^deadlock"):
                    engine._run(stage, replication)
                continue
            gated = engine._run(stage, replication)
            if told(found) != told(gated):
                different.append((seed, replication))
            waited = any(part == Part.QUOTA_WAIT for s in gated.spans for part, _ in s.marks)
            seen["waited"] += waited
            seen["left out"] += found.spans != gated.spans
    assert not different
    assert seen["refused"] < WORKFLOWS / 10
    assert seen["waited"] > 50, seen
    assert seen["left out"] > 30, seen
