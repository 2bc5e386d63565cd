"""`merge: queue`: through a merge queue, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainValidator

from agentsim.errors import Problem
from agentsim.graph import Merge
from agentsim.spec import values
from agentsim.spec.cast import Defined
from agentsim.spec.definitions import QueueDef
from agentsim.spec.fields import Name
from agentsim.spec.model import may, need
from agentsim.spec.problems import quoted
from agentsim.spec.steps.base import Kind, StepFields

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope


def _conflict(value: object) -> tuple[float, ...]:
    """Yes is once: at the first try; a share, or a list of them, is the chance at each try."""
    if isinstance(value, bool) or value in ("yes", "no"):
        return (1.0, 0.0) if values.flag(value) else (0.0,)
    return values.shares(value)


if TYPE_CHECKING:
    Conflict: TypeAlias = tuple[float, ...]
else:
    Conflict = Annotated[Any, PlainValidator(_conflict)]


class MergeStep(StepFields):
    """Through a merge queue: rebase, then CI; a conflict shows after the rebase."""

    merge: Name = need("the queue, of `queues`", "trunk")
    conflict: Conflict | None = may("a conflict: yes is once, else the chance at each try", "20%")
    rework: Any = may(
        "steps after a conflict or failed CI, before it comes again", "[{agent: coder}]"
    )


def lower(step: MergeStep, scope: Scope) -> Merge | None:
    """A place in the queue, and what is done when it does not come through."""
    rework = scope.block("rework") if "rework" in scope.raw else None
    defined = scope.cast.named("queues", step.merge, scope.place("merge"))
    if defined is None:
        return None
    number = scope.players.queue(defined)
    conflict = step.conflict or (0.0,)
    _check_sure(scope, defined, conflict, mended=rework is not None)
    return Merge(**scope.node(), queue=number, conflict=conflict, rework=rework)


def _check_sure(scope: Scope, defined: Defined, conflict: tuple[float, ...], mended: bool) -> None:
    """What fails at every try: with `rework` it would come again for ever, else it is told.

    Without `rework` there is one try; one of `retry` begins again with the first chance.
    """
    model = defined.model
    assert isinstance(model, QueueDef)
    if not mended and conflict[0] >= 1.0:
        which = "each" if all(chance >= 1.0 for chance in conflict) else "the first"
        scope.tell("conflict", f"a conflict at {which} try and no `rework`: it always fails")
    elif all(chance >= 1.0 for chance in conflict):
        message = "`conflict` at each try: it would never come through"
        hint = "`conflict: yes` is once; or a chance, such as 20%"
        scope.wrong(message, "conflict", hint=hint)
    elif model.ci_fails == 1.0:
        if mended:
            message = f"CI fails at each try in {quoted(defined.name)}: it would never come through"
            hint = "a chance below 100 %, such as `ci_fails: 5%`"
            place = scope.program.tree.place(("queues", defined.name, "ci_fails"))
            scope.program.report(Problem("bad-value", message, place, hint))
        else:
            name = quoted(defined.name)
            scope.tell("merge", f"`ci_fails: 100%` in {name} and no `rework`: it always fails")


KIND = Kind("merge", "a merge step", MergeStep, lower, lists=("rework",))
