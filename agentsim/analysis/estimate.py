"""From values to a `Stat`: means, intervals, quantiles. Never a NaN, and exact for constants.

Quantiles interpolate linearly between order statistics: the p-quantile of n sorted values stands
at position (n - 1) * p (Hyndman and Fan 1996, definition 7). Sums are exact (`math.fsum`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt

from agentsim.analysis.findings import Stat

Z95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""

FEWEST = 6
"""Values from which on order statistics hold the median in 95 % of samples: 1 - 2 / 2^6 = 97 %."""

# The 97.5 % points of Student's t for 1 to 9 degrees of freedom, from tables.
_T95 = (12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157)


def t95(freedom: int) -> float:
    """The 97.5 % point of Student's t: what a 95 % interval is wide, in standard errors.

    Above nine degrees of freedom by the Cornish-Fisher series in 1 / freedom (Abramowitz and
    Stegun 26.7.5), which is right to five figures there.
    """
    if freedom <= len(_T95):
        return _T95[freedom - 1]
    z, v = Z95, float(freedom)
    one = (z**3 + z) / 4
    two = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    three = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    four = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + one / v + two / v**2 + three / v**3 + four / v**4


def quantile(ordered: Sequence[float], p: float) -> float:
    """The p-quantile of sorted values, 0 <= p <= 1."""
    at = (len(ordered) - 1) * p
    below = int(at)
    low = ordered[below]
    if below + 1 >= len(ordered):
        return low
    high = ordered[below + 1]
    return min(high, low + (high - low) * (at - below))


def mean_of(values: Sequence[float]) -> float:
    """The mean; of equal values exactly that value."""
    mean = fsum(values) / len(values)
    return min(max(mean, min(values)), max(values))


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of the mean of independent values, by Student's t; of one, the value."""
    mean = mean_of(values)
    half = half_width(values)
    return mean - half, mean + half


def half_width(values: Sequence[float]) -> float:
    """Half of the 95 % interval of the mean, by Student's t; 0 for a single value."""
    n = len(values)
    return t95(n - 1) * spread(values) / sqrt(n) if n > 1 else 0.0


def share_interval(count: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of which `count` of `n` independent runs are seen.

    The score interval of E. B. Wilson (Probable inference, the law of succession, and statistical
    inference, JASA 22, 1927, 209-212), which holds its 95 % for few runs and near 0 and 1 too
    (Brown, Cai and DasGupta, Statistical Science 16, 2001, 101-133). At least one run.
    """
    p, z2 = count / n, Z95 * Z95
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    # at the ends the two terms are equal, and would differ by what was rounded
    return (0.0 if count == 0 else middle - half, 1.0 if count == n else middle + half)


def spread(values: Sequence[float]) -> float:
    """The standard deviation of a sample (n - 1); 0 for a single value."""
    if len(values) < 2:
        return 0.0
    mean = mean_of(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def of_runs(values: Sequence[float]) -> Stat:
    """A quantity with one value a replication: its values are independent."""
    return _stat(sorted(values), mean_of(values), half_width(values), len(values))


def of_occurrences(runs: Sequence[tuple[Sequence[float], int]]) -> Stat | None:
    """A quantity that occurs any number of times a replication; None where it never occurs.

    `runs` holds for each replication the values that are not zero, and how many there are with
    the zeros. All occurrences are pooled; as those of one replication hang together, the interval
    is that of the ratio of two means over replications (sum of values, number of values), by the
    delta method. With equal numbers it is the interval of the replications' own means.
    """
    total = sum(count for _, count in runs)
    if not total:
        return None
    pooled = sorted(value for values, _ in runs for value in values)
    zeros = total - len(pooled)
    if zeros:
        pooled = [0.0] * zeros + pooled
    mean = min(max(fsum(pooled) / total, pooled[0]), pooled[-1])
    n = len(runs)
    half = 0.0
    if n > 1 and pooled[0] < pooled[-1]:
        residuals = fsum((fsum(values) - mean * count) ** 2 for values, count in runs)
        half = t95(n - 1) * sqrt(residuals / (n - 1) / n) / (total / n)
    return _stat(pooled, mean, half, n)


def _stat(ordered: list[float], mean: float, half: float, runs: int) -> Stat:
    n = len(ordered)
    varied = n > 1 and ordered[0] < ordered[-1]
    sd = sqrt(fsum((value - mean) ** 2 for value in ordered) / (n - 1)) if varied else 0.0
    return Stat(
        mean=mean,
        ci95=(mean - half, mean + half),
        sd=sd,
        p5=quantile(ordered, 0.05),
        p50=quantile(ordered, 0.50),
        p80=quantile(ordered, 0.80),
        p90=quantile(ordered, 0.90),
        p95=quantile(ordered, 0.95),
        p99=quantile(ordered, 0.99),
        min=ordered[0],
        max=ordered[-1],
        n=n,
        p50_error=quantile_error(ordered, 0.50, runs),
        p90_error=quantile_error(ordered, 0.90, runs),
    )


def quantile_error(ordered: Sequence[float], p: float, runs: int) -> float:
    """Half of the 95 % interval of the p-quantile, between two order statistics.

    The share of `runs` independent values below the true quantile is binomial: it lies within
    p +- 1.96 sqrt(p (1 - p) / runs) in 95 % of samples. Pooled occurrences count as many
    independent values as there are replications, which errs on the wide side.
    """
    if runs < 2:
        return 0.0
    reach = Z95 * sqrt(p * (1 - p) / runs)
    low = quantile(ordered, max(0.0, p - reach))
    high = quantile(ordered, min(1.0, p + reach))
    return (high - low) / 2
