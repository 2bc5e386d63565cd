"""The state of a batching server: all sequences advance together, by one step counter.

k steps of B sequences with contexts that add up to T take k*s(B) + c*(T*k + B*p*k*k/2) seconds, p
tokens a step (DESIGN section 4). Between events everything is in closed form, so an event costs
O(log B) whatever the number of tokens. Steps are continuous: a sequence that joins in the middle
of a step is served from then on, where a real server makes it wait for the next step.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from heapq import heappop, heappush

from agentsim.laws.decode import Decode

_NANO = 1e-9
# Times are whole nanoseconds, so a token or an end may be short of its time by half of one.
_CRUMB = 1e-9  # of a token: what a division may lose
_ROUNDING = 1e-9  # seconds


@dataclass(slots=True)
class _Member:
    order: int
    joined: float  # the step counter when it joined
    context: float
    tokens: float


class Batch:
    """The sequences that decode on one server. `now` is whole nanoseconds and never goes back.

    The caller sets one timer to `next_finish()` after each change, and at its time calls
    `advance(now)` and takes `done()`; a sequence that is not taken out at its end would go on.
    """

    def __init__(self, law: Decode) -> None:
        self._law = law
        self._steps: dict[int, float] = {}  # s(B), asked once for each B
        self._members: dict[Hashable, _Member] = {}
        self._marks: list[tuple[float, int, Hashable]] = []  # (the counter at its end, order, id)
        self._count = 0.0
        self._context = 0.0
        self._now = 0
        self._order = 0
        self._paused = False
        self._linear = self._square = 0.0

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, id: Hashable) -> bool:
        return id in self._members

    @property
    def context(self) -> float:
        """T: the sum of the contexts at the last `now`, in tokens."""
        return self._context

    @property
    def paused(self) -> bool:
        return self._paused

    def join(self, id: Hashable, context: float, tokens: float, now: int) -> None:
        """A sequence starts to make `tokens` after `context` ones. `id` must not be decoding."""
        if id in self._members:
            raise ValueError(f"{id!r} is decoding already")
        self.advance(now)
        self._order += 1
        self._members[id] = _Member(self._order, self._count, context, tokens)
        self._context += context
        end = self._count + tokens / self._law.per_step
        heappush(self._marks, (end, self._order, id))
        self._tune()

    def leave(self, id: Hashable, now: int, stretch: float = 1.0) -> int:
        """A sequence is cut short; returns the whole tokens that it has made (see `made`)."""
        self.advance(now)
        made = self.made(id, stretch)
        self._take_out(id)
        return made

    def made(self, id: Hashable, stretch: float = 1.0) -> int:
        """Whole tokens that a decoding sequence has made up to the last `now`.

        `stretch`: how many tokens of the law it joined with for each of its own (a call that is
        slower than others by that factor).
        """
        member = self._members[id]
        linear = self._linear
        steps = self._count - member.joined + (_ROUNDING / linear if linear else 0.0)
        return math.floor(min(steps * self._law.per_step, member.tokens) / stretch + _CRUMB)

    def advance(self, now: int) -> None:
        """Let time pass up to `now`. Needed only before `made` and `context` are read."""
        elapsed = now - self._now
        if not elapsed:
            return
        if elapsed < 0:
            raise ValueError(f"time went back from {self._now} to {now}")
        self._now = now
        if self._paused or not self._members:
            return
        linear, square = self._linear, self._square
        if linear == 0.0 and square == 0.0:
            return  # steps take no time: all is done at once, see `done`
        seconds = elapsed * _NANO
        if not square:
            self._move(seconds / linear)
            return
        # The root of square*k*k + linear*k = seconds, in the form that loses no digits.
        self._move(2.0 * seconds / (linear + math.sqrt(linear * linear + 4.0 * square * seconds)))

    def pause(self, now: int) -> None:
        """Decoding stands still, as it does while an exclusive prompt is read."""
        self.advance(now)
        self._paused = True

    def resume(self, now: int) -> None:
        """Decoding goes on."""
        self.advance(now)
        self._paused = False

    def next_finish(self) -> float | None:
        """Seconds from the last `now` to the next end; None where none comes by itself.

        0 for a sequence that is at its end, also while decoding stands still: it needs no step.
        """
        mark = self._top()
        if mark is None:
            return None
        left = mark - self._count
        seconds = left * (self._linear + self._square * left) if left > 0.0 else 0.0
        if self._paused:
            return 0.0 if seconds <= _ROUNDING else None
        return seconds

    def done(self) -> list[Hashable]:
        """Take out what is at its end at the last `now`, in the order of end, then of joining."""
        ended: list[Hashable] = []
        while True:
            mark = self._top()
            if mark is None:
                return ended
            left = mark - self._count
            if left > 0.0:
                if left * (self._linear + self._square * left) > _ROUNDING:
                    return ended
                self._move(left)
            id = self._marks[0][2]
            self._take_out(id)
            ended.append(id)

    def _tune(self) -> None:
        """What k steps of the present batch take: linear*k + square*k*k seconds."""
        law, streams = self._law, len(self._members)
        step = self._steps.get(streams)
        if step is None:
            step = self._steps[streams] = law.step(max(1, streams))
        self._linear = step + law.slope * self._context
        self._square = 0.5 * law.slope * streams * law.per_step

    def _move(self, steps: float) -> None:
        self._count += steps
        self._context += steps * self._law.per_step * len(self._members)
        self._linear += 2.0 * self._square * steps

    def _top(self) -> float | None:
        """The nearest end of a sequence that is still here (those that left are dropped)."""
        marks, members = self._marks, self._members
        while marks:
            mark, order, id = marks[0]
            member = members.get(id)
            if member is not None and member.order == order:
                return mark
            heappop(marks)
        return None

    def _take_out(self, id: Hashable) -> None:
        member = self._members.pop(id)
        self._context -= member.context + (self._count - member.joined) * self._law.per_step
        if not self._members:
            # An empty server starts anew, so that rounding does not add up over a long run.
            self._count = self._context = 0.0
            self._marks.clear()
        self._tune()
