"""The queueing core: a bench says who is next and how much there is; a job is one ask of it.

Pools, slots and people are benches of this kind. Served by priority
(larger first), then time of asking, then order of declaration; the first in the queue is never
overtaken by a smaller one behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Protocol

from agentsim.engine.world import Event, World
from agentsim.records import Peak, Place

Order = tuple[int, Place]
"""Order of declaration: a step's rank, then its place."""

_CRUMB = 1e-9  # what a sum of fractions of units may be off


class Holder(Protocol):
    """Who holds units of a bench: a job, or a call that had not to wait for its slot."""

    units: float
    held: bool

    @property
    def who(self) -> str: ...


class Job(Event):
    """An ask for units of a bench: the event happens when they are given.

    `leave()` gives them back, or takes the ask back while it waits: done, failed and cancelled
    alike. It may be called twice.
    """

    held = False
    left = False
    who: str

    def __init__(self, bench: Bench, units: float, who: str) -> None:
        self.callbacks = []  # what Event.__init__ does, without the call: there are millions
        self.bench = bench
        self.units = units
        self.who = who

    def leave(self) -> None:
        if self.left:
            return
        self.left = True
        self.bench.take_back(self)


class Bench:
    """`capacity` units, counted. Capacity 0 is legal: nobody is served until there is more."""

    __slots__ = (
        "_holders",
        "_queue",
        "_seq",
        "capacity",
        "dirty",
        "free",
        "least",
        "name",
        "order",
        "queued",
        "queued_most",
        "world",
    )

    def __init__(self, world: World, name: str, capacity: float) -> None:
        self.world = world
        self.name = name
        self.capacity = self.free = self.least = float(capacity)
        self.order = 0
        self.dirty = False
        self.queued = self.queued_most = 0
        self._queue: list[tuple[float, int, Order, int, Job]] = []
        self._holders: dict[Holder, None] = {}
        self._seq = 0
        world.join(self)

    def ask(self, units: float, order: Order, who: str, priority: float = 0.0) -> Job:
        """Queue for `units`; given out in the second phase of this instant at the earliest.

        What `take` gives at once is held (and the job over, as an event) when it is returned.
        """
        job = Job(self, units, who)
        if not self.queued and self.take(job):
            job.callbacks = None
            return job
        world = self.world
        self._seq += 1
        entry = (-priority, world.now, order, self._seq, job)
        if self.queued:
            heappush(self._queue, entry)
        else:
            self._queue[:] = [entry]
        self.queued += 1
        if not self.dirty:
            if units <= self.free + _CRUMB or not world.alone():
                world.unsettle(self)
            elif self.queued > self.queued_most:
                self.queued_most = self.queued  # they wait: nothing can be freed at this instant
        return job

    def take(self, holder: Holder) -> bool:
        """Give what is free at once, where nobody can be served before; whether it was.

        So it is where nothing else can happen at this instant, and nobody waits.
        """
        if self.queued or self.dirty or holder.units > self.free + _CRUMB:
            return False
        if not self.world.alone():
            return False
        self.give(holder)
        return True

    def give(self, holder: Holder) -> None:
        """It has its units from now on."""
        self.free = free = self.free - holder.units
        if free < self.least:  # noqa: PLR1730 - `min` is a call, millions of times
            self.least = free
        holder.held = True
        self._holders[holder] = None

    def take_back(self, holder: Holder) -> None:
        if holder.held:
            holder.held = False
            del self._holders[holder]
            # fractions of a unit must not drift
            self.free = self.free + holder.units if self._holders else self.capacity
        else:
            self.queued -= 1
        if self.queued and not self.dirty:
            self.world.unsettle(self)

    def settle(self) -> list[Event]:
        """Give out what is free, in order; who does not fit holds back those behind."""
        granted: list[Event] = []
        queue, queued = self._queue, self.queued
        while queued:
            job = queue[0][4]
            if not job.left:
                if job.units > self.free + _CRUMB:
                    break
                queued -= 1
                self.give(job)
                granted.append(job)
            heappop(queue)
        self.queued = queued
        if queued > self.queued_most:  # noqa: PLR1730 - as above
            self.queued_most = queued
        return granted

    def first(self) -> Job:
        """Who is next of those that wait: at least one does. Those that have left are dropped."""
        queue = self._queue
        while queue[0][4].left:
            heappop(queue)
        return queue[0][4]

    def pop(self) -> None:
        """The first has its turn: it waits no more."""
        heappop(self._queue)
        self.queued -= 1

    def waiting(self) -> Iterator[tuple[str, str, list[str]]]:
        held = [job.who for job in self._holders]
        for entry in sorted(self._queue, key=lambda entry: entry[:4]):
            if not entry[-1].left:
                yield entry[-1].who, self.name, held

    def peak(self) -> Peak:
        return Peak(self.name, self.queued_most, self.capacity - self.least)
