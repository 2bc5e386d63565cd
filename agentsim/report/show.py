"""Numbers with their units, as people read them: the one place where that is decided.

Seconds, tokens, dollars and shares (0..1) come in; text goes out. No function here ever writes
`nan` or `inf`: what is no number is shown as `?`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agentsim.analysis.words import hundredths, percent

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
YEAR = 365.25 * DAY
UNKNOWN = "?"
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def duration(seconds: float) -> str:
    """For a sentence: `250 ms`, `1.27 s`, `7.7 min`, `47 min`, `1 h 22 m`, `2d 17h`, `9 years`."""
    return _duration(seconds, tight=False)


def tight(seconds: float) -> str:
    """For a table: `250ms`, `1.27s`, `7.7m`, `47m`, `1h 22m`, `2d 17h`, `274y`."""
    return _duration(seconds, tight=True)


def _duration(seconds: float, tight: bool) -> str:
    if not math.isfinite(seconds):
        return UNKNOWN
    if seconds < 0:
        return f"-{_duration(-seconds, tight)}"
    if seconds < 47.9917 * HOUR:  # 47 h 59.5 min would be shown as 48 h
        return _below_two_days(seconds, tight)
    hours = round(seconds / HOUR)
    if hours < 100 * 24:
        return f"{hours // 24}d {hours % 24}h" if hours % 24 else f"{hours // 24}d"
    if seconds < 3 * YEAR:
        return f"{seconds / DAY:,.0f}{'d' if tight else ' days'}"
    return f"{_large(seconds / YEAR)}{'y' if tight else ' years'}"


def _below_two_days(seconds: float, tight: bool) -> str:
    gap = "" if tight else " "
    if seconds == 0:
        return f"0{gap}s"
    if seconds < 0.9995:
        return f"<0.001{gap}ms" if seconds < 5e-7 else f"{_three(seconds * 1000)}{gap}ms"
    if seconds < 59.95:
        return f"{_three(seconds)}{gap}s"
    minutes = seconds / MINUTE
    if minutes < 9.95:
        return f"{_plain(minutes, 1)}{gap}{'m' if tight else 'min'}"
    if minutes < 59.5:
        return f"{minutes:.0f}{gap}{'m' if tight else 'min'}"
    hours, rest = divmod(round(minutes), 60)
    tail = f" {rest:02d}{gap}m" if rest else ""
    return f"{hours}{gap}h{tail}"


def exact(seconds: float) -> str:
    """Every second of it, to the millisecond: `12 min 50 s`, `1 h 3 min 20 s`, `23.75 s`."""
    if not math.isfinite(seconds) or abs(seconds) < 1 or abs(seconds) > 100 * DAY:
        return duration(seconds)
    whole = round(abs(seconds) * 1000)
    pieces = []
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000)):
        count, whole = divmod(whole, size)
        if count:
            pieces.append(f"{count} {unit}")
    if whole or not pieces:
        pieces.append(f"{_plain(whole / 1000, 3)} s")
    return ("-" if seconds < 0 else "") + " ".join(pieces)


def day(at: datetime, year: bool = False) -> str:
    """`Tue 1 Dec`, with its `year` `Tue 4 Jan 2028`, in English whatever the machine speaks."""
    told = f"{_DAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]}"
    return f"{told} {at.year}" if year else told


def from_to(before: float, after: float) -> str:
    """`40 -> 34 min`; where the units differ `1 h 22 m -> 34 min`. Seconds."""
    first, last = duration(before), duration(after)
    count, _, unit = first.rpartition(" ")
    if unit.isalpha() and " " not in count and last.endswith(f" {unit}") and last.count(" ") == 1:
        first = count
    return f"{first} -> {last}"


def error(seconds: float) -> str:
    """Half of an interval: `+-4 m`, `+-12 s`."""
    return "+-" + duration(abs(seconds)).replace(" min", " m")


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit for a whole column, so that its figures can be compared and added by eye."""

    name: str
    seconds: float
    decimals: int

    def show(self, seconds: float) -> str:
        if not math.isfinite(seconds):
            return UNKNOWN
        value = round(seconds / self.seconds, self.decimals) + 0.0
        if abs(value) >= 1e9:
            return f"{value:.3g}{self.name}"
        return f"{value:,.{self.decimals}f}{self.name}"

    def column(self, values: Sequence[float]) -> list[str]:
        """The values, rounded so that they still add up to their rounded sum."""
        step = self.seconds / 10**self.decimals
        return [self.show(whole * step) for whole in _rounded(values, step)]


def unit_for(largest: float) -> Unit:
    """The unit in which a column with this largest value (seconds) reads best."""
    if not largest >= 1:
        return Unit("ms", 0.001, 0 if largest >= 0.1 else 2)
    for name, size, least, decimals in (
        ("d", DAY, 10 * DAY, 1),
        ("h", HOUR, 10 * HOUR, 1),
        ("m", MINUTE, 10 * MINUTE, 1),
        ("s", 1.0, 20.0, 1),
    ):
        if largest >= least:
            return Unit(name, size, decimals)
    return Unit("s", 1.0, 2)


def shares(values: Sequence[float], told: Sequence[bool] = ()) -> list[str]:
    """Shares of one whole in whole percent, rounded so that they add up to the whole's.

    Those marked in `told` stand in a sentence as one share: they add up to what it says.
    """
    marks = told or [False] * len(values)
    named = [value for value, mark in zip(values, marks, strict=True) if mark]
    rest = [value for value, mark in zip(values, marks, strict=True) if not mark]
    total = hundredths(sum(value for value in values if math.isfinite(value)))
    own = hundredths(sum(value for value in named if math.isfinite(value)))
    groups = {True: iter(_apportioned(named, 0.01, own)),
              False: iter(_apportioned(rest, 0.01, total - own))}  # fmt: skip
    return [_part(next(groups[mark]), value) for value, mark in zip(values, marks, strict=True)]


def _part(whole: int, value: float) -> str:
    """Neither nothing nor all where it is not quite that."""
    if not whole and value > 0:
        return "<1 %"
    return ">99 %" if whole == 100 and value < 1 - 1e-9 else f"{whole} %"


def _rounded(values: Sequence[float], step: float) -> list[int]:
    """Whole numbers of `step`: their sum is the rounded sum of the values."""
    total = sum(value / step for value in values if math.isfinite(value))
    return _apportioned(values, step, round(total))


def _apportioned(values: Sequence[float], step: float, total: int) -> list[int]:
    """Whole numbers of `step` that add up to `total`, by largest remainder."""
    counts = [value / step if math.isfinite(value) else 0.0 for value in values]
    floors = [math.floor(count) for count in counts]
    order = sorted(range(len(counts)), key=lambda i: (floors[i] - counts[i], i))
    for i in order[: max(0, total - sum(floors))]:
        floors[i] += 1
    return floors


def share(value: float) -> str:
    """`60 %`; what is not quite nothing or not quite all says so: `<1 %`, `>99 %`."""
    if not math.isfinite(value * 100):
        return UNKNOWN
    return percent(value) if abs(value) < 1e6 else f"{_large(value * 100)} %"


def between(low: float, high: float) -> str:
    """An interval of a share, `72 to 77 %`: in as many figures as it takes to see its width."""
    for figures in range(4):
        first, last = round(100 * low, figures), round(100 * high, figures)
        if first < last:
            break
    return f"{first:.{figures}f} to {last:.{figures}f} %"


def at_most(value: float) -> str:
    """A share that is said with "or less": whole percent, rounded up, `1 %` at the least."""
    return f"{max(1, math.ceil(round(value * 100, 7)))} %" if abs(value) < 1e6 else share(value)


def tokens(count: float) -> str:
    """`523`, `1.2k`, `37k`, `1.5M`, `2B`; a mean below ten keeps a decimal."""
    if not math.isfinite(count):
        return UNKNOWN
    for size, suffix in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(count) >= size * 0.9995:
            value = count / size
            short = _plain(value, 1) if abs(value) < 9.95 else _large(value)
            return f"{short}{suffix}"
    return number(count)


def money(dollars: float) -> str:
    """`$0.42`, `$1,234`, `$0.0042`, `$0`."""
    if not math.isfinite(dollars):
        return UNKNOWN
    sign, size = ("-" if dollars < 0 else ""), abs(dollars)
    if size == 0:
        return "$0"
    if size < 1e-6:
        return f"{sign}<$0.000001"
    if size < 0.00995:
        return f"{sign}${_plain(size, 1 - math.floor(math.log10(size)))}"
    return f"{sign}${size:,.2f}" if size < 99.995 else f"{sign}${_large(size)}"


def rate(per_second: float) -> str:
    """`15,000 tok/s`, `61 tok/s`, `5.2 tok/s`."""
    return f"{number(per_second)} tok/s"


def number(value: float) -> str:
    """A count or a mean of counts: `1,000`, `61`, `8.8`, `0.25`."""
    if not math.isfinite(value):
        return UNKNOWN
    if abs(value) >= 9.95:
        return _large(value)
    if value == 0:
        return "0"
    if abs(value) >= 0.995:
        return _plain(value, 1)
    return _plain(value, 2) if abs(value) >= 0.005 else f"{value:.1g}"


def times(count: float) -> str:
    """`once`, `twice`, `3 times`, `2.3 times`."""
    shown = number(count)
    return {"1": "once", "2": "twice"}.get(shown, f"{shown} times")


def often(count: float) -> str:
    """How often in a run, of a mean: `once`, `3 times`, `about once a run`, `0.4 times a run`."""
    whole = round(count)
    if abs(count - whole) < 1e-9:
        return times(whole)
    if abs(count - whole) <= 0.05 * count:
        return f"about {times(whole)} a run"
    return f"{times(count)} a run"


def factor(value: float) -> str:
    """`19x`, `2,850x`, `1.4x`."""
    return f"{number(value)}x"


def plural(count: float, word: str, words: str = "") -> str:
    """`1 call`, `61 calls`, `2 replies`."""
    shown = number(count)
    return f"{shown} {word if shown == '1' else words or word + 's'}"


def _three(value: float) -> str:
    """Three figures, without noughts at the end: `1.27`, `23.8`, `250`, `38`."""
    return _plain(value, max(0, 2 - math.floor(math.log10(value) + 1e-9)))


def _plain(value: float, decimals: int) -> str:
    text = f"{value + 0.0:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _large(value: float) -> str:
    return f"{value + 0.0:,.0f}" if abs(value) < 1e12 else f"{value:.2g}"
