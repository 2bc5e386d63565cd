"""What the parameters of a law may be."""

from __future__ import annotations

import math


def finite(value: float, what: str, *, above_zero: bool = False) -> float:
    """`value`, or ValueError where it is not finite, negative, or 0 where that is refused."""
    if not math.isfinite(value) or value < 0.0 or (above_zero and value == 0.0):
        least = "more than 0" if above_zero else "0 or more"
        raise ValueError(f"{what} must be {least}, got {value:g}")
    return value
