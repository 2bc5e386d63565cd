"""The few numbers that stand in sentences: shares, counts and long times, in plain words."""

from __future__ import annotations

from math import floor

HOUR, DAY = 3600.0, 86400.0
SLIVER = 0.01
"""A smaller share of the whole has no row of its own and is in no sentence."""

_CRUMB = 1e-9  # what a sum of shares may be off


def percent(share: float) -> str:
    """`65 %`; what is not quite nothing or not quite all says so: `<1 %`, `>99 %`.

    Halves go up, so that 0.5 % is never told as nothing: 12.5 % is `13 %`.
    """
    words = {0.005: "<1 %", 0.995: ">99 %"}
    return words.get(as_told(share)) or f"{hundredths(share):,} %"


def as_told(share: float) -> float:
    """A share as `percent` tells it, to sort by: what reads the same is the same."""
    whole = hundredths(share)
    if not whole and share > 0:
        return 0.005
    return 0.995 if whole == 100 and share < 1 - _CRUMB else whole / 100


def hundredths(share: float) -> int:
    """A share in whole percent, halves up."""
    return floor(round(share * 100, 7) + 0.5)


def number(value: float) -> str:
    """`15,000`, `61`, `8.8`, `0.25`."""
    if abs(value) >= 9.95:
        return f"{value:,.0f}"
    text = f"{value:.1f}" if abs(value) >= 0.995 else f"{value:.2g}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def counted(value: float, noun: str) -> str:
    """`1 line`, `225 lines`."""
    shown = number(value)
    return f"{shown} {noun}" if shown == "1" else f"{shown} {noun}s"


def days(seconds: float) -> str:
    """A time of a day or more: `1 day`, `2 days 15 h`."""
    whole, hours = divmod(round(seconds / HOUR), 24)
    text = f"{whole} day" if whole == 1 else f"{whole:,} days"
    return f"{text} {hours} h" if hours else text


def listed(words: list[str], most: int | None = None) -> str:
    """`a`, `a and b`, `a, b and c`; more than `most` are counted: `a, b and 7 more`."""
    if most is not None and len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
