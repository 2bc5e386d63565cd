"""Times of the wall clock: how long until the clocks of a zone next show one.

Zones and their daylight saving are those of the IANA tables. Nothing depends on the clock or the
zone of this machine. Where clocks are set forward, a time that they skip counts as the first
instant after the gap; where they are set back, one that they show twice is two instants.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache

from agentsim.records import SECOND

_EPOCH = datetime(1970, 1, 1)
_SECOND = timedelta(seconds=1)
_DAY = 86_400  # seconds

AHEAD = 16
"""Days to look at: a weekday comes within 7, a time of day within 2; so far changes are told."""


@cache
def zone_of(name: str) -> tzinfo:
    """The zone of an IANA name. KeyError, ValueError or OSError (a folder) where there is none."""
    if name == "UTC":
        return UTC  # needs no tables
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)


def instants(shown: datetime, zone: tzinfo) -> tuple[int, ...]:
    """Seconds since 1970 (UTC) at which the clocks of `zone` show that date and time, in order.

    `shown` has no zone of its own. There are two where clocks are set back; where they skip it, the
    first instant after the gap.
    """
    before, after = _offsets(shown, zone)
    plain = (shown - _EPOCH) // _SECOND
    if before == after:
        return (plain - before,)
    if before > after:
        return plain - before, plain - after
    return (_past_gap(plain, plain - after, plain - before, zone),)


def _offsets(shown: datetime, zone: tzinfo) -> tuple[int, int]:
    """Seconds ahead of UTC at that time: by the rule before and by that after a change near it."""
    before, after = (shown.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
    assert before is not None
    assert after is not None
    return before // _SECOND, after // _SECOND


def _past_gap(plain: int, low: int, high: int, zone: tzinfo) -> int:
    """The first instant at which clocks show `plain` or later; at `low` they do not, at `high` so.

    `plain` counts the seconds that a clock shows, from 1970 too.
    """
    while high - low > 1:
        middle = (low + high) // 2
        if (_at(middle, zone).replace(tzinfo=None) - _EPOCH) // _SECOND >= plain:
            high = middle
        else:
            low = middle
    return high


def _at(instant: int, zone: tzinfo) -> datetime:
    """What clocks show at an instant (seconds since 1970)."""
    return (_EPOCH.replace(tzinfo=UTC) + instant * _SECOND).astimezone(zone)


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """`second` of the day as the clocks of `zone` show it, on these weekdays (Monday is 0).

    No `days`: on all. `start`: time 0 of the run, in nanoseconds since 1970 (UTC). `text`: as it is
    told.
    """

    text: str
    start: int
    zone: str
    second: int
    days: tuple[int, ...] = ()

    def wait(self, now: int) -> int:
        """Nanoseconds from `now` (of the run) to the next such time; 0 where it is that time."""
        zone = zone_of(self.zone)
        at = self.start + now
        today = _at(at // SECOND, zone).replace(tzinfo=None, hour=0, minute=0, second=0)
        # from yesterday on: clocks that are set back over midnight show its last hour again
        for ahead in range(-1, AHEAD):
            day = today + timedelta(days=ahead)
            shown = day + self.second * _SECOND
            if self.days and day.weekday() not in self.days:
                continue
            if not names_days(self.days) and _is_left_out(shown, zone):
                continue  # any day will do, so the next one that there is
            for instant in instants(shown, zone):
                if instant * SECOND >= at:
                    return instant * SECOND - at
        raise ValueError(f"{self.text}: no such time in {self.zone} within {AHEAD} days")


def names_days(days: tuple[int, ...]) -> bool:
    """Whether it is of some weekdays: these have a time even where the zone leaves the day out."""
    return 0 < len(days) < 7


def _is_left_out(shown: datetime, zone: tzinfo) -> bool:
    """Whether the zone left out that whole day, as Samoa did with 30 December 2011."""
    before, after = _offsets(shown, zone)
    return after - before >= _DAY


@dataclass(frozen=True, slots=True)
class Moment:
    """A date and time: its `instants`, in nanoseconds from the start of the run.

    Two where clocks show it twice: the first that is not over counts. None: it is known to be over
    before the run begins. `text`: as it is told.
    """

    text: str
    instants: tuple[int, ...]

    def wait(self, now: int) -> int:
        """Nanoseconds from `now` (of the run) to it; -1 where it is over."""
        return next((at - now for at in self.instants if at >= now), -1 if self.instants else 0)
