"""The kinds of value that the money of a hardware profile may hold, as types for its models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import PlainValidator

from agentsim import units
from agentsim.laws.hours import Stretch
from agentsim.spec import values
from agentsim.spec.hours import hours_of
from agentsim.spec.problems import quoted
from agentsim.spec.profile_fields import choice, one
from agentsim.spec.values import fault, shown, within
from agentsim.spec.zones import like_zone, zone_named


def _dollars(value: object) -> float:
    """Dollars per million tokens."""
    if isinstance(value, dict | list):
        hint = "other prices of some calls stand in `tiers`"
        raise fault(f"expected dollars per million tokens; got {shown(value)}", hint=hint)
    return one(within(units.money, 1e6, "dollars per million tokens"), value)


def _cost(value: object) -> float:
    return one(within(units.money, 1e9, "dollars"), value)


def _above_zero(most: float, what: str, example: str) -> Callable[[object], float]:
    """Reads a number above 0 and up to `most`."""

    def read(value: object) -> float:
        number = one(values.count, value)
        if not 0.0 < number <= most:
            expected = f"expected {what}, above 0 and at most {most:,.0f}, such as {example}"
            raise fault(f"{expected}; got {shown(value)}")
        return number

    return read


def _watts(value: object) -> float:
    number = one(values.count, value)
    if number > 1e6:
        raise fault(f"expected watts, at most 1,000,000; got {shown(value)}")
    return number


def _zone(value: object) -> str:
    name = values.text(value)
    if zone_named(name) is None:
        raise fault(f"unknown zone {quoted(name)}", hint=like_zone(name))
    return name


Dollars = Annotated[float, PlainValidator(_dollars)]
OtherDollars = Annotated[float | None, PlainValidator(_dollars)]
Cost = Annotated[float | None, PlainValidator(_cost)]
Years = Annotated[float | None, PlainValidator(_above_zero(100, "years", "3"))]
WeekHours = Annotated[float | None, PlainValidator(_above_zero(168, "hours of a week", "40"))]
Watts = Annotated[float | None, PlainValidator(_watts)]
Zone = Annotated[str | None, PlainValidator(_zone)]
Hours = Annotated[tuple[str, tuple[Stretch, ...]] | None, PlainValidator(hours_of)]
Paid = Annotated[str | None, choice(("wall", "use"), "which hours are paid")]
