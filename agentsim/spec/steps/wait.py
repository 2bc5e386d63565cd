"""`wait: 10m`: time passes outside all work. `wait: {until: "09:00"}`: as long as that takes."""

from __future__ import annotations

import dataclasses
import re
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

from pydantic import PlainValidator

from agentsim.chance import Distribution
from agentsim.graph import Work
from agentsim.laws.calendar import Moment, TimeOfDay, instants, zone_of
from agentsim.records import SECOND
from agentsim.spec import values
from agentsim.spec.fields import Uses
from agentsim.spec.model import may, need
from agentsim.spec.problems import nearest, quoted
from agentsim.spec.steps.base import Kind, SaysFields, says_of

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_CLOCK = r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?"
_DAILY = re.compile(rf"(?:([A-Za-z]+)(?:\s*-\s*([A-Za-z]+))?\s+)?{_CLOCK}")
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_DATE = re.compile(_DAY)
_DATED = re.compile(rf"({_DAY})[T ]{_CLOCK}(Z|[+-][0-9]{{2}}:[0-9]{{2}})?")

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


def _waiting(value: object) -> Distribution | Clock | Date:
    if isinstance(value, dict) and "until" in value:
        for key in value:
            if key != "until":
                message = f"unknown key {quoted(key)} beside `until`"
                raise values.fault(message, key, code="unknown-key")
        with values.below("until"):
            return _until(value["until"])
    if isinstance(value, str) and (_DAILY.fullmatch(value) or _DATED.fullmatch(value)):
        hint = f'`wait: {{until: "{value}"}}`'
        raise values.fault(f"expected a time such as 10m; got {quoted(value)}", hint=hint)
    return values.duration_of(value)


def _until(value: object) -> Clock | Date:
    if isinstance(value, str):
        if found := _DAILY.fullmatch(value):
            first, last, *clock = found.groups()
            return _daily(first, last, _second(value, *clock))
        if found := _DATED.fullmatch(value):
            date, hour, minute, second, offset = found.groups()
            return _dated(value, date, _second(value, hour, minute, second), offset)
        if _DATE.fullmatch(value):
            message = f"{_EXPECTED}; got the date {quoted(value)} without a time"
            raise values.fault(message, hint=f"its beginning is {value}T00:00")
    raise values.fault(f"{_EXPECTED}; got {values.shown(value)}", hint=_SUCH_AS)


def _second(value: str, hour: str, minute: str, second: str | None) -> int:
    """The second of the day."""
    if int(hour) == 24 and int(minute) == int(second or 0) == 0:
        message = f"a day ends at 24:00, which is 00:00 of the next day; got {quoted(value)}"
        raise values.fault(message, hint='"00:00"; with a weekday or a date, that of the day after')
    if int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59:
        raise values.fault(f"a day has 00:00 to 23:59:59; got {quoted(value)}", hint=_SUCH_AS)
    return 3600 * int(hour) + 60 * int(minute) + int(second or 0)


def _daily(first: str | None, last: str | None, second: int) -> Clock:
    if first is None:
        return Clock(second, (), _shown(second))
    begin = _weekday(first)
    end = begin if last is None else _weekday(last)
    days = tuple((begin + i) % 7 for i in range((end - begin) % 7 + 1))
    names = WEEKDAYS[begin] if last is None else f"{WEEKDAYS[begin]}-{WEEKDAYS[end]}"
    return Clock(second, days, f"{names} {_shown(second)}")


def _weekday(name: str) -> int:
    if name in WEEKDAYS:
        return WEEKDAYS.index(name)
    near = nearest(name, WEEKDAYS) or nearest(name[:3], WEEKDAYS)
    hint = f"did you mean {quoted(near)}?" if near else _SUCH_AS
    raise values.fault(f"expected a weekday: {', '.join(WEEKDAYS)}; got {quoted(name)}", hint=hint)


def _dated(value: str, date: str, second: int, offset: str | None) -> Date:
    shown = _shown(second)
    try:
        found = datetime.fromisoformat(f"{date}T{shown}{offset or ''}")
    except ValueError:
        raise values.fault(f"there is no such date: {quoted(value)}", hint=_SUCH_AS) from None
    if not 1971 <= found.year <= 2999:
        raise values.fault(f"the year {found.year} is not used", hint=_SUCH_AS)
    return Date(found, f"{date} {shown}{offset or ''}")


def _shown(second: int) -> str:
    """`09:00`, and `09:00:30` where it has seconds."""
    minutes, rest = divmod(second, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}" + (f":{rest:02}" if rest else "")


if TYPE_CHECKING:
    Waiting: TypeAlias = Distribution | Clock | Date
else:
    Waiting = Annotated[Any, PlainValidator(_waiting)]


class WaitStep(SaysFields):
    """Time that passes; it may hold units of a pool meanwhile."""

    wait: Waiting = need("how long, or until when", "10m")
    uses: Uses | None = may("units of pools that it holds", "{staging: 1}")


def lower(step: WaitStep, scope: Scope) -> Work:
    """A wait is a tool run that counts as waiting."""
    place = scope.place("uses") if step.uses else scope.place()
    given = step.wait
    until = _aim(given, scope) if isinstance(given, Clock | Date) else None
    time = None if isinstance(given, Clock | Date) else given
    plan = scope.players.wait(scope.row.name, time, step.uses, place)
    return Work(**scope.node(), tool=plan, says=says_of(step), until=until)


def _aim(given: Clock | Date, scope: Scope) -> TimeOfDay | Moment | None:
    """What it waits for, counted from the start of the workflow; None where that is not known."""
    program = scope.program
    if program.start is None:
        if not program.says_start:  # else what is wrong with it is told there
            message = "`until` needs the date and time at which the workflow starts: `start`"
            hint = "such as `start: 2026-11-30T10:00` and `timezone: Europe/Amsterdam` at the top"
            scope.wrong(message, "wait", "until", code="missing-key", hint=hint)
        return None
    start, zone = program.start
    if isinstance(given, Clock):
        return TimeOfDay(given.text, start, zone, given.second, given.days)
    when = given.when
    aware = when.tzinfo is not None
    found = (int(when.timestamp()),) if aware else instants(when, zone_of(zone))
    moment = Moment(given.text, tuple(at * SECOND - start for at in found))
    if found[0] > _last(start, zone):
        message = f"{moment.text} is more than 100 years after the `start`"
        scope.wrong(message, "wait", "until", hint="is the year right?")
    return _checked(moment, scope)


def _last(start: int, zone: str) -> int:
    """The second since 1970 at which the `start` (ns since 1970) is 100 years over: by dates."""
    begin = datetime.fromtimestamp(start // SECOND, zone_of(zone))
    leap = (begin.month, begin.day) == (2, 29)  # no such day in a year like 2100 or 2124 + 76
    day = begin.replace(month=3, day=1) if leap else begin
    return int(day.replace(year=begin.year + 100).timestamp())


def _checked(moment: Moment, scope: Scope) -> Moment:
    """A date before the start is told now; it takes no time."""
    if moment.instants[-1] >= 0:
        return moment
    where = f"{scope.row.path} (line {scope.place('wait').line})"
    note = f"{where} waits until {moment.text}, which is before the `start`: it takes no time"
    if note not in scope.program.notes:  # of the items of an `each` once
        scope.program.notes.append(note)
    return dataclasses.replace(moment, instants=())


KIND = Kind("wait", "a wait step", WaitStep, lower)
