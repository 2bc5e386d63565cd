"""Attempts: tries of the same work in worktrees of their own, of which one is picked."""

from __future__ import annotations

from agentsim.chance import blend, first
from agentsim.engine.branches import Branch, heard
from agentsim.engine.draws import Purpose
from agentsim.engine.frame import Frame, Steps
from agentsim.engine.steps.block import latest
from agentsim.engine.steps.fork import Crew
from agentsim.engine.tasks import Task
from agentsim.engine.world import Event
from agentsim.graph import Attempts


def run_attempts(node: Attempts, frame: Frame) -> Steps:
    """All attempts, or until the first succeeds; then the pick. What was not picked is wasted.

    The run goes on whatever comes of it: that none succeeded is a matter of quality.
    """
    crew = Tries(node, frame)
    over, _ = yield from crew.together()
    chain = latest(over)
    winner = crew.winner()
    if winner is not None and node.pick is None:
        chain = winner
    if chain is not None:
        frame.last = chain.frame.last
    if winner is not None and node.pick is not None:
        yield from _picked(node, frame, crew, winner)
    if winner is not None:
        heard(frame, [winner])
    crew.waste([branch for branch in crew.branches if branch is not winner])
    frame.stage.success[node.rank] = winner is not None and crew.succeeded(winner)
    if winner is None:
        frame.world.note("none_picked")
        return None
    frame.task.take_over(winner.frame.task)
    return winner.verdict


def _picked(node: Attempts, frame: Frame, crew: Tries, winner: Branch) -> Steps:
    """Whoever picks reads what is to be read: the lines of all attempts, or of the picked one."""
    assert node.pick is not None
    read = crew.ended_well() if node.every else [winner]
    place, task = frame.place, frame.task
    desk = Task(frame.stage.key, node.name, (*place, node.fork.items or 0), task, held=True)
    desk.written = before = sum(branch.frame.task.written for branch in read)
    desk.defects = list(winner.frame.task.defects)
    desk.before = winner.frame.task.before
    frame.task, answers = desk, frame.answers
    heard(frame, read)
    try:
        yield from frame.run(node.pick)
    finally:
        frame.task, frame.answers = task, answers
    # what whoever picks writes, they write into the picked one
    winner.frame.task.written += desk.written - before
    winner.frame.task.defects = desk.defects
    for reader in desk.seen:  # whoever has read it in the worktree need not read it again
        winner.frame.task.look(reader)
    return None


class Tries(Crew):
    """The attempts while they run. Each is a task whose lines nobody outside sees."""

    def __init__(self, node: Attempts, frame: Frame) -> None:
        super().__init__(node.fork, frame)
        self._attempts = node
        self._key = frame.key(node.name)
        self._good: dict[int, bool] = {}
        self._fresh: list[Branch] = []
        """Those that ended since it settled last: looking at all each time would be quadratic."""

    def task_of(self, i: int) -> Task:
        frame = self.frame
        return Task(frame.stage.key, self.node.name, (*frame.place, i), frame.task, held=True)

    def counted(self) -> list[Branch]:
        """All that came to their end by themselves."""
        return [branch for branch in self.branches if branch.over and not branch.cancelled]

    def ended_well(self) -> list[Branch]:
        return [branch for branch in self.counted() if branch.stop is None]

    def succeeded(self, branch: Branch) -> bool:
        """Whether an attempt that is over is right: it ended well, and by its chance."""
        if branch.stop is not None or branch.cancelled:
            return False
        i = branch.frame.place[len(self.frame.place)]
        if i not in self._good:
            self._good[i] = self._draw(i)
        return self._good[i]

    def _draw(self, i: int) -> bool:
        """Attempts at one task succeed or fail together, as far as they are correlated.

        One that is alone draws as one of several does, so that the two can be compared run by run.
        """
        node, frame = self._attempts, self.frame
        if node.succeeds is None:
            return True
        place = frame.place
        frame.place = (*place, i)
        own = first(frame.key(node.name), Purpose.SUCCESS)
        frame.place = place
        shared = first(self._key, Purpose.SUCCESS)
        return blend(shared, own, node.correlation) < node.succeeds

    def winner(self) -> Branch | None:
        """The picked one: the first to succeed, or what whoever picks takes for right.

        Of those that are right, or wrong, each is as likely.
        """
        node, well = self._attempts, self.ended_well()
        right = [branch for branch in well if self.succeeded(branch)]
        if node.pick is None:
            return min(right, key=lambda branch: branch.ended, default=None)
        wrong = [branch for branch in well if not self.succeeded(branch)]
        sees = first(self._key, Purpose.PICK) < node.right
        among = (right or wrong) if sees else (wrong or right)
        if not among:
            return None
        return among[int(first(self._key, Purpose.WHICH) * len(among))]

    def _ended(self, branch: Branch) -> None:
        self._fresh.append(branch)
        super()._ended(branch)

    def settle(self) -> list[Event]:
        """After all that ends at this instant: has the first succeeded, or have all ended?"""
        if self.closed or self.done.callbacks is None:
            return []
        fresh, self._fresh = self._fresh, []
        is_met = self._attempts.pick is None and any(map(self.succeeded, fresh))
        if is_met or self._over == self.total:
            return [self.done]
        self.start()
        return []
