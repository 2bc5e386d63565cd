"""From how many agents at once on a quota binds: by simulation, with fewer and fewer of them."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.analysis.binds import Binding
from agentsim.analysis.outcome import Tally
from agentsim.experiment import variants
from agentsim.experiment.executors import Executor
from agentsim.experiment.replicate import SPANS, affordable, several
from agentsim.graph import Agent, Call, Fork, Graph, walk

TRIED = 10
"""Replications in which it is looked for a wait: one in any of them, and the quota binds."""


def binding(
    executor: Executor, graph: Graph, tallies: Sequence[Tally], seed: int
) -> tuple[Fork, Binding] | None:
    """Where and from how many at once on; None where nothing waits, or nothing runs at once.

    It is taken that more at once never wait less than fewer.
    """
    count = min(TRIED, affordable(tallies, len(tallies), SPANS // 10))
    if not bound(graph, tallies[:count]):
        return None
    forks = [it for it in walk(graph.root) if isinstance(it, Fork) and _may_bind(it, graph)]
    if not forks:
        return None
    fork = max(forks, key=at_once)
    free, binds = 0, at_once(fork)
    while binds - free > 1:
        middle = (free + binds) // 2
        fewer = variants.with_at_most(graph, fork.rank, middle)
        (own,) = several(executor, [fewer], seed, count, "levers")
        free, binds = (free, middle) if bound(graph, own) else (middle, binds)
    return fork, Binding(graph.steps[fork.rank].path, binds, at_once(fork))


def bound(graph: Graph, tallies: Sequence[Tally]) -> bool:
    """Whether a call waited for a quota, or was sent back by one."""
    limited = [i for i, plan in enumerate(graph.servers) if plan.limits]
    return any(
        tally.servers[i].quota_wait or tally.servers[i].rejected
        for tally in tallies
        for i in limited
    )


def at_once(fork: Fork) -> int:
    """How many items of an `each` run side by side."""
    items = fork.items or 1
    return items if fork.limit is None else min(fork.limit, items)


def _may_bind(fork: Fork, graph: Graph) -> bool:
    """Whether several items at once ask a server that has quotas."""
    if fork.items is None or at_once(fork) < 2:
        return False
    for node in walk(fork):
        if isinstance(node, Agent | Call):
            number = node.plan.server if isinstance(node, Agent) else node.server
            if graph.servers[number].limits:
                return True
    return False
