"""A batching server simulated token by token, written apart from the closed forms.

Nothing is shared with `agentsim.laws.batch`: a plain loop over steps. A sequence joins at the next
step, and leaves at the end of a step. `server_loop` reads prompts as well, by each of the three
schedules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Sequence:
    id: int
    arrives: float
    context: int
    tokens: int
    cut_at: float | None = None  # leaves early at this time
    made: int = 0
    ended: float | None = None
    prompt: int = 0  # tokens to be read first; they are in `context`
    read: int = 0


def token_loop(
    sequences: list[Sequence], step: Callable[[int], float], slope: float, per_step: int = 1
) -> None:
    """Fill in `made` and `ended` of each sequence."""
    waiting = sorted(sequences, key=lambda s: (s.arrives, s.id))
    running: list[Sequence] = []
    now = 0.0
    while waiting or running:
        if not running:
            now = max(now, waiting[0].arrives)
        while waiting and waiting[0].arrives <= now:
            running.append(waiting.pop(0))
        context = sum(s.context + s.made for s in running)
        now += step(len(running)) + slope * context
        for s in list(running):
            if s.cut_at is not None and now > s.cut_at:
                s.ended = s.cut_at
                running.remove(s)
                continue
            s.made = min(s.tokens, s.made + per_step)
            if s.made == s.tokens:
                s.ended = now
                running.remove(s)


Reading = Callable[[int, int], float]
"""Seconds to read so many tokens after so many."""


def server_loop(
    calls: list[Sequence],
    step: Callable[[int], float],
    slope: float,
    reading: Reading,
    schedule: str,
    chunk: int = 0,
) -> list[tuple[float, float]]:
    """Fill in `made` and `ended` of each call, on a server that reads their prompts too.

    A prompt begins with a step, as on a real server, and is given up at the instant of the cut.
    Returns when decoding stood still for prompts, from and to.
    """
    if schedule == "separate":
        joins = _read_apart(calls, reading)
        came = {call.id: call.arrives for call in calls}
        for call, at in joins:
            call.arrives = at
        token_loop([call for call, _ in joins], step, slope)
        for call in calls:
            call.arrives = came[call.id]
        return []
    loop = _Loop(calls, step, slope, reading, chunk if schedule == "chunked" else 0)
    loop.run()
    return loop.stood


def _read_apart(calls: list[Sequence], reading: Reading) -> list[tuple[Sequence, float]]:
    """When each joins whose prompt is read by a reader of its own, one after the other."""
    free, joins = 0.0, []
    for call in sorted(calls, key=lambda c: (c.arrives, c.id)):
        at = call.arrives
        if call.prompt:
            begins = max(free, at)
            at = begins + reading(call.prompt, 0)
            if call.cut_at is not None and call.cut_at <= at:
                free = max(begins, call.cut_at) if call.cut_at > begins else free
                call.ended = call.cut_at
                continue
            free = at
        joins.append((call, at))
    return joins


class _Loop:
    """Step after step, or with `chunk` a step and so many tokens of a prompt."""

    def __init__(
        self,
        calls: list[Sequence],
        step: Callable[[int], float],
        slope: float,
        reading: Reading,
        chunk: int,
    ) -> None:
        self.coming = sorted(calls, key=lambda c: (c.arrives, c.id))
        self.step, self.slope, self.reading = step, slope, reading
        self.chunk = chunk
        self.stood: list[tuple[float, float]] = []
        self.desk: list[Sequence] = []
        self.running: list[Sequence] = []
        self.now = 0.0

    def run(self) -> None:
        while self.coming or self.desk or self.running:
            self.arrive()
            if not self.chunk:
                self.read_all()
            for call in [*self.desk, *self.running]:
                if call.cut_at is not None and call.cut_at <= self.now:
                    self.drop(call)
            if not (self.running or self.desk):
                if self.coming:
                    self.now = max(self.now, self.coming[0].arrives)
                continue
            self.one_step()

    def arrive(self) -> None:
        while self.coming and self.coming[0].arrives <= self.now:
            call = self.coming.pop(0)
            (self.desk if call.prompt else self.running).append(call)

    def drop(self, call: Sequence) -> None:
        call.ended = call.cut_at
        (self.desk if call in self.desk else self.running).remove(call)

    def read_all(self) -> None:
        """Exclusively: one prompt after the other, with those that come meanwhile."""
        began = self.now
        while self.desk:
            call = self.desk[0]
            end = self.now + self.reading(call.prompt, 0)
            if call.cut_at is not None and call.cut_at <= end:
                self.now = max(self.now, call.cut_at)
                self.drop(call)
            else:
                self.now = end
                self.running.append(self.desk.pop(0))
            self.arrive()
        if self.now > began:
            self.stood.append((began, self.now))

    def one_step(self) -> None:
        took, reads = 0.0, self.desk[0] if self.desk else None
        running = list(self.running)
        if running:
            took = self.step(len(running))
            took += self.slope * sum(call.context + call.made for call in running)
        decoding = took
        if reads:
            piece = min(self.chunk, reads.prompt - reads.read)
            took += self.reading(piece, reads.read)
            reads.read += piece
        end = self.now + took
        if reads and reads.cut_at is not None and reads.cut_at < end:
            # what is left of the step goes on without it
            left = (end - reads.cut_at) / took
            end = reads.cut_at + left * decoding
            self.drop(reads)
            reads = None
        self.now = end
        for call in running:
            if call.cut_at is not None and call.cut_at < end:
                self.drop(call)
                continue
            call.made += 1
            if call.made == call.tokens:
                call.ended = end
                self.running.remove(call)
        if reads and reads.read == reads.prompt:
            self.running.append(self.desk.pop(0))
