"""The gate before a server: quotas, all taken at once, first come first served."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from simpy.events import Event

from agentsim.engine.bench import Order
from agentsim.engine.world import World
from agentsim.graph import LimitPlan
from agentsim.laws.quotas import Quota
from agentsim.records import Peak


class Ticket(Event):
    """A call's place before the gate: it happens when all quotas let the call through.

    `never` says why it can never be let through, empty where it can.
    """

    __slots__ = ("amounts", "gate", "gone", "held", "never", "reserved", "who")

    def __init__(self, gate: Gate, amounts: tuple[int, ...], reserved: int, who: str) -> None:
        super().__init__(gate.world.env)
        self.gate = gate
        self.amounts = amounts
        self.reserved = reserved
        self.who = who
        self.never = ""
        self.held = self.gone = False

    def leave(self, made: int) -> None:
        """The call is over and made so many tokens: what a refund gives back comes back now."""
        if self.gone:
            return
        self.gone = True
        self.gate.take_back(self, made)


def counted(limit: LimitPlan, input_: int, cached: int, output: int) -> int:
    """What a request takes of one quota."""
    kind = limit.count
    if kind == "requests":
        return 1
    if kind == "output":
        return output
    if kind == "total":
        return input_ + output
    return input_ - cached if kind == "uncached_input" else input_


class Gate:
    """The quotas of one server. `limits[i]` is counted in `quotas[i]`, which others may share."""

    def __init__(
        self, world: World, name: str, limits: tuple[LimitPlan, ...], quotas: list[Quota]
    ) -> None:
        self.world = world
        self.name = name
        self.limits = limits
        self.quotas = quotas
        self.order = 0
        self.dirty = False
        self._queue: list[tuple[float, int, Order, int, Ticket]] = []
        self._seq = 0
        self._timer = 0
        world.join(self)

    def ask(
        self, input_: int, cached: int, output: int, most: int, order: Order, who: str,
        priority: float,
    ) -> Ticket:
        """Queue for a request of so many tokens; `most` is the output that a reserve takes."""
        amounts = [
            counted(limit, input_, cached, most if limit.reserve else output)
            for limit in self.limits
        ]
        ticket = Ticket(self, tuple(amounts), most, who)
        now = self.world.now
        for limit, amount in zip(self.limits, amounts, strict=True):
            if amount > limit.bucket:
                kind = "requests" if limit.count == "requests" else f"{limit.count} tokens"
                ticket.never = (
                    f"needs {amount:,} {kind} at once, and the quota of {self.name} "
                    f"never holds more than {limit.bucket:,.0f}"
                )
                ticket.gone = True
                return ticket
        self._seq += 1
        heappush(self._queue, (-priority, now, order, self._seq, ticket))
        self.world.unsettle(self)
        return ticket

    def take_back(self, ticket: Ticket, made: int) -> None:
        if not ticket.held:
            self.world.unsettle(self)
            return
        now = self.world.now
        for limit, quota in zip(self.limits, self.quotas, strict=True):
            if limit.reserve and limit.refund and ticket.reserved > made:
                quota.give_back(now, ticket.reserved - made)
        if self._queue:
            self.world.unsettle(self)

    def settle(self) -> list[Event]:
        """Let through who may pass now; the first that must wait holds back those behind it."""
        granted: list[Event] = []
        now = self.world.now
        queue = self._queue
        while queue:
            ticket = queue[0][-1]
            if ticket.gone:
                heappop(queue)
                continue
            ready = now
            for quota, amount in zip(self.quotas, ticket.amounts, strict=True):
                at = quota.ready_at(now, amount)
                assert at is not None  # looked at before it was queued
                ready = max(ready, at)
            if ready > now:
                self._wake(ready - now)
                break
            heappop(queue)
            ticket.held = True
            for quota, amount in zip(self.quotas, ticket.amounts, strict=True):
                quota.take(now, amount)
            granted.append(ticket)
        return granted

    def _wake(self, delay: int) -> None:
        """Look again when the first in the queue can pass; an older timer no longer counts."""
        self._timer += 1
        version = self._timer

        def look(_: Event) -> None:
            if version == self._timer:
                self.world.unsettle(self)

        self.world.later(look, delay)

    def waiting(self) -> Iterator[tuple[str, str, list[str]]]:
        for entry in sorted(self._queue, key=lambda entry: entry[:4]):
            if not entry[-1].gone:
                yield entry[-1].who, f"the quota of {self.name}", []

    def peak(self) -> Peak | None:
        return None
