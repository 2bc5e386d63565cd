"""What becomes of a span's marks when it is cut short."""

from __future__ import annotations

from agentsim.records import Mark, Part


def cut(marks: list[Mark], began: int, now: int, part: Part) -> list[Mark]:
    """The marks of a span that ends at `now`; `part` is what it was in where no mark reaches."""
    kept = [mark for mark in marks if mark[1] <= now]
    if (kept[-1][1] if kept else began) < now:
        kept.append((next((mark[0] for mark in marks if mark[1] > now), part), now))
    return kept
