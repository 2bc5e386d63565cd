"""People: a desk is a human role with its queue. Whoever is free longest takes the next piece."""

from __future__ import annotations

from agentsim.engine.bench import Bench, Holder, Job
from agentsim.engine.tasks import Task
from agentsim.engine.world import World
from agentsim.graph import PersonPlan


class Desk(Bench):
    """A bench whose units are persons, each with a memory of the item that they last worked on."""

    __slots__ = ("_given", "_idle", "_last", "plan")

    def __init__(self, world: World, plan: PersonPlan) -> None:
        super().__init__(world, plan.name, plan.count)
        self.plan = plan
        # (idle since, number): the one free longest is taken, then the first named
        self._idle: list[tuple[int, int]] = [(0, number) for number in range(plan.count)]
        self._last: list[Task | None] = [None] * plan.count
        self._given: dict[Holder, int] = {}

    def give(self, holder: Holder) -> None:
        super().give(holder)
        self._idle.sort()
        _, number = self._idle.pop(0)
        self._given[holder] = number

    def take_back(self, holder: Holder) -> None:
        number = self._given.pop(holder, None)
        if number is not None:
            self._idle.append((self.world.now, number))
        super().take_back(holder)

    def begin(self, job: Job, task: Task) -> tuple[int, bool]:
        """Who took it, and whether they have to switch: it is not the item they last worked on."""
        number = self._given[job]
        switches = self._last[number] is not task
        self._last[number] = task
        return number, switches
