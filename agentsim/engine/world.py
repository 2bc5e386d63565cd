"""The clock and the two phases of an instant.

First everything that happens at t moves: timers fire, work ends, units are given back, new asks
arrive. Then what is scarce is given out. SimPy alone serves in the order in which events happened
to be scheduled; the second phase begins when nothing is left to move at t, so that an order of
declaration can hold, and a slot freed at t is taken at t.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any, Protocol

import simpy
from simpy import Interrupt

from agentsim.errors import EngineFault
from agentsim.graph import AGENTS_AT_ONCE
from agentsim.records import SECOND, Peak, Span, Visit

URGENT, NORMAL = 0, 1  # as in SimPy
SETTLE = 2  # then things settle;
DEADLINE = 3  # and deadlines come last: work that ends exactly at its deadline has met it

JOINS = 1 << 60  # from this order on things are joins; an inner one has a smaller order

SAME_INSTANT = 2_000_000  # events at one instant before a run counts as stuck
LONGEST = 9 * 10**18  # nanoseconds that a stored figure can hold (64 bits)
SPANS = 2_000_000  # calls, tool runs and waits of one replication before it counts as endless
STEPS = 1_000_000  # rounds of one replication before it counts as endless
FEWER = "fewer rounds, items, tries or turns"


def ns(seconds: float) -> int:
    """Seconds to whole nanoseconds: a duration is rounded once, when it is drawn."""
    return round(seconds * SECOND)


class Scarce(Protocol):
    """What is given out in the second phase."""

    order: int
    dirty: bool

    def settle(self) -> list[Event]:
        """Decide who gets what now; the events returned are fired when all have decided."""
        ...

    def waiting(self) -> Iterator[tuple[str, str, list[str]]]:
        """Who waits (a step), for what, and who holds it: for naming a deadlock."""
        ...

    def peak(self) -> Peak | None: ...


def _order(thing: Scarce) -> int:
    return thing.order


def _end(span: Span) -> int:
    return span.marks[-1][1] if span.marks else span.began


class Event:
    """What happens once: its `callbacks` are called with it then, and are None from then on.

    SimPy's protocol, in fewer fields and without a schedule of its own; `happens` has one. A
    `fault` is thrown into the process that waits for it.
    """

    fault: BaseException | None = None
    taken = False
    """Somebody has taken the fault."""

    def __init__(self) -> None:
        self.callbacks: list[Callable[[Any], object]] | None = []

    def then(self, call: Callable[[Any], object]) -> None:
        """`call(event)` when it happens, which it has not yet."""
        assert self.callbacks is not None
        self.callbacks.append(call)


def happen(event: Event) -> None:
    """An event has come: all who wait for it are told."""
    callbacks = event.callbacks
    event.callbacks = None
    for callback in callbacks or ():
        callback(event)
    if event.fault is not None and not event.taken:
        raise event.fault  # nobody took the failure: a fault of ours


def _happen_there(event: simpy.Event) -> None:
    """The same for an event of SimPy's."""
    callbacks: list[Any] = event.callbacks
    event.callbacks = None  # type: ignore[assignment]
    for callback in callbacks:
        callback(event)
    if not event._ok and not event.defused:
        raise event._value


class Clock(simpy.Environment):
    """SimPy's environment with a call in each entry: (instant, priority, number, call, value).

    What is written for SimPy (its events, processes and resources) runs on it beside ours.
    """

    def schedule(self, event: simpy.Event, priority: int = NORMAL, delay: float = 0) -> None:
        # whole nanoseconds, though SimPy's signature lets a delay be a fraction
        entry = (int(self._now + delay), priority, next(self._eid), _happen_there, event)
        heappush(self._queue, entry)  # type: ignore[misc]


class Process:
    """A generator that the clock drives. It yields nanoseconds to pass, or an event to wait for.

    SimPy's own process makes an event of every start, wait and end; most of ours wait for time
    alone, and are waited for by nobody. `callbacks` is None when it is over, as with an event.
    """

    __slots__ = ("_event", "_throw", "_version", "callbacks", "send", "world")

    def __init__(self, world: World, steps: Generator[Event | int, Any, Any]) -> None:
        self.world = world
        self.callbacks: list[Any] | None = []
        self.send = steps.send
        self._throw = steps.throw
        self._event: Event | None = None
        self._version = 0
        world.after(0, self._go, 0, URGENT)

    @property
    def is_alive(self) -> bool:
        return self.callbacks is not None

    def interrupt(self, cause: object) -> None:
        """Throw an Interrupt with this cause into it, at this instant, unless it ends before."""
        self.world.after(0, self._interrupted, cause, URGENT)

    def _go(self, version: int) -> None:
        """Its time has passed; a version that it no longer has is of a wait that was cut short."""
        if version == self._version:
            self.world.active = self
            try:
                self._wait(self.send(None))
            except StopIteration:
                self.callbacks = None

    def _happened(self, event: Event) -> None:
        self._event = None
        self.world.active = self
        try:
            self._wait(self._next(event))
        except StopIteration:
            self.callbacks = None

    def _next(self, event: Event) -> Event | int:
        """What it yields once it has been told of an event."""
        if event.fault is None:
            return self.send(None)
        event.taken = True
        return self._throw(event.fault)

    def _interrupted(self, cause: object) -> None:
        if self.callbacks is None:
            return
        event = self._event
        if event is not None:
            self._event = None
            if event.callbacks is not None:
                event.callbacks.remove(self._happened)
        self._version += 1
        self.world.active = self
        try:
            self._wait(self._throw(Interrupt(cause)))
        except StopIteration:
            self.callbacks = None

    def _wait(self, what: Event | int) -> None:
        while what.__class__ is not int:
            callbacks = what.callbacks  # type: ignore[union-attr]
            if callbacks is not None:
                callbacks.append(self._happened)
                self._event = what  # type: ignore[assignment]
                return
            what = self._next(what)  # type: ignore[arg-type]
        self.world.after(what, self._go, self._version)


class World:
    """One replication's clock, its scarce things and its records."""

    def __init__(self) -> None:
        self.env = env = Clock(initial_time=0)
        self.now = 0
        """Nanoseconds from the start of the run."""
        self._queue: list[Any] = env._queue
        self._number = env._eid
        self.spans: list[Span] = []
        self.visits: list[Visit] = []
        self.notes: dict[str, int] = {}
        self.scarce: list[Scarce] = []
        self._dirty: list[Scarce] = []
        self._burst = False
        self.steps = 0
        self.most = SPANS
        self.active: Process | None = None
        """The process that runs now, or ran last."""
        self.alive = 0
        """Branches that are not over: none may outlive the run, or it would go on writing."""

    def join(self, thing: Scarce) -> None:
        """Take a scarce thing in; its order is that of joining."""
        thing.order = len(self.scarce)
        self.scarce.append(thing)

    def unsettle(self, thing: Scarce) -> None:
        """Ask for a second phase at this instant in which `thing` gives out what it has."""
        if not thing.dirty:
            thing.dirty = True
            self._dirty.append(thing)

    def alone(self) -> bool:
        """Nothing else can happen at this instant but what the caller does.

        Then there is no second phase to wait for: nobody else can come and be served before.
        """
        if self._burst or self._dirty:
            return False
        queue = self._queue
        return not queue or queue[0][0] > self.now

    def fire(self, events: Sequence[Event]) -> None:
        """Let events happen now, in this order, without a detour over the schedule."""
        if len(events) == 1:
            happen(events[0])
            return
        burst = self._burst
        self._burst = True
        for event in events:
            happen(event)
        self._burst = burst

    def happens(self, event: Event, delay: int = 0) -> None:
        """Let an event happen in so many nanoseconds, in its turn."""
        self.after(delay, happen, event)

    def after(
        self, delay: int, call: Callable[[Any], object], value: Any = None, priority: int = NORMAL
    ) -> None:
        """`call(value)` in so many nanoseconds: for what nobody waits for, without an event."""
        heappush(self._queue, (self.now + delay, priority, next(self._number), call, value))

    def _settle(self) -> None:
        """One step of the second phase: what comes first decides, then what it gave is fired.

        Benches come first, all together; joins follow, the innermost first, since what a join
        lets end at this instant counts for the join around it.
        """
        dirty = self._dirty
        if len(dirty) == 1:
            thing = dirty.pop()
            thing.dirty = False
            self.fire(thing.settle())
            return
        dirty.sort(key=_order)
        first = dirty[0].order
        if first < JOINS:
            things = [thing for thing in dirty if thing.order < JOINS]
        else:
            things = [thing for thing in dirty if thing.order == first]
        del dirty[: len(things)]
        granted: list[Event] = []
        for thing in things:
            thing.dirty = False
            granted += thing.settle()
        self.fire(granted)

    def step(self, path: str) -> None:
        """Count one round (of the step at `path`); too many are an endless run, whether time passes
        or not."""
        self.steps += 1
        if self.steps > STEPS:
            what = f"more than {STEPS:,} rounds in one run, the last in {path}: stopped as endless"
            raise EngineFault(what, FEWER, path)

    def note(self, code: str, count: int = 1) -> None:
        """Count something that the answer has to mention."""
        self.notes[code] = self.notes.get(code, 0) + count

    def run(self, until: Event | Process) -> None:
        """Run until `until` has happened. Raises EngineFault on a deadlock or without progress.

        This is SimPy's own loop with the second phase and a count added; calling its `step` a
        million times costs a third more.
        """
        env = self.env
        queue, dirty = self._queue, self._dirty
        instant, same = 0, 0
        while until.callbacks is not None:
            if dirty and (not queue or queue[0] > (instant, SETTLE)):
                self._settle()
                same += 1
                continue
            if not queue:
                raise self._deadlock()
            at, _, _, call, value = heappop(queue)
            if at != instant:
                env._now = self.now = instant = at
                same = 0
            else:
                same += 1
                if same > SAME_INSTANT:
                    raise EngineFault(
                        f"no progress: {SAME_INSTANT:,} events at {instant / SECOND:g} s "
                        "without the clock moving",
                        "give a step in there some time, or fewer rounds",
                    )
            call(value)
        if instant > LONGEST:
            raise EngineFault(
                f"a run of more than {LONGEST / SECOND / 31_557_600:.0f} years: its "
                "times add up to far too much",
                "a distribution can have `at_most`; is a unit wrong?",
            )

    def peaks(self, last: Sequence[Scarce]) -> list[Peak]:
        """Of all that is scarce, in the order of joining, but for what shall come last."""
        others = [thing for thing in self.scarce if thing not in last]
        return [peak for thing in (*others, *last) if (peak := thing.peak()) is not None]

    def culprit(self) -> int:
        """The rank of the step to look at in a run that cannot go on; -1 where none is known.

        Of one that lasts too long the step that took the longest, else the one that did something
        last.
        """
        if self.now > LONGEST:
            found = max(self.spans, key=lambda span: _end(span) - span.began, default=None)
            return -1 if found is None else found.step
        if self.spans and _end(self.spans[-1]) == self.now:
            return self.spans[-1].step
        return self.visits[-1].step if self.visits else -1

    def _deadlock(self) -> EngineFault:
        waits = [wait for thing in self.scarce for wait in thing.waiting()]
        if not waits:
            return EngineFault("deadlock: nothing is left to happen, and the run is not done")
        lines = [
            f"{who} waits for {what}" + (f", held by {', '.join(held)}" if held else "")
            for who, what, held in waits[:20]
        ]
        wanted = ", ".join(dict.fromkeys(what for _, what, _ in waits))
        hint = f"raise what they wait for: {wanted}"
        if AGENTS_AT_ONCE in wanted:
            hint += (
                "; or `held: call` in `caps`: an agent gives up its place while others work for it"
            )
        return EngineFault("deadlock: " + cycle(waits) + "; ".join(lines), hint, waits[0][0])


def cycle(waits: list[tuple[str, str, list[str]]]) -> str:
    """Name one circle among who waits for whom: `a waits for y of b, b waits for x of a: `.

    A step that holds something also waits for the steps in it.
    """
    holders = {who: held for who, _, held in waits}

    def inner(name: str) -> str | None:
        return next((who for who in holders if who.startswith(f"{name}.")), None)

    for first in holders:
        path = [first]
        while True:
            held = holders.get(path[-1])
            if held is None:
                following = inner(path[-1])
            else:
                following = next((name for name in held if name in holders or inner(name)), None)
            if following is None:
                break
            if following in path:
                ring = [*path[path.index(following) :], following]
                return "circle " + " -> ".join(ring) + ": "
            path.append(following)
    return ""
