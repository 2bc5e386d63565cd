"""What chance does to the calls of a step: drawn by the call and its try, in whatever order.

The first try of a call takes the latency and the speed that it has where nothing ever fails, so
that a run with faults and one without are the same up to the first of them.
"""

from __future__ import annotations

from agentsim.chance import Distribution, first, key_of
from agentsim.engine.draws import Counter, Purpose, Sampler, once
from agentsim.engine.tasks import Task
from agentsim.graph import FaultPlan, ServerPlan
from agentsim.laws.faults import Fate, fate
from agentsim.laws.jitter import UNIT
from agentsim.records import SECOND


class Luck:
    """That of one step's line to a server with faults."""

    def __init__(
        self, plan: ServerPlan, faults: FaultPlan, role: str, key: int, task: Task
    ) -> None:
        self.plan = plan
        self.faults = faults
        self.key = key_of(key, role)
        self.task = task
        self.calls = 0

    def lot(self, before: Counter | None, spread: Sampler | None, noise: Sampler | None) -> Lot:
        """That of the step's next call."""
        self.calls += 1
        return Lot(self, self.calls, before, spread, noise)


class Lot:
    """That of one call: of the try that comes next. The samplers are its step's."""

    def __init__(
        self,
        luck: Luck,
        number: int,
        before: Counter | None,
        spread: Sampler | None,
        noise: Sampler | None,
    ) -> None:
        self._luck = luck
        self._number = number
        self._tries = 0
        self._key = 0
        # drawn once a call, whether or not it gets so far: the next call's draws are its own
        self.before = 0 if before is None else before()
        """Nanoseconds of latency."""
        self.factor = 1.0 if spread is None else spread()
        """On decoding."""
        self.noise = 1.0 if noise is None else noise()
        """Of its single tokens."""

    def failed(self) -> None:
        """A try has failed: what comes next is drawn for the next one."""
        luck, plan = self._luck, self._luck.plan
        self._tries += 1
        self._key = key_of(luck.key, self._number, self._tries)
        if plan.first_token is not None:
            self.before = round(self._once(plan.first_token, Purpose.FIRST_TOKEN) * SECOND)
        elif plan.latency is not None:
            self.before = round(self._once(plan.latency, Purpose.LATENCY) * SECOND)
        if plan.spread is not None:
            self.factor = self._once(plan.spread, Purpose.SPREAD)
        if plan.jitter:
            self.noise = self._once(UNIT, Purpose.TOKENS)

    def _once(self, dist: Distribution, purpose: int) -> float:
        luck = self._luck
        return once(dist, self._key, purpose, luck.task, luck.plan.name)

    def fate(self) -> tuple[Fate, float]:
        """What becomes of the try, and a uniform number more."""
        faults = self._luck.faults
        if not faults.chance:
            return Fate.NONE, 0.0
        if not self._key:
            self._key = key_of(self._luck.key, self._number, self._tries)
        u = first(self._key, Purpose.FATE)
        return fate(u, faults.overload, faults.error, faults.dropped)

    def jitter(self) -> float:
        """A factor on the wait before the next try."""
        retry = self._luck.faults.retry
        assert retry is not None
        return 1.0 if retry.jitter is None else self._once(retry.jitter, Purpose.AGAIN)
