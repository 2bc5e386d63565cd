"""`loop: 5`: rounds until a verdict approves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainValidator

from agentsim.graph import Loop
from agentsim.spec import values
from agentsim.spec.model import may, need
from agentsim.spec.steps.base import Kind, StepFields
from agentsim.spec.values import fault

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope

MOST_ROUNDS = 10_000


def _rounds(value: object) -> int:
    if isinstance(value, dict) and "within" in value:
        raise fault("not yet: rounds within a time (`within`)", "within", code="not-yet")
    return values.whole(value, 0, MOST_ROUNDS, "rounds at most, such as 4")


if TYPE_CHECKING:
    Rounds: TypeAlias = int
else:
    Rounds = Annotated[Any, PlainValidator(_rounds)]


class LoopStep(StepFields):
    """At most so many rounds; it leaves after one whose last verdict approves."""

    loop: Rounds = need("the most rounds", "4")
    do: Any = need("the steps of a round", "[{agent: reviewer, approves: 50%}]")
    between: Any = may("steps before a further round", "[{agent: coder, session: coder}]")


def lower(step: LoopStep, scope: Scope) -> Loop:
    """Rounds of a block. `or` says what follows when they run out; otherwise that depends on
    whether the last one asked for changes (go on) or failed (fail)."""
    body = scope.block("do")
    between = scope.block("between") if "between" in scope.raw else None
    return Loop(
        **scope.node(),
        body=body,
        between=between,
        rounds=step.loop,
        changes_fail=step.or_ is False,
        failed_fail=step.or_ is not True,
    )


KIND = Kind("loop", "a loop step", LoopStep, lower, lists=("do", "between"))
