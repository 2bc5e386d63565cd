"""Branches side by side: `parallel`, and `each` with its items, limit and waves."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, cast

from simpy import Interrupt

from agentsim.engine.branches import Branch, gather, heard, interrupted
from agentsim.engine.frame import Frame, Steps
from agentsim.engine.steps.block import latest, run_block
from agentsim.engine.tasks import Task
from agentsim.engine.world import JOINS, Event
from agentsim.graph import Block, Fork, Node, walk
from agentsim.records import CallFacts, Outcome, Part, Peak, Place, Verdict, Visit


def run_fork(node: Fork, frame: Frame) -> Steps:
    """Start the branches, wait for as many as the join asks, cancel the others.

    The verdict is the worst of those counted. A failed branch stops none of the others: the block
    fails when they are done.
    """
    crew = Crew(node, frame)
    if not crew.total:
        return None
    try:
        counted, losers = yield from crew.together()
    finally:
        if node.items is not None:  # cut short too: its lines count outside since they were written
            for branch in crew.branches:
                frame.task.adopt(branch.frame.task)
    crew.waste(losers)
    decided = latest(counted)
    if decided is not None:
        frame.last = decided.frame.last
    heard(frame, counted)
    return _worst(counted)


def _worst(counted: list[Branch]) -> Verdict | None:
    stops = [branch.stop for branch in counted if branch.stop is not None]
    if stops:
        raise max(stops, key=lambda stop: stop.verdict)
    said = [branch.verdict for branch in counted if branch.verdict is not None]
    return max(said, default=None)


MOST_DEEP = 10_000  # forks inside forks: far more than a file may nest


class Crew:
    """The branches of one fork while they run. It settles like what is scarce: its places are."""

    def __init__(self, node: Fork, frame: Frame) -> None:
        self.node = node
        self.frame = frame
        self.total = len(node.branches) if node.items is None else node.items
        self.want = node.join or self.total
        self.branches: list[Branch] = []
        self.done = Event()
        self._began = frame.world.now
        self._first = len(frame.world.spans)
        self._running = 0
        self._over = 0  # counted as they end: looking through all each time would be quadratic
        self._well = 0
        self.closed = False
        """The join is met or given up: what was not begun yet is not begun any more."""
        self.order = JOINS + MOST_DEEP - frame.depth
        self.dirty = False

    def together(self) -> Generator[Event | int, Any, tuple[list[Branch], list[Branch]]]:
        """Run until the join is met, and cancel the rest: (those that decide, those cancelled)."""
        frame = self.frame
        self.start()
        cut = yield from interrupted(self.done)
        self.closed = True
        if cut is not None:
            yield from gather(self.branches, frame, cut)
            raise cut
        counted = self.counted()
        losers = [branch for branch in self.branches if not branch.over]
        if losers:
            yield from gather(losers, frame, Interrupt(None))
        return counted, losers

    def start(self) -> None:
        """Begin as many items as may run at once."""
        limit = self.node.limit or self.total
        if self.node.waves and self._running:
            return
        while len(self.branches) < self.total and self._running < limit:
            self._begin(len(self.branches))

    def counted(self) -> list[Branch]:
        """The branches that decide: all, or the first to end well (of one instant: as declared)."""
        over = [branch for branch in self.branches if branch.over]
        if not self.node.join:
            return over
        order = sorted(over, key=lambda branch: branch.ended)
        good = [branch for branch in order if branch.stop is None]
        if len(good) >= self.want:
            return good[: self.want]
        return order

    def _begin(self, i: int) -> None:
        node, frame = self.node, self.frame
        own = frame.fork()
        own.depth += 1
        body = self._body(i)
        if node.items is not None:
            own.place = (*frame.place, i)
            own.task = self.task_of(i)
            now = frame.world.now
            # an item's block was written by nobody: its visit is the item's, kept when it ends
            steps = run_block(cast(Block, body), own)
            if now > self._began:
                marks = ((Part.CAP_WAIT, now),)
                own.record(node.rank, node.path, node.path, self._began, marks, Outcome.DONE, None)
        else:
            steps = own.run(body)
        self._running += 1
        self.branches.append(Branch(steps, own, self._ended))

    def task_of(self, i: int) -> Task:
        """The task of item i: its sessions and changes are its own."""
        frame = self.frame
        return Task(frame.stage.key, self.node.name, (*frame.place, i), frame.task)

    def _body(self, i: int) -> Node:
        """Branch i; the items of an `each` may share one."""
        return self.node.branches[i if len(self.node.branches) > 1 else 0]

    def _ended(self, branch: Branch) -> None:
        self._running -= 1
        self._over += 1
        if branch.stop is None and not branch.cancelled:
            self._well += 1
        if self.node.items is not None:
            self._visit(branch)
        # what ends at one instant is counted together, and its places are taken at that instant
        self.frame.world.unsettle(self)

    def _visit(self, branch: Branch) -> None:
        world = self.frame.world
        place = branch.frame.place
        first = branch.started
        outcome = Outcome.CANCELLED if branch.cancelled else Outcome.DONE
        if branch.stop is not None:
            rejected = branch.stop.verdict is Verdict.REJECTED
            outcome = Outcome.REJECTED if rejected else Outcome.FAILED
        world.visits.append(
            Visit(
                self.node.rank,
                place,
                first,
                branch.ended,
                branch.verdict,
                outcome,
                first - self._began,
            )
        )

    def waste(self, losers: list[Branch]) -> None:
        """All that branches made which were not needed is wasted, the calls that ended too."""
        if not losers:
            return
        spans, length = self.frame.world.spans, len(losers[0].frame.place)
        # one look at each span for all of them; items are told by their place, branches by steps
        lost: dict[Place, set[int]] = {}
        shared: set[int] | None = None
        out = set(losers)
        for number, branch in enumerate(self.branches):
            if branch in out:
                own = shared or {node.rank for node in walk(self._body(number))}
                if len(self.node.branches) == 1:
                    shared = own
                lost.setdefault(branch.frame.place, set()).update(own)
        for i in range(self._first, len(spans)):
            span = spans[i]
            facts = span.facts
            if not isinstance(facts, CallFacts) or facts.wasted:
                continue
            if span.step in lost.get(span.place[:length], ()):
                made = facts.fresh + facts.cached + facts.thinking + facts.visible
                spans[i] = span._replace(facts=facts._replace(wasted=made))

    def waiting(self) -> Iterator[tuple[str, str, list[str]]]:
        return iter(())

    def peak(self) -> Peak | None:
        return None

    def settle(self) -> list[Event]:
        """After all that ends at this instant: is the join met, or may further items begin?"""
        if self.closed or self.done.callbacks is None:
            return []
        over, well = self._over, self._well
        possible = well + self.total - over
        # a failed one counts where too few remain
        counted = over if possible < self.want else well
        met = self.node.join and counted >= self.want
        if over == self.total or met:
            return [self.done]
        self.start()
        return []
