"""How many replications are enough: a number given, or a precision reached.

A precision is looked at after 100, 200, 400, ... replications and nowhere else, so that the
answer is the same for any number of processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentsim.analysis.estimate import half_width, mean_of
from agentsim.analysis.outcome import Tally

RUNS = 1_000
"""Replications where nothing else is asked for."""

FIRST_LOOK = 100
MOST = 20_000
"""Replications after which a precision is given up."""


def checkpoints(runs: int, precision: float | None, exact: bool) -> Iterator[int]:
    """The numbers of replications to reach one after another; an exact graph needs one."""
    if exact:
        yield 1
    elif precision is None:
        yield runs
    else:
        count = FIRST_LOOK
        while count < MOST:
            yield count
            count *= 2
        yield MOST


def precise(tallies: Sequence[Tally], precision: float) -> bool:
    """Whether the mean wall time is known to within `precision` (a share, 95 % interval)."""
    walls = [float(tally.wall) for tally in tallies]
    return half_width(walls) <= precision * mean_of(walls)
