"""What a change saves, from the same replications run with and without it.

Both runs of a pair draw the same numbers, so their difference is far steadier than their times.
Where only the first of the replications were run again, their saving is carried over to all as a
share of the wall time: the ratio estimator of double sampling (Cochran, Sampling Techniques, 3rd
ed. 1977, chapters 6 and 12). A sample whose runs happen to be short then does not make the saving
small, and what is saved and what is left add up to the mean of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, fsum, sqrt

from agentsim.analysis.estimate import (
    Z95,
    half_width,
    mean_of,
    quantile,
    quantile_error,
    spread,
    t95,
)
from agentsim.records import SECOND

Interval = tuple[float, float]

POWER = 0.8416212335729143
"""The 80 % point of the normal distribution: a study should tell in 4 of 5 cases."""

MOST_RUNS = 1_000_000
"""More runs than that are not advised: the command takes no more."""


@dataclass(frozen=True, slots=True)
class Apart:
    """By how much one thing is more than another in the mean run; `sd` of a pair.

    In the unit of what is compared; of a time, seconds.
    `ci95` is None where a single run that draws tells nothing of it. `needed`: about how many runs
    would tell the two apart, where they are not; None where more than `MOST_RUNS`, or unknown.
    """

    mean: float
    ci95: Interval | None
    sd: float
    runs: int
    needed: int | None = None

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out zero, or the two are the same in every run."""
        return self.ci95 is not None and (not self.ci95[0] <= 0 <= self.ci95[1] or self.is_same)

    @property
    def is_more(self) -> bool:
        """Whether the one is surely more than the other."""
        return self.is_clear and self.mean > 0

    @property
    def is_same(self) -> bool:
        """Whether no run differs at all."""
        return self.ci95 is not None and self.mean == 0 and self.sd == 0


def apart(times: Sequence[int], base: Sequence[int], exact: bool = False) -> Apart:
    """How much longer `times` are than `base` (nanoseconds), pair by pair, as many of each.

    `exact`: nothing is drawn in either, so that one pair says all.
    """
    return by_pairs([(a - b) / SECOND for a, b in zip(times, base, strict=True)], exact)


def apart_by(values: Sequence[float], base: Sequence[float], exact: bool = False) -> Apart:
    """How much more `values` are than `base`, pair by pair, in their own unit."""
    return by_pairs([a - b for a, b in zip(values, base, strict=True)], exact)


def by_pairs(more: Sequence[float], exact: bool = False) -> Apart:
    """What the differences of all pairs tell, at least one; `exact` as for `apart`."""
    mean, sd, runs = mean_of(more), spread(more), len(more)
    if runs < 2 and not exact:
        return Apart(mean, None, sd, runs)
    half = half_width(more)
    found = Apart(mean, (mean - half, mean + half), sd, runs)
    if found.is_clear:
        return found
    return Apart(mean, found.ci95, sd, runs, _needed(mean, sd, runs))


def _needed(mean: float, sd: float, runs: int) -> int | None:
    """Runs with which the interval leaves out zero in 4 of 5 studies, if `mean` and `sd` are true.

    The usual size of a paired sample, ((z95 + z80) sd / mean)^2. They did not tell, so it takes
    at the least twice as many, whatever a few runs say of their `sd`.
    """
    if abs(mean) * sqrt(MOST_RUNS) < (Z95 + POWER) * sd:
        return None
    return max(2 * runs, ceil(((Z95 + POWER) * sd / mean) ** 2))


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


def typical_saving(before: Sequence[int], after: Sequence[int]) -> tuple[float, Interval]:
    """What is left of the typical (median) run, seconds, and the 95 % interval of what is saved.

    `before` and `after` as for `saving`. Medians are compared on the same runs: where only the
    first were repeated, the median of all times (median with / median without, over those). Over
    all it is the plain median with the change.
    """
    count = len(after)
    own, whole = _Median.of(before[:count]), _Median.of(before)
    changed = _Median.of(after)
    if not own.value:
        return changed.value / SECOND, (-changed.value / SECOND, -changed.value / SECOND)
    left = changed.value
    if count == len(before):
        half = half_width([a - b for a, b in zip(own.moves(), changed.moves(), strict=True)])
    else:
        # as for the mean: what a run adds to its median stands for its time
        left = whole.value * changed.value / own.value
        share = 1.0 - changed.value / own.value
        half = _carried_half(
            share, whole.moves(), own.moves(), changed.moves(), whole.value / own.value
        )
    return left / SECOND, _around((whole.value - left) / SECOND, half / SECOND)[1]


@dataclass(frozen=True, slots=True)
class _Median:
    """The median of times, and how far each run moves it, times their number.

    A run above the median moves it by 1 / (2 f), one below by as much downwards, f being the
    density there (the influence function of the median). f comes from the interval by order
    statistics: the standard error of the median is 1 / (2 f sqrt(n)).
    """

    value: float
    step: float
    times: Sequence[int]

    @staticmethod
    def of(times: Sequence[int]) -> _Median:
        ordered = sorted(map(float, times))
        error = quantile_error(ordered, 0.5, len(ordered)) / Z95
        return _Median(quantile(ordered, 0.5), error * sqrt(len(ordered)), times)

    def moves(self) -> list[float]:
        middle, step = self.value, self.step
        return [step * ((time > middle) - (time < middle)) for time in self.times]


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
    return _carried_half(share, [wall - mean for wall in before], before[:count], after, scale)


def _carried_half(
    share: float,
    whole: Sequence[float],
    before: Sequence[float],
    after: Sequence[float],
    scale: float,
) -> float:
    """Half of the interval of a share carried from the first runs over to the `whole`.

    `whole`: by how much each of all runs moves what is carried to, about 0; `before` and `after`:
    what the repeated runs add without and with the change; `scale`: whole over repeated.
    """
    count = len(after)
    if count < 2:
        return 0.0
    moves = [share * own / len(whole) for own in whole]
    for i, (wall, changed) in enumerate(zip(before, after, strict=True)):
        moves[i] += scale * (wall - changed - share * wall) / count
    return t95(count - 1) * sqrt(fsum(move * move for move in moves) * count / (count - 1))
