"""`include: file.yaml`: the steps of another file, as a group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentsim.graph import Block
from agentsim.spec.fields import Text
from agentsim.spec.includes import INSERTED
from agentsim.spec.model import may, need
from agentsim.spec.steps.base import Kind, StepFields

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope


class IncludeStep(StepFields):
    """The steps of another file of this folder, with what that defines."""

    include: Text = need("the file", "review.yaml")
    params: Any = may("values for the params of that file", "{rounds: 2}")


def lower(step: IncludeStep, scope: Scope) -> Block:
    """The steps were put in before anything was read (`spec.includes`): a group of them."""
    inner = scope.block(INSERTED)
    return Block(**scope.node(), steps=inner.steps, needs=inner.needs)


KIND = Kind(
    "include",
    "an include step",
    IncludeStep,
    lower,
    lists=(INSERTED,),
    inserted=(INSERTED,),
)
