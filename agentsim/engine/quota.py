"""The gate before a server: quotas, all taken at once, first come first served."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from agentsim.engine.bench import Order
from agentsim.engine.world import Event, World
from agentsim.graph import LimitPlan
from agentsim.laws.quotas import Quota, quota_of
from agentsim.records import Outcome, Peak

if TYPE_CHECKING:
    from agentsim.engine.server import Server


class Refusal(NamedTuple):
    """Why a request was not served, and when what it lacked is there (nanoseconds).

    `other`: the number of the server that serves it instead; -1: none.
    """

    why: str
    until: int
    other: int = -1
    outcome: Outcome = Outcome.REJECTED


class Ticket(Event):
    """A call's place before the gate: it happens when all quotas let the call through.

    `never` says why it can never be let through, empty where it can. A quota that rejects sends
    it back at once.
    """

    def __init__(
        self, gate: Gate, input_: int, cached: Callable[[], int], output: int, most: int, who: str
    ) -> None:
        super().__init__()
        self.gate = gate
        self.input = input_
        self.cached = cached
        self.output = output
        self.most = most
        self.who = who
        self.never = ""
        self.held = self.gone = False
        self.refusal: Refusal | None = None
        """Why it was sent back, where it was."""
        self.passed = 0
        """When it was let through, where it was."""

    def amounts(self) -> list[int]:
        """What it takes of each quota when it is let through now."""
        limits = self.gate.limits
        cached = self.cached() if self.gate.looks else 0
        return [counted(limit, self.input, cached, self.output, self.most) for limit in limits]

    def leave(self, made: int) -> None:
        """The call is over and made so many tokens: what a refund gives back comes back now."""
        if self.gone:
            return
        self.gone = True
        self.gate.take_back(self, made)


def counted(limit: LimitPlan, input_: int, cached: int, output: int, most: int) -> int:
    """What a request takes of one quota: of its output all that it may make, where reserved."""
    kind = limit.count
    if limit.reserve:
        output = most
    if kind == "requests":
        return 1
    if kind == "output":
        return output
    if kind == "total":
        return input_ + output
    return input_ - cached if kind == "uncached_input" else input_


def given_back(limit: LimitPlan, most: int, made: int) -> int:
    """What of a reserve comes back at the end of a call; nothing where none was taken."""
    return max(0, most - made) if limit.gives_back else 0


class Quotas:
    """The quotas of a run: equal limits of one account are one quota, in whatever order."""

    def __init__(self) -> None:
        self._quotas: dict[tuple[object, ...], Quota] = {}

    def of(self, limits: tuple[LimitPlan, ...]) -> list[Quota]:
        own = []
        for limit in limits:
            key = (limit.account, *limit.terms)
            if key not in self._quotas:
                self._quotas[key] = quota_of(
                    limit.kind, limit.holds, limit.refill, limit.size, limit.anchor
                )
            own.append(self._quotas[key])
        return own


def never_wait(servers: Sequence[Server]) -> bool:
    """Whether the quotas that were left out would have let every call through at once.

    Call after call at its own instant; what comes back at an instant is there for those of it.
    False wherever it is not certain: where a call was cut short, where one that took no time gives
    back what it has just taken, and where a prompt read in no time is a hit for the next call of
    that instant, since a gate decides about the calls of an instant together.
    """
    if any(_uncertain(server) for server in servers):
        return False
    quotas = Quotas()
    taken: dict[Quota, int] = {}
    moves: list[tuple[int, int, int, Quota, int, int]] = []
    for server in servers:
        limits = server.plan.limits
        for limit, quota in zip(limits, quotas.of(limits), strict=True):
            for began, _, ended, request, cached in server.takes or ():
                made = request.thinking + request.visible
                most = request.max_output
                amount = counted(limit, request.input, cached, made, most)
                taken[quota] = taken.get(quota, 0) + amount
                moves.append((began, 1, len(moves), quota, amount, began))
                if back := given_back(limit, most, made):
                    moves.append((ended, 0, len(moves), quota, back, began))
    if all(quota.ready_at(0, amount) == 0 for quota, amount in taken.items()):
        return True  # what all calls take together was there from the start
    for now, takes, _, quota, amount, taken_at in sorted(moves, key=itemgetter(0, 1, 2)):
        if not takes:
            quota.give_back(now, amount, taken_at)
        elif quota.ready_at(now, amount) == now:
            quota.take(now, amount)
        else:
            return False
    return True


def _uncertain(server: Server) -> bool:
    takes = server.takes
    if takes is None:
        return False
    refunds = any(limit.gives_back for limit in server.plan.limits)
    # only calls without doors note what they take
    return (
        server.lost
        or server.plan.cache.kind == "lru"  # it goes by who of an instant came first
        or not server.simple
        or any(
            (refunds and ended == began) or (server.caches and ready == began)
            for began, ready, ended, _, _ in takes
        )
    )


Entry = tuple[float, int, Order, int, Ticket]
"""A ticket in the queue: (-priority, when it asked, order of declaration, number, ticket)."""


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
        self._queue: list[Entry] = []
        self._seq = 0
        self._sharing = [self]
        self.looks = any(limit.count == "uncached_input" for limit in limits)
        self._timer = 0
        self._delays = any(limit.resume_delay and not limit.refuses for limit in limits)
        self._held: dict[int, int] = {}
        """Quotas that hold back the queue, and when they will be reset."""
        self._resumed: dict[int, tuple[int, int]] = {}
        """Quotas for which somebody waited: the last reset, and when the waiting go on."""
        world.join(self)

    def ask(
        self,
        input_: int,
        cached: Callable[[], int],
        output: int,
        most: int,
        order: Order,
        who: str,
        priority: float,
    ) -> Ticket:
        """Queue for a request of so many tokens; `most` is the output that a reserve takes.

        `cached` says what the cache holds of it; it is asked when the request is let through.
        """
        ticket = Ticket(self, input_, cached, output, most, who)
        now = self.world.now
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
            if back := given_back(limit, ticket.most, made):
                quota.give_back(now, back, ticket.passed)
        for gate in self._sharing:
            if gate._queue:
                self.world.unsettle(gate)

    def share(self, gates: list[Gate]) -> None:
        """Of all gates, those that count in a quota of this one: a refund may let them through."""
        own = {id(quota) for quota in self.quotas}
        self._sharing = [gate for gate in gates if own & {id(quota) for quota in gate.quotas}]

    def settle(self) -> list[Event]:
        """Let through who may pass now; the first that must wait holds back those behind it."""
        granted: list[Event] = []
        now = self.world.now
        queue = self._queue
        resuming = self._resuming(now) if self._delays else []
        wake = min((entry[0] for entry in resuming), default=0)
        while queue:
            ticket = queue[0][-1]
            if ticket.gone:
                heappop(queue)
                continue
            amounts = ticket.amounts()
            ready = now
            refusal: Refusal | None = None
            for limit, quota, amount in zip(self.limits, self.quotas, amounts, strict=True):
                at = quota.ready_at(now, amount)
                if limit.refuses and at != now and (at is not None or limit.spare):
                    until = now if at is None else at + limit.resume_delay
                    refusal = self._refusal(limit, until, refusal)
                elif at is None:
                    ticket.never = self._never(limit, amount)
                elif at > ready:
                    ready = at
            if ready > now and not ticket.never:
                if self._delays:
                    self._hold(now, amounts)
                wake = min(wake, ready) if wake else ready
                break
            heappop(queue)
            ticket.refusal = refusal
            ticket.held = not ticket.never and refusal is None
            if ticket.held:
                ticket.passed = now
                for quota, amount in zip(self.quotas, amounts, strict=True):
                    quota.take(now, amount)
            granted.append(ticket)
        for _, entry in resuming:
            heappush(queue, entry)
        if wake:
            self._wake(wake - now)
        return granted

    def _refusal(self, limit: LimitPlan, until: int, other: Refusal | None) -> Refusal:
        """Sent back by this quota; of several by the first that names another server, else by that
        whose room is there last."""
        if other is not None and (other.other >= 0 or (not limit.spare and other.until >= until)):
            return other
        why = f"the quota of {self.name} ({limit.count}, {limit.words})"
        return Refusal(why, until, limit.fallback)

    def _hold(self, now: int, amounts: list[int]) -> None:
        """Note which quotas, resumed late after a reset, hold back the queue, and until when."""
        for i, (quota, amount) in enumerate(zip(self.quotas, amounts, strict=True)):
            at = quota.ready_at(now, amount)
            limit = self.limits[i]
            if limit.resume_delay and not limit.refuses and at is not None and at > now:
                self._held[i] = at

    def _resuming(self, now: int) -> list[tuple[int, Entry]]:
        """Takes out of the queue who waited for a reset and is not resumed yet: (when, entry).

        Who asks after the reset did not wait for it, and passes them by.
        """
        for i, reset in self._held.items():
            if reset <= now:
                self._resumed[i] = reset, reset + self.limits[i].resume_delay
        self._held = {}
        late = [pair for pair in self._resumed.values() if pair[1] > now]
        if not late:
            return []
        found, left = [], []
        for entry in self._queue:
            at = max((resumed for reset, resumed in late if entry[1] < reset), default=0)
            if at and not entry[-1].gone:
                found.append((at, entry))
            else:
                left.append(entry)
        heapify(left)
        self._queue[:] = left
        return found

    def _never(self, limit: LimitPlan, amount: int) -> str:
        kind = "requests" if limit.count == "requests" else f"{limit.count} tokens"
        return (
            f"needs {amount:,} {kind} at once, and the quota of {self.name} never holds more "
            f"than {limit.holds:,.10g}"
        )

    def _wake(self, delay: int) -> None:
        """Look again when the first in the queue can pass; an older timer no longer counts."""
        self._timer += 1
        version = self._timer

        def look(_: None) -> None:
            if version == self._timer:
                self.world.unsettle(self)

        self.world.after(delay, look)

    def waiting(self) -> Iterator[tuple[str, str, list[str]]]:
        for entry in sorted(self._queue, key=lambda entry: entry[:4]):
            if not entry[-1].gone:
                yield entry[-1].who, f"the quota of {self.name}", []

    def peak(self) -> Peak | None:
        return None
