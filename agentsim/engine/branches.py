"""Branches: chains of their own, each in a process of its own, and how they are cancelled."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from simpy import Interrupt

from agentsim.engine.frame import Answer, Frame, Steps, Stop
from agentsim.engine.world import Event, Process
from agentsim.records import Verdict


class Cancel:
    """The token with which a fork ends its branches."""


CANCEL = Cancel()


class Branch:
    """Steps on a chain of their own. `ended` is the instant at which they were over, -1 before."""

    __slots__ = (
        "_call",
        "_steps",
        "cancelled",
        "ended",
        "frame",
        "process",
        "started",
        "stop",
        "verdict",
    )

    def __init__(self, steps: Steps, frame: Frame, call: Callable[[Branch], None]) -> None:
        self._steps = steps
        self.frame = frame
        self.verdict: Verdict | None = None
        self.stop: Stop | None = None
        self.cancelled = False
        self.started = frame.world.now
        self.ended = -1
        self._call = call
        frame.world.alive += 1
        self.process = Process(frame.world, self._life())

    @property
    def over(self) -> bool:
        return self.ended >= 0

    def cancel(self) -> None:
        """End it now: what it holds is given back, what it did is recorded as cancelled."""
        if not self.over:
            self.process.interrupt(CANCEL)

    def _life(self) -> Generator[Event | int, Any, None]:
        try:
            self.verdict = yield from self._steps
        except Stop as stop:
            self.stop = stop
            self.verdict = stop.verdict
        except Interrupt as interrupt:
            if interrupt.cause is not CANCEL:
                raise
            self.cancelled = True
        self.frame.world.alive -= 1
        self.ended = self.frame.world.now
        self._call(self)


def heard(frame: Frame, branches: list[Branch]) -> None:
    """What was said in them stands where they join: by each its last, where it said anything."""
    before = set(frame.answers)
    said: dict[Answer, None] = {}
    for branch in branches:
        for answer in branch.frame.answers:
            if answer not in before:
                said[answer] = None
    if said:
        frame.answers = tuple(said)


def again(frame: Frame, process: Process, cause: object) -> None:
    """Deliver an interrupt once more, at this instant, if its process still lives then."""

    def deliver(_: None) -> None:
        if process.is_alive:
            process.interrupt(cause)

    frame.world.after(0, deliver)


def interrupted(done: Event) -> Generator[Event | int, Any, Interrupt | None]:
    """Wait for an event; the interrupt that came instead.

    It is to be raised when all that was begun has let go. That takes waits, and within an `except`
    the compiled engine could not wait (docs/decisions.md).
    """
    cut: Interrupt | None = None
    try:
        yield done
    except Interrupt as interrupt:
        cut = interrupt
    return cut


def gather(
    branches: list[Branch], frame: Frame, interrupt: Interrupt
) -> Generator[Event | int, Any, None]:
    """Cancel all that run and wait, within this instant, until they have let go of everything.

    The chain goes on from the first declared of those that were cut. A second interrupt that
    comes meanwhile is delivered again afterwards, to whoever owns it.
    """
    world = frame.world
    process = world.active
    running = [branch for branch in branches if not branch.over]
    for branch in running:
        branch.cancel()
    while any(not branch.over for branch in running):
        try:
            yield 0
        except Interrupt as second:
            if process is not None and second.cause is not interrupt.cause:
                again(frame, process, second.cause)
    if running:
        frame.last = running[0].frame.last
