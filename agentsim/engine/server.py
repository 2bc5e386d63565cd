"""A server at work: the doors that a call passes, linked by callbacks, and the record it leaves.

quota -> slot -> (cache lookup) -> latency -> prefill -> decode. The step waits for one event, the
call itself; each door stamps a mark and passes on. Where calls do not share their speed the call
is its own timer: one event for all of latency, prefill and decode.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

from simpy.events import Event

from agentsim.engine.batch import Batch
from agentsim.engine.bench import Bench, Job
from agentsim.engine.draws import Counter, Purpose, Sampler, sampler, timer
from agentsim.engine.frame import Frame, Stop
from agentsim.engine.quota import Gate, Ticket
from agentsim.engine.tasks import Session, Task
from agentsim.engine.world import Timer, World, ns
from agentsim.graph import ServerPlan
from agentsim.laws.caches import cache_of
from agentsim.records import SECOND, CallFacts, Mark, Outcome, Part, Verdict


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

    before: Counter | None
    """Nanoseconds of the latency, or up to the first token."""
    spread: Sampler | None


Course = tuple[int, int, int, int, float, int]
"""A call at the speed of one stream: (reading from, prompt read, first visible token or -1,
nanoseconds from the first to the last token, its own factor on decoding, end)."""


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
        # nothing to wait for, nothing shared
        self.simple = gate is None and self.slots is None and self.batch is None
        self.serving = 0

    def line(self, key: int, task: Task) -> Line:
        """The streams of a step's calls on this server."""
        plan = self.plan

        before, spread = None, None
        if plan.first_token is not None:
            before = timer(plan.first_token, key, Purpose.FIRST_TOKEN, task, plan.name)
        elif plan.latency is not None:
            before = timer(plan.latency, key, Purpose.LATENCY, task, plan.name)
        if plan.spread is not None:
            spread = sampler(plan.spread, key, Purpose.SPREAD, task, plan.name)
        return Line(before, spread)

    def serve(self, request: Request, line: Line, frame: Frame) -> Generator[Event, Any, None]:
        """One call from the asking to the last token; writes its span, however it ends."""
        if self.simple:
            return self._simply(request, line, frame)
        return self._through(Call(self, request, line, frame))

    def _through(self, call: Call) -> Generator[Event, Any, None]:
        try:
            call.enter()
            yield call
            call.outcome = Outcome.DONE
        finally:
            call.leave()

    def _simply(self, request: Request, line: Line, frame: Frame) -> Generator[Event, Any, None]:
        """A call with no door to wait at: what `Call` does, without the object."""
        env = self.world.env
        now: int = env._now  # type: ignore[assignment]
        prefix = request.session.prefix(self.number)
        cached = self.cache.lookup(prefix, now) if self.caches else 0
        self.serving = streams = self.serving + 1
        marks: list[Mark] = []
        course = self.course(request, line, cached, now, marks)
        end = course[-1]
        if self.caches:
            self.cache.use(prefix, now, course[1], end, request.kept)
        done = False
        try:
            yield Timer(env, None, end - now)
            done = True
        finally:
            self.serving -= 1
            if not done:
                self._cut_short(request, line, frame, (now, cached, streams, marks, course))
        fresh, thinking, visible = request.input - cached, request.thinking, request.visible
        money = 0.0
        if self.plan.price is not None:
            money = self.plan.price.cost(fresh, cached, thinking + visible, self.caches)
        if request.compaction:
            marks = compacting(marks)
        facts = _new(
            CallFacts,
            (
                request.role, request.session.number, fresh, cached, thinking, visible, 0,
                streams, money, course[2], course[3], request.cut, request.compaction,
            ),
        )
        frame.record(
            request.step, request.who, self.plan.name, now, tuple(marks), Outcome.DONE, facts
        )

    def _cut_short(
        self, request: Request, line: Line, frame: Frame,
        so_far: tuple[int, int, int, list[Mark], Course],
    ) -> None:
        """A simple call that was cancelled: the object is made after all, and leaves early."""
        call = Call(self, request, line, frame)
        call.began, call.cached, call.streams, call.marks, course = so_far
        call.take(course)
        self.serving += 1
        call.serving = True
        call.leave()

    def course(
        self, request: Request, line: Line, cached: int, now: int, marks: list[Mark]
    ) -> Course:
        """The course of a call at the speed of one stream that starts now; adds its marks."""
        at = now
        if line.before is not None:
            at += line.before()
            if at > now:
                marks.append((Part.LATENCY, at))
        reading_at = at
        factor = 1.0 if line.spread is None else line.spread()
        took = round(self.reading(request.input, cached) * SECOND)
        if took:
            at += took
            marks.append((Part.PREFILL, at))
        thinking, visible = request.thinking, request.visible
        tokens = thinking + visible
        ready, shown, decoding = at, -1, 0
        if tokens:
            # the first token is there at once where a first-token time was measured
            came = self.came
            first, until, last = self.alone(
                request.input, 1 - came, thinking + 1 - came, tokens - came
            )
            scale = SECOND * factor
            if visible:
                shown = at + round(until * scale)
            took = round(last * scale)
            decoding = took - round(first * scale)
            if took:
                at += took
                marks.append((Part.DECODE, at))
        return reading_at, ready, shown, decoding, factor, at

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
    desk: Job | None = None
    member = cached = streams = decoding = stood = planned = took = 0
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
        if server.batch is None:
            self.take(server.course(self.request, line, self.cached, now, self.marks))
            if server.caches:
                server.cache.use(self.prefix, now, self.ready, self.planned, self.request.kept)
            # all is known now: the call is its own timer
            self._ok = True
            self._value = None
            self.env.schedule(self, 1, self.planned - now)  # type: ignore[arg-type]
            return
        at = now
        if line.before is not None:
            at += line.before()
            self._mark(Part.LATENCY, at)
        self.reading_at = at
        if line.spread is not None:
            self.factor = line.spread()
        if at > now:
            server.world.later(self._read, at - now)
        else:
            self._read(self)

    def take(self, course: Course) -> None:
        """Take over a course that was worked out."""
        (
            self.reading_at, self.ready, self.shown, self.decoding, self.factor, self.planned
        ) = course

    def _read(self, _: Event) -> None:
        """In a batch: the prompt by the server's schedule, one at a time."""
        if self.gone:
            return
        server, request, batch = self.server, self.request, self.server.batch
        assert batch is not None
        self.took = took = ns(server.reading(request.input, self.cached))
        self.part = Part.PREFILL
        if not took:
            self._join(self)
        elif server.came:
            # a measured first-token time: the server is not seen reading
            server.world.later(self._join, took)
        else:
            batch.read(self, (request.step, self.frame.place), request.path)

    def reading(self, job: Event) -> None:
        """Its turn to have its prompt read has come."""
        if not self.gone:
            batch = self.server.batch
            assert batch is not None
            batch.begin()
            Timer(self.env, self._join, self.took)

    def _join(self, _: Event) -> None:
        """The prompt is read: decode with the others."""
        if self.gone:
            return
        server, request, batch = self.server, self.request, self.server.batch
        assert batch is not None
        batch.end(self)
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
            if server.batch is not None and server.caches and self.ready >= 0:
                server.cache.keep(self.prefix, self.ready, now, request.kept)
            if plan.price is not None:
                money = plan.price.cost(fresh, cached, thinking + visible, server.caches)
        marks = self.marks
        if request.compaction:
            marks = compacting(marks)
        facts = _new(
            CallFacts,
            (
                request.role, request.session.number, fresh, cached, thinking, visible, wasted,
                self.streams, money, self.shown, self.decoding, request.cut, request.compaction,
            ),
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
        elif self.ready >= 0:
            server.cache.cut(self.prefix, self.ready, self.planned, now)
            if now >= self.ready:
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
            took = server.plan.decode.alone(middle - server.came, request.input)
            if ns(self.factor * took) <= elapsed:
                low = middle
            else:
                high = middle - 1
        return low


_new = tuple.__new__  # a named tuple made without its own __new__: there are millions


def compacting(marks: list[Mark]) -> list[Mark]:
    """The marks of a call that compacts: its work counts as compaction, its waits as they are."""
    return [(_COMPACTS.get(part, part), until) for part, until in marks]


_COMPACTS = {
    Part.LATENCY: Part.COMPACTION,
    Part.PREFILL: Part.COMPACTION,
    Part.DECODE: Part.COMPACTION,
}
