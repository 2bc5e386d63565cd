"""A batching server's wire to the clock: one timer for the next end, prompts by their schedule."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import TYPE_CHECKING, cast

from agentsim.engine.bench import Order
from agentsim.engine.world import Event, World, ns
from agentsim.graph import ServerPlan
from agentsim.laws.batch import NEVER, Member
from agentsim.laws.batch import Batch as Law
from agentsim.laws.chunks import Chunked, stretches
from agentsim.records import Peak

if TYPE_CHECKING:
    from agentsim.engine.call import Call
    from agentsim.laws.prefill import PrefillLaw


class Batch:
    """The calls that decode together, and the desk at which their prompts are read one by one.

    Who is read next is settled as at any bench: by priority, then time of asking, then order of
    declaration. A timer rings at the next end or before it, and then looks again: an end that has
    moved away since needs no new timer, one that has come nearer makes the older one void.
    """

    def __init__(self, world: World, plan: ServerPlan) -> None:
        self.world = world
        self.chunks = Chunked(plan.decode) if plan.schedule == "chunked" else None
        """Where prompts are read between the tokens of others, in `chunk` tokens a step."""
        self.law: Law = Law(plan.decode) if self.chunks is None else self.chunks
        self.chunk = plan.chunk
        self.carries = self.chunks is not None
        """It times the reading of a prompt itself (`carry`)."""
        self.thinks = plan.thinks
        """Tokens of thinking that a step makes, where they are others than those to be seen."""
        self.exclusive = plan.schedule == "exclusive"
        self.order = 0
        self.dirty = False
        self._name = f"{plan.name} (reading prompts)"
        self._queue: list[tuple[float, int, Order, int, Call]] = []
        self._asked = 0
        self._reads: Call | None = None
        self._carries = False
        self._version = 0
        self._rings = NEVER
        self._stood = 0
        self._paused_at = -1
        world.join(self)

    def still(self, now: int) -> int:
        """Nanoseconds that prompts have taken from decoding, from the start up to now.

        Exclusively it stands still for them, in chunks its steps last longer by so much.
        """
        if self.chunks is not None:
            return ns(self.chunks.spent(now))
        return self._stood + (now - self._paused_at if self._paused_at >= 0 else 0)

    def read(self, call: Call, order: Order) -> None:
        """Queue for the reading of a prompt; `call.reading` is told when its turn comes."""
        if self._reads is None and not self._queue and self.world.alone():
            self._begin(call)
            return
        self._asked += 1
        priority = call.request.line.priority
        heappush(self._queue, (-priority, self.world.now, order, self._asked, call))
        if self._reads is None:
            self.world.unsettle(self)

    def settle(self) -> list[Event]:
        """Take the next prompt; where there is none, decoding goes on."""
        if self._reads is None:
            while self._queue:
                call = heappop(self._queue)[-1]
                if not call.gone:
                    self._begin(call)
                    return []
            self._go_on()
        return []

    def _begin(self, call: Call) -> None:
        """A prompt is read from now on; exclusively, decoding stands still."""
        self._reads = call
        if self.exclusive and self._paused_at < 0:
            now = self.world.now
            self._paused_at = now
            self.law.pause(now)
            self._set()
        call.reading()

    def carry(self, law: PrefillLaw, call: Call) -> None:
        """In chunks: the steps carry the prompt of the call whose turn it is, from now on.

        The call is told by `joins` when it has been read.
        """
        assert self.chunks is not None
        self._carries = True
        call.got = 0
        new = call.request.input - call.cached
        self.chunks.read(stretches(law, self.chunk, new, call.cached), self.world.now)
        self._set()

    def end(self, call: Call) -> None:
        """A prompt has been read, or is given up: the next one may begin, or decoding goes on."""
        if self._is_last(call):
            self._go_on()

    def _is_last(self, call: Call) -> bool:
        """Takes a call from the desk; whether it was there, and nobody waits for it."""
        if self._reads is not call:
            return False
        self._reads = None
        if self._queue:
            self.world.unsettle(self)
        return not self._queue

    def _go_on(self) -> None:
        if self._stands_no_more():
            self.law.resume(self.world.now)
            self._set()

    def _stands_no_more(self) -> bool:
        """Counts the time for which decoding stood still; whether it did."""
        if self._paused_at < 0:
            return False
        self._stood += self.world.now - self._paused_at
        self._paused_at = -1
        return True

    def join(self, call: Call, context: int, tokens: float) -> Member:
        """A call whose prompt is read starts to decode `tokens` (never 0) after `context` ones."""
        resumes = self._is_last(call) and self._stands_no_more()
        pace = 0.0
        if self.thinks:
            thinking = call.request.thinking - call.server.came
            if thinking > 0:  # first what it thinks, then the rest: see `_speaks`
                call.rest = call.request.visible
                tokens, pace = thinking * call.factor, self.thinks
        member = self.law.join(call, context, tokens, self.world.now, resumes, pace)
        self._set()
        return member

    def leave(self, call: Call) -> int:
        """A call is cut short wherever it is; returns the whole tokens that it decoded."""
        if self._carries and self._reads is call and self.chunks is not None:
            self._carries = False
            call.got = self.chunks.give_up(self.world.now)
            self._set()
        self.end(call)
        member = call.member
        if member is None or not member.here:
            return 0
        made = self.law.leave(member, self.world.now, call.factor)
        if call.thought >= 0:
            made += call.request.thinking - call.server.came
        self._set()
        return made

    def told(self, call: Call, made: int, last: int) -> None:
        """When a call had its first tokens, of so many made up to `last`."""
        came, thinking = call.server.came, call.request.thinking
        # with no token beyond the first it did not decode here
        member = call.member
        joined, pace = (0.0, 0.0) if member is None else (member.joined, member.pace)
        first = call.first
        if first < 0:
            first = call.ready if came else self.law.when(joined, call.factor, pace)
        call.decoding = last - first
        if made > thinking:
            call.shown = first
            if call.thought >= 0:
                call.shown = self.law.when(joined, call.factor, pace)
            elif thinking:
                call.shown = self.law.when(joined, (thinking + 1 - came) * call.factor, pace)

    def last(self, call: Call, made: int) -> int:
        """The instant of the last token of so many that a call has made."""
        member, spoken = call.member, call.thought >= 0
        own = made - (call.request.thinking if spoken else call.server.came)
        if member is None or not own:
            return call.thought if spoken else call.ready
        return self.law.when(member.joined, own * call.factor, member.pace)

    def _speaks(self, call: Call) -> bool:
        """What it thought is made: what is to be seen follows, if anything does."""
        member, request, now = call.member, call.request, self.world.now
        if member is None or not call.rest:
            return False
        came = call.server.came
        call.first = call.ready if came else self.law.when(member.joined, call.factor, member.pace)
        call.thought = now
        tokens = call.rest * call.factor
        call.rest = 0
        call.member = self.law.join(call, request.input + request.thinking, tokens, now)
        return True

    def _set(self) -> None:
        """After a change at this instant: the timer must ring at the next end or before."""
        due = self.law.due
        if due < self._rings:
            self._rings = due
            self._version = version = self._version + 1
            self.world.after(due - self.world.now, self._ring, version)

    def _ring(self, version: int) -> None:
        if version != self._version:
            return
        now, due = self.world.now, self.law.due
        if due > now:
            self._rings = due
            if due < NEVER:
                self.world.after(due - now, self._ring, version)
            return
        self._rings = NEVER
        calls = cast("list[Call]", self.law.done(now))
        if self.thinks:
            calls = [call for call in calls if not self._speaks(call)]
        self._set()
        for call in calls:
            call.decoded()
        if self.chunks is not None:
            self._carried(self.chunks)
        self.world.fire(calls)

    def _carried(self, law: Chunked) -> None:
        """The call whose prompt has been read in chunks, if there is one, decodes from now on."""
        call = self._reads
        if call is not None and self._carries and not law.reading:
            self._carries = False
            call.joins(call)

    def waiting(self) -> Iterator[tuple[str, str, list[str]]]:
        held = [] if self._reads is None else [self._reads.request.line.path]
        for *_, call in sorted(self._queue, key=lambda entry: entry[:4]):
            if not call.gone:
                yield call.request.line.path, self._name, held

    def peak(self) -> Peak | None:
        return None
