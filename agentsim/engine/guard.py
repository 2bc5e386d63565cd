"""What stands around a step: `timeout`, `retry`, `or: go on`."""

from __future__ import annotations

from simpy import Interrupt

from agentsim.engine.frame import Frame, Steps, Stop
from agentsim.engine.world import DEADLINE, World, ns
from agentsim.graph import Node
from agentsim.records import Part, Verdict


class Deadline:
    """Interrupts the process in which it was set, with itself as the token.

    It comes after all else of its instant: work that ends exactly then has met it.
    """

    def __init__(self, world: World, seconds: float) -> None:
        self.process = world.active
        world.after(ns(seconds), self._pass, None, DEADLINE)

    def _pass(self, _: None) -> None:
        if self.process is not None and self.process.is_alive:
            self.process.interrupt(self)

    def end(self) -> None:
        """The step is over: the deadline no longer counts."""
        self.process = None


def run_guarded(node: Node, frame: Frame) -> Steps:
    """Run a node with all that its guard asks for (whether it is skipped was asked before)."""
    guard = node.guard
    tried = frame.tried
    try:
        for attempt in range(guard.tries):
            if attempt:
                frame.tried = (*tried, node.name, attempt)  # nested tries draw apart
            try:
                return (yield from _tried(node, frame))
            except Stop as stop:
                if stop.verdict is not Verdict.FAILED:
                    raise
                failure = stop
            if attempt + 1 < guard.tries and guard.retry_wait:
                yield from frame.spend(node, node.path, Part.RETRY, ns(guard.retry_wait))
    finally:
        frame.tried = tried
    if guard.go_on:
        return Verdict.FAILED
    raise failure


def _tried(node: Node, frame: Frame) -> Steps:
    """One try, under the step's timeout where it has one."""
    runner = frame.stage.runners[type(node)]
    if node.guard.timeout is None:
        return (yield from runner(node, frame))
    deadline = Deadline(frame.world, node.guard.timeout)
    try:
        return (yield from runner(node, frame))
    except Interrupt as interrupt:
        if interrupt.cause is not deadline:
            raise
        raise Stop(Verdict.FAILED, f"{node.path}: timed out") from None
    finally:
        deadline.end()
