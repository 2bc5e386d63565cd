"""A call on its way through a server, its doors linked by callbacks, and the record it leaves.

quota -> slot -> (cache lookup) -> latency -> prefill -> decode. The step waits for one event, the
call itself; each door stamps a mark and passes on. Where calls do not share their speed the call
is its own timer: one event for all of latency, prefill and decode.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from simpy.events import Event

from agentsim.engine.bench import Bench, Job
from agentsim.engine.frame import Frame, Stop
from agentsim.engine.marks import compacting, cut
from agentsim.engine.quota import Gate, Ticket
from agentsim.engine.server import Course, Line, Request, Server
from agentsim.engine.world import Timer, ns
from agentsim.records import CallFacts, Mark, Outcome, Part, Verdict


def serve(
    server: Server, request: Request, line: Line, frame: Frame
) -> Generator[Event, Any, None]:
    """One call from the asking to the last token; writes its span, however it ends."""
    if server.simple:
        return _simply(server, request, line, frame)
    return _through(Call(server, request, line, frame))


def _through(call: Call) -> Generator[Event, Any, None]:
    try:
        call.enter()
        yield call
        call.outcome = Outcome.DONE
    finally:
        call.leave()


def _simply(
    server: Server, request: Request, line: Line, frame: Frame
) -> Generator[Event, Any, None]:
    """A call with no door to wait at: what `Call` does, without the object."""
    env = server.world.env
    now: int = env._now  # type: ignore[assignment]
    prefix = request.session.prefix(server.number)
    cached = server.cache.lookup(prefix, now) if server.caches else 0
    server.serving = streams = server.serving + 1
    marks: list[Mark] = []
    course = server.course(request, line, cached, now, marks)
    end = course[-1]
    if server.caches:
        server.cache.use(prefix, now, course[1], end, request.kept)
    done = False
    try:
        yield Timer(env, None, end - now)
        done = True
    finally:
        server.serving -= 1
        if not done:
            _cut_short(server, request, line, frame, (now, cached, streams, marks, course))
    fresh, thinking, visible = request.input - cached, request.thinking, request.visible
    done_of = (fresh, cached, thinking, visible)
    write(
        server, request, frame, now, marks, Outcome.DONE, done_of, 0, streams, course[2], course[3]
    )


def write(
    server: Server,
    request: Request,
    frame: Frame,
    began: int,
    marks: list[Mark],
    outcome: Outcome,
    tokens: tuple[int, int, int, int],
    wasted: int,
    streams: int,
    shown: int,
    decoding: int,
) -> None:
    """The span of a call: `tokens` are (fresh, cached, thinking, visible) as far as it came."""
    fresh, cached, thinking, visible = tokens
    plan = server.plan
    money = 0.0
    if plan.price is not None:
        money = plan.price.cost(fresh, cached, thinking + visible, server.caches)
    if request.compaction:
        marks = compacting(marks)
    session = request.session.number
    facts = _new(
        CallFacts,
        (
            request.role,
            session,
            fresh,
            cached,
            thinking,
            visible,
            wasted,
            streams,
            money,
            shown,
            decoding,
            request.cut,
            request.compaction,
        ),
    )
    frame.record(request.step, request.who, plan.name, began, tuple(marks), outcome, facts)


def _cut_short(
    server: Server,
    request: Request,
    line: Line,
    frame: Frame,
    so_far: tuple[int, int, int, list[Mark], Course],
) -> None:
    """A simple call that was cancelled: the object is made after all, and leaves early."""
    call = Call(server, request, line, frame)
    call.began, call.cached, call.streams, call.marks, course = so_far
    call.take(course)
    server.serving += 1
    call.serving = True
    call.leave()


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
        """To the first door. The call fails with Stop where a quota can never let it through."""
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
        output = request.thinking + request.visible
        order = (request.step, self.frame.place)
        self.ticket = ticket = gate.ask(
            request.input,
            self._held,
            output,
            request.max_output,
            order,
            request.path,
            request.priority,
        )
        ticket.callbacks.append(self._passed)

    def _held(self) -> int:
        """Tokens of its input that the cache holds now."""
        return self.server.cache.lookup(self.prefix, self.server.world.now)

    def _passed(self, _: Event) -> None:
        if self.gone:
            return
        self._mark(Part.QUOTA_WAIT, self.env._now)  # type: ignore[arg-type]
        if self.ticket is not None and self.ticket.never:
            self.outcome = Outcome.FAILED
            self.fail(Stop(Verdict.FAILED, f"{self.request.path}: {self.ticket.never}"))
            return
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
        if line.spread is not None:
            self.factor = line.spread()
        if at > now:
            server.world.later(self._read, at - now)
        else:
            self._read(self)

    def take(self, course: Course) -> None:
        """Take over a course that was worked out."""
        (self.reading_at, self.ready, self.shown, self.decoding, self.factor, self.planned) = course

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
            self.reading_at = server.world.now
            server.world.later(self._join, took)
        else:
            batch.read(self, (request.step, self.frame.place), request.path)

    def reading(self, job: Event) -> None:
        """Its turn to have its prompt read has come."""
        if not self.gone:
            batch = self.server.batch
            assert batch is not None
            batch.begin()
            self.reading_at = batch.world.now
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
        tokens = (request.input - self.cached, self.cached, request.thinking, request.visible)
        wasted = 0
        if self.outcome is not Outcome.DONE:
            tokens = self._cut(now)
            wasted = sum(tokens)
        if self.slot is not None:
            self.slot.leave()
        if self.ticket is not None:
            self.ticket.leave(tokens[2] + tokens[3])
        if self.serving:
            server.serving -= 1
            if server.batch is not None and server.caches and self.ready >= 0:
                server.cache.keep(self.prefix, self.ready, now, request.kept)
        write(
            server,
            request,
            self.frame,
            self.began,
            self.marks,
            self.outcome,
            tokens,
            wasted,
            self.streams,
            self.shown,
            self.decoding,
        )

    def _cut(self, now: int) -> tuple[int, int, int, int]:
        """Cuts the marks of a call that ends early; returns (fresh, cached, thinking, visible)."""
        server, request = self.server, self.request
        self.marks = cut(self.marks, self.began, now, self.part)
        made = 0
        if server.batch is not None:
            made = server.batch.leave(self)
            if self.ready >= 0:
                # what came with the first token is there; the batch counts what it decoded itself
                made = min(made + server.came, request.thinking + request.visible)
        elif self.ready >= 0:
            server.cache.cut(self.prefix, self.ready, self.planned, now)
            if now >= self.ready:
                made = self._made(now - self.ready)
        thinking = min(request.thinking, made)
        visible = made - thinking
        if not visible:
            self.shown = -1
        self.decoding = max(0, min(self.decoding, now - self.ready))
        fresh = request.input - self.cached
        if not 0 <= self.ready <= now:
            if not self.serving or self.reading_at < 0 or now < self.reading_at:
                return 0, 0, 0, 0
            # read in part: prompts are read from front to back
            takes = self.took if server.batch is not None else self.ready - self.reading_at
            fresh = fresh * min(now - self.reading_at, takes) // takes
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
