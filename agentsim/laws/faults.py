"""Calls that do not end well: what becomes of one by one uniform, and what tries come to."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from enum import IntEnum


class Fate(IntEnum):
    """What chance does to one call."""

    NONE = 0
    OVERLOAD = 1
    """Turned away before service."""
    ERROR = 2
    """Ends after its latency, with nothing read and nothing made."""
    DROPPED = 3
    """The stream of its output breaks."""


def fate(u: float, overload: float, error: float, dropped: float) -> tuple[Fate, float]:
    """What a uniform number means by the shares of calls, and a uniform number that is left of it.

    Whether it goes well lies at the upper end: more faults of one kind never mend another call.
    """
    for kind, share in (
        (Fate.OVERLOAD, overload),
        (Fate.ERROR, error),
        (Fate.DROPPED, dropped),
    ):
        if u < share:
            return kind, u / share
        u -= share
    return Fate.NONE, u


def broken_after(share: float, tokens: int, came: int) -> int:
    """Whole tokens of an answer that are there when its stream breaks, evenly from `came` on.

    `came`: tokens that come with the first-token time, before a stream can break; all of an answer
    is there where that is all.
    """
    return came + int(share * (tokens - came)) if tokens > came else tokens


def mean_tries(fails: float, most: int) -> float:
    """Tries of one call in the mean, each of which fails with that chance, `most` in all."""
    return (1.0 - fails**most) / (1.0 - fails) if fails < 1.0 else float(most)


def given_up(fails: float, most: int) -> float:
    """The share of calls that fail in every one of their tries."""
    return fails**most


def mean_waits(fails: float, waits: Sequence[float]) -> float:
    """What one call waits between its tries in the mean; the n-th wait needs n failed tries."""
    return sum(wait * fails ** (n + 1) for n, wait in enumerate(waits))


def over_at(outages: Sequence[tuple[int, int]], now: int) -> int:
    """When the outage is over that is on `now`; -1 where none is.

    `outages`: (from, to) in order, none within another. One begins at its first instant and is over
    at its last.
    """
    n = bisect_right(outages, (now, 1 << 62)) - 1
    return outages[n][1] if n >= 0 and now < outages[n][1] else -1
