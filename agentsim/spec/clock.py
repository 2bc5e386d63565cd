"""Times as clocks show them: `09:00`, `Mon-Fri 09:00`, `2026-12-01T09:00`, as they are written.

When that is depends on where the clocks are, which `laws.calendar` knows.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

from agentsim.spec import values
from agentsim.spec.problems import nearest, quoted

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_TIME = "[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"


def _daily(day: str) -> str:
    return rf"({day}(\s*-\s*{day})?\s+)?{_TIME}"


_DAILY = re.compile(_daily("[A-Za-z]+"))  # any word: what is no weekday is told so
_DATED = re.compile(rf"{_DAY}[T ]{_TIME}(Z|[+-][0-9]{{2}}:[0-9]{{2}})?")
_DATE = re.compile(_DAY)

PATTERN = f"^({_daily('[A-Za-z]{3}')}|{_DATED.pattern})$"
"""All forms, for a schema."""

_EXPECTED = "expected a time of day, weekdays and a time, or a date and time"
_SUCH_AS = 'such as "09:00", "Mon-Fri 09:00" or 2026-12-01T09:00'


class Clock(NamedTuple):
    """A second of the day, and on which weekdays (Monday is 0; none: on all)."""

    second: int
    days: tuple[int, ...]
    text: str


class Date(NamedTuple):
    """A date and time, with an offset where it was written with one."""

    when: datetime
    text: str


def is_clock(value: object) -> bool:
    """Whether it has the form of a time that clocks show, though there may be no such time."""
    return isinstance(value, str) and bool(_DAILY.fullmatch(value) or _DATED.fullmatch(value))


def clock_of(value: object) -> Clock | Date:
    """The time that is written. Raises `QuantityFaults`."""
    if isinstance(value, str):
        if found := _DAILY.fullmatch(value):
            days = found[1] or ""
            return _clock(days, _second(value, value[len(days) :]))
        if found := _DATED.fullmatch(value):
            offset = found[2] or ""
            time = value[len("2026-12-01T") : len(value) - len(offset)]
            return _date(value, value[: len("2026-12-01")], _second(value, time), offset)
        if _DATE.fullmatch(value):
            message = f"{_EXPECTED}; got the date {quoted(value)} without a time"
            raise values.fault(message, hint=f"its beginning is {value}T00:00")
    raise values.fault(f"{_EXPECTED}; got {values.shown(value)}", hint=_SUCH_AS)


def _second(value: str, time: str) -> int:
    """The second of the day."""
    hour, minute, second = map(int, f"{time}:00".split(":")[:3])  # where it has no seconds
    if hour == 24 and minute == second == 0:
        message = f"a day ends at 24:00, which is 00:00 of the next day; got {quoted(value)}"
        raise values.fault(message, hint='"00:00"; with a weekday or a date, that of the day after')
    if hour > 23 or minute > 59 or second > 59:
        raise values.fault(f"a day has 00:00 to 23:59:59; got {quoted(value)}", hint=_SUCH_AS)
    return 3600 * hour + 60 * minute + second


def _clock(days: str, second: int) -> Clock:
    """`days` as written: none, `Mon` or `Mon-Fri`."""
    if not days:
        return Clock(second, (), _shown(second))
    ends = [_weekday(name.strip()) for name in days.split("-")]
    within = tuple((ends[0] + i) % 7 for i in range((ends[-1] - ends[0]) % 7 + 1))
    return Clock(second, within, f"{'-'.join(WEEKDAYS[end] for end in ends)} {_shown(second)}")


def _weekday(name: str) -> int:
    if name in WEEKDAYS:
        return WEEKDAYS.index(name)
    near = nearest(name, WEEKDAYS) or nearest(name[:3], WEEKDAYS)
    hint = f"did you mean {quoted(near)}?" if near else _SUCH_AS
    raise values.fault(f"expected a weekday: {', '.join(WEEKDAYS)}; got {quoted(name)}", hint=hint)


def _date(value: str, date: str, second: int, offset: str) -> Date:
    text = f"{date} {_shown(second)}{offset}"
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise values.fault(f"there is no such date: {quoted(value)}", hint=_SUCH_AS) from None
    if not 1971 <= found.year <= 2999:
        message = f"the year {found.year} is not used: 1971 to 2999 are"
        raise values.fault(message, hint=_SUCH_AS)
    return Date(found, text)


def _shown(second: int) -> str:
    """`09:00`, and `09:00:30` where it has seconds."""
    minutes, rest = divmod(second, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}" + (f":{rest:02}" if rest else "")
