"""Misses of prompt caches by cause: what had been held, was lost, and had to be read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from agentsim.analysis.outcome import MissTally
from agentsim.records import PEOPLE, Miss, Part, Span, Why

TOOL, PERSON, OTHER = "expired_tool", "expired_person", "expired"
"""Run out while a tool ran, a person was waited for, or anything else took its time."""

CAUSES = (TOOL, PERSON, OTHER, "evicted", "too_large", "unloaded", "degraded")
"""In the order of the answer. Of those that did not run out, the names of `Why`."""

_TOOLS = frozenset((Part.TOOL, Part.POOL_WAIT, Part.MERGE))


@dataclass(frozen=True, slots=True)
class MissFindings:
    """Calls that read again what a prompt cache had held, by one cause, means per run.

    `seconds`: of reading, all added up; `money`: dollars more than a hit would have cost, None
    without a price.
    """

    calls: float
    tokens: float
    seconds: float
    money: float | None


def cause_of(spans: Sequence[Span], cause: int, began: int, start: int, miss: Miss) -> str:
    """Why a call's prompt was lost; `cause` and `began` are those of its span, `start` its service.

    What ran out did so by what took longest since its last use, on the call's own chain; of equals
    a tool, then a person.
    """
    if miss.why is not Why.EXPIRED:
        return miss.why.name.lower()
    took = {TOOL: 0, PERSON: 0, OTHER: max(0, start - max(began, miss.since))}
    while cause >= 0 and began > miss.since:
        span = spans[cause]
        at = span.began
        for part, until in span.marks:
            time = min(until, began) - max(at, miss.since)
            if time > 0:
                took[_kind(part)] += time
            at = until
        cause, began = span.cause, span.began
    return max(took, key=lambda kind: took[kind])


def _kind(part: Part) -> str:
    if part in _TOOLS:
        return TOOL
    return PERSON if part in PEOPLE else OTHER


def tally(rows: Sequence[tuple[str, Miss]]) -> tuple[MissTally, ...]:
    """One row a cause that there was."""
    found = []
    for cause in CAUSES if rows else ():
        own = [miss for why, miss in rows if why == cause]
        if own:
            tokens, time = sum(it.tokens for it in own), sum(it.time for it in own)
            found.append(MissTally(cause, len(own), tokens, time, fsum(it.money for it in own)))
    return tuple(found)
