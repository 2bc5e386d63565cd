"""`parallel: [steps]`: each step of the list is a branch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainValidator

from agentsim.graph import Fork
from agentsim.spec import values
from agentsim.spec.model import may, need
from agentsim.spec.steps.base import Kind, StepFields
from agentsim.spec.values import fault

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope


def join_of(value: object) -> int:
    """How many branches must end: `all` is 0, `any` 1, else their number."""
    if value in ("all", "any"):
        return 0 if value == "all" else 1
    try:
        return values.whole(value, 1)
    except ValueError:
        shown = values.shown(value)
        message = "expected how many branches must end: all, any, or a number such as 2"
        raise fault(f"{message}; got {shown}") from None


def joined(join: int | None, branches: int, scope: Scope) -> int:
    """The join of a fork with so many branches; more than there are is a problem."""
    if join and join > branches:
        message = f"`join: {join}` waits for more branches than the {branches} that there are"
        scope.wrong(message, "join", hint="`join: all` waits for every one")
        return 0
    return join or 0


if TYPE_CHECKING:
    Join: TypeAlias = int
else:
    Join = Annotated[Any, PlainValidator(join_of)]


class ParallelStep(StepFields):
    """Steps side by side; those that lose are cancelled."""

    parallel: Any = need("the branches", "[{tool: lint}, {tool: tests}]")
    join: Join | None = may("how many must end: all, any or a number", "any")


def lower(step: ParallelStep, scope: Scope) -> Fork:
    """All branches at once."""
    branches = scope.branches("parallel")
    written = scope.raw["parallel"]
    count = len(written) if isinstance(written, list) else 0
    return Fork(**scope.node(), branches=branches, join=joined(step.join, count, scope))


KIND = Kind("parallel", "a parallel step", ParallelStep, lower, lists=("parallel",))
