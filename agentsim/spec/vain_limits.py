"""Limits of a file that nothing in it can reach: units of pools, a budget of people's time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentsim.graph import Agent, Ask, Graph, Node, ToolPlan, Work, walk
from agentsim.spec.told import Told

if TYPE_CHECKING:
    from agentsim.spec.scope import Program


def vain_limits(graph: Graph, program: Program) -> Iterator[Told]:
    """A sentence each; nothing where steps were not read that may reach them."""
    if program.unread:
        return
    nodes = list(walk(graph.root))
    yield from _parts_of_units(graph, nodes, program)
    budget = graph.budget
    if budget is not None and budget.person is not None and not any(map(_asks, nodes)):
        at = ("budget", "person")
        text = (
            f"`person` of `budget` ({program.line(at)}) counts for nothing: no step asks a person"
        )
        yield Told(text, at, (at,), frozenset({"asks"}))


def _asks(node: Node) -> bool:
    return isinstance(node, Ask) or (isinstance(node, Agent) and node.asks is not None)


def _parts_of_units(graph: Graph, nodes: list[Node], program: Program) -> Iterator[Told]:
    """Pools with a part of a unit left over, where all take whole ones."""
    taken: dict[int, set[float]] = {}
    for node in nodes:
        for tool in _tools(node):
            for number, amount in tool.uses:
                taken.setdefault(number, set()).add(amount)
    for i, pool in enumerate(graph.pools):
        whole = int(pool.capacity)
        units = taken.get(i, set())
        if whole == pool.capacity or not whole or not units:
            continue
        if all(one == int(one) for one in units):
            at = ("pools", pool.name, "capacity")
            text = (
                f"the pool {pool.name} ({program.line(at)}): of its `capacity` of "
                f"{pool.capacity:.10g} only {whole} can be used, since all take whole units"
            )
            yield Told(text, at, (at,), frozenset({"uses"}))


def _tools(node: Node) -> Iterator[ToolPlan]:
    if isinstance(node, Work):
        yield node.tool
    elif isinstance(node, Agent):
        for tool, _ in node.plan.tools:
            if isinstance(tool, ToolPlan):
                yield tool
