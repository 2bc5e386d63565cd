"""Prices by the time of day need to know when the run begins, and in which zone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentsim.errors import Notice, Weight
from agentsim.graph import ServerPlan
from agentsim.laws.price import Price, Tier


def timed(servers: Sequence[ServerPlan], start: tuple[int, str] | None) -> tuple[ServerPlan, ...]:
    """The servers with hours that know when it is. `start`: nanoseconds since 1970 and the zone."""
    if start is None:
        return tuple(servers)
    return tuple(
        plan
        if plan.price is None or not plan.price.goes_by_hours
        else replace(plan, price=_started(plan.price, *start))
        for plan in servers
    )


def _started(price: Price, start: int, zone: str) -> Price:
    return replace(price, tiers=tuple(_tier(tier, start, zone) for tier in price.tiers))


def _tier(tier: Tier, start: int, zone: str) -> Tier:
    if tier.hours is None:
        return tier
    return replace(tier, hours=replace(tier.hours, start=start, zone=tier.hours.zone or zone))


def untimed(servers: Sequence[ServerPlan], start: tuple[int, str] | None) -> Iterator[Notice]:
    """That prices by the hour are not heeded where nobody says when the run begins."""
    for profile in dict.fromkeys(
        plan.profile
        for plan in servers
        if start is None and plan.price is not None and plan.price.goes_by_hours
    ):
        text = (
            f"{profile}: its price goes by the time of day, and the workflow has no `start`: "
            "tiers with `hours` count for nothing"
        )
        yield Notice(text, Weight.LACKS, about=("untimed", profile), profile=profile)
