"""A tool run as a step, and a wait: for a time, or until one of the calendar."""

from __future__ import annotations

from agentsim.chance import first
from agentsim.engine.caps import under
from agentsim.engine.draws import Purpose
from agentsim.engine.frame import Frame, Steps, Stop, heed
from agentsim.engine.quality import Pass, begin, judged
from agentsim.engine.tools import Hand, run_tool
from agentsim.graph import Work
from agentsim.records import Part, Verdict


def run_work(node: Work, frame: Frame) -> Steps:
    """A tool that fails (after its tries) fails the step; one with `fails` approves otherwise."""
    tool = node.tool
    key = frame.key(node.name)
    hand = Hand(tool, key, frame)
    begun: list[Pass | None] = []
    if node.craft is not None:  # each try looks when it has all that it waits for; the last counts

        def look(took: int) -> int:
            begun.append(begin(node.craft, frame, key, tool.name, False))
            return took

        hand.begins = look
    elif node.until is not None:
        hand.begins = lambda _: _up_to(node, frame)
    inside = frame.around
    if inside is None:
        good, tokens = yield from run_tool(hand, frame, node)
    else:
        # a step of an agent: its tool runs count as the agent's
        places = () if inside.caps is None or tool.part is not Part.TOOL else inside.caps.tools
        good, tokens = yield from under(
            places, node, tool.name, frame, lambda: run_tool(hand, frame, node)
        )
        inside.take(tokens)
    if not good:
        raise Stop(Verdict.FAILED, f"{node.path}: {tool.name} failed")
    own = begun[-1] if begun else None
    if own is not None:
        own.end(0.0)
    if node.says is not None:
        verdict = judged(node.says, frame.round, first(key, Purpose.VERDICT), own)
        return heed(verdict, node.path)
    return Verdict.APPROVED if tool.says else None


def _up_to(node: Work, frame: Frame) -> int:
    """Nanoseconds until the time that a wait is for, from when it has all that it uses."""
    assert node.until is not None
    left = node.until.wait(frame.world.now)
    if left < 0:
        frame.world.note("until_past")
        return 0
    return left
