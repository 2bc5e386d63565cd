"""The few numbers that stand in sentences: shares, counts and long times, in plain words."""

from __future__ import annotations

HOUR, DAY = 3600.0, 86400.0


def percent(share: float) -> str:
    """`65 %`; what is not quite nothing or not quite all says so: `<1 %`, `>99 %`."""
    if 0 < share < 0.005:
        return "<1 %"
    if 0.995 < share < 1:
        return ">99 %"
    return f"{share * 100:.0f} %"


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


def listed(words: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
