"""The state of a batching server: all sequences advance together, by one step counter.

k steps of B sequences with contexts that add up to T take k*s(B) + c*(T*k + B*p*k*k/2) seconds, p
tokens a step (docs/model.md, "A call"). Between events everything is in closed form, so an event
costs O(log B) whatever the number of tokens. Steps are continuous: a sequence that joins in the
middle of a step is served from then on, where a real server makes it wait for the next step.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable
from heapq import heappop, heappush

from agentsim.laws.decode import Decode

SECOND = 1e9  # nanoseconds
# Times are whole nanoseconds, so a token or an end may be short of its time by half of one.
CRUMB = 1e-9  # of a token: what a division may lose
ROUNDING = 1e-9  # seconds

_KEPT = 1024  # pieces of the past before those that no sequence reaches back to are dropped

NEVER = 1 << 99
"""Later than any instant."""

_Piece = tuple[float, int, float, float]
"""From a step counter and an instant on, k steps take linear*k + square*k*k seconds."""


class Member:
    """A sequence while it decodes: `end` is the step counter at which it is done."""

    __slots__ = ("context", "end", "here", "id", "joined", "pace", "tokens")

    def __init__(
        self, id: Hashable, joined: float, end: float, context: float, tokens: float, pace: float
    ) -> None:
        self.id = id
        self.joined = joined
        self.end = end
        self.context = context
        self.tokens = tokens
        self.pace = pace
        """Tokens that it makes in a step."""
        self.here = True


class Batch:
    """The sequences that decode on one server, `size` of them.

    `now` is whole nanoseconds and never goes back.

    `due` is the instant of the next end, and changes with every change. The caller takes
    `done(due)` then; a sequence that is not taken out at its end would go on.
    """

    def __init__(self, law: Decode) -> None:
        self._law = law
        self._slope = law.slope
        self._per_step = law.per_step
        self._rows: dict[int, tuple[float, float, float]] = {}  # by streams, see `_row`
        self.size = 0
        self._ends: list[tuple[float, int, Member]] = []  # the first is of one that is here
        self._past: list[_Piece] = []
        self._kept = _KEPT
        self._count = 0.0
        self._context = 0.0
        self._now = 0
        self._order = 0
        self._linear = self._square = 0.0
        self._rise = 0.0  # tokens of context that a step adds
        self._extra = 0.0  # of it, what those add that have a pace of their own
        self.due = NEVER
        self.slowed = 1.0
        """A step takes so many times as long as the law says."""
        self.paused = False
        self._moves = False  # steps pass with time: some decode, not paused, steps take time

    @property
    def context(self) -> float:
        """T: the sum of the contexts at the last `now`, in tokens."""
        return self._context

    def join(
        self,
        id: Hashable,
        context: float,
        tokens: float,
        now: int,
        resumes: bool = False,
        pace: float = 0.0,
    ) -> Member:
        """A sequence starts to make `tokens` after `context` ones; `done` will name it by its id.

        `resumes`: decoding that stood still goes on with it. `pace`: tokens that it makes in a
        step, where that is not what the law says.
        """
        self.advance(now)
        if resumes:
            self.paused = False
        if not self.size:
            # An empty server starts anew, so that rounding does not add up over a long run.
            self._count = 0.0
            self._past.clear()
        elif len(self._past) > self._kept:
            self._forget()
        self._order = order = self._order + 1
        joined = self._count
        if pace:
            self._extra += pace - self._per_step
        else:
            pace = self._per_step
        end = joined + tokens / pace
        member = Member(id, joined, end, context, tokens, pace)
        self.size += 1
        self._context += context
        heappush(self._ends, (end, order, member))
        self._tune()
        return member

    def leave(self, member: Member, now: int, stretch: float = 1.0) -> int:
        """A sequence is cut short; returns the whole tokens that it has made (see `made`)."""
        self.advance(now)
        made = self.made(member, stretch)
        self._take_out(member)
        self._drop()
        self._tune()
        return made

    def made(self, member: Member, stretch: float = 1.0) -> int:
        """Whole tokens that a decoding sequence has made up to the last `now`.

        `stretch`: how many tokens of the law it joined with for each of its own (a call that is
        slower than others by that factor).
        """
        linear = self._linear
        steps = self._count - member.joined + (ROUNDING / linear if linear else 0.0)
        return math.floor(min(steps * member.pace, member.tokens) / stretch + CRUMB)

    def when(self, joined: float, tokens: float, pace: float = 0.0) -> int:
        """The instant at which a sequence that joined at that counter had made so many tokens.

        Right until the next one joins after its end: what no sequence reaches back to is dropped
        then. Not for 0 tokens, which were there when it joined.
        """
        count = joined + tokens / (pace or self._per_step)
        past = self._past
        since, began, linear, square = past[(bisect_left(past, (count,)) or 1) - 1]
        steps = count - since
        at = began + round(steps * (linear + square * steps) * SECOND)
        return at if at < self._now else self._now

    def advance(self, now: int) -> None:
        """Let time pass up to `now`. Needed only before `made` and `context` are read."""
        elapsed = now - self._now
        if not elapsed:
            return
        if elapsed < 0:
            raise ValueError(f"time went back from {self._now} to {now}")
        self._now = now
        if not self._moves:
            return
        linear, square = self._linear, self._square
        seconds = elapsed / SECOND
        if square:
            # The root of square*k*k + linear*k = seconds, in the form that loses no digits.
            steps = 2.0 * seconds / (linear + math.sqrt(linear * linear + 4.0 * square * seconds))
            self._linear = linear + 2.0 * square * steps
        else:
            steps = seconds / linear
        self._count += steps
        self._context += steps * self._rise

    def pause(self, now: int) -> None:
        """Decoding stands still from now on, as it does while an exclusive prompt is read."""
        self.advance(now)
        self.paused = True
        self._moves = False
        # one that is at its end needs no further step, and ends all the same
        self.due = now if self._ends and self._left() <= ROUNDING else NEVER

    def slow(self, factor: float, now: int) -> None:
        """From now on steps take so many times as long as the law says."""
        self.advance(now)
        self.slowed = factor
        self._tune()

    def resume(self, now: int) -> None:
        """Decoding goes on."""
        self.advance(now)
        self.paused = False
        self._tune()

    def done(self, now: int) -> list[Hashable]:
        """Take out what is at its end at `now`, by end, then by joining."""
        ended: list[Hashable] = []
        ends = self._ends
        due = now == self.due
        if due:
            self._now = now  # the first is at its end: how far that is need not be worked out
        else:
            self.advance(now)
        while ends:
            end, _, member = ends[0]
            left = end - self._count
            if left > 0.0:
                if not due and left * (self._linear + self._square * left) > ROUNDING:
                    break
                self._count = end
                self._context += left * self._rise
                self._linear += 2.0 * self._square * left
            ended.append(member.id)
            self._take_out(member)
            heappop(ends)
            while ends and not ends[0][2].here:
                heappop(ends)
            due = False
        self._tune()
        return ended

    def _tune(self) -> None:
        """What k steps of the present batch take, linear*k + square*k*k seconds, and its end."""
        size = self.size
        if not size:
            self._linear = self._square = self._rise = 0.0
            self._moves = False
            self.due = NEVER
            return
        step, square, self._rise = self._rows.get(size) or self._row(size)
        linear = step + self._slope * self._context
        if self._extra:
            self._rise += self._extra
            square += 0.5 * self._slope * self._extra
        if self.slowed != 1.0:
            linear *= self.slowed
            square *= self.slowed
        self._linear = linear
        self._square = square
        now = self._now
        self._past.append((self._count, now, linear, square))
        left = self._ends[0][0] - self._count
        seconds = left * (linear + square * left) if left > 0.0 else 0.0
        if self.paused:
            self.due = now if seconds <= ROUNDING else NEVER
            return
        # steps that take no time are all done at once, see `done`
        self._moves = linear > 0.0 or square > 0.0
        self.due = now + round(seconds * SECOND)

    def _left(self) -> float:
        """Seconds of decoding up to the next end."""
        left = self._ends[0][0] - self._count
        return left * (self._linear + self._square * left) if left > 0.0 else 0.0

    def _row(self, size: int) -> tuple[float, float, float]:
        """What a number of streams alone decides: s(B), the bend, and the rise of the context."""
        rise = self._per_step * size
        row = self._rows[size] = self._law.step(size), 0.5 * self._slope * rise, rise
        return row

    def _forget(self) -> None:
        """Drop the past that no sequence reaches back to; next time at twice what is left."""
        oldest = min(member.joined for _, _, member in self._ends if member.here)
        del self._past[: max(0, bisect_left(self._past, (oldest,)) - 1)]
        self._kept = max(_KEPT, 2 * len(self._past))

    def _drop(self) -> None:
        """Drop the ends of those that have left, up to the first that is here."""
        ends = self._ends
        while ends and not ends[0][2].here:
            heappop(ends)

    def _take_out(self, member: Member) -> None:
        """It decodes no more; its place among the ends is taken by the caller."""
        member.here = False
        self.size -= 1
        if self.size:
            self._context -= member.context + (self._count - member.joined) * member.pace
            if self._extra:
                self._extra -= member.pace - self._per_step
        else:
            self._context = self._extra = 0.0
