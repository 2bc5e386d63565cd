"""`choose: [{chance: 30%, do: [...]}, ...]`: one branch by chance."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from agentsim.graph import Choose
from agentsim.spec.model import need
from agentsim.spec.steps.base import Kind, StepFields

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope

WHOLE = 1e-9  # what a sum of shares may be off


class ChooseStep(StepFields):
    """One of several steps, each with its chance; what is left of 100 % takes none of them."""

    choose: Any = need("the branches, each a step with a `chance`", "[{chance: 30%, tool: tests}]")


def lower(step: ChooseStep, scope: Scope) -> Choose | None:
    """The branches with the shares of those before them. One without a chance takes the rest."""
    branches = scope.branches("choose")
    shares = _shares(scope, scope.list("choose") or [])
    if shares is None or len(shares) != len(branches):
        return None
    upto = tuple(1.0 if abs(total - 1.0) < WHOLE else total for total in accumulate(shares))
    return Choose(**scope.node(), branches=branches, upto=upto)


def _shares(scope: Scope, given: list[Any]) -> list[float] | None:
    """The chance of each branch; None where they do not add up, which is reported."""
    chances = [scope.program.chances.get((*scope.at, "choose", i)) for i in range(len(given))]
    total = sum(chance for chance in chances if chance is not None)
    if total > 1.0 + WHOLE:
        message = f"the chances add up to {100 * total:.10g} %, more than 100 %"
        scope.wrong(message, "choose", hint="lower one; a branch without `chance` takes the rest")
        return None
    open_ = [i for i, chance in enumerate(chances) if chance is None]
    if len(open_) > 1:
        for i in open_[1:]:
            message = "a second branch without a `chance`: only one can take the rest"
            scope.wrong(message, "choose", i, code="missing-key", hint="such as `chance: 30%`")
        return None
    rest = max(0.0, 1.0 - total)
    return [rest if chance is None else chance for chance in chances]


KIND = Kind("choose", "a choose step", ChooseStep, lower, lists=("choose",))
