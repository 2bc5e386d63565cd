"""Caps while they last, of a run or of one of an agent that has its own, and what is done then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentsim.graph import AGENTS_AT_ONCE, Agent, Call, CapsPlan, Life, Node, Work
from agentsim.records import CallFacts, Part, Place, Span, Visit, WorkFacts
from tests.held.times import Seen, Stretch


@dataclass
class Window:
    """Caps while they last: of the run (`rank` -1), or of one run of the agent step of that rank.

    `tries`: how often they were perhaps begun anew within this time.
    """

    seen: Seen
    plan: CapsPlan
    rank: int
    who: str
    place: Place
    began: int
    ended: int
    tries: int = 1

    def name(self, what: str) -> str:
        return f"{what} in {self.who}" if self.who else what

    def is_around(self, one: Span | Visit) -> bool:
        """Whether all of it is in the time that these caps last."""
        return self.began <= one.began and one.ended <= self.ended

    def is_at(self, place: Place) -> bool:
        """Whether a place lies in its own."""
        return place[: len(self.place)] == self.place

    def holds(self, rank: int, one: Span | Visit) -> bool:
        """Whether something that a step below does lies in it."""
        return self.is_around(one) and self.is_at(one.place) and self.below(rank)

    def below(self, rank: int) -> bool:
        """Whether a step stands within the agent; the agent's own is not counted."""
        return self.rank < 0 or self.rank in self.seen.shape.above(rank)

    def starts(self) -> list[tuple[Node, Visit]]:
        """The passages through steps that are agents, whether they came to start or not."""
        return [
            (node, visit)
            for node, visit in self.seen.of(Agent, Life)
            if self.holds(node.rank, visit)
        ]


def windows(seen: Seen) -> Iterator[Window]:
    """All caps that there were, and while they lasted."""
    graph = seen.shape.graph
    if graph.caps is not None:
        yield Window(seen, graph.caps, -1, "", (), 0, seen.trace.ended)
    for node, visit in seen.of(Agent, Life):
        assert isinstance(node, Agent | Life)
        if node.caps is not None:
            times = visit.began, visit.ended
            tries = node.guard.tries
            yield Window(seen, node.caps, node.rank, node.path, visit.place, *times, tries)


# --- what is in them --------------------------------------------------------------------------


def calls(window: Window) -> list[Stretch]:
    """The calls of agents: what they say in turns, and in steps of their own.

    Whoever waits to send a call again keeps its place.
    """
    found = []
    for span in window.seen.trace.spans:
        pauses = span.facts is None and span.resource and span.marks[:1]
        again = pauses and span.marks[0][0] in (Part.RETRY, Part.QUOTA_WAIT)
        if not isinstance(span.facts, CallFacts) and not again:
            continue
        speaker = _speaker(window.seen, span.step)
        if speaker >= 0 and window.holds(speaker, span):
            found.append((span.began, span.ended, 1.0))
    return found


def _speaker(seen: Seen, rank: int) -> int:
    """The step of the agent that speaks in a step; -1 where it is none."""
    node = seen.shape.nodes[rank]
    if isinstance(node, Agent):
        return rank
    return life_around(seen, rank) if isinstance(node, Call) and node.voice is not None else -1


def life_around(seen: Seen, rank: int) -> int:
    """The agent with steps of its own in which a step stands; -1: none."""
    nodes = seen.shape.nodes
    return next((it for it in seen.shape.above(rank) if isinstance(nodes[it], Life)), -1)


def tools(window: Window) -> list[Span]:
    """Tool runs of agents: in their turns, and as steps of theirs."""
    found = []
    for span in window.seen.trace.spans:
        node = window.seen.shape.nodes[span.step]
        if not isinstance(span.facts, WorkFacts):
            continue
        own = isinstance(node, Agent)
        if isinstance(node, Work) and node.tool.part is Part.TOOL:
            own = life_around(window.seen, span.step) >= 0
        of_it = span.step == window.rank and window.is_at(span.place)
        of_it = of_it and window.is_around(span)
        if own and (of_it or window.holds(span.step, span)):
            found.append(span)
    return found


def waits(seen: Seen, visit: Visit) -> list[Span]:
    """The waits of a step for places among agents."""
    return [span for span in seen.own(visit) if span.resource.split(" in ")[0] == AGENTS_AT_ONCE]


def plan_of(seen: Seen, resource: str) -> tuple[CapsPlan, int]:
    """The caps that a place is of, and the rank of the agent that has them (-1: the run)."""
    _, _, who = resource.partition(" in ")
    if not who:
        assert seen.shape.graph.caps is not None
        return seen.shape.graph.caps, -1
    for rank, node in seen.shape.nodes.items():
        if isinstance(node, Agent | Life) and node.path == who:
            assert node.caps is not None
            return node.caps, rank
    raise AssertionError(f"nobody has the caps {resource}")
