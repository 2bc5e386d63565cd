"""The state of a batching server: all sequences advance together, by one step counter.

k steps of B sequences with contexts that add up to T take k*s(B) + c*(T*k + B*p*k*k/2) seconds, p
tokens a step (DESIGN section 4). Between events everything is in closed form, so an event costs
O(log B) whatever the number of tokens. Steps are continuous: a sequence that joins in the middle
of a step is served from then on, where a real server makes it wait for the next step.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable
from heapq import heappop, heappush

from agentsim.laws.decode import Decode

_SECOND = 1e9  # nanoseconds
# Times are whole nanoseconds, so a token or an end may be short of its time by half of one.
_CRUMB = 1e-9  # of a token: what a division may lose
_ROUNDING = 1e-9  # seconds


_KEPT = 1024  # pieces of the past before those that no sequence reaches back to are dropped

_Piece = tuple[int, float, float]
"""From an instant on, k steps take linear*k + square*k*k seconds."""


class _Member:
    """A sequence while it decodes: `end` is the step counter at which it is done."""

    __slots__ = ("context", "end", "here", "id", "joined", "order", "tokens")

    def __init__(
        self, order: int, id: Hashable, joined: float, end: float, context: float, tokens: float
    ) -> None:
        self.order = order
        self.id = id
        self.joined = joined
        self.end = end
        self.context = context
        self.tokens = tokens
        self.here = True


class Batch:
    """The sequences that decode on one server. `now` is whole nanoseconds and never goes back.

    The caller sets one timer to `next_finish()` after each change, and at its time takes
    `done(now)`; a sequence that is not taken out at its end would go on.
    """

    def __init__(self, law: Decode) -> None:
        self._law = law
        self._slope = law.slope
        self._per_step = law.per_step
        self._bend = 0.5 * law.slope * law.per_step
        self._steps: dict[int, float] = {}  # s(B), asked once for each B
        self._members: dict[Hashable, _Member] = {}
        self._ends: list[tuple[float, int, _Member]] = []  # the first is of one that is here
        self._since: list[float] = []  # the counter at which each piece of the past began
        self._past: list[_Piece] = []
        self._kept = _KEPT
        self._count = 0.0
        self._context = 0.0
        self._now = 0
        self._order = 0
        self._linear = self._square = 0.0
        self._rise = 0.0  # tokens of context that a step adds
        self.paused = False
        self._moves = False  # steps pass with time: some decode, not paused, steps take time

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, id: Hashable) -> bool:
        return id in self._members

    @property
    def context(self) -> float:
        """T: the sum of the contexts at the last `now`, in tokens."""
        return self._context

    def join(
        self, id: Hashable, context: float, tokens: float, now: int, resumes: bool = False
    ) -> float:
        """A sequence starts to make `tokens` after `context` ones. `id` must not be decoding.

        Returns the step counter at which it joins, for `when`. `resumes`: decoding that stood
        still goes on with it.
        """
        members = self._members
        if id in members:
            raise ValueError(f"{id!r} is decoding already")
        self.advance(now)
        if resumes:
            self.paused = False
        if not members:
            # An empty server starts anew, so that rounding does not add up over a long run.
            self._count = 0.0
            self._since.clear()
            self._past.clear()
        elif len(self._past) > self._kept:
            self._forget()
        self._order = order = self._order + 1
        joined = self._count
        end = joined + tokens / self._per_step
        members[id] = member = _Member(order, id, joined, end, context, tokens)
        self._context += context
        heappush(self._ends, (end, order, member))
        self._tune()
        return joined

    def leave(self, id: Hashable, now: int, stretch: float = 1.0) -> int:
        """A sequence is cut short; returns the whole tokens that it has made (see `made`)."""
        self.advance(now)
        made = self.made(id, stretch)
        self._take_out(self._members[id])
        self._tune()
        return made

    def made(self, id: Hashable, stretch: float = 1.0) -> int:
        """Whole tokens that a decoding sequence has made up to the last `now`.

        `stretch`: how many tokens of the law it joined with for each of its own (a call that is
        slower than others by that factor).
        """
        member = self._members[id]
        linear = self._linear
        steps = self._count - member.joined + (_ROUNDING / linear if linear else 0.0)
        return math.floor(min(steps * self._per_step, member.tokens) / stretch + _CRUMB)

    def when(self, joined: float, tokens: float) -> int:
        """The instant at which a sequence that joined at that counter had made so many tokens.

        Right until the next one joins after its end: what no sequence reaches back to is dropped
        then. Not for 0 tokens, which were there when it joined.
        """
        count = joined + tokens / self._per_step
        since = self._since
        i = bisect_left(since, count) or 1
        began, linear, square = self._past[i - 1]
        steps = (count if count < self._count else self._count) - since[i - 1]
        at = began + round(steps * (linear + square * steps) * _SECOND)
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
        seconds = elapsed / _SECOND
        if square:
            # The root of square*k*k + linear*k = seconds, in the form that loses no digits.
            steps = 2.0 * seconds / (linear + math.sqrt(linear * linear + 4.0 * square * seconds))
            self._linear = linear + 2.0 * square * steps
        else:
            steps = seconds / linear
        self._count += steps
        self._context += steps * self._rise

    def pause(self, now: int) -> bool:
        """Decoding stands still from now on, as it does while an exclusive prompt is read.

        Says whether a sequence is at its end now: it needs no further step, and ends all the same.
        """
        self.advance(now)
        self.paused = True
        self._moves = False
        return self.next_finish() is not None

    def resume(self, now: int) -> None:
        """Decoding goes on."""
        self.advance(now)
        self.paused = False
        self._tune()

    def next_finish(self) -> float | None:
        """Seconds from the last `now` to the next end; None where none comes by itself.

        0 for a sequence that is at its end, also while decoding stands still: it needs no step.
        """
        ends = self._ends
        if not ends:
            return None
        left = ends[0][0] - self._count
        seconds = left * (self._linear + self._square * left) if left > 0.0 else 0.0
        if self.paused:
            return 0.0 if seconds <= _ROUNDING else None
        return seconds

    def done(self, now: int | None = None) -> list[Hashable]:
        """Take out what is at its end at `now` (or the last one), by end, then by joining."""
        if now is not None:
            self.advance(now)
        ended: list[Hashable] = []
        ends = self._ends
        while ends:
            end, _, member = ends[0]
            left = end - self._count
            if left > 0.0:
                if left * (self._linear + self._square * left) > _ROUNDING:
                    break
                self._count = end
                self._context += left * self._rise
                self._linear += 2.0 * self._square * left
            ended.append(member.id)
            self._take_out(member)
        if ended:
            self._tune()
        return ended

    def _tune(self) -> None:
        """What k steps of the present batch take: linear*k + square*k*k seconds."""
        streams = len(self._members)
        if not streams:
            self._linear = self._square = self._rise = 0.0
            self._moves = False
            return
        step = self._steps.get(streams)
        if step is None:
            step = self._steps[streams] = self._law.step(streams)
        self._linear = linear = step + self._slope * self._context
        self._square = square = self._bend * streams
        self._rise = self._per_step * streams
        # steps that take no time are all done at once, see `done`
        self._moves = not self.paused and (linear > 0.0 or square > 0.0)
        self._since.append(self._count)
        self._past.append((self._now, linear, square))

    def _forget(self) -> None:
        """Drop the past that no sequence reaches back to; next time at twice what is left."""
        oldest = min(member.joined for member in self._members.values())
        dropped = max(0, bisect_left(self._since, oldest) - 1)
        del self._since[:dropped], self._past[:dropped]
        self._kept = max(_KEPT, 2 * len(self._past))

    def _take_out(self, member: _Member) -> None:
        del self._members[member.id]
        member.here = False
        if self._members:
            self._context -= member.context + (self._count - member.joined) * self._per_step
        else:
            self._context = 0.0
        ends = self._ends
        while ends and not ends[0][2].here:
            heappop(ends)
