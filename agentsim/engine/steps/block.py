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
        self._branches: list[Branch | None] = [None] * len(node.steps)
        self._needs = node.needs or ()
        self._missing = [len(needs) for needs in self._needs]
        """Of each step: how many that it needs are not done yet."""
        self._waiting: list[list[int]] = [[] for _ in node.steps]
        """Of each step: those that wait for it, in order of declaration."""
        for i, needs in enumerate(self._needs):
            for j in needs:
                self._waiting[j].append(i)
        self._running = 0
        self._stopped = False

    @property
    def begun(self) -> list[Branch]:
        """The branches of the steps that were begun, in order of declaration."""
        return [branch for branch in self._branches if branch is not None]

    def ends(self) -> list[Branch]:
        """Those that no other step waits for."""
        return [
            branch
            for branch, waiting in zip(self._branches, self._waiting, strict=True)
            if branch is not None and not waiting
        ]

    def start(self) -> None:
        """Begin every step that needs nothing."""
        for number, missing in enumerate(self._missing):
            if not missing:
                self._begin(number)

    def _begin(self, number: int) -> None:
        before = [branch for j in self._needs[number] if (branch := self._branches[j]) is not None]
        own = self.frame.fork()
        last = latest(before)
        if last is not None:
            own.last, own.verdict = last.frame.last, last.frame.verdict
        heard(own, before)
        self._running += 1
        steps = own.run(self.node.steps[number])
        self._branches[number] = Branch(steps, own, lambda branch: self._ended(number, branch))

    def _ended(self, number: int, branch: Branch) -> None:
        if self.closed:
            return
        self._running -= 1
        self._stopped = self._stopped or branch.stop is not None
        if not self._stopped:  # else a failed step ends the list: what runs is finished, no more
            for other in self._waiting[number]:
                self._missing[other] -= 1
                if not self._missing[other]:
                    self._begin(other)
        if not self._running:
            self.frame.world.happens(self.done)


def latest(branches: list[Branch]) -> Branch | None:
    """The branch that ended last; of equals the first declared."""
    return max(branches, key=lambda branch: branch.ended, default=None)
