"""A bare `do:` is a group: steps that share fields such as `timeout` or `or`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentsim.graph import Block
from agentsim.spec.model import need
from agentsim.spec.steps.base import Kind, StepFields

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope


class GroupStep(StepFields):
    """Steps one after another, as one step."""

    do: Any = need("the steps", "[{tool: tests}]")


def lower(step: GroupStep, scope: Scope) -> Block:
    """Its steps, with the fields of the group around them."""
    inner = scope.block("do")
    return Block(**scope.node(), steps=inner.steps, needs=inner.needs)


KIND = Kind("do", "a group of steps", GroupStep, lower, lists=("do",))
