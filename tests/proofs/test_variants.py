"""Every variant that a lever tries keeps what holds in every run, on random workflows.

Some settings are met only here: decoding in no time beside exclusive prompts, tools of no time,
one slot or person more than there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentsim.engine import simulate
from agentsim.errors import EngineFault
from agentsim.experiment import variants
from agentsim.graph import AGENTS_AT_ONCE, Fork, Graph, walk
from tests.held.runs import check
from tests.made.workflows import loaded, made

WORKFLOWS = 60


def changed(graph: Graph) -> Iterator[tuple[str, Graph]]:
    for factor in (0.0, 0.5):
        yield f"decode x {factor}", variants.with_decode(graph, factor)
        yield f"prefill x {factor}", variants.with_prefill(graph, factor)
        yield f"first token x {factor}", variants.with_first_token(graph, factor)
        yield f"tools x {factor}", variants.with_tools(graph, factor)
    yield "people", variants.with_people(graph, 0.5)
    yield "lines", variants.with_lines(graph, 0.5)
    yield "turns", variants.with_turns(graph, 2.5)
    for i in range(len(graph.servers)):
        yield f"slot {i}", variants.with_slot(graph, i)
    for i in range(len(graph.people)):
        yield f"person {i}", variants.with_person(graph, i)
    for i in range(len(graph.pools)):
        yield f"pool {i}", variants.with_capacity(graph, i)
    for account in sorted({limit.account for plan in graph.servers for limit in plan.limits}):
        yield f"quota {account}", variants.with_quota(graph, account, 2.0)
        yield f"fitting {account}", variants.with_fitting_output(graph, account)
    for node in walk(graph.root):
        if isinstance(node, Fork) and node.limit is not None:
            yield f"limit {node.path}", variants.with_limit(graph, node.rank)


def test_all_variants_of_random_workflows(tmp_path: Path) -> None:
    faults: list[str] = []
    deadlocks: list[str] = []
    tried = 0
    for seed in range(WORKFLOWS):
        graph = loaded(tmp_path, made(seed))
        for name, variant in changed(graph):
            tried += variant != graph
            try:
                trace = simulate(variant, 0, 0)
            except EngineFault as fault:  # some hold places for life and wait for more
                deadlocks.append(f"workflow {seed}, {name}: {fault}")
                continue
            try:
                check(trace, variant, decodes=False)
            except Exception as fault:
                faults.append(f"workflow {seed}, {name}: {type(fault).__name__}: {fault}")
    assert not faults, "\n".join(faults[:20]) + f"\n{len(faults)} faults"
    # whether they are deadlocks is asked in test_invariants.py; here none may be anything else
    assert all("deadlock: circle" in told and AGENTS_AT_ONCE in told for told in deadlocks)
    assert len(deadlocks) < tried / 20
    assert tried > 8 * WORKFLOWS
