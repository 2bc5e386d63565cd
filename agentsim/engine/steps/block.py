"""Steps one after another, or as a graph of what needs what."""

from __future__ import annotations

from agentsim.engine.branches import Branch, gather, heard, interrupted
from agentsim.engine.frame import Frame, Steps
from agentsim.engine.world import Event
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
    net = Net(node, frame)
    net.start()
    cut = (yield from interrupted(net.done)) if node.steps else None
    if cut is not None:
        net.closed = True  # what was not begun yet is not begun any more
        yield from gather(net.begun, frame, cut)
        raise cut
    ran = net.begun
    final = latest(ran)
    if final is not None:
        frame.last = final.frame.last
    heard(frame, net.ends())
    stopped = [branch.stop for branch in ran if branch.stop is not None]
    if stopped:
        raise max(stopped, key=lambda stop: stop.verdict)
    said = [branch.verdict for branch in ran if branch.verdict is not None]
    return said[-1] if said else None


class Net:
    """The steps of one list with `needs` while they run; `done` happens when none runs any more."""

    def __init__(self, node: Block, frame: Frame) -> None:
        self.node = node
        self.frame = frame
        self.done = Event()
        self.closed = False
        self._over = False
        self._branches: list[Branch | None] = [None] * len(node.steps)

    @property
    def begun(self) -> list[Branch]:
        """The branches of the steps that were begun, in order of declaration."""
        return [branch for branch in self._branches if branch is not None]

    def ends(self) -> list[Branch]:
        """Those that no other step waits for."""
        needed = {j for needs in self.node.needs or () for j in needs}
        return [
            branch
            for i, branch in enumerate(self._branches)
            if branch is not None and i not in needed
        ]

    def start(self) -> None:
        """Begin every step whose needs are done."""
        for i, (step, needs) in enumerate(zip(self.node.steps, self.node.needs or (), strict=True)):
            before = [branch for j in needs if (branch := self._branches[j]) is not None]
            ready = len(before) == len(needs) and all(branch.over for branch in before)
            if self._branches[i] is None and ready:
                own = self.frame.fork()
                last = latest(before)
                if last is not None:
                    own.last, own.verdict = last.frame.last, last.frame.verdict
                heard(own, before)
                self._branches[i] = Branch(own.run(step), own, self._ended)

    def _ended(self, _: Branch) -> None:
        if self.closed:
            return
        if not any(branch.stop for branch in self.begun):
            self.start()  # else a failed step ends the list: what runs is finished, no more
        if all(branch.over for branch in self.begun) and not self._over:
            self._over = True
            self.frame.world.happens(self.done)


def latest(branches: list[Branch]) -> Branch | None:
    """The branch that ended last; of equals the first declared."""
    return max(branches, key=lambda branch: branch.ended, default=None)
