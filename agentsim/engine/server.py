"""A server at work: the doors that a call passes, linked by callbacks, and the record it leaves.

quota -> slot -> (cache lookup) -> latency -> prefill -> decode. The step waits for one event, the
call itself; each door stamps a mark and passes on. Where calls do not share their speed the call
is its own timer: one event for all of latency, prefill and decode.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

from simpy.events import Event

from agentsim.chance import Distribution
from agentsim.engine.batch import Batch
from agentsim.engine.bench import Bench, Job
from agentsim.engine.draws import Purpose, Sampler, sampler
from agentsim.engine.frame import Frame, Stop
from agentsim.engine.quota import Gate, Ticket
from agentsim.engine.tasks import Session, Task
from agentsim.engine.world import World, ns
from agentsim.graph import ServerPlan
from agentsim.laws.caches import cache_of
from agentsim.records import CallFacts, Mark, Outcome, Part, Verdict


class Request(NamedTuple):
    """One request as it is sent: tokens in and out, already cut to what may be.

    `kept`: tokens of the answer that a cache which covers answers can hold (DESIGN section 12).
    """

    role: str
    step: int
    path: str
    who: str
    priority: float
    session: Session
    input: int
    thinking: int
    visible: int
    max_output: int
    cut: int
    kept: int
    compaction: bool


class Line(NamedTuple):
    """A step's own draws for what a server varies from call to call."""

    latency: Sampler | None
    first_token: Sampler | None
    spread: Sampler | None


class Server:
    """One simulated endpoint. `serving` is the number of calls in service now."""

    def __init__(self, world: World, plan: ServerPlan, gate: Gate | None, number: int) -> None:
        self.world = world
        self.number = number
        self.plan = plan
        self.gate = gate
        self.slots = None if plan.slots is None else Bench(world, plan.name, plan.slots)
        cache = plan.cache
        self.cache = cache_of(cache.kind, cache.ttl, cache.block, cache.answers)
        self.caches = cache.kind != "none"
        # with one slot a batch is never larger than one, and the closed form says the same
        self.batch = Batch(world, plan) if plan.shared and plan.slots != 1 else None
        self.alone = plan.decode.solo()
        # tokens that come with the first-token time, before any decode step
        self.came = 1 if plan.first_token is not None else 0
        self.serving = 0

    def line(self, key: int, task: Task) -> Line:
        """The streams of a step's calls on this server."""
        plan = self.plan

        def of(dist: Distribution | None, purpose: Purpose) -> Sampler | None:
            return None if dist is None else sampler(dist, key, purpose, task, plan.name)

        return Line(
            of(plan.latency, Purpose.LATENCY),
            of(plan.first_token, Purpose.FIRST_TOKEN),
            of(plan.spread, Purpose.SPREAD),
        )

    def serve(self, request: Request, line: Line, frame: Frame) -> Generator[Event, Any, None]:
        """One call from the asking to the last token; writes its span, however it ends."""
        call = Call(self, request, line, frame)
        try:
            call.enter()
            yield call
            call.outcome = Outcome.DONE
        finally:
            call.leave()

    def reading(self, input_: int, cached: int) -> float:
        """Seconds for what the cache does not hold (or for all input, by a first-token law)."""
        plan = self.plan
        if self.came:
            return plan.per_input_token * input_
        if plan.prefill is None:
            return 0.0
        return plan.prefill.seconds(input_ - cached, cached)


class Call(Event):
    """One call while it is at the server; as an event it happens with the last token."""

    # what most calls leave as it is stands here once, not in each of millions
    outcome = Outcome.CANCELLED
    part = Part.SLOT_WAIT
    """What it is in now: what a mark is missing for if it is cut."""
    slot: Job | None = None
    ticket: Ticket | None = None
    member = cached = streams = decoding = stood = 0
    shown = reading_at = ready = -1
    factor = 1.0
    serving = gone = False

    def __init__(self, server: Server, request: Request, line: Line, frame: Frame) -> None:
        # what Event.__init__ does, without the call
        self.env = env = server.world.env
        self.callbacks = []
        self.server = server
        self.request = request
        self.line = line
        self.frame = frame
        self.began: int = env._now  # type: ignore[assignment]
        self.marks: list[Mark] = []
        self.prefix = request.session.prefix(server.number)

    def enter(self) -> None:
        """To the first door. Raises Stop where a quota can never let it through."""
        server = self.server
        if server.gate is not None:
            self._ask(server.gate)
        elif server.slots is not None:
            self._queue(server.slots)
        else:
            self._start()

    def _mark(self, part: Part, until: int) -> None:
        marks = self.marks
        if until > (marks[-1][1] if marks else self.began):
            marks.append((part, until))

    def _ask(self, gate: Gate) -> None:
        """Wait until every quota has room, and take from all of them at once."""
        request = self.request
        self.part = Part.QUOTA_WAIT
        cached = self.server.cache.lookup(self.prefix, gate.world.now)
        output = request.thinking + request.visible
        order = (request.step, self.frame.place)
        self.ticket = ticket = gate.ask(
            request.input, cached, output, request.max_output, order, request.path, request.priority
        )
        if ticket.never:
            self.outcome = Outcome.FAILED
            raise Stop(Verdict.FAILED, f"{request.path}: {ticket.never}")
        ticket.callbacks.append(self._passed)

    def _passed(self, _: Event) -> None:
        if self.gone:
            return
        self._mark(Part.QUOTA_WAIT, self.env._now)  # type: ignore[arg-type]
        slots = self.server.slots
        if slots is not None:
            self._queue(slots)
        else:
            self._start()

    def _queue(self, slots: Bench) -> None:
        request = self.request
        self.part = Part.SLOT_WAIT
        order = (request.step, self.frame.place)
        self.slot = slots.ask(1, order, request.path, request.priority)
        self.slot.callbacks.append(self._seated)

    def _seated(self, _: Event) -> None:
        if not self.gone:
            self._mark(Part.SLOT_WAIT, self.env._now)  # type: ignore[arg-type]
            self._start()

    def _start(self) -> None:
        """Into service: looks at the cache, then latency, prefill and decode."""
        server, line = self.server, self.line
        now: int = self.env._now  # type: ignore[assignment]
        if server.caches:
            self.cached = server.cache.lookup(self.prefix, now)
        server.serving += 1
        self.serving = True
        self.streams = server.serving
        self.part = Part.LATENCY
        if line.first_token is not None:
            at = now + ns(line.first_token())
        elif line.latency is not None:
            at = now + ns(line.latency())
        else:
            at = now
        if at > now:
            self._mark(Part.LATENCY, at)
        self.reading_at = at
        if line.spread is not None:
            self.factor = line.spread()
        if server.batch is None:
            self._alone(at, now)
        elif at > now:
            server.world.later(self._read, at - now)
        else:
            self._read(self)

    def _alone(self, at: int, now: int) -> None:
        """At the speed of one stream: all is known now, and the call is its own timer."""
        server, request = self.server, self.request
        took = ns(server.reading(request.input, self.cached))
        if took:
            at += took
            self._mark(Part.PREFILL, at)
        self.ready = at
        thinking, visible = request.thinking, request.visible
        tokens = thinking + visible
        if tokens:
            context, alone, factor, came = request.input, server.alone, self.factor, server.came
            first = 0 if came else ns(factor * alone(1, context))
            took = ns(factor * alone(tokens - came, context))
            if visible:
                self.shown = at + (
                    ns(factor * alone(thinking + 1 - came, context)) if thinking else first
                )
            self.decoding = took - first
            if took:
                at += took
                self._mark(Part.DECODE, at)
        if server.caches:
            server.cache.begin(self.prefix, now, self.ready)
        self._ok = True
        self._value = None
        self.env.schedule(self, 1, at - now)  # type: ignore[arg-type]

    def _read(self, _: Event) -> None:
        """In a batch: the prompt by the server's schedule, one at a time."""
        if self.gone:
            return
        server, request, batch = self.server, self.request, self.server.batch
        assert batch is not None
        took = ns(server.reading(request.input, self.cached))
        self.part = Part.PREFILL
        if not took:
            self._join(self)
        elif server.came:
            # a measured first-token time: the server is not seen reading
            server.world.later(self._join, took)
        else:
            order = (request.step, self.frame.place)
            batch.read(self, took, order, request.path, self._join)

    def _join(self, _: Event) -> None:
        """The prompt is read: decode with the others."""
        if self.gone:
            return
        server, request, batch = self.server, self.request, self.server.batch
        assert batch is not None
        now = server.world.now
        self._mark(Part.PREFILL, now)
        self.ready = now
        if server.caches:
            server.cache.begin(self.prefix, now, now)
        tokens = request.thinking + request.visible
        self.part = Part.DECODE
        if tokens > server.came:
            self.stood = batch.still(now)
            self.member = batch.join(self, request.input, (tokens - server.came) * self.factor)
            self.streams = batch.size
        else:
            if request.visible:
                self.shown = now
            self._ok = True
            self._value = None
            self.env.schedule(self)
        batch.set()

    def decoded(self) -> None:
        """Told by the batch, just before the call happens: it has its last token now."""
        server, request, batch = self.server, self.request, self.server.batch
        assert batch is not None
        now = server.world.now
        self.member = 0
        # standing still for another's prompt is prefill
        self._mark(Part.PREFILL, self.ready + batch.still(now) - self.stood)
        self._mark(Part.DECODE, now)
        tokens, came = request.thinking + request.visible, server.came
        took = now - self.ready
        self.decoding = took if came else took * (tokens - 1) // tokens
        if request.visible:
            share = (request.thinking + 1 - came) / (tokens - came)
            self.shown = self.ready + round(took * min(1.0, share))

    def leave(self) -> None:
        """Give back what is held, and write the span with what was done of it."""
        self.gone = True
        server, request = self.server, self.request
        now: int = self.env._now  # type: ignore[assignment]
        cached, thinking, visible, wasted = self.cached, request.thinking, request.visible, 0
        fresh = request.input - cached
        if self.outcome is not Outcome.DONE:
            fresh, cached, thinking, visible = self._cut(now)
            wasted = fresh + cached + thinking + visible
        if self.slot is not None:
            self.slot.leave()
        if self.ticket is not None:
            self.ticket.leave(thinking + visible)
        money = 0.0
        plan = server.plan
        if self.serving:
            server.serving -= 1
            if server.caches and self.ready >= 0:
                server.cache.keep(self.prefix, self.ready, now, request.kept)
            if plan.price is not None:
                money = plan.price.cost(fresh, cached, thinking + visible, server.caches)
        marks = self.marks
        if request.compaction:
            marks = [(_COMPACTS.get(part, part), until) for part, until in marks]
        facts = CallFacts(
            request.role, request.session.number, fresh, cached, thinking, visible, wasted,
            self.streams, money, self.shown, self.decoding, request.cut, request.compaction,
        )
        self.frame.record(
            request.step, request.who, plan.name, self.began, tuple(marks), self.outcome, facts
        )

    def _cut(self, now: int) -> tuple[int, int, int, int]:
        """A call that ends early: cuts its marks; returns (fresh, cached, thinking, visible) done."""
        server, request = self.server, self.request
        ends = self.marks
        self.marks = [mark for mark in ends if mark[1] <= now]
        reached = self.marks[-1][1] if self.marks else self.began
        if reached < now:
            beyond = next((mark[0] for mark in ends if mark[1] > now), self.part)
            self.marks.append((beyond, now))
        made = 0
        if server.batch is not None:
            made = server.batch.leave(self)
        elif self.ready >= 0 and now >= self.ready:
            made = self._made(now - self.ready)
        thinking = min(request.thinking, made)
        visible = made - thinking
        if not visible:
            self.shown = -1
        self.decoding = max(0, min(self.decoding, now - self.ready))
        if not self.serving or now < self.reading_at:
            return 0, 0, 0, 0
        fresh = request.input - self.cached
        if server.batch is None and now < self.ready:
            # read in part: prompts are read from front to back
            fresh = fresh * (now - self.reading_at) // (self.ready - self.reading_at)
        return fresh, self.cached, thinking, visible

    def _made(self, elapsed: int) -> int:
        """Whole tokens that one stream makes in so many nanoseconds (bisection of its law)."""
        request, server = self.request, self.server
        low, high = 0, request.thinking + request.visible
        while low < high:
            middle = (low + high + 1) // 2
            if ns(self.factor * server.alone(middle - server.came, request.input)) <= elapsed:
                low = middle
            else:
                high = middle - 1
        return low


_COMPACTS = {
    Part.LATENCY: Part.COMPACTION,
    Part.PREFILL: Part.COMPACTION,
    Part.DECODE: Part.COMPACTION,
}
