"""A batching server's wire to the clock: one timer for the next end, prompts by their schedule."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, cast

from simpy.events import Event

from agentsim.engine.bench import Bench, Order
from agentsim.engine.world import Timer, World, fire, ns
from agentsim.graph import ServerPlan
from agentsim.laws.batch import Batch as Law

if TYPE_CHECKING:
    from agentsim.engine.call import Call


class Batch:
    """The calls that decode together. One versioned timer: a change makes an older one void."""

    def __init__(self, world: World, plan: ServerPlan) -> None:
        self.world = world
        self.law = Law(plan.decode)
        self.exclusive = plan.schedule == "exclusive"
        self._desk = Bench(world, f"{plan.name} (reading prompts)", 1)
        self._members: dict[Hashable, Call] = {}
        self._next = 0
        self._version = 0
        self._stood = 0
        self._paused_at = -1

    @property
    def size(self) -> int:
        return len(self._members)

    def still(self, now: int) -> int:
        """Nanoseconds for which decoding has stood still for prompts, from the start up to now."""
        return self._stood + (now - self._paused_at if self._paused_at >= 0 else 0)

    def read(self, call: Call, order: Order, who: str) -> None:
        """Queue for the reading of a prompt; `call.reading` is told when its turn comes."""
        call.desk = job = self._desk.ask(1, order, who)
        job.callbacks.append(call.reading)

    def begin(self) -> None:
        """A prompt is read from now on; exclusively, decoding stands still."""
        if self.exclusive:
            now = self.world.now
            self.law.pause(now)
            self._paused_at = now
            # a call that has its last token at this very instant still ends: it needs no step
            self.set()

    def end(self, call: Call) -> None:
        """A prompt has been read, or is given up: the next one may begin, or decoding goes on.

        Must be followed by `set()`: once for this and for what joins at the same instant.
        """
        job = call.desk
        if job is None:
            return
        call.desk = None
        held = job.held
        job.leave()
        if held and self.exclusive and self._paused_at >= 0:
            now = self.world.now
            self.law.resume(now)
            self._stood += now - self._paused_at
            self._paused_at = -1

    def join(self, call: Call, context: int, tokens: float) -> int:
        """A call starts to decode `tokens` (never 0) after `context` ones."""
        self._next += 1
        self.law.join(self._next, context, tokens, self.world.now)
        self._members[self._next] = call
        return self._next

    def leave(self, call: Call) -> int:
        """A call is cut short wherever it is; returns the whole tokens that it made."""
        if call.desk is not None:
            self.end(call)
            self.set()
            return 0
        if not call.member:
            return 0
        made = self.law.leave(call.member, self.world.now, call.factor)
        del self._members[call.member]
        self.set()
        return made

    def set(self) -> None:
        """Set the timer to the next end."""
        self._version += 1
        now = self.world.now
        self.law.advance(now)
        left = self.law.next_finish()
        if left is None:
            return
        # the timer carries its version: an older one rings in vain
        Timer(self.world.env, self._ring, ns(left))._value = self._version

    def _ring(self, timer: Event) -> None:
        if timer._value != self._version:
            return
        self.law.advance(self.world.now)
        ended = self.law.done()
        calls = [self._members.pop(member) for member in ended]
        self.set()
        for call in calls:
            call.decoded()
            fire(cast(Event, call))
