"""A tool run as a step, and a wait."""

from __future__ import annotations

from agentsim.chance import first
from agentsim.engine.draws import Purpose
from agentsim.engine.frame import Frame, Steps, Stop, heed
from agentsim.engine.tools import Hand, run_tool
from agentsim.graph import Work
from agentsim.records import Verdict


def run_work(node: Work, frame: Frame) -> Steps:
    """A tool that fails (after its tries) fails the step; one with `fails` approves otherwise."""
    tool = node.tool
    key = frame.key(node.name)
    hand = Hand(tool, key, frame)
    good, tokens = yield from run_tool(hand, frame, node)
    if frame.around is not None:
        frame.around.tokens += tokens
    if not good:
        raise Stop(Verdict.FAILED, f"{node.path}: {tool.name} failed")
    if node.says is not None:
        return heed(node.says.verdict(frame.round, first(key, Purpose.VERDICT)), node.path)
    return Verdict.APPROVED if tool.says else None
