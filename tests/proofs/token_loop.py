"""A batching server simulated token by token, written apart from the closed forms.

Nothing is shared with `agentsim.laws.batch`: a plain loop over steps. A sequence joins at the next
step, and leaves at the end of a step.
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
