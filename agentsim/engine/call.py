"""A call on its way through a server, its doors linked by callbacks, and the record it leaves.

quota -> slot, memory -> model -> (cache lookup) -> latency -> prefill -> decode. The step waits for
one event, the call itself; each door stamps a mark and passes on. Where calls do not share their
speed the call is its own timer: one event for all of latency, prefill and decode.
"""

from __future__ import annotations

from agentsim.engine.bench import Bench, Job
from agentsim.engine.frame import Frame, Stop
from agentsim.engine.machine import Model, Seat
from agentsim.engine.marks import cut
from agentsim.engine.memory import Memory
from agentsim.engine.quota import Gate, Refusal, Ticket
from agentsim.engine.server import Course, Request, Server
from agentsim.engine.world import Event, ns
from agentsim.engine.written import made_by, read_by, write
from agentsim.laws.batch import Member
from agentsim.laws.caches import FOREVER
from agentsim.laws.prefix import Prefix
from agentsim.records import SECOND, Loss, Mark, Outcome, Part, Verdict


class Call(Event):
    """One call while it is at the server; as an event it happens with the last token."""

    # what most calls leave as it is stands here once, not in each of millions
    outcome = Outcome.CANCELLED
    part = Part.SLOT_WAIT
    """What it is in now: what a mark is missing for if it is cut."""
    slot: Job | None = None
    """Its ask for a slot, where it had to wait; else it is the holder itself."""
    units = 1.0
    """A slot; where memory is counted, the tokens of its context."""
    held = False
    seat: Seat | None = None
    """Its use of the model, where that may have to be loaded."""
    spot = -1
    """The slot that it has, where each keeps a context of its own."""
    ticket: Ticket | None = None
    refusal: Refusal | None = None
    """Why it was not served, where it was sent back."""
    again = False
    """It was not served, and the same request is sent again."""
    cached = 0
    loss: Loss | None = None  # what else the cache has held of its prompt
    decoding = 0
    stood = 0
    planned = 0
    took = 0
    got = -1
    """Tokens that were read of a prompt that was given up; -1 where steps carry none."""
    streams = 1
    shown = -1
    reading_at = -1
    asked_at = -1
    ready = -1
    factor = 1.0
    rest = 0
    """What follows its thinking, while that is made at another pace."""
    thought = -1
    """When such thinking was done."""
    first = -1
    """And its first token made."""
    member: Member | None = None
    """Where it decodes with others."""
    prefix: Prefix
    """What it sent, as the server's cache knows it; only where there is a cache."""
    gone = False
    """Over, however it ended."""

    def __init__(self, server: Server, request: Request, frame: Frame) -> None:
        self.callbacks = []  # what Event.__init__ does, without the call
        self.server = server
        self.request = request
        self.frame = frame
        self.began = server.world.now
        self.marks: list[Mark] = []

    @property
    def who(self) -> str:
        return self.request.line.path

    def enter(self) -> None:
        """To the first door. The call fails with Stop where it can never pass one of them.

        Where one sends it back it happens with a `refusal`.
        """
        server = self.server
        if server.memory is not None and not self._fits(server.memory):
            return
        if server.gate is not None:
            self._ask(server.gate)
        elif server.slots is not None:
            self._queue(server.slots)
        else:
            self._start()

    def _fits(self, memory: Memory) -> bool:
        """Whether its context, with all that it will make, fits into the memory; else it fails."""
        _, _, input_, thinking, visible, _, _, _, _ = self.request
        self.units = float(input_ + thinking + visible)
        if why := memory.refusal(input_, thinking + visible):
            self._fail(why)
        return not why

    def _fail(self, why: str) -> None:
        self.outcome = Outcome.FAILED
        self.fault = Stop(Verdict.FAILED, f"{self.request.line.path}: {why}")
        self.server.world.happens(self)

    def _mark(self, part: Part, until: int) -> None:
        marks = self.marks
        if until > (marks[-1][1] if marks else self.began):
            marks.append((part, until))

    def _ask(self, gate: Gate) -> None:
        """Wait until every quota has room, and take from all of them at once."""
        request, line = self.request, self.request.line
        self.part = Part.QUOTA_WAIT
        output = request.thinking + request.visible
        order = (line.step, self.frame.place)
        self.ticket = ticket = gate.ask(
            request.input,
            self._held,
            output,
            request.max_output,
            order,
            line.path,
            line.priority,
        )
        ticket.then(self._passed)

    def _held(self) -> int:
        """Tokens of its input that the cache holds now."""
        self._look()
        return self.cached

    def _passed(self, _: Event) -> None:
        if self.gone:
            return
        self._mark(Part.QUOTA_WAIT, self.server.world.now)
        if self.ticket is not None and self.ticket.refusal is not None:
            self.refuse(self.ticket.refusal)
            return
        if self.ticket is not None and self.ticket.never:
            self._fail(self.ticket.never)
            return
        slots = self.server.slots
        if slots is not None:
            self._queue(slots)
        else:
            self._start()

    def refuse(self, refusal: Refusal) -> None:
        """It is not served: it is over now, and who waits for it learns why."""
        self.refusal = refusal
        self.server.world.happens(self)

    def _queue(self, slots: Bench) -> None:
        self.part = Part.SLOT_WAIT
        if slots.take(self):
            self._start()
            return
        line = self.request.line
        order = (line.step, self.frame.place)
        self.slot = slot = slots.ask(self.units, order, line.path, line.priority)
        slot.then(self._seated)

    def _seated(self, _: Event) -> None:
        if not self.gone:
            self._mark(Part.SLOT_WAIT, self.server.world.now)
            self._start()

    def _start(self) -> None:
        """Into service, where its model is in memory."""
        model = self.server.model
        if model is None:
            self._serve()
        else:
            self._wait(model)

    def _wait(self, model: Model) -> None:
        """Until another model has left the memory, if need be, and then until its own is loaded."""
        self.part = Part.SLOT_WAIT
        line = self.request.line
        order = (line.step, self.frame.place)
        self.seat = seat = model.machine.ask(model, order, line.path, line.priority, line.load)
        if seat.callbacks is None:
            self._serve()
        else:
            seat.then(self._loaded)

    def _loaded(self, _: Event) -> None:
        if not self.gone and self.seat is not None:
            self.seat.mark(self.marks, self.began)
            self._serve()

    def _serve(self) -> None:
        """Looks at the cache, then latency, prefill and decode."""
        server, request = self.server, self.request
        now = server.world.now
        if server.caches:
            self._look()
            if server.spots is not None:
                self.spot = server.spots.take(self.prefix)
        self.part = Part.LATENCY
        if server.batch is None:
            self.take(server.course(request, self.cached, now, self.marks))
            if server.caches:
                server.cache.use(self.prefix, now, self.ready, self.planned, request.kept)
            # all is known now: the call is its own timer
            server.world.happens(self, self.planned - now)
            return
        line = request.line
        if line.spread is not None:
            self.factor = line.spread()
        if line.noise is not None:
            self.factor *= server.jitter(request, line.noise())
        wait = 0 if line.before is None else line.before()
        if wait:
            self.marks.append((Part.LATENCY, now + wait))
            server.world.after(wait, self._read, self)
        elif server.reads:
            self._read(self)
        else:
            self.joins(self)

    def _look(self) -> None:
        """What the cache holds of its prompt now; of a slot of its own that stays as it is."""
        if self.spot >= 0:
            return
        server, request = self.server, self.request
        self.prefix = prefix = request.session.prefix(server.number)
        prefix.total = request.input  # the session may have grown meanwhile
        now = server.world.now
        self.cached, self.loss = server.look(request, prefix, now)

    def take(self, course: Course) -> None:
        """Take over a course that was worked out."""
        (self.reading_at, self.ready, self.shown, self.decoding, self.factor, self.planned) = course

    def _read(self, _: Event) -> None:
        """In a batch: the prompt by the server's schedule, one at a time."""
        if self.gone:
            return
        server, request, batch = self.server, self.request, self.server.batch
        assert batch is not None
        self.part = Part.PREFILL
        if server.caches and self.marks:
            self._look()  # others' prompts may have been read during the latency
        took = round(server.reading(request.input, self.cached) * SECOND) if server.reads else 0
        if not took:
            self.joins(self)
            return
        self.took = took
        self.asked_at = server.world.now
        if server.came:
            # a measured first-token time: the server is not seen reading
            self.reading()
        else:
            batch.read(self, (request.line.step, self.frame.place))

    def reading(self) -> None:
        """Its turn to have its prompt read has come."""
        server, world = self.server, self.server.world
        self.reading_at = world.now
        if server.caches and world.now > self.asked_at:
            self._look()  # others' prompts may have been read while it waited
            self.took = ns(server.reading(self.request.input, self.cached))
            if not self.took:  # it has waited, and nothing is left to read
                self._mark(Part.PREFILL, world.now)
        if server.carries and self.took:
            server.carry(self)
        else:
            world.after(self.took, self.joins, self)

    def joins(self, _: Event) -> None:
        """The prompt is read: decode with the others."""
        if self.gone:
            return
        server, request, batch = self.server, self.request, self.server.batch
        assert batch is not None
        now = server.world.now
        if self.took:
            self.marks.append((Part.PREFILL, now))
        self.ready = now
        if server.caches:
            server.cache.use(self.prefix, now, now, FOREVER)
        tokens = request.thinking + request.visible - server.came
        self.part = Part.DECODE
        if tokens > 0:
            self.stood = batch.still(now)
            self.member = batch.join(self, request.input, tokens * self.factor)
            self.streams = batch.law.size
        else:
            batch.end(self)
            if request.visible:
                self.shown = now
            server.world.happens(self)

    def decoded(self) -> None:
        """Told by the batch, just before the call happens: it has its last token now."""
        server, request = self.server, self.request
        batch = server.batch
        assert batch is not None
        now = server.world.now
        marks, still = self.marks, batch.still(now) - self.stood
        if still:
            # standing still for another's prompt, or being slowed by it, is prefill
            still = min(still, now - self.ready)  # both are rounded to whole nanoseconds
            marks.append((Part.PREFILL, self.ready + still))
        if now > self.ready + still:
            marks.append((Part.DECODE, now))
        batch.told(self, request.thinking + request.visible, now)

    def leave(self) -> None:
        """Give back what is held, and write the span with what was done of it."""
        self.gone = True
        server, request = self.server, self.request
        tokens = (request.input - self.cached, self.cached, request.thinking, request.visible)
        wasted = 0
        if self.seat is not None:
            if self.part is Part.SLOT_WAIT:  # still on its way to the model
                self.seat.mark(self.marks, self.began)
            self.seat.leave()
        if self.outcome is not Outcome.DONE:
            tokens = self._cut(server.world.now)
            wasted = sum(tokens)
        if server.spots is not None and self.spot >= 0:
            server.spots.leave(self.spot, self.prefix, self._kept())
        if self.held and server.slots is not None:
            server.slots.take_back(self)
        elif self.slot is not None:
            self.slot.leave()
        if self.ticket is not None:
            self.ticket.leave(tokens[2] + tokens[3])
        if server.caches and server.batch is not None and self.ready >= 0:
            kept = request.kept if self.outcome is Outcome.DONE else 0
            server.cache.cut(self.prefix, self.ready, FOREVER, server.world.now, kept)
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
            self.again,
            self.loss,
        )
        self.member = None  # it names this call: a circle that only the collector would end

    def _kept(self) -> int:
        """What its slot holds of its context when it leaves; not of a prompt half read."""
        request = self.request
        if self.outcome is Outcome.DONE:
            return request.input + (request.kept if self.server.plan.cache.answers else 0)
        return request.input if 0 <= self.ready <= self.server.world.now else self.cached

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
            if made:
                server.batch.told(self, made, server.batch.last(self, made))
        elif self.ready >= 0:
            if server.caches:
                server.cache.cut(self.prefix, self.ready, self.planned, now)
            self.decoding = 0
            if now >= self.ready:
                made, self.decoding = made_by(server, request, self.factor, now - self.ready)
        thinking = min(request.thinking, made)
        visible = made - thinking
        if not visible:
            self.shown = -1
        fresh = request.input - self.cached
        if not 0 <= self.ready <= now:
            if self.reading_at < 0 or now < self.reading_at:
                return 0, 0, 0, 0
            takes = self.took if server.batch is not None else self.ready - self.reading_at
            fresh = self.got
            if fresh < 0:
                fresh = read_by(server, request, self.cached, takes, now - self.reading_at)
        return fresh, self.cached, thinking, visible
