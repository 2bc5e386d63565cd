"""Times of the wall clock, by hand over both clock changes, and against a walk by minutes."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from agentsim.laws.calendar import Moment, TimeOfDay, instants, zone_of
from agentsim.records import SECOND

AMSTERDAM, NEW_YORK = "Europe/Amsterdam", "America/New_York"
DAY = 86_400


def ns(utc: str) -> int:
    """Nanoseconds since 1970 of a date and time in UTC."""
    return int(datetime.fromisoformat(f"{utc}+00:00").timestamp()) * SECOND


def until(clock: str, zone: str, since: str, days: tuple[int, ...] = ()) -> float:
    """Seconds that a wait from `since` (UTC) lasts; `clock` is HH:MM."""
    hours, minutes = map(int, clock.split(":"))
    return TimeOfDay("", ns(since), zone, 3600 * hours + 60 * minutes, days).wait(0) / SECOND


# Amsterdam: UTC+1, in summer +2. New York: UTC-5, in summer -4. A row: the time, the zone, from
# when (UTC), and the seconds.
CHANGES = [
    # 29 March 2026, 01:00 UTC: 02:00 becomes 03:00. What is skipped counts as 03:00, 01:00 UTC
    ("02:30", AMSTERDAM, "2026-03-28T22:00", 3 * 3600),
    ("02:00", AMSTERDAM, "2026-03-28T22:00", 3 * 3600),
    ("03:00", AMSTERDAM, "2026-03-28T22:00", 3 * 3600),
    ("01:59", AMSTERDAM, "2026-03-28T22:00", 3 * 3600 - 60),
    ("03:01", AMSTERDAM, "2026-03-28T22:00", 3 * 3600 + 60),
    ("09:00", AMSTERDAM, "2026-03-28T22:00", 9 * 3600),  # 07:00 UTC; clocks say 10 h later
    ("02:30", AMSTERDAM, "2026-03-29T01:00", 0),  # 03:00 there: it is that time
    # a minute later: 02:30 of the 30th is 00:30 UTC
    ("02:30", AMSTERDAM, "2026-03-29T01:01", 23 * 3600 + 29 * 60),
    # 25 October 2026, 01:00 UTC: 03:00 becomes 02:00. 02:30 is 00:30 and 01:30 UTC
    ("02:30", AMSTERDAM, "2026-10-24T21:00", 3.5 * 3600),
    ("02:30", AMSTERDAM, "2026-10-25T00:30", 0),
    ("02:30", AMSTERDAM, "2026-10-25T00:45", 45 * 60),
    ("02:30", AMSTERDAM, "2026-10-25T01:30", 0),
    ("02:30", AMSTERDAM, "2026-10-25T01:31", 24 * 3600 - 60),
    ("02:00", AMSTERDAM, "2026-10-24T21:00", 3 * 3600),
    ("02:00", AMSTERDAM, "2026-10-25T00:01", 59 * 60),  # the second 02:00 is the change itself
    ("03:00", AMSTERDAM, "2026-10-24T21:00", 5 * 3600),  # once, at 02:00 UTC
    ("09:00", AMSTERDAM, "2026-10-24T21:00", 11 * 3600),
    # 8 March 2026, 07:00 UTC: 02:00 becomes 03:00
    ("02:15", NEW_YORK, "2026-03-08T03:00", 4 * 3600),
    ("08:00", NEW_YORK, "2026-03-08T03:00", 9 * 3600),  # 12:00 UTC
    ("02:15", NEW_YORK, "2026-03-08T07:00", 0),
    ("02:15", NEW_YORK, "2026-03-08T08:00", 22 * 3600 + 15 * 60),  # 06:15 UTC of the 9th
    # 1 November 2026, 06:00 UTC: 02:00 becomes 01:00. 01:30 is 05:30 and 06:30 UTC
    ("01:30", NEW_YORK, "2026-11-01T02:00", 3.5 * 3600),
    ("01:30", NEW_YORK, "2026-11-01T05:31", 59 * 60),
    ("01:30", NEW_YORK, "2026-11-01T06:31", 24 * 3600 - 60),
    ("08:00", NEW_YORK, "2026-11-01T02:00", 11 * 3600),  # 13:00 UTC
    # no changes
    ("09:00", "UTC", "2026-03-29T00:30", 8.5 * 3600),
    ("09:00", "UTC", "2026-03-29T09:30", 23.5 * 3600),
    ("05:30", "Asia/Kolkata", "2026-06-01T00:00", 0),  # UTC+5:30
]


@pytest.mark.parametrize(("clock", "zone", "since", "seconds"), CHANGES)
def test_both_changes_of_a_year(clock: str, zone: str, since: str, seconds: float) -> None:
    assert until(clock, zone, since) == seconds


def test_to_the_nanosecond() -> None:
    """At 09:00 UTC it is 0; 1 ns before it 1 ns, 1 ns after it a day less 1 ns."""
    aim = TimeOfDay("09:00", ns("2026-11-30T08:00"), "UTC", 9 * 3600)
    hour = 3600 * SECOND
    assert aim.wait(hour) == 0
    assert aim.wait(hour - 1) == 1
    assert aim.wait(hour + 1) == DAY * SECOND - 1
    # a start between two nanoseconds of a second is one as well
    assert TimeOfDay("", ns("2026-11-30T08:00") + 7, "UTC", 9 * 3600).wait(0) == hour - 7


MON, TUE, WED, THU, FRI, SAT, SUN = range(7)


@pytest.mark.parametrize(
    ("clock", "since", "days", "hours"),
    [  # 27 November 2026 is a Friday; Amsterdam is UTC+1 then
        ("09:00", "2026-11-27T17:00", (MON, TUE, WED, THU, FRI), 63),  # Fri 18:00 to Mon 09:00
        ("09:00", "2026-11-27T07:00", (MON, TUE, WED, THU, FRI), 1),
        ("18:00", "2026-11-27T17:00", (FRI,), 0),
        ("17:00", "2026-11-27T17:00", (FRI,), 7 * 24 - 1),
        ("10:00", "2026-11-27T17:00", (SAT, SUN, MON), 16),
        ("00:30", "2026-11-27T23:00", (SAT,), 0.5),  # it is Saturday there already
    ],
)
def test_weekdays_are_those_of_the_zone(
    clock: str, since: str, days: tuple[int, ...], hours: float
) -> None:
    assert until(clock, AMSTERDAM, since, days) == hours * 3600


def test_a_gap_of_half_an_hour() -> None:
    """Lord Howe, 4 October 2026: at 02:00 (UTC+10:30), 15:30 UTC of the 3rd, it becomes 02:30."""
    assert until("02:10", "Australia/Lord_Howe", "2026-10-03T15:00") == 1800


def test_a_day_that_a_zone_left_out() -> None:
    """Samoa went from the end of 29 December 2011 (10:00 UTC of the 30th) to the 31st at 00:00.

    At 09:00 UTC it is 23:00 there, an hour before. The Friday between is skipped, and so is its
    09:00: what is waited for on a Friday counts as the first instant after the gap, as a date does.
    Where any day will do, clocks next show 09:00 nine hours after the gap.
    """
    assert until("09:00", "Pacific/Apia", "2011-12-30T09:00", (FRI,)) == 3600
    assert until("09:00", "Pacific/Apia", "2011-12-30T09:00", (0, 1, 2, 3, FRI)) == 3600
    assert until("09:00", "Pacific/Apia", "2011-12-30T09:00") == 10 * 3600
    assert until("09:00", "Pacific/Apia", "2011-12-30T09:00", tuple(range(7))) == 10 * 3600
    # at the gap it takes no time; a second later the next Friday is 6 January, whose 09:00 (UTC+14)
    # is 19:00 UTC of the 5th: 6 days and 9 h after the gap
    assert until("09:00", "Pacific/Apia", "2011-12-30T10:00", (FRI,)) == 0
    later = until("09:00", "Pacific/Apia", "2011-12-30T10:00:01", (FRI,))
    assert later == 6 * DAY + 9 * 3600 - 1
    # 23 December 2011, 09:01 (UTC-10), a Friday: a week later at 00:00, which is 14:59 less a day
    # than seven: 6 days, 14 h and 59 min
    assert until("09:00", "Pacific/Apia", "2011-12-23T19:01", (FRI,)) == 6 * DAY + 53_940


def test_clocks_set_back_over_midnight() -> None:
    """St. John's, 7 November 2010: at 00:01 (UTC-2:30), 02:31 UTC, it became 23:01 of the 6th.

    23:30 is 02:00 and 03:00 UTC. At 02:30:30 UTC clocks show 00:00:30 of the 7th, and yet the 23:30
    of the 6th comes again.
    """
    zone = "America/St_Johns"
    assert until("23:30", zone, "2010-11-07T01:59") == 60
    assert until("23:30", zone, "2010-11-07T02:30:30") == 29 * 60 + 30
    assert until("00:00", zone, "2010-11-07T02:30:30") == 3600 - 30


def test_instants_of_a_date() -> None:
    zone = zone_of(AMSTERDAM)

    def utc(*parts: int) -> list[str]:
        found = instants(datetime(*parts), zone)  # type: ignore[arg-type]
        return [datetime.fromtimestamp(at, UTC).strftime("%d %H:%M") for at in found]

    assert utc(2026, 12, 1, 9) == ["01 08:00"]
    assert utc(2026, 3, 29, 2, 30) == ["29 01:00"]
    assert utc(2026, 10, 25, 2, 30) == ["25 00:30", "25 01:30"]


def test_a_moment_comes_once_or_twice() -> None:
    assert Moment("", (5,)).wait(3) == 2
    assert Moment("", (5,)).wait(5) == 0
    assert Moment("", (5,)).wait(6) == -1
    twice = Moment("", (-5, 5))
    assert [twice.wait(now) for now in (0, 5, 6)] == [5, 0, -1]
    assert Moment("", ()).wait(6) == 0  # known to be over, and told


# --- against a walk ---------------------------------------------------------------------------


def walked(clock: int, zone: ZoneInfo, since: datetime) -> int:
    """Seconds until clocks show minute `clock` of the day, found by looking each minute.

    Or until they have just jumped over it.
    """
    at = since
    before = (at - timedelta(minutes=1)).astimezone(zone).replace(tzinfo=None)
    for minutes in range(3 * 24 * 60):
        shown = at.astimezone(zone).replace(tzinfo=None)
        midnight = shown.replace(hour=0, minute=0)
        for day in (midnight - timedelta(days=1), midnight):
            wanted = day + timedelta(minutes=clock)
            if wanted == shown or before < wanted < shown:
                return 60 * minutes
        before, at = shown, at + timedelta(minutes=1)
    raise AssertionError("never")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (AMSTERDAM, "2026-03-29T01:00"),
        (AMSTERDAM, "2026-10-25T01:00"),
        (NEW_YORK, "2026-03-08T07:00"),
        (NEW_YORK, "2026-11-01T06:00"),
        ("Australia/Lord_Howe", "2026-04-04T15:00"),
        ("Australia/Lord_Howe", "2026-10-03T15:30"),
        ("America/St_Johns", "2010-11-07T02:31"),
        ("Africa/Cairo", "2026-04-23T22:00"),  # 00:00 becomes 01:00
        ("Pacific/Auckland", "2026-09-26T14:00"),
    ],
)
def test_as_a_walk_by_minutes_finds_it(name: str, change: str) -> None:
    zone, chosen = ZoneInfo(name), random.Random(change)
    at = datetime.fromisoformat(f"{change}+00:00")
    offsets = {(at + timedelta(minutes=by)).astimezone(zone).utcoffset() for by in (-1, 1)}
    assert len(offsets) == 2, "clocks change there"
    for _ in range(40):
        since = at + timedelta(minutes=chosen.randint(-1600, 200))
        shown = (at + timedelta(minutes=chosen.randint(-90, 90))).astimezone(zone)
        clock = chosen.choice([60 * shown.hour + shown.minute, chosen.randrange(1440)])
        aim = TimeOfDay("", int(since.timestamp()) * SECOND, name, 60 * clock)
        assert aim.wait(0) == walked(clock, zone, since) * SECOND, (since, clock)


# --- of this machine nothing ------------------------------------------------------------------


@pytest.fixture(params=["Asia/Tokyo", "America/New_York", "UTC"])
def machine(request: pytest.FixtureRequest) -> Iterator[None]:
    """This machine in some zone."""
    if not hasattr(time, "tzset"):
        pytest.skip("its zone cannot be set here")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("machine")
def test_the_zone_of_the_machine_does_not_matter() -> None:
    assert until("02:30", AMSTERDAM, "2026-10-25T00:45") == 45 * 60
    assert instants(datetime(2026, 3, 29, 2, 30), zone_of(AMSTERDAM)) == (
        ns("2026-03-29T01:00") // SECOND,
    )


@pytest.mark.parametrize("name", ["", "Mars/Base", "../etc"])
def test_an_unknown_zone(name: str) -> None:
    with pytest.raises((KeyError, ValueError)):
        zone_of(name)
