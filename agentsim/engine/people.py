"""People: a desk is a human role with its queue. Whoever is free longest takes the next piece."""

from __future__ import annotations

from heapq import heappop, heappush

from agentsim.engine.bench import Bench, Holder, Job
from agentsim.engine.tasks import Task
from agentsim.engine.world import World
from agentsim.graph import PersonPlan


class Desk(Bench):
    """A bench whose units are persons, each with a memory of the item that they last worked on."""

    __slots__ = ("_fresh", "_given", "_idle", "_last", "plan")

    def __init__(self, world: World, plan: PersonPlan) -> None:
        super().__init__(world, plan.name, plan.count)
        self.plan = plan
        # who has worked, by (idle since, number); those from `_fresh` on have not, since 0: the one
        # free longest is taken, then the first named. So who never works costs nothing.
        self._idle: list[tuple[int, int]] = []
        self._fresh = 0
        self._last: dict[int, Task] = {}
        self._given: dict[Holder, int] = {}

    def give(self, holder: Holder) -> None:
        super().give(holder)
        idle = self._idle
        if self._fresh < self.plan.count and not (idle and idle[0][0] == 0):
            number = self._fresh
            self._fresh = number + 1
        else:  # who was done at 0 is named before those who have not begun
            _, number = heappop(idle)
        self._given[holder] = number

    def take_back(self, holder: Holder) -> None:
        number = self._given.pop(holder, None)
        if number is not None:
            heappush(self._idle, (self.world.now, number))
        super().take_back(holder)

    def begin(self, job: Job, task: Task) -> tuple[int, bool]:
        """Who took it, and whether they have to switch: it is not the item they last worked on."""
        number = self._given[job]
        switches = self._last.get(number) is not task
        self._last[number] = task
        return number, switches
