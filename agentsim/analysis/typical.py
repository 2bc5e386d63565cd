"""Where the average and the typical run part: a few long runs, and what helps the one or the other.

Most answers are skewed: half of the runs are short, a few are very long, and the average, its parts
and what is saved of it are those of the few.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.analysis.findings import Lever

LONGEST = 0.05
"""The share of the runs that are called the longest."""

WORTH = 0.01
"""Of two levers, one is better for the typical run if it saves this share of it more, or above."""


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


def better_for_typical(levers: Sequence[Lever], typical: float) -> Lever | None:
    """The lever that saves most of the `typical` run (seconds), where by the mean it is another.

    None where it is the same one, or where their difference may be chance or is no more than a
    hundredth: their 95 % intervals must lie apart. What nobody can have (with a `note`: infinitely
    fast decoding) is left out.
    """
    known = [it for it in levers if it.typical is not None and not it.note]
    if not known:
        return None
    by_mean = max(known, key=lambda it: it.saves)
    best = min(known, key=lambda it: it.typical or 0.0)
    more = (by_mean.typical or 0.0) - (best.typical or 0.0)
    apart = best.typical_saves_ci95[0] > max(0.0, by_mean.typical_saves_ci95[1])
    return best if apart and more >= WORTH * typical else None
