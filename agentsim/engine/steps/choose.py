"""One branch by chance."""

from __future__ import annotations

from bisect import bisect_right

from agentsim.chance import first
from agentsim.engine.draws import Purpose
from agentsim.engine.frame import Frame, Steps
from agentsim.graph import Choose


def run_choose(node: Choose, frame: Frame) -> Steps:
    """Runs the branch that is drawn, or none; its verdict is that of the branch."""
    drawn = bisect_right(node.upto, first(frame.key(node.name), Purpose.CHOICE))
    if drawn == len(node.branches):
        return None
    return (yield from frame.run(node.branches[drawn]))
