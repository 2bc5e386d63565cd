"""Hours of the week, as the clocks of a zone show them: `Mon-Fri 09:00-12:30 13:15-17:30`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from agentsim.laws.calendar import zone_of
from agentsim.records import SECOND

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400  # seconds

Stretch = tuple[int, int, int]
"""(weekday, from, to): Monday is 0, seconds of the day; `to` is the first second after."""


@dataclass(frozen=True, slots=True)
class Hours:
    """Stretches of the week. A clock that is set forward or back counts for what it shows.

    `zone`: an IANA name, empty: that of the run. `start`: time 0 of the run in nanoseconds since
    1970 (UTC); None: not known, and then no time is within. `text`: as it is told.
    """

    text: str
    stretches: tuple[Stretch, ...]
    zone: str = ""
    start: int | None = None

    def hold(self, now: int) -> bool:
        """Whether the clocks show a time within them, `now` nanoseconds after the start."""
        if self.start is None:
            return False
        seconds = timedelta(seconds=(self.start + now) // SECOND)
        shown = (_EPOCH + seconds).astimezone(zone_of(self.zone or "UTC"))
        day = shown.weekday()
        second = 3600 * shown.hour + 60 * shown.minute + shown.second
        return any(own == day and begin <= second < end for own, begin, end in self.stretches)


def stretches_of(days: tuple[int, ...], begin: int, end: int) -> tuple[Stretch, ...]:
    """On each of the weekdays from `begin` to `end`; over midnight where it ends before."""
    if begin < end:
        return tuple((day, begin, end) for day in days)
    late = tuple((day, begin, _DAY) for day in days)
    return (*late, *(((day + 1) % 7, 0, end) for day in days if end))
