"""Where the average and the typical run part: a few long runs, and what helps the one or the other.

Most answers are skewed: half of the runs are short, a few are very long, and the average, its parts
and what is saved of it are those of the few.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.analysis.findings import Lever
from agentsim.analysis.outcome import Tally

LONGEST = 0.05
"""The share of the runs that are called the longest."""

WORTH = 0.01
"""Of two levers, one is better for the typical run if it saves this share of it more, or above."""

MIDDLE = 0.2
"""The share of the runs that are called typical: those around the median."""


def middle(tallies: Sequence[Tally]) -> list[Tally]:
    """The fifth of the runs in the middle of their wall times; of equal ones in their order."""
    ordered = sorted(tallies, key=lambda tally: tally.wall)
    left = round(len(ordered) * (1 - MIDDLE) / 2)
    return ordered[left : len(ordered) - left]


def held_by_longest(walls: Sequence[int]) -> float | None:
    """The share of all time that the longest 5 % of the runs take; a part of a run counts as such.

    None where that is less than one run, or where no run takes any time.
    """
    count = LONGEST * len(walls)
    total = sum(walls)
    if count < 1 or not total:
        return None
    whole = int(count)
    ordered = sorted(walls, reverse=True)
    return (sum(ordered[:whole]) + (count - whole) * ordered[whole]) / total


def better_for_typical(levers: Sequence[Lever], typical: float) -> tuple[Lever, Lever] | None:
    """One lever that is better for the `typical` run (seconds), and one that is by the mean.

    Of the pairs whose order by the mean is not that by the typical run, the best for the typical
    run and then the best by the mean; None where there is no such pair. A difference that may be
    chance, their 95 % intervals not lying apart, or of no more than a hundredth makes none. What
    nobody can have (with a `note`: infinitely fast decoding) is left out, and so is what was tried
    on fewer of the runs than others: medians of other runs may lie in another part of them.
    """
    most = max((it.runs for it in levers), default=0)
    known = [it for it in levers if it.typical is not None and not it.note and it.runs == most]
    by_mean = sorted(known, key=lambda it: -it.saves)
    for best in sorted(known, key=lambda it: it.typical or 0.0):
        for other in by_mean[: by_mean.index(best)]:
            apart = best.typical_saves_ci95[0] > max(0.0, other.typical_saves_ci95[1])
            more = (other.typical or 0.0) - (best.typical or 0.0)
            if apart and more >= WORTH * typical:
                return best, other
    return None
