"""Where contexts must fit into a server's memory together: tokens are given out, and slots beside.

One queue for both, so that a call waits for its memory without holding a slot meanwhile. Who is
first and does not fit, for want of either, holds back those behind.
"""

from __future__ import annotations

from agentsim.engine.bench import Bench, Holder, Job, Order
from agentsim.engine.world import Event, World
from agentsim.records import Kept

_CRUMB = 1e-9  # what a sum of units may be off
_ANY = 1 << 60  # slots where there is no limit of them


class Memory(Bench):
    """The memory of one server, in tokens (input and output to be made), and its slots."""

    __slots__ = ("_area", "_since", "_used", "_waited", "slots")

    def __init__(self, world: World, name: str, tokens: int, slots: int | None) -> None:
        super().__init__(world, name, float(tokens))
        self.slots = _ANY if slots is None else slots
        """Slots that are free."""
        self._used = 0
        self._area = 0
        self._waited = 0
        self._since = 0

    def kept(self, server: int) -> Kept:
        """What was held and waited for up to now."""
        self._count()
        return Kept(server, self._area, int(self.capacity - self.least), self._waited)

    def refusal(self, input_: int, made: int) -> str:
        """Why a context of so many tokens, with those to be made, never fits; empty: it does."""
        if input_ + made <= self.capacity:
            return ""
        return (
            f"its context of {input_ + made:,} tokens, with {made:,} to be made, is more than the "
            f"memory of {self.name} holds: {self.capacity:,.0f} (`kv`)"
        )

    def ask(self, units: float, order: Order, who: str, priority: float = 0.0) -> Job:
        self._count()
        return super().ask(units, order, who, priority)

    def take(self, holder: Holder) -> bool:
        return self.slots > 0 and super().take(holder)

    def give(self, holder: Holder) -> None:
        self._count()
        self.slots -= 1
        self._used += int(holder.units)
        super().give(holder)

    def take_back(self, holder: Holder) -> None:
        self._count()
        if holder.held:
            self.slots += 1
            self._used -= int(holder.units)
        super().take_back(holder)

    def settle(self) -> list[Event]:
        """As at any bench; a slot must be free too."""
        granted: list[Event] = []
        while self.queued:
            job = self.first()
            if not self.slots or job.units > self.free + _CRUMB:
                break
            self.pop()
            self.give(job)
            granted.append(job)
        self.queued_most = max(self.queued_most, self.queued)
        return granted

    def _count(self) -> None:
        """Before a change: what was held since the last one, and how many waited for memory.

        Between two instants all is settled: whoever waits then while a slot is free waits for
        memory, his own or that of the first in the queue.
        """
        time = self.world.now - self._since
        if time:
            self._since = self.world.now
            self._area += self._used * time
            if self.queued and self.slots:
                self._waited += self.queued * time
