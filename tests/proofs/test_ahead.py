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
from agentsim.errors import Problems
from agentsim.records import CallFacts, Outcome, Part, Trace
from agentsim.spec import Source, load
from tests.made_workflows import made
from tests.proofs.test_invariants import check
from tests.runs import write

WORKFLOWS, SEEDS = 250, (0, 1, 2)


def simple(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """(workflow, profile): as `made`, but nothing that an agent uses is shared save the cache."""
    workflow, server, _ = made(seed)
    draw = random.Random(f"ahead {seed}")
    for key in ("slots", "limits", "max_output"):
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
    workflow["tools"]["tests"].pop("uses")
    workflow["tools"]["flaky"].pop("retry")
    if "context" not in server and draw.random() < 0.3:
        workflow["tools"]["shell"]["returns"] = 30_000
    if draw.random() < 0.3:
        go_on(workflow)
    for one in workflow["agents"].values():
        one["model"] = "main"
        one["turns"] = draw.choice((1, 4, {"p50": 6, "p90": 20}))
        if draw.random() < 0.6:
            one["tools_per_turn"] = 1
    return workflow, server


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


def graph_of(folder: Path, seed: int, **more: Any) -> Any:
    workflow, server = simple(seed)
    server |= more
    files = write(folder, "workflow.yaml", workflow), write(folder, "main.yaml", server)
    roles = (str(files[1]), f"small={files[1]}")
    for bound in (roles, roles[:1]):
        try:
            return load(Source(str(files[0]), bound))
        except Problems:
            continue
    return None


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
            ahead = simulate(graph, draw, 0)
            check(ahead, graph)
            with monkeypatch.context() as patched:
                patched.setattr(agent, "Ahead", lambda *_: None)
                plain = simulate(graph, draw, 0)
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
            found = hopeful(replication)
            gated = engine._run(engine._stage(graph, 0, replication, Quotas()), replication)
            if told(found) != told(gated):
                different.append((seed, replication))
            waited = any(part == Part.QUOTA_WAIT for s in gated.spans for part, _ in s.marks)
            seen["waited"] += waited
            seen["left out"] += found.spans != gated.spans
    assert not different
    assert seen["refused"] < WORKFLOWS / 10
    assert seen["waited"] > 50, seen
    assert seen["left out"] > 50, seen
