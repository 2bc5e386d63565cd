"""`loop: 5`: rounds until a verdict approves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

from pydantic import PlainValidator

from agentsim.graph import Loop
from agentsim.spec import values
from agentsim.spec.model import may, need
from agentsim.spec.steps.base import Kind, StepFields
from agentsim.spec.values import fault

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope

MOST_ROUNDS = 10_000
_TIME = "a time, such as 10m"
ROUNDS_IN_TIME = 200_000
"""Rounds of a loop that has a time. A run in which there are more is stopped, after seconds: they
hardly take any time (one a minute for ten weeks are half as many)."""


class Rounds(NamedTuple):
    """How many rounds at most, and the seconds from the start after which none begins."""

    most: int
    within: float | None = None


def _rounds(value: object) -> Rounds:
    if not isinstance(value, dict):
        return Rounds(values.whole(value, 0, MOST_ROUNDS, "rounds at most, such as 4"))
    if set(value) != {"within"}:
        raise fault("expected rounds at most, such as 4, or `{within: 10m}`")
    with values.below("within"):
        return Rounds(ROUNDS_IN_TIME, values.above_zero(values.seconds, _TIME)(value["within"]))


if TYPE_CHECKING:
    Most: TypeAlias = Rounds
else:
    Most = Annotated[Any, PlainValidator(_rounds)]


class LoopStep(StepFields):
    """At most so many rounds; it leaves after one whose last verdict approves."""

    loop: Most = need("the most rounds, or the time in which they begin", "4")
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
        rounds=step.loop.most,
        within=step.loop.within,
        changes_fail=step.or_ is False,
        failed_fail=step.or_ is not True,
    )


KIND = Kind("loop", "a loop step", LoopStep, lower, lists=("do", "between"))
