"""`wait: 10m`: time passes outside all work. `wait: {until: "09:00"}`: as long as that takes."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainValidator

from agentsim.chance import Distribution
from agentsim.graph import Work
from agentsim.laws.calendar import Moment, TimeOfDay, instants, zone_of
from agentsim.records import SECOND
from agentsim.spec import values
from agentsim.spec.clock import Clock, Date, clock_of, is_clock
from agentsim.spec.clock_changes import of_clock, of_date
from agentsim.spec.fields import Uses
from agentsim.spec.model import At, may, need
from agentsim.spec.problems import quoted
from agentsim.spec.steps.base import Kind, SaysFields, says_of

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope


def _waiting(value: object) -> Distribution | Clock | Date:
    if isinstance(value, dict) and "until" in value:
        for key in value:
            if key != "until":
                message = f"unknown key {quoted(key)} beside `until`"
                hint = "a `timeout` of the step bounds it" if key == "at_most" else "leave it out"
                raise values.fault(message, key, hint=hint, code="unknown-key")
        with values.below("until"):
            return clock_of(value["until"])
    if is_clock(value):
        hint = f'`wait: {{until: "{value}"}}`'
        raise values.fault(f"expected a time such as 10m; got {quoted(value)}", hint=hint)
    return values.duration_of(value)


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
    where = At(scope.program.tree, scope.at)
    time = until = None
    if isinstance(step.wait, Clock | Date):
        until = _aim(step.wait, scope)
    else:
        time = step.wait
    plan = scope.players.wait(scope.row.name, time, step.uses, where)
    return Work(**scope.node(), tool=plan, says=says_of(step), until=until)


def _aim(given: Clock | Date, scope: Scope) -> TimeOfDay | Moment | None:
    """What it waits for, counted from the start of the workflow; None where that is not known."""
    program = scope.program
    if program.start is None:
        if "start" not in program.tree.mapping:  # else what is wrong with it is told there
            message = "`until` needs the date and time at which the workflow starts: `start`"
            hint = "such as `start: 2026-11-30T10:00` and `timezone: Europe/Amsterdam` at the top"
            scope.wrong(message, "wait", "until", code="missing-key", hint=hint)
        return None
    start, zone = program.start
    if isinstance(given, Clock):
        for told in of_clock(given, start, zone):
            scope.tell("wait", told)
        return TimeOfDay(given.text, start, zone, given.second, given.days)
    when = given.when
    aware = when.tzinfo is not None
    found = (int(when.timestamp()),) if aware else instants(when, zone_of(zone))
    moment = Moment(given.text, tuple(at * SECOND - start for at in found))
    if found[0] > _last(start, zone):
        message = f"{moment.text} is more than 100 years after the `start`"
        scope.wrong(message, "wait", "until", hint="is the year right?")
    elif not aware and moment.instants[-1] >= 0 and (told := of_date(when, start, zone)):
        scope.tell("wait", told)
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
    what = f"waits until {moment.text}, which is before the `start`: it takes no time"
    scope.tell("wait", what, joint=" ")
    return dataclasses.replace(moment, instants=())


KIND = Kind("wait", "a wait step", WaitStep, lower)
