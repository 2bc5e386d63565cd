"""What a profile says of its prices."""

from __future__ import annotations

from agentsim.laws.price import Price
from agentsim.spec.model import At, without
from agentsim.spec.problems import not_yet
from agentsim.spec.profile import LATER, PriceFile
from agentsim.spec.profile_parts import Parts


def price_of(parts: Parts) -> Price | None:
    """The price of `price`; None where there is none, or a wrong one."""
    if isinstance(parts.raw().get("price"), list):
        place = parts.tree.key_place(("price",))
        parts.problems.append(not_yet("prices in tiers by context", place))
        return None
    raw = parts.raw("price")
    if not LATER["price"].keys().isdisjoint(raw):  # a price of another form lacks nothing else
        without(raw, LATER["price"], At(parts.tree, ("price",)), parts.problems.append)
        return None
    file = parts.part(PriceFile, "`price`", "price")
    if file is None:
        return None
    return Price(file.input, file.output, file.cached, file.cache_write)
