"""Steps one after another, or as a graph of what needs what."""

from __future__ import annotations

from simpy import Interrupt
from simpy.events import Event

from agentsim.engine.branches import Branch, gather
from agentsim.engine.frame import Frame, Steps
from agentsim.graph import Block
from agentsim.records import Verdict


def run_block(node: Block, frame: Frame) -> Steps:
    """The verdict is the last that a step of the list gave; a failed step ends the list."""
    if node.needs is not None:
        return (yield from _run_graph(node, frame))
    verdict: Verdict | None = None
    for step in node.steps:
        said = yield from frame.run(step)
        if said is not None:
            verdict = said
    return verdict


def _run_graph(node: Block, frame: Frame) -> Steps:
    """Each step starts when all that it needs are done, on the chain of the one that ended last."""
    assert node.needs is not None
    needs = node.needs
    branches: list[Branch | None] = [None] * len(node.steps)
    done = Event(frame.world.env)

    closed = False

    def ended(_: Branch) -> None:
        if closed:
            return
        if any(branch is not None and branch.stop for branch in branches):
            # a failed step ends the list: what runs is finished, nothing more is begun
            if all(branch is None or branch.over for branch in branches) and not done.triggered:
                done.succeed()
            return
        start()
        if all(branch is not None and branch.over for branch in branches) and not done.triggered:
            done.succeed()

    def start() -> None:
        for i, step in enumerate(node.steps):
            if branches[i] is not None:
                continue
            before = [branches[j] for j in needs[i]]
            if all(branch is not None and branch.over for branch in before):
                own = frame.fork()
                last = latest([branch for branch in before if branch is not None])
                if last is not None:
                    own.last, own.verdict = last.frame.last, last.frame.verdict
                branches[i] = Branch(own.run(step), own, ended)

    start()
    ran = [branch for branch in branches if branch is not None]
    try:
        if node.steps:
            yield done
    except Interrupt as interrupt:
        closed = True  # what was not begun yet is not begun any more
        ran = [branch for branch in branches if branch is not None]
        yield from gather(ran, frame, interrupt)
        raise
    ran = [branch for branch in branches if branch is not None]
    final = latest(ran)
    if final is not None:
        frame.last = final.frame.last
    stopped = [branch.stop for branch in ran if branch.stop is not None]
    if stopped:
        raise max(stopped, key=lambda stop: stop.verdict)
    said = [branch.verdict for branch in ran if branch.verdict is not None]
    return said[-1] if said else None


def latest(branches: list[Branch]) -> Branch | None:
    """The branch that ended last; of equals the first declared."""
    return max(branches, key=lambda branch: branch.ended, default=None)
