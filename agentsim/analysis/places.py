"""In the places of which caps a span is, as the engine gives them out.

A place under a cap on agents is held by an agent that starts inside of what the cap is of (a run,
or one run of an agent with caps of its own): for its life, with all that its steps and the agents
in it do, or with `per_call` for each call that it makes. One under a cap on tools is held for each
tool run of an agent or of its own steps. What stands beside the agents holds none of them.

Caps have numbers: the `limit` of an `each` the rank of that step; of the caps of the agent step r
(of a run: r = 0) -1 - 2 r is that on agents and -2 - 2 r that on tools.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from agentsim.graph import (
    AGENTS_AT_ONCE,
    TOOLS_AT_ONCE,
    Agent,
    Call,
    CapsPlan,
    Fork,
    Graph,
    Life,
    Node,
    Work,
    cap_name,
    inner_of,
    repeats,
    walk,
)
from agentsim.records import CallFacts, Part, Place, Span, WorkFacts

Instance = tuple[int, Place]
"""A cap, by its number, in one passage through what it is of."""

Cap = tuple[int, int]
"""Its number, and how long the place of what it is of is."""

_Caps = tuple[Cap, ...]
_CAP = int(Part.CAP_WAIT)


_OF_HARNESS = AGENTS_AT_ONCE, TOOLS_AT_ONCE


def name_of(graph: Graph, cap: int) -> str:
    """What a cap is called in the breakdown: the path of an `each`, `agents at once in lead`.

    No two caps have one name. An `each` may be named as a cap of a harness is: then it is told
    with a slash, which no name and no path holds.
    """
    if cap >= 0:
        path = graph.steps[cap].path
        is_taken = path in _OF_HARNESS or path.startswith(tuple(f"{it} in " for it in _OF_HARNESS))
        return f"each/{path}" if is_taken else path
    owner, of_tools = of_harness(cap)
    return cap_name(_OF_HARNESS[of_tools], graph.steps[owner].path if owner else "")


def on_agents(owner: int) -> int:
    """The cap on agents at once of the step of that rank, 0 of the run."""
    return -1 - 2 * owner


def on_tools(owner: int) -> int:
    """The same on tools at once."""
    return -2 - 2 * owner


def of_harness(cap: int) -> tuple[int, bool]:
    """Of a negative number: the rank of the step whose cap it is, and whether it is on tools."""
    owner, of_tools = divmod(-cap - 1, 2)
    return owner, bool(of_tools)


def numbers(graph: Graph) -> dict[str, int]:
    """The caps of a graph: their numbers by what they are called."""
    found: list[int] = []
    if graph.caps is not None:
        found += [on_agents(0), on_tools(0)]
    for node in walk(graph.root):
        if isinstance(node, Fork) and node.items is not None and node.limit is not None:
            found.append(node.rank)
        elif isinstance(node, Agent | Life) and node.caps is not None:
            found += [on_agents(node.rank), on_tools(node.rank)]
    return {name_of(graph, cap): cap for cap in found}


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where a node stands. The caps of agents and runs around it, the nearest first."""

    held: _Caps = ()  # by what is around, whoever does something here
    lives: _Caps = ()  # that an agent which starts here must have a place of
    calls: _Caps = ()  # the same for each of its calls
    tools: _Caps = ()  # for a tool run of an agent
    voice: _Caps = ()  # for a call of the agent whose own steps these are
    steps: bool = False  # whether these are an agent's own steps

    def owned(self, plan: CapsPlan | None, rank: int, depth: int) -> _Scope:
        """Inside of somebody who has caps."""
        if plan is None:
            return self
        agents: _Caps = () if plan.agents is None else ((on_agents(rank), depth),)
        tools: _Caps = () if plan.tools is None else ((on_tools(rank), depth),)
        return replace(
            self,
            lives=self.lives if plan.per_call else agents + self.lives,
            calls=agents + self.calls if plan.per_call else self.calls,
            tools=tools + self.tools,
        )


@dataclass(frozen=True, slots=True)
class _Own:
    """The caps in whose places the spans of one step are."""

    around: _Caps = ()  # before it has a place itself
    held: _Caps = ()  # all the time
    lives: _Caps = ()  # where it waits for a place for its life: the nearest first
    calls: _Caps = ()  # during its calls, besides
    tools: _Caps = ()  # during its tool runs, besides


def _between(span: Span) -> bool:
    """Whether it is a wait between two tries of one call, which names its server."""
    if span.facts is not None or not span.resource or not span.marks:
        return False
    return span.marks[0][0] in (Part.RETRY, Part.QUOTA_WAIT)


class Places:
    """The places of one graph. `any`: whether it has a cap at all."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._own = [_Own()] * len(graph.steps)
        self._harness: dict[str, Cap] = {}
        self._limited: set[int] = set()
        self.any = False
        scope = _Scope().owned(graph.caps, 0, 0)
        self._list(scope)
        self._measure(graph.root, 0, scope)

    def name(self, cap: int) -> str:
        """See `name_of`."""
        return name_of(self._graph, cap)

    def waited(self, step: int, resource: str) -> str:
        """The name of the cap for a place of which a span of that step and resource waits."""
        is_each = step in self._limited or not resource
        return name_of(self._graph, step) if is_each else resource

    def queue(self, span: Span) -> Instance | None:
        """The cap of a harness for a place of which a span waits; None where it does not."""
        cap = self._waits(span)
        return None if cap is None else (cap[0], span.place[: cap[1]])

    def held(self, span: Span) -> list[Instance]:
        """The caps in whose places a span is; one that waits for a place is not in it."""
        own = self._own[span.step]
        facts, waits = span.facts, self._waits(span)
        caps = own.held
        if waits is not None:
            # places are asked for one after another, the nearest first, and kept meanwhile
            for before, chain in (
                (own.around, own.lives),
                (own.held, own.calls),
                (own.held, own.tools),
            ):
                if waits in chain:
                    caps = before + chain[: chain.index(waits)]
            caps = tuple(cap for cap in dict.fromkeys(caps) if cap != waits)
        elif facts.__class__ is CallFacts or _between(span):
            caps += own.calls
        elif facts.__class__ is WorkFacts:
            caps += own.tools
        return [(cap, span.place[:depth]) for cap, depth in caps]

    def _waits(self, span: Span) -> Cap | None:
        if span.facts is not None or not span.marks or span.marks[0][0] != _CAP:
            return None
        if span.step in self._limited:  # an item, whatever the `each` is named
            return None
        return self._harness.get(span.resource)

    def _list(self, scope: _Scope) -> None:
        for cap in (*scope.lives, *scope.calls, *scope.tools):
            self._harness[self.name(cap[0])] = cap
            self.any = True

    def _measure(self, node: Node, depth: int, scope: _Scope) -> None:
        """Which caps stand around each step, and which it holds places of."""
        own, inside = _Own(scope.held, scope.held), scope
        if isinstance(node, Fork) and node.items is not None and node.limit is not None:
            inside = replace(scope, held=(*scope.held, (node.rank, depth)))
            self._limited.add(node.rank)
            self.any = True
        elif isinstance(node, Agent | Life):
            # an agent within another holds one more place of the same cap: it is counted once
            held = tuple(dict.fromkeys(scope.held + scope.lives))
            inside = replace(scope, held=held, voice=scope.calls, steps=isinstance(node, Life))
            inside = inside.owned(node.caps, node.rank, depth)
            self._list(inside)
            own = _Own(scope.held, held, scope.lives, scope.calls, inside.tools)
        elif isinstance(node, Call) and node.voice is not None:
            own = replace(own, calls=scope.voice)
        elif isinstance(node, Work) and scope.steps and node.tool.part is Part.TOOL:
            own = replace(own, tools=scope.tools)
        for child in inner_of(node):
            self._measure(child, depth + repeats(node), inside)
        # after what is inside: the block of an item or round may carry the rank of what it is in
        self._own[node.rank] = own
