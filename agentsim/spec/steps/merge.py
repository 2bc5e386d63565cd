"""`merge: queue`: through a merge queue, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainValidator

from agentsim.graph import Merge
from agentsim.spec import values
from agentsim.spec.fields import Name
from agentsim.spec.model import may, need
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
    if rework is not None and all(chance >= 1.0 for chance in conflict):
        message = "`conflict` at each try: it would never come through"
        scope.wrong(message, "conflict", hint="`conflict: yes` is once; or a chance, such as 20%")
    return Merge(**scope.node(), queue=number, conflict=conflict, rework=rework)


KIND = Kind("merge", "a merge step", MergeStep, lower, lists=("rework",))
