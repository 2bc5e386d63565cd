"""Times that the clocks of a zone skip or show twice: which instant is taken for them, in words.

The rule is that of `laws.calendar`: of a time that is skipped the first instant after the gap, of
one that is shown twice the first that is not over.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache

from agentsim.laws.calendar import AHEAD, instants, names_days, zone_of
from agentsim.records import SECOND
from agentsim.spec.clock import Clock


def of_date(shown: datetime, start: int, zone_name: str) -> str:
    """What is taken for a date and time that is waited for; "" where clocks show it once.

    `start`: when the run begins, in nanoseconds since 1970 (UTC).
    """
    zone = zone_of(zone_name)
    found = instants(shown, zone)
    if len(found) > 1:
        first, second = (offset_of(datetime.fromtimestamp(at, zone)) for at in found)
        twice = f"in {zone_name} the clocks show {_day(shown)} {_time(shown)} twice"
        if found[0] * SECOND < start:
            return f"{twice}: the second is taken, at {second}; the first is before the `start`"
        return (
            f"{twice}: the first is taken, at {first}; a wait that begins after that takes the "
            f"second, at {second}"
        )
    after = datetime.fromtimestamp(found[0], zone)
    if after.replace(tzinfo=None) == shown:
        return ""
    until = _time(after) if after.date() == shown.date() else f"{_day(after)} {_time(after)}"
    skip = f"in {zone_name} the clocks skip {_day(shown)} {_time(shown)}"
    return f"{skip}: it ends at {until}, when they go on"


@lru_cache(maxsize=256)  # the same wait of many items
def of_clock(given: Clock, start: int, zone_name: str) -> tuple[str, ...]:
    """The same of a time of day, for the changes of the clocks within days of the start."""
    return tuple(_of_clock(given, start, zone_name))


def _of_clock(given: Clock, start: int, zone_name: str) -> Iterator[str]:
    zone = zone_of(zone_name)
    begin = datetime.fromtimestamp(start // SECOND, zone).replace(tzinfo=None)
    today = begin.replace(hour=0, minute=0, second=0, microsecond=0)
    for ahead in range(AHEAD):
        day = today + timedelta(days=ahead)
        shown = day + timedelta(seconds=given.second)
        is_over = instants(shown, zone)[-1] * SECOND < start
        if is_over or (given.days and day.weekday() not in given.days):
            continue
        whole = (86_400,) if names_days(given.days) else (0, 86_400)
        if _length(day, zone) in whole:
            continue
        if told := of_date(shown, start, zone_name):
            yield told


def _length(day: datetime, zone: tzinfo) -> int:
    """Seconds from a day to the next; 0 of one that the zone left out."""
    begin, end = (instants(day + timedelta(days=more), zone)[0] for more in (0, 1))
    return end - begin


def offset_of(moment: datetime) -> str:
    """Such as `+02:00`."""
    text = f"{moment:%z}"
    return f"{text[:3]}:{text[3:5]}"


def _day(shown: datetime) -> str:
    return f"{shown:%Y-%m-%d}"


def _time(shown: datetime) -> str:
    return f"{shown:%H:%M:%S}" if shown.second else f"{shown:%H:%M}"
