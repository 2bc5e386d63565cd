"""A server: what stands at it while a run lasts, and how long a call takes that is alone.

How a call passes through is `call`'s.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from agentsim.chance import first, key_of
from agentsim.engine.batch import Batch
from agentsim.engine.bench import Bench
from agentsim.engine.draws import Counter, Purpose, Sampler, sampler, timer
from agentsim.engine.luck import Luck
from agentsim.engine.machine import Machine, Model
from agentsim.engine.memory import Memory
from agentsim.engine.quota import Gate
from agentsim.engine.tasks import Session, Task
from agentsim.engine.warm import WarmBatch
from agentsim.engine.world import World
from agentsim.graph import Node, ServerPlan
from agentsim.laws import jitter as jitter_of
from agentsim.laws.caches import Cache, cache_of
from agentsim.laws.caches.slot import SlotCache
from agentsim.laws.prefix import Prefix
from agentsim.records import SECOND, Loss, Mark, Part, Why

if TYPE_CHECKING:
    from agentsim.engine.call import Call


class Line(NamedTuple):
    """A step's own line to a server: who asks, and the step's draws for what varies by call."""

    role: str
    step: int
    path: str
    who: str
    priority: float
    before: Counter | None
    """Nanoseconds of the latency, or up to the first token."""
    spread: Sampler | None
    jitter: Sampler | None = None
    """A factor on each wait before a further try."""
    spares: tuple[tuple[int, Line], ...] = ()
    """The step's lines to the servers that serve what this one sends back, by their numbers."""
    load: Counter | None = None
    """Nanoseconds to load the model, where this call is the one that it is loaded for."""
    luck: Luck | None = None
    """What chance does to its calls, where some fail."""
    noise: Sampler | None = None
    """What the spread of single tokens is made of, see `laws.jitter`."""
    key: int = 0
    """That of its draws."""


class Request(NamedTuple):
    """One request as it is sent: tokens in and out, already cut to what may be.

    `kept`: tokens of the answer that a cache which covers answers can hold (docs/model.md, "A
    call").
    """

    line: Line
    session: Session
    input: int
    thinking: int
    visible: int
    max_output: int
    cut: int
    kept: int
    compaction: bool


class Fit(NamedTuple):
    """What of an answer may be made: tokens, the `max_output` that holds, and what was cut away."""

    thinking: int
    visible: int
    most: int
    cut: int


def sent(line: Line, session: Session, fit: Fit, kept: int, compaction: bool = False) -> Request:
    """The request of a step that sends its whole session."""
    thinking, visible, most, lost = fit
    return _new(
        Request, (line, session, session.tokens, thinking, visible, most, lost, kept, compaction)
    )


Take = tuple[int, int, int, Request, int]
"""A call that was served: (start, prompt read, end, request, tokens of its input cached)."""


Course = tuple[int, int, int, int, float, int]
"""A call at the speed of one stream: (reading from, prompt read, first visible token or -1,
nanoseconds from the first to the last token, its own factor on decoding, end)."""


class Breakable(Protocol):
    """A call that an outage cuts."""

    def strike(self) -> None: ...


class Server:
    """One simulated endpoint."""

    def __init__(
        self,
        world: World,
        plan: ServerPlan,
        gate: Gate | None,
        number: int,
        machine: Machine | None = None,
    ) -> None:
        self.world = world
        self.number = number
        self.plan = plan
        self.gate = gate
        self.memory = None if plan.kv is None else Memory(world, plan.name, plan.kv, plan.slots)
        self.slots: Bench | None = self.memory
        """Where calls wait for a slot, and for memory where it is counted."""
        if self.memory is None and plan.slots is not None:
            self.slots = Bench(world, plan.name, plan.slots)
        self.model: Model | None = None
        if machine is not None and plan.machine is not None:
            self.model = Model(machine, plan.machine.keep, self.forget)
            machine.models.append(self.model)
        self.cache = self._empty()
        self.spots = self.cache if isinstance(self.cache, SlotCache) else None
        """The slots by number, where each keeps a context of its own."""
        self.degrades = plan.cache.finds < 1.0
        self.caches = plan.cache.kind != "none"
        # with one slot a batch is never larger than one, and the closed form says the same
        self.batch = Batch(world, plan) if plan.shared and plan.slots != 1 else None
        if plan.throttle is not None:
            self.batch = WarmBatch(world, plan, plan.throttle)
        self.carries = self.batch is not None and self.batch.carries
        self.alone = plan.decode.solo()
        self.thinking = replace(plan.decode, per_step=plan.thinks) if plan.thinks else None
        """How thinking is made, where a step makes other tokens of it."""
        # tokens that come with the first-token time, before any decode step
        self.came = 1 if plan.first_token is not None else 0
        self.reads = plan.per_input_token > 0 if self.came else plan.prefill is not None
        self.takes: list[Take] | None = [] if plan.limits and gate is None else None
        """Where the quotas are left out for the time being: what they would have to give."""
        self.lost = False
        """A call was cut short: how much it would have taken is not known."""
        # No door, nothing shared: a call's time hangs on its step's own draws, its session and what
        # the cache holds.
        self.simple = gate is None and plan.is_open
        refuses = gate is not None and any(limit.refuses for limit in plan.limits)
        self.refuses = refuses or plan.faults is not None
        """A call may be sent back or fail, and then asks again or elsewhere, as `tries` says."""
        self.inside: dict[Breakable, None] = {}
        """Where calls may fail: those that are here, in the order in which they came."""
        self.others: list[Server] = []
        """All servers of the run, where one of them may serve what this one sends back."""

    def _empty(self) -> Cache:
        cache = self.plan.cache
        return cache_of(
            cache.kind,
            cache.ttl,
            cache.block,
            cache.answers,
            cache.capacity,
            cache.tails,
            self.plan.slots or 1,
        )

    def look(self, request: Request, prefix: Prefix, now: int) -> tuple[int, Loss | None]:
        """What the cache holds of the request's prompt, and what it has lost of it.

        Whether one that degrades finds it goes by the step and the prompt: looked up again, or sent
        again, it has the same luck.
        """
        hit = self.cache.lookup(prefix, now)
        loss = self.cache.lost(prefix, now, hit)
        if self.degrades and hit and not self._finds(request, now):
            lost = 0 if loss is None else loss.tokens
            return 0, _new(Loss, (hit + lost, now, Why.DEGRADED))
        return hit, loss

    def ahead(self, prefix: Prefix, now: int) -> int:
        """What the cache will hold at an instant yet to come; -1: to be asked when it is there."""
        return -1 if self.degrades else self.cache.ahead(prefix, now)

    def _finds(self, request: Request, now: int) -> bool:
        cache = self.plan.cache
        if now < cache.after:
            return True
        return first(key_of(request.line.key, request.input), Purpose.LOOKUP) < cache.finds

    def forget(self) -> None:
        """Nothing is left of any prompt, since the model is loaded anew."""
        self.cache.clear(self.world.now)

    def line(self, node: Node, role: str, who: str, key: int, task: Task) -> Line:
        """A step's line to this server; `key` is that of its draws."""
        plan = self.plan
        before: Counter | None = None
        spread: Sampler | None = None
        if plan.first_token is not None:
            before = timer(plan.first_token, key, Purpose.FIRST_TOKEN, task, plan.name)
        elif plan.latency is not None:
            before = timer(plan.latency, key, Purpose.LATENCY, task, plan.name)
        if plan.spread is not None:
            spread = sampler(plan.spread, key, Purpose.SPREAD, task, plan.name)
        jitter: Sampler | None = None
        if plan.on_reject is not None and plan.on_reject.jitter is not None:
            jitter = sampler(plan.on_reject.jitter, key, Purpose.JITTER, task, plan.name)
        noise: Sampler | None = None
        if plan.jitter:
            noise = sampler(jitter_of.UNIT, key, Purpose.TOKENS, task, plan.name)
        spares = self._spares(node, who, key, task) if self.others else ()
        load: Counter | None = None
        if plan.machine is not None and plan.machine.load is not None:
            load = timer(plan.machine.load, key, Purpose.LOAD, task, plan.name)
        luck = None if plan.faults is None else Luck(plan, plan.faults, role, key, task)
        return Line(
            *(role, node.rank, node.path, who, node.priority, before, spread, jitter, spares),
            load,
            luck,
            noise,
            key,
        )

    def _spares(self, node: Node, who: str, key: int, task: Task) -> tuple[tuple[int, Line], ...]:
        """A step's lines to the servers that serve what this one sends back."""
        return tuple(
            (limit.fallback, self.others[limit.fallback].line(node, limit.spare, who, key, task))
            for limit in self.plan.limits
            if limit.spare
        )

    def course(self, request: Request, cached: int, now: int, marks: list[Mark]) -> Course:
        """The course of a call at the speed of one stream that starts now; adds its marks."""
        line, _, input_, thinking, visible, _, _, _, _ = request
        at = now
        if line.before is not None:
            at += line.before()
            if at > now:
                marks.append((Part.LATENCY, at))
        reading_at = at
        factor = 1.0 if line.spread is None else line.spread()
        if line.noise is not None:
            factor *= self.jitter(request, line.noise())
        if self.reads:
            took = round(self.reading(input_, cached) * SECOND)
            if took:
                at += took
                marks.append((Part.PREFILL, at))
        tokens = thinking + visible
        ready, shown, decoding = at, -1, 0
        if tokens:
            # the first token is there at once where a first-token time was measured
            came = self.came
            a, b, c = 1 - came, thinking + 1 - came, tokens - came
            if self.thinking is None:
                first, until, last = self.alone(input_, a, b, c)
            else:
                first, until = self.decoding(request, a), self.decoding(request, b)
                last = self.decoding(request, c)
            scale = SECOND * factor
            if visible:
                shown = at + round(until * scale)
            took = round(last * scale)
            decoding = took - round(first * scale)
            if took:
                at += took
                marks.append((Part.DECODE, at))
        return reading_at, ready, shown, decoding, factor, at

    def jitter(self, request: Request, unit: float) -> float:
        """What its tokens' own spread makes of the decode time of a call."""
        tokens = request.thinking + request.visible - self.came
        return jitter_of.over(tokens, self.plan.jitter, unit)

    def decoding(self, request: Request, made: int) -> float:
        """Seconds that one stream takes to decode so many tokens of an answer."""
        law, context = self.plan.decode, request.input
        if self.thinking is None:
            return law.alone(made, context)
        thought = min(made, max(0, request.thinking - self.came))
        rest = law.alone(made - thought, context + thought)
        return self.thinking.alone(thought, context) + rest

    def carry(self, call: Call) -> None:
        """The batch itself times the reading of its prompt, and tells it when that is done."""
        assert self.batch is not None
        assert self.plan.prefill is not None
        self.batch.carry(self.plan.prefill, call)

    def reading(self, input_: int, cached: int) -> float:
        """Seconds for what the cache does not hold (or for all input, by a first-token law)."""
        plan = self.plan
        if self.came:
            return plan.per_input_token * input_
        if plan.prefill is None:
            return 0.0
        return plan.prefill.seconds(input_ - cached, cached)


_new = tuple.__new__  # a named tuple made without its own __new__: there are millions
