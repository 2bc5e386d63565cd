"""Running tools: waits for pools, tries, timeouts, and several side by side."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from agentsim.chance import uniforms
from agentsim.engine.bench import Job
from agentsim.engine.branches import Branch, gather, interrupted
from agentsim.engine.draws import Purpose, counter, timer
from agentsim.engine.frame import Frame, Steps
from agentsim.engine.world import Event, ns
from agentsim.graph import Node, ToolPlan
from agentsim.records import Mark, Outcome, Part, WorkFacts

T = TypeVar("T")

RETURNS_AT_MOST = 25_000
"""Tokens of a tool result that a session takes in; the rest is cut (docs/model.md, "Agents
and sessions")."""


class Hand:
    """One tool as one step uses it: its streams, so that run n of it draws the same everywhere.

    `begins`: called whenever a try begins to work, after all waits, with the nanoseconds that it
    is to take; returns those that it takes.
    """

    __slots__ = ("_fails", "_limit", "_returns", "_time", "begins", "quick", "resource", "tool")

    def __init__(self, tool: ToolPlan, key: int, frame: Frame) -> None:
        task = frame.task
        self.tool = tool
        self._time = timer(tool.time, key, Purpose.TIME, task, tool.name)
        self._returns = counter(tool.returns, key, Purpose.RETURNS, task, tool.name)
        self._fails = uniforms(key, Purpose.FAILS) if 0.0 < tool.fails < 1.0 else None
        self._limit = None if tool.timeout is None else ns(tool.timeout)
        self.resource = frame.stage.pools[tool.uses[0][0]].name if tool.uses else tool.name
        # nothing to wait for and nothing to try again: one timer
        self.quick = not tool.uses and tool.tries == 1
        self.begins: Callable[[int], int] | None = None

    def draw(self) -> tuple[int, bool, int, int]:
        """One try: (nanoseconds, ended well, tokens returned, tokens cut away)."""
        took = self._time()
        fails = self.tool.fails
        good = fails < 1.0 if self._fails is None else next(self._fails) >= fails
        if self._limit is not None and took > self._limit:
            took, good = self._limit, False
        tokens = self._returns()
        if tokens > RETURNS_AT_MOST:
            return took, good, RETURNS_AT_MOST, tokens - RETURNS_AT_MOST
        return took, good, tokens, 0


Ran = Generator[Event | int, Any, tuple[bool, int]]
"""A tool run: did it end well, and the tokens that it returned."""


def run_tool(hand: Hand, frame: Frame, node: Node) -> Ran:
    """One tool run with its tries. Writes a span a try."""
    return _quick(hand, frame, node) if hand.quick else _tries(hand, frame, node)


def _quick(hand: Hand, frame: Frame, node: Node) -> Ran:
    """A run that waits for nothing but its own time."""
    world = frame.world
    began = world.now
    took, good, tokens, lost = hand.draw()
    if hand.begins is not None:
        took = hand.begins(took)
    outcome = Outcome.CANCELLED
    try:
        if took:
            yield took
        outcome = Outcome.DONE if good else Outcome.FAILED
    finally:
        tell(hand, frame, node, began, world.now, tokens, lost, outcome)
    return good, tokens


def tell(
    hand: Hand,
    frame: Frame,
    node: Node,
    began: int,
    ended: int,
    tokens: int,
    lost: int,
    outcome: Outcome,
) -> None:
    """The span of a run that waited for nothing but its own time."""
    if lost:
        frame.world.note("tool_cut")
    tool = hand.tool
    facts = _new(WorkFacts, ((), tokens, lost, 0, ()))
    frame.record(node.rank, tool.name, tool.name, began, ((tool.part, ended),), outcome, facts)


def _tries(hand: Hand, frame: Frame, node: Node) -> Ran:
    tool = hand.tool
    for attempt in range(tool.tries):
        good, tokens = yield from _try(hand, frame, node, attempt)
        if good or attempt + 1 == tool.tries:
            break
        if tool.retry_wait:
            yield from frame.spend(node, tool.name, Part.RETRY, ns(tool.retry_wait))
    return good, tokens


def _try(hand: Hand, frame: Frame, node: Node, attempt: int) -> Ran:
    tool, world = hand.tool, frame.world
    began = world.now
    took, good, tokens, lost = hand.draw()
    jobs: list[Job] = []
    given: list[int] = []
    marks: list[Mark] = []
    part, outcome = Part.POOL_WAIT, Outcome.CANCELLED
    try:
        # one after another, by name: no two tools can wait for each other in a circle
        for pool, units in tool.uses:
            job = frame.stage.pools[pool].ask(
                units, (node.rank, frame.place), node.path, node.priority
            )
            jobs.append(job)
            yield job
            given.append(world.now)
        if jobs and world.now > began:
            marks.append((Part.POOL_WAIT, world.now))
        part = tool.part
        if hand.begins is not None:
            took = hand.begins(took)
        if took:
            yield took
        outcome = Outcome.DONE if good else Outcome.FAILED
    finally:
        for job in jobs:
            job.leave()
        now = world.now
        if now > (marks[-1][1] if marks else began) or not marks:
            marks.append((part, now))
        if lost:
            world.note("tool_cut")
        facts = WorkFacts(tool.uses, tokens, lost, attempt, tuple(given))
        frame.record(node.rank, tool.name, hand.resource, began, tuple(marks), outcome, facts)
    return good, tokens


def run_tools(
    hands: Sequence[T], frame: Frame, node: Node, run: Callable[[T, Frame, Node], Ran]
) -> Generator[Event | int, Any, int]:
    """The tools of one turn, side by side; returns the tokens that they return together."""
    total = 0

    def one(hand: T, own: Frame) -> Steps:
        nonlocal total
        _, tokens = yield from run(hand, own, node)
        total += tokens  # read after the run: others add to it meanwhile
        return None

    done = Event()
    branches: list[Branch] = []

    def ended(_: Branch) -> None:
        if len(branches) == len(hands) and all(branch.over for branch in branches):
            frame.world.happens(done)

    for hand in hands:
        own = frame.fork()
        branches.append(Branch(one(hand, own), own, ended))
    cut = yield from interrupted(done)
    if cut is not None:
        yield from gather(branches, frame, cut)
        raise cut
    last = max(branches, key=lambda branch: branch.ended)
    frame.last = last.frame.last
    return total


_new = tuple.__new__
