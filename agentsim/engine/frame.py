"""A frame: where a chain of steps stands. Every branch has one; loops and items give it a place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any

from agentsim.chance import key_of
from agentsim.engine.tasks import Inbox, Session, Task
from agentsim.engine.world import FEWER, Event, World
from agentsim.errors import EngineFault
from agentsim.graph import Graph, Node
from agentsim.graph.nodes import PLAIN
from agentsim.records import Facts, Mark, Outcome, Part, Place, Span, Verdict, Visit

if TYPE_CHECKING:
    from agentsim.engine.bench import Bench
    from agentsim.engine.caps import Caps
    from agentsim.engine.people import Desk
    from agentsim.engine.server import Server

_new = tuple.__new__

Steps = Generator[Event | int, Any, Verdict | None]
Runner = Callable[[Any, "Frame"], Steps]


class Stop(Exception):
    """A step that failed, or a review that rejected: it ends its list, and who catches it decides.

    An exception so that it travels through `yield from` as far as it must: a loop, a guard with
    `or: go on`, or a fork, which first waits for its other branches.
    """

    def __init__(self, verdict: Verdict, reason: str) -> None:
        super().__init__(verdict, reason)
        self.verdict = verdict
        self.reason = reason


def heed(verdict: Verdict | None, path: str) -> Verdict | None:
    """Hand a verdict on; one that rejects stops the run instead."""
    if verdict is Verdict.REJECTED:
        raise Stop(verdict, f"{path}: rejected")
    return verdict


class Stage:
    """What all frames of a run share: the clock, the plan, and the cast at work."""

    __slots__ = (
        "caps",
        "copied",
        "graph",
        "guarded",
        "key",
        "people",
        "pools",
        "queues",
        "runners",
        "servers",
        "sessions",
        "success",
        "world",
    )

    def __init__(
        self, graph: Graph, key: int, world: World, runners: Mapping[type, Runner], guarded: Runner
    ) -> None:
        self.graph = graph
        self.key = key
        self.world = world
        self.runners = runners
        self.guarded = guarded
        self.servers: list[Server] = []
        self.pools: list[Bench] = []
        self.queues: list[Bench] = []
        self.people: list[Desk] = []
        self.caps: Caps | None = None
        self.copied: frozenset[str] = frozenset()
        """Names of sessions of which some step makes a copy, at whatever time."""
        self.sessions = 0
        self.success: dict[int, bool] = {}
        """By the rank of its `attempts`: whether the one that was picked last is right."""


class Answer:
    """What an agent or a call said in the end, visible tokens; one object each time it is said."""

    __slots__ = ("tokens",)

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens


class Frame:
    """Runs nodes and records spans on one chain.

    `last` is the index of the chain's newest span, `verdict` the last verdict in scope, `answers`
    what was said last in scope (of branches that joined, by each), `round` the number of the
    innermost loop's round, `depth` how many forks it stands in, `tried` the steps around
    that are tried again, each with how often it was before: one that is tried for the first time
    is not among them, so that a `retry` changes no draw before it is needed.
    """

    __slots__ = (
        "answers",
        "around",
        "depth",
        "last",
        "place",
        "round",
        "stage",
        "task",
        "tried",
        "verdict",
        "world",
    )

    def __init__(self, stage: Stage, task: Task) -> None:
        self.stage = stage
        self.world = stage.world
        self.task = task
        self.place: Place = ()
        self.round = 0
        self.depth = 0
        self.tried: tuple[int | str, ...] = ()
        self.last = -1
        self.verdict: Verdict | None = None
        self.answers: tuple[Answer, ...] = ()
        self.around: Session | Inbox | None = None
        """Of the agent whose steps these are: what tools and agents return goes there."""

    def fork(self) -> Frame:
        """A frame that goes on from here on a chain of its own."""
        other = Frame(self.stage, self.task)
        other.place = self.place
        other.round = self.round
        other.depth = self.depth
        other.tried = self.tried
        other.last = self.last
        other.verdict = self.verdict
        other.answers = self.answers
        other.around = self.around
        return other

    def key(self, name: str) -> int:
        """The key of all draws of the step `name` at this place."""
        if self.tried:
            return key_of(self.stage.key, name, *self.place, "tried", *self.tried)
        return key_of(self.stage.key, name, *self.place)

    def run(self, node: Node) -> Steps:
        """Run one node, and keep its visit: when it began and ended, and what it said."""
        stage = self.stage
        runner = stage.runners[type(node)]
        if node.guard != PLAIN:
            if node.guard.skips(self.verdict):
                return None
            runner = stage.guarded
        world = self.world
        began = world.now
        before = self.verdict
        verdict: Verdict | None = None
        outcome = Outcome.CANCELLED
        try:
            verdict = yield from runner(node, self)
            outcome = Outcome.FAILED if verdict is Verdict.FAILED else Outcome.DONE
        except Stop as stop:
            self.verdict = verdict = stop.verdict
            outcome = Outcome.REJECTED if verdict is Verdict.REJECTED else Outcome.FAILED
            raise
        finally:
            world.visits.append(Visit(node.rank, self.place, began, world.now, verdict, outcome, 0))
        # what its inner steps said is over with it: they may have been tried anew, or caught
        self.verdict = before if verdict is None else verdict
        return verdict

    def spend(
        self, node: Node, who: str, part: Part, took: int
    ) -> Generator[Event | int, Any, None]:
        """Time in which nothing else is waited for: a span of its own, cut short or not."""
        began = self.world.now
        outcome = Outcome.CANCELLED
        try:
            yield took
            outcome = Outcome.DONE
        finally:
            marks = ((part, self.world.now),)
            self.record(node.rank, who, "", began, marks, outcome, None)

    def record(
        self,
        step: int,
        who: str,
        resource: str,
        began: int,
        marks: tuple[Mark, ...],
        outcome: Outcome,
        facts: Facts,
    ) -> None:
        """Write one span at the end of this frame's chain."""
        spans = self.world.spans
        last = self.last
        self.last = number = len(spans)
        if number >= self.world.most:
            self.world.most = sys.maxsize  # said once: what is unwound now is still written
            path = self.stage.graph.steps[step].path
            raise EngineFault(
                f"more than {number:,} calls and tool runs in one run, the last in {path}: "
                "stopped as endless",
                FEWER,
                path,
            )
        # a named tuple made without its own __new__: there are millions
        spans.append(
            _new(Span, (step, self.place, who, resource, began, marks, last, outcome, facts))
        )
