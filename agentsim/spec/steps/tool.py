"""`tool: name`: one tool run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentsim.graph import Work
from agentsim.spec.definitions import ToolFields
from agentsim.spec.fields import Name
from agentsim.spec.model import At, need
from agentsim.spec.quality import craft_of
from agentsim.spec.steps.base import Kind, ReviewFields, says_of

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope


class ToolStep(ReviewFields, ToolFields):
    """A run of a tool; any field of its definition may be given otherwise here."""

    tool: Name = need("the tool, of `tools` or a preset", "tests")


def lower(step: ToolStep, scope: Scope) -> Work | None:
    """One run; outside an agent nobody reads what it returns."""
    defined = scope.cast.named("tools", step.tool, scope.place("tool"))
    if defined is None:
        return None
    at = At(scope.program.tree, scope.at)
    plan = scope.players.tool_of(defined, step, scope.place(), returns=False, at=at)
    if plan is None:
        return None
    craft = craft_of(scope, defined, step, False, False)
    return Work(**scope.node(), tool=plan, says=says_of(step), craft=craft)


KIND = Kind("tool", "a tool step", ToolStep, lower)
