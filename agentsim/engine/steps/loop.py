"""Rounds: leave when the last verdict approves, go on or fail when the rounds run out."""

from __future__ import annotations

from agentsim.engine.frame import Frame, Steps, Stop
from agentsim.engine.steps.block import run_block
from agentsim.graph import Block, Loop
from agentsim.records import Verdict


def run_loop(node: Loop, frame: Frame) -> Steps:
    """A failure ends its round, not the loop; `between` runs before each further round."""
    verdict: Verdict | None = None
    reason = ""
    for number in range(node.rounds):
        try:
            verdict = yield from _round(node.body, frame, number)
        except Stop as stop:
            if stop.verdict is not Verdict.FAILED:
                raise
            verdict, reason = stop.verdict, stop.reason
            frame.verdict = verdict
        if verdict is Verdict.APPROVED:
            return verdict
        if node.between is not None and number + 1 < node.rounds:
            yield from _round(node.between, frame, number)
    if verdict is Verdict.FAILED and node.failed_fail:
        raise Stop(verdict, reason or f"{node.path}: failed in the last of {node.rounds} rounds")
    if verdict is Verdict.CHANGES and node.changes_fail:
        raise Stop(Verdict.FAILED, f"{node.path}: not approved in {node.rounds} rounds")
    return verdict


def _round(block: Block, frame: Frame, number: int) -> Steps:
    """One pass of a block at its place; the frame's chain goes on whatever ends it."""
    frame.world.step()
    place, round_ = frame.place, frame.round
    frame.place = (*place, number)
    frame.round = number
    try:
        return (yield from run_block(block, frame))
    finally:
        frame.place, frame.round = place, round_
