"""`wait: 10m`: time passes outside all work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainValidator

from agentsim.chance import Distribution
from agentsim.graph import Work
from agentsim.spec import values
from agentsim.spec.fields import Uses
from agentsim.spec.model import may, need
from agentsim.spec.steps.base import Kind, SaysFields, says_of

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope


def _waiting(value: object) -> Distribution:
    if isinstance(value, dict) and "until" in value:
        raise values.fault("not yet: a wait until a time of day (`until`)", "until", code="not-yet")
    return values.duration_of(value)


if TYPE_CHECKING:
    Waiting: TypeAlias = Distribution
else:
    Waiting = Annotated[Any, PlainValidator(_waiting)]


class WaitStep(SaysFields):
    """Time that passes; it may hold units of a pool meanwhile."""

    wait: Waiting = need("how long", "10m")
    uses: Uses | None = may("units of pools that it holds", "{staging: 1}")


def lower(step: WaitStep, scope: Scope) -> Work:
    """A wait is a tool run that counts as waiting."""
    place = scope.place("uses") if step.uses else scope.place()
    plan = scope.players.wait(scope.row.name, step.wait, step.uses, place)
    return Work(**scope.node(), tool=plan, says=says_of(step))


KIND = Kind("wait", "a wait step", WaitStep, lower)
