"""A batching server that slows down when it has worked for long, until it has stood idle for long.

It is at work while a prompt is read or somebody decodes. Time at work adds up; when it comes to
`after`, everything takes 1 / factor times as long from that instant on. Idle for `recover` in one
go, it is cool again and starts anew; a shorter pause neither cools nor heats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentsim.engine.batch import Batch
from agentsim.engine.world import DEADLINE, World
from agentsim.graph import ServerPlan, ThrottlePlan
from agentsim.laws.batch import Member

if TYPE_CHECKING:
    from agentsim.engine.call import Call
    from agentsim.laws.prefill import PrefillLaw


class WarmBatch(Batch):
    """`heat`: nanoseconds at work up to the last pause; `hot`: it is slowed down."""

    def __init__(self, world: World, plan: ServerPlan, throttle: ThrottlePlan) -> None:
        super().__init__(world, plan)
        self.throttle = throttle
        self.carries = True
        self.hot = False
        self.heat = 0
        self._since = -1  # at work since then; -1: idle
        self._idle = 0  # since then, where it is idle
        self._alarm = 0  # the number of the alarm that counts
        # the prompt that is read: nanoseconds that it takes where it is cool, and those done
        self._need = self._done = self._at = 0
        self._turn = 0

    def _begin(self, call: Call) -> None:
        self._starts()
        self._need = 0
        super()._begin(call)

    def carry(self, law: PrefillLaw, call: Call) -> None:
        self._need, self._done, self._at = call.took, 0, self.world.now
        self._read_on()

    def join(self, call: Call, context: int, tokens: float) -> Member:
        self._starts()
        return super().join(call, context, tokens)

    def end(self, call: Call) -> None:
        super().end(call)
        self._rests()

    def leave(self, call: Call) -> int:
        if self._reads is call and self._need:
            call.reading_at = self.world.now - self._progress()  # as if it were cool
            self._turn += 1
        made = super().leave(call)
        self._rests()
        return made

    def _ring(self, version: int) -> None:
        super()._ring(version)
        self._rests()

    def _starts(self) -> None:
        """Work comes: if it was idle, it may have cooled."""
        if self._since >= 0:
            return
        world = self.world
        now, throttle = world.now, self.throttle
        if now - self._idle >= throttle.recover:
            self.heat = 0
            if self.hot:
                self.hot = False
                self.law.slow(1.0, now)
        self._since = now
        if not self.hot:
            if self.heat >= throttle.after:
                self._heats()
            else:
                self._alarm += 1
                left = throttle.after - self.heat
                world.after(left, self._rings_hot, self._alarm, DEADLINE)

    def _rests(self) -> None:
        """No work may be left."""
        if self._since >= 0 and self._reads is None and not self.law.size:
            now = self.world.now
            self.heat += now - self._since
            self._since = -1
            self._idle = now
            self._alarm += 1

    def _rings_hot(self, number: int) -> None:
        if number == self._alarm:
            self._heats()

    def _heats(self) -> None:
        """From now on it is slow."""
        now = self.world.now
        reads = self._reads is not None and self._need > 0
        if reads:
            self._done, self._at = self._progress(), now
        self.hot = True
        self.world.note("throttled")
        self.law.slow(1.0 / self.throttle.factor, now)
        if reads:
            self._read_on()

    def _progress(self) -> int:
        """How much of the time that its prompt takes where it is cool is over."""
        past = self.world.now - self._at
        return self._done + (round(past * self.throttle.factor) if self.hot else past)

    def _read_on(self) -> None:
        """The prompt is read at the present speed to its end, unless the speed changes before."""
        left = self._need - self._done
        self._turn += 1
        wait = round(left / self.throttle.factor) if self.hot else left
        self.world.after(wait, self._read_up, self._turn)

    def _read_up(self, turn: int) -> None:
        call = self._reads
        if turn == self._turn and call is not None:
            call.joins(call)
