"""A batching server that reads prompts in chunks between its tokens (`schedule: chunked`).

Each step carries `chunk` tokens of one prompt, the last one what is left of it, and lasts longer by
what the prefill law says of them. The steps go on by the counter of `batch`: while a stretch of a
prompt is read, k steps take

    k*s(B) + c*(T*k + B*p*k*k/2) + linear*k + square*k*k  seconds,

so a prompt costs as many events as it has stretches (two, and one more for the fixed part of a
prompt and for each row of a table by depth that it passes), whatever the number of tokens. B does
not count the prompt's own call. With nobody decoding a stretch takes its own time alone.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from heapq import heappop

from agentsim.laws.batch import CRUMB, NEVER, ROUNDING, SECOND, Batch, Member
from agentsim.laws.decode import Decode
from agentsim.laws.prefill import PrefillLaw

Stretch = tuple[float, float, float, float]
"""(steps, linear, square, tokens a step): k of the steps add linear*k + square*k*k seconds."""


def stretches(law: PrefillLaw, chunk: int, new: int, cached: int) -> list[Stretch]:
    """A prompt as the steps that carry it: ceil(new / chunk) of them, but at least one.

    Together they add `law.seconds(new, cached)`. The fixed part of a prompt is in the first step.
    """
    fixed = law.seconds(0, 1)
    if new <= 0:
        return [(1.0, fixed, 0.0, 0.0)]
    whole = (math.ceil(new / chunk) - 1) * chunk  # tokens in full chunks
    found: list[Stretch] = []
    read = 0.0
    for length, per_token, bend in law.pieces(new, cached):
        began = read
        end = min(began + length, float(new))
        while read < end:
            until, pace = end, float(new - whole)
            if read < whole:
                until, pace = min(end, whole), float(chunk)
            more = 0.0
            if fixed and read < chunk:
                until, more = min(until, chunk), fixed
            linear = pace * (per_token + 2.0 * bend * (read - began)) + more
            found.append(((until - read) / pace, linear, bend * pace * pace, pace))
            read = until
    return found


class Chunked(Batch):
    """The sequences that decode on one server, and the prompt that is read between their tokens.

    `due` is the next end, of a sequence or of a stretch of the prompt; after `done(due)` the prompt
    has been read where `reading` is no longer so.
    """

    def __init__(self, law: Decode) -> None:
        super().__init__(law)
        self.reading = False
        self._left_over: list[Stretch] = []  # what comes after this stretch, the next one last
        self._from = 0.0  # the step counter at which this stretch began
        self._until = math.inf  # and at which it ends
        self._more = self._bend = self._pace = 0.0  # of this stretch
        self._read = 0.0  # tokens of the prompt in the stretches before
        self._spent = 0.0  # seconds that all stretches before took of their own

    def read(self, prompt: list[Stretch], now: int) -> None:
        """A prompt begins to be read: `stretches` of it. One at a time."""
        self.advance(now)
        self.reading = True
        self._left_over = prompt[::-1]
        self._read = 0.0
        self._next(self._count)
        self._tune()

    def give_up(self, now: int) -> int:
        """The prompt is read no further; returns its whole tokens that were."""
        self.advance(now)
        linear = self._linear
        steps = self._count - self._from
        reached = min(steps + (ROUNDING / linear if linear else 0.0), self._until - self._from)
        tokens = math.floor(self._read + self._pace * reached + CRUMB)
        self._spent += steps * (self._more + self._bend * steps)
        self._left_over = []
        self._stop()
        self._tune()
        return tokens

    def spent(self, now: int) -> float:
        """Seconds that prompts have taken of their own up to now, from the start on."""
        self.advance(now)
        if not self.reading:
            return self._spent
        steps = self._count - self._from
        return self._spent + steps * (self._more + self._bend * steps)

    def join(
        self,
        id: Hashable,
        context: float,
        tokens: float,
        now: int,
        resumes: bool = False,
        pace: float = 0.0,
    ) -> Member:
        """As in any batch; in the middle of a step of the prompt too."""
        self.advance(now)
        if not self.size:
            # the counter starts anew with it
            self._from -= self._count
            self._until -= self._count
        return super().join(id, context, tokens, now, resumes, pace)

    def done(self, now: int) -> list[Hashable]:
        """As of any batch; a stretch of the prompt that is at its end gives way to the next."""
        ended: list[Hashable] = []
        due = now == self.due
        if due:
            self._now = now
        else:
            self.advance(now)
        while True:
            mark = self._mark()
            if mark == math.inf:
                break
            left = mark - self._count
            if left > 0.0:
                if not due and left * (self._linear + self._square * left) > ROUNDING:
                    break
                self._count = mark
                self._context += left * self._rise
                self._linear += 2.0 * self._square * left
            due = False
            if mark == self._until:
                steps = mark - self._from
                self._spent += steps * (self._more + self._bend * steps)
                self._read += self._pace * steps
                self._next(mark)
            else:
                member = heappop(self._ends)[2]
                ended.append(member.id)
                self._take_out(member)
                self._drop()
            self._tune()
        return ended

    def _mark(self) -> float:
        """The step counter at the next end; infinite where nothing is to end."""
        ends = self._ends
        return min(ends[0][0], self._until) if ends else self._until

    def _next(self, count: float) -> None:
        """The next stretch begins, if there is one."""
        if not self._left_over:
            self._stop()
            return
        steps, self._more, self._bend, self._pace = self._left_over.pop()
        self._from = count
        self._until = count + steps

    def _stop(self) -> None:
        self.reading = False
        self._until = math.inf
        self._more = self._bend = self._pace = 0.0

    def _tune(self) -> None:
        if not self.reading:
            super()._tune()
            return
        step = square = self._rise = 0.0
        if self.size:
            step, square, self._rise = self._rows.get(self.size) or self._row(self.size)
            step += self._slope * self._context
            if self._extra:
                self._rise += self._extra
                square += 0.5 * self._slope * self._extra
        at = self._count - self._from
        self._linear = linear = step + self._more + 2.0 * self._bend * at
        self._square = square = square + self._bend
        now = self._now
        if self.size:
            self._past.append((self._count, now, linear, square))
        left = self._mark() - self._count
        seconds = left * (linear + square * left) if left > 0.0 else 0.0
        self._moves = linear > 0.0 or square > 0.0
        self.due = now + round(seconds * SECOND)
        assert self.due < NEVER
