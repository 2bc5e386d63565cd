"""`person: name`: asks a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

from pydantic import PlainValidator

from agentsim.chance import Distribution
from agentsim.graph import Ask
from agentsim.spec import values
from agentsim.spec.cast import Defined
from agentsim.spec.definitions import LATER as PEOPLE_LATER
from agentsim.spec.fields import Density, Duration, Lines, Share
from agentsim.spec.model import may, need
from agentsim.spec.problems import quoted
from agentsim.spec.quality import craft_of
from agentsim.spec.quantity import quantity
from agentsim.spec.steps.base import Kind, ReviewFields, says_of

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope


class Reading(NamedTuple):
    """What is read: `changes`, `answer`, `lines` or `words`, and how much of the last two."""

    what: str
    amount: Distribution | None


def _reading(value: object) -> Reading:
    if value in ("changes", "answer"):
        return Reading(str(value), None)
    counts = _unit(value)
    if counts is None:
        expected = "expected what is read: `changes`, `answer`, 900 words or 400 loc"
        raise values.fault(f"{expected}; got {values.shown(value)}")
    if counts == "words":
        return Reading("words", quantity(value, values.words))
    return Reading("lines", quantity(value, values.lines))


def _unit(value: object) -> str | None:
    """Whether a quantity counts lines or words, told by the first value with a unit in it."""
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return next((unit for part in parts if (unit := _unit(part))), None)
    for unit, read in (("lines", values.lines), ("words", values.words)):
        try:
            read(value)
        except ValueError:
            continue
        return unit
    return None


def _person(value: object) -> str:
    if isinstance(value, list):
        raise values.fault("not yet: several names, of whom one or all are asked", code="not-yet")
    return values.name(value)


if TYPE_CHECKING:
    Read: TypeAlias = Reading
    Person: TypeAlias = str
else:
    Read = Annotated[Any, PlainValidator(_reading)]
    Person = Annotated[Any, PlainValidator(_person)]


class PersonStep(ReviewFields):
    """A piece of work for a person."""

    person: Person = need("who is asked, of `people` or a preset", "you")
    time: Duration | None = may("reading and deciding together", "10m")
    reads: Read | None = may("what is read: changes, answer, lines or words", "changes")
    decides: Duration | None = may("to decide, after reading", "60s")
    writes: Lines | None = may("lines that the person writes", "20 loc")
    defects: Density | None = may("defects in the lines written", "32 per kloc")
    regressions: Share | None = may("the chance that mending a defect makes another", "5%")
    finds: Share | None = may("the chance to find each defect", "35%")
    rejects: Share | None = may("its chance to reject, which fails the run", "5%")


def lower(step: PersonStep, scope: Scope) -> Ask | None:
    """A piece of a person's work, which takes `time`, or reading and deciding."""
    defined = scope.cast.named("people", step.person, scope.place("person"))
    if defined is None or not _has_time(step, defined, scope) or not _adds_up(step, scope):
        return None
    what = step.reads.what if step.reads else ""
    number = scope.players.person(
        defined, what in ("changes", "lines"), what in ("answer", "words")
    )
    if step.writes is not None:
        scope.players.types(defined)
    is_reading = step.time is None
    return Ask(
        **scope.node(),
        person=number,
        time=step.time,
        reads=what,
        amount=step.reads.amount if step.reads else None,
        decides=scope.players.decides(defined, step.decides) if is_reading else None,
        writes=step.writes,
        says=says_of(step, step.rejects),
        craft=craft_of(scope, defined, step, step.writes is not None, what == "changes"),
    )


def _has_time(step: PersonStep, defined: Defined, scope: Scope) -> bool:
    """A piece of work takes either `time`, or what is read and decided; not nothing."""
    if step.time is not None and step.decides is not None:
        message = "`time` is reading and deciding together: give either `time` or `decides`"
        scope.wrong(message, "decides", hint="leave one of the two out")
        return False
    if step.time is None and step.reads is None and step.decides is None:
        if defined.has("decides"):
            return True
        who = quoted(defined.name)
        hint = "`time: 10m`, or `reads: changes`, or `decides: 1m`"
        scope.wrong(f"nothing says how long {who} takes here", code="missing-key", hint=hint)
        return False
    return True


def _adds_up(step: PersonStep, scope: Scope) -> bool:
    """In every round at most one of both."""
    rejects = step.rejects or 0.0
    for i, approves in enumerate(step.approves or ()):
        if approves + rejects > 1.0 + 1e-9:
            both = f"{100 * approves:g} % and {100 * rejects:g} %"
            message = f"`approves` and `rejects` are more than 100 % in round {i + 1}: {both}"
            scope.wrong(message, "approves", hint="both are of one draw: lower one of them")
            return False
    return True


LATER = {
    **PEOPLE_LATER["people"],
    "expires": "a question that expires (`expires`)",
    "approvals": "approvals by several (`approvals`)",
    "attention": "a person who watches the stream (`attention`)",
    "split": "work that may not be split by off-hours (`split`)",
}
KIND = Kind("person", "a person step", PersonStep, lower, later=LATER)
