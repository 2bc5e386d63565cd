"""The spread of single tokens: over a call it shrinks with the root of their number."""

from __future__ import annotations

import math

from agentsim.chance import LogNormal

UNIT = LogNormal(0.0, 1.0)
"""What is drawn for each call, whatever its tokens: exp(z), z standard normal."""


def over(tokens: float, jitter: float, unit: float) -> float:
    """The factor on the time of so many tokens, whose times each have a cv of `jitter`.

    The mean of n times of their own has a cv of jitter / sqrt(n). It is held to be log-normal (for
    many tokens, normal) with the mean 1; `unit` is a draw of `UNIT`.
    """
    if tokens <= 0:
        return 1.0
    variance = math.log1p(jitter * jitter / tokens)
    return math.exp(math.sqrt(variance) * math.log(unit) - 0.5 * variance)
