"""What a change saves, from the same replications run with and without it.

Both runs of a pair draw the same numbers, so their difference is far steadier than their times.
Where only the first of the replications were run again, their saving is carried over to all as a
share of the wall time: the ratio estimator of double sampling (Cochran, Sampling Techniques, 3rd
ed. 1977, chapters 6 and 12). A sample whose runs happen to be short then does not make the saving
small, and what is saved and what is left add up to the mean of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt

from agentsim.analysis.estimate import half_width, t95
from agentsim.records import SECOND

Interval = tuple[float, float]


def saving(before: Sequence[int], after: Sequence[int]) -> tuple[float, Interval]:
    """Mean seconds saved a run, and the 95 % interval of that.

    `before`: the wall times (nanoseconds) of all replications; `after`: with the change, those of
    the first of them or of all. Over all it is the plain mean of the differences.
    """
    count = len(after)
    saved, base = sum(before[:count]) - sum(after), sum(before[:count])
    if count == len(before) or not base:
        half = half_width([a - b for a, b in zip(before, after, strict=False)])
        return _around(saved / (count * SECOND), half / SECOND)
    mean = saved * sum(before) / (base * len(before) * SECOND)
    return _around(mean, _ratio_half(before, after, saved / base) / SECOND)


def _around(mean: float, half: float) -> tuple[float, Interval]:
    return mean, (mean - half, mean + half)


def _ratio_half(before: Sequence[int], after: Sequence[int], share: float) -> float:
    """Half of the interval of share * mean of all, by the delta method.

    Each run moves the estimate by its own wall time, which counts in the mean of all; a run that
    was repeated also by its residual, what it saved beyond the common share. The squares of these
    add up to the variance: the residuals' over the pairs, the wall times' over all replications.
    """
    count, whole = len(after), len(before)
    mean = fsum(before) / whole
    scale = mean / (fsum(before[:count]) / count)
    moves = [share * (wall - mean) / whole for wall in before]
    for i, (wall, changed) in enumerate(zip(before, after, strict=False)):
        moves[i] += scale * (wall - changed - share * wall) / count
    if count < 2:
        return 0.0
    return t95(count - 1) * sqrt(fsum(move * move for move in moves) * count / (count - 1))
