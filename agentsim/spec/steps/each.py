"""`each: 12` or `each: [items]`: the same steps for every item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainValidator

from agentsim.graph import Block, Fork
from agentsim.spec import values
from agentsim.spec.model import may, need
from agentsim.spec.steps.base import Kind, StepFields
from agentsim.spec.steps.parallel import Join, joined
from agentsim.spec.values import fault

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope

MOST_ITEMS = 20_000


def _items(value: object) -> list[Any]:
    """The items; a count stands for the numbers from 0."""
    if not isinstance(value, list):
        return list(range(values.whole(value, 0, MOST_ITEMS, "such as 12, or a list of items")))
    if len(value) > MOST_ITEMS:
        raise fault(f"{len(value):,} items; at most {MOST_ITEMS:,}")
    return value


def _waves(value: object) -> bool:
    return values.one_of(value, ("refill", "waves"), "how the limit is kept") == "waves"


if TYPE_CHECKING:
    Items: TypeAlias = list[Any]
    Limit: TypeAlias = int
    Waves: TypeAlias = bool
else:
    Items = Annotated[Any, PlainValidator(_items)]
    Limit = Annotated[Any, PlainValidator(lambda value: values.whole(value, 1, 10**6))]
    Waves = Annotated[Any, PlainValidator(_waves)]


class EachStep(StepFields):
    """A pipeline for every item."""

    each: Items = need("how many items, or a list of them", "[api, web, docs]")
    do: Any = need("the steps of an item", "[{agent: coder}]")
    limit: Limit | None = may("how many items run at once", "4")
    release: Waves | None = may("refill a place as it is freed, or run in waves", "waves")
    join: Join | None = may("how many items must end: all, any or a number", "any")


def lower(step: EachStep, scope: Scope) -> Fork | None:
    """One body for all items, or one for each where the body names its item."""
    if step.release and step.limit is None:
        scope.wrong("`release: waves` needs a `limit`, such as `limit: 4`", "release")
    items = step.each
    if scope.depends_on_item("do"):
        if not items:
            scope.program.unread = True
        branches = [
            scope.block("do", {"item": item, "index": index}) for index, item in enumerate(items)
        ]
    else:
        branches = [scope.block("do", {})]
    bodies: tuple[Block, ...] = tuple(branches)
    return Fork(
        **scope.node(),
        branches=bodies,
        items=len(items),
        limit=step.limit,
        waves=bool(step.release),
        join=joined(step.join, len(items), scope),
    )


KIND = Kind("each", "an each step", EachStep, lower, lists=("do",))
