"""Which steps can fail at all, by what stands in them and by their numbers.

Where that is not plain, a step is taken to fail: what is said not to fail never does.
"""

from __future__ import annotations

import math

from agentsim.graph import (
    Agent,
    Ask,
    Attempts,
    Block,
    Call,
    Choose,
    Fork,
    Graph,
    Life,
    Loop,
    Merge,
    Node,
    ServerPlan,
    ToolPlan,
    Work,
    inner_of,
    walk,
)
from agentsim.spec.verdicts import says_of

NO_CHANCE = "it cannot fail: nothing gives it a chance by `fails`, or a `timeout`"
"""What is said of a tool that cannot."""


class Failing:
    """What may fail in one graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[int, bool] = {}
        nodes = list(walk(graph.root))
        caps = [graph.caps, *(it.caps for it in nodes if isinstance(it, Agent | Life))]
        self.is_capped = any(it is not None for it in caps)
        self._spawns = any(it is not None and it.spawns is not None for it in caps)

    def fails(self, node: Node) -> bool:
        """Whether a try of it may fail, by its own timeout too; `or` and `retry` come after."""
        if node.guard.never:
            return False
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = self.is_reached(node) or self._inside(node)
        return known

    def is_reached(self, node: Node) -> bool:
        """Whether the `timeout` of a step may be over before it ends."""
        limit = node.guard.timeout
        return limit is not None and self.longest(node) > limit

    def longest(self, node: Node) -> float:
        """The most seconds that a try takes; infinite where it waits for anything scarce."""
        if not isinstance(node, Work) or node.until is not None or node.tool.uses or self.is_capped:
            return math.inf
        tool = node.tool
        once = tool.time.high if tool.timeout is None else min(tool.time.high, tool.timeout)
        if not tool_fails(tool):
            return once
        return tool.tries * once + (tool.tries - 1) * tool.retry_wait

    def _inside(self, node: Node) -> bool:
        """Whether what it does itself, or what stands in it, may fail it."""
        match node:
            case Work(tool=tool):
                return tool_fails(tool)
            case Ask():
                return False
            case Call():
                return node.session is not None or self._refuses(self._graph.servers[node.server])
            case Agent():
                server = self._graph.servers[node.plan.server]
                return self._spawns or node.session is not None or self._refuses(server)
            case Life():
                return self._spawns or node.session is not None or self._passes_up(node.body)
            case Attempts(pick=pick):
                return pick is not None and self._passes_up(pick)
            case Loop():
                return self._of_loop(node)
            case Merge():
                return any(node.conflict) or self._graph.queues[node.queue].ci_fails > 0.0
            case Block() | Fork() | Choose():
                return any(map(self._passes_up, inner_of(node)))
            case _:
                raise TypeError(f"{type(node).__name__} does not say whether it may fail")

    def _passes_up(self, node: Node) -> bool:
        return not node.guard.go_on and self.fails(node)

    def _of_loop(self, node: Loop) -> bool:
        """It fails when its rounds run out after a failure, or after `changes` where so asked."""
        if node.rounds == 0:
            return False
        between = node.between is not None and node.rounds > 1 and self._passes_up(node.between)
        left = node.failed_fail and self.leaves_failed(node)
        return between or left or (node.changes_fail and asks_for_changes(node))

    def leaves_failed(self, node: Loop) -> bool:
        """Whether a round may end with `failed`: a step in it fails, and goes on or does not."""
        return any(map(self.fails, walk(node.body)))

    def _refuses(self, server: ServerPlan) -> bool:
        """A context that may be too short for a request, a quota for one, or calls that fail."""
        doors = server.context is not None or bool(server.limits)
        return doors or server.faults is not None


def tool_fails(tool: ToolPlan) -> bool:
    """Whether a run of a tool may fail, by chance or by its own timeout."""
    return tool.fails > 0.0 or (tool.timeout is not None and tool.time.high > tool.timeout)


def asks_for_changes(node: Loop) -> bool:
    """Whether a round may end with `changes`."""
    found = (says_of(inner) for inner in walk(node.body))
    return any(says is not None and says.can_ask for says in found)
