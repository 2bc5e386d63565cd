"""What a profile says of its prices: by the token, by the month, by the hour."""

from __future__ import annotations

from typing import NamedTuple

from agentsim.laws.hours import Hours
from agentsim.laws.price import Hourly, Price, Tier, owned
from agentsim.spec.model import example_of
from agentsim.spec.problems import quoted
from agentsim.spec.profile import PlanFile, PriceFile, TierFile
from agentsim.spec.profile_parts import Parts
from agentsim.spec.tree import Path
from agentsim.spec.values import shown

_TOKENS = ("input", "output", "cached", "cache_write", "tiers", "timezone")
_OWN = ("buy", "years", "watts", "per_kwh", "hours_per_week")

_WAYS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (_TOKENS, ("input", "output")),
    (("plan",), ("plan",)),
    (("per_hour",), ("per_hour",)),
    (_OWN, _OWN),
)
"""How it is paid: the keys of each way, and those that it cannot do without."""

NEEDED = tuple(needs for _, needs in _WAYS)

_AT: Path = ("price",)


class Prices(NamedTuple):
    """How a server is paid: at most one of them."""

    price: Price | None = None
    hourly: Hourly | None = None
    monthly: float | None = None


def prices_of(parts: Parts) -> Prices:
    """What `price` says; nothing where there is none, or a wrong one."""
    if isinstance(parts.raw().get("price"), list):
        message = "`price`: expected a mapping; got a list"
        hint = "`{input: 3, output: 15, tiers: [{above: 200k, input: 6, output: 22.5}]}`"
        parts.bad(_AT, message, hint)
        return Prices()
    file = parts.part(PriceFile, "`price`", "price")
    tiers = _tiers(parts, None if file is None else file.timezone)
    way = _way(parts)
    if file is None or way is None:
        return Prices()
    if way is _TOKENS:
        assert file.input is not None
        assert file.output is not None
        return Prices(Price(file.input, file.output, file.cached, file.cache_write, tiers))
    if "plan" in way:
        return Prices(monthly=_by_month(parts))
    used = file.paid == "use"
    if file.per_hour is not None:
        return Prices(hourly=Hourly(file.per_hour, used))
    own = (file.buy, file.years, file.watts, file.per_kwh, file.hours_per_week)
    buy, years, watts, per_kwh, hours = (it or 0.0 for it in own)
    return Prices(hourly=owned(buy, years, watts, per_kwh, hours, file.paid != "wall"))


def _way(parts: Parts) -> tuple[str, ...] | None:
    """The keys of the one way that is written in full; None where it is not."""
    raw = parts.raw("price")
    if "price" not in parts.raw() or not isinstance(parts.raw()["price"], dict):
        return None
    found = [(keys, needs) for keys, needs in _WAYS if not raw.keys().isdisjoint(keys)]
    keys, needs = found[0] if found else _WAYS[0]
    if len(found) > 1:
        first, second = (next(key for key in raw if key in keys) for keys, _ in found[:2])
        message = f"{quoted(first)} and {quoted(second)} are two ways to pay"
        parts.bad((*_AT, second), message, "keep one of them", at_key=True)
        return None
    lacking = [key for key in needs if key not in raw]
    for key in lacking:
        what, example = example_of(PriceFile, key)
        message = f"{quoted(key)} is missing in `price`: {what}"
        parts.wrong("missing-key", _AT, message, f"such as `{key}: {example}`")
    if "paid" in raw and keys in (_TOKENS, ("plan",)):
        message = "`paid` is of what is paid by the hour"
        parts.bad((*_AT, "paid"), message, "leave it out", at_key=True)
    return None if lacking else keys


def _by_month(parts: Parts) -> float | None:
    file = parts.part(PlanFile, "`plan`", "price", "plan")
    return None if file is None else file.per_month


def _tiers(parts: Parts, zone: str | None) -> tuple[Tier, ...]:
    value = parts.raw("price").get("tiers", [])
    tiers: list[Tier] = []
    if not isinstance(value, list):
        message = f"`tiers`: expected a list; got {shown(value)}"
        parts.bad((*_AT, "tiers"), message, "such as `[{above: 200k, input: 6, output: 22.5}]`")
        value = []
    for i in range(len(value)):
        tier = _tier(parts, i, zone)
        if tier is not None:
            tiers.append(tier)
            _check_paid(parts, tiers, i)
    if zone is not None and all(it.hours is None for it in tiers):
        message = "`timezone`: no tier has `hours`"
        parts.bad((*_AT, "timezone"), message, "leave it out", at_key=True)
    return tuple(tiers)


def _tier(parts: Parts, i: int, zone: str | None) -> Tier | None:
    path = (*_AT, "tiers", i)
    file = parts.part(TierFile, "a tier", *path)
    if file is None:
        return None
    if file.above is None and file.hours is None:
        message = "a tier counts for some calls: `above` or `hours` says which"
        hint = "such as `above: 200k`, or `hours: 16:30-00:30`"
        parts.wrong("missing-key", path, message, hint)
        return None
    price = Price(file.input, file.output, file.cached, file.cache_write)
    hours = None if file.hours is None else Hours(*file.hours, zone=zone or "")
    return Tier(price, -1 if file.above is None else file.above, hours)


def _check_paid(parts: Parts, tiers: list[Tier], i: int) -> None:
    """A tier that counts wherever one before it does leaves that one nothing."""
    last = tiers[-1]
    for j, tier in enumerate(tiers[:-1]):
        if last.above <= tier.above and last.hours in (None, tier.hours):
            message = f"tier {j + 1} never counts: of those that a call is in, the last one does"
            hint = "write the larger `above` below the smaller one"
            parts.bad((*_AT, "tiers", i), message, hint)
