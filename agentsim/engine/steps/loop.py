"""Rounds: leave when the last verdict approves, go on or fail when the rounds run out."""

from __future__ import annotations

from agentsim.engine.frame import Frame, Steps, Stop
from agentsim.engine.steps.block import run_block
from agentsim.engine.world import ns
from agentsim.errors import EngineFault
from agentsim.graph import Block, Loop
from agentsim.records import SECOND, Verdict

MOST_AT_ONCE = 10_000  # rounds within a time that take none


def run_loop(node: Loop, frame: Frame) -> Steps:
    """A failure ends its round, not the loop; `between` runs before each further round."""
    verdict: Verdict | None = None
    reason = ""
    number = 0
    clock = _Clock(node, frame)
    while number < node.rounds and clock.allows():
        try:
            verdict = yield from _round(node.body, frame, number)
        except Stop as stop:
            if stop.verdict is not Verdict.FAILED:
                raise
            verdict, reason = stop.verdict, stop.reason
            frame.verdict = verdict
        if verdict is Verdict.APPROVED:
            return verdict
        if node.between is not None and number + 1 < node.rounds and clock.allows():
            yield from _round(node.between, frame, number)
        number += 1
    if node.within is not None and number >= node.rounds and clock.allows():
        raise EngineFault(
            f"{node.path}: more than {node.rounds:,} rounds begin within its time, of which "
            f"{clock.passed():g} s have passed",
            "give it a number of rounds (`loop: 4`), less time, or steps that take longer",
            node.path,
        )
    if verdict is Verdict.FAILED and node.failed_fail:
        raise Stop(verdict, reason or f"{node.path}: failed in the last of {number} rounds")
    if verdict is Verdict.CHANGES and node.changes_fail:
        raise Stop(Verdict.FAILED, f"{node.path}: not approved in {number} rounds")
    return verdict


class _Clock:
    """Whether the time of a loop allows a further round."""

    def __init__(self, node: Loop, frame: Frame) -> None:
        self._world = frame.world
        self._path = node.path
        self._began = frame.world.now
        self._until = None if node.within is None else self._began + ns(node.within)
        self._last = -1
        self._same = 0

    def allows(self) -> bool:
        """Asked before each round. Raises EngineFault where rounds take no time, so never end."""
        if self._until is None:
            return True
        now = self._world.now
        self._same = self._same + 1 if now == self._last else 0
        self._last = now
        if self._same > MOST_AT_ONCE:
            raise EngineFault(
                f"{self._path}: its rounds take no time, so its time never passes",
                "give it a number of rounds, or steps that take time",
                self._path,
            )
        return now < self._until

    def passed(self) -> float:
        """Seconds since the loop began."""
        return (self._world.now - self._began) / SECOND


def _round(block: Block, frame: Frame, number: int) -> Steps:
    """One pass of a block at its place; the frame's chain goes on whatever ends it."""
    frame.world.step(block.path)
    place, round_ = frame.place, frame.round
    frame.place = (*place, number)
    frame.round = number
    try:
        return (yield from run_block(block, frame))
    finally:
        frame.place, frame.round = place, round_
