"""What a profile says of its prefix cache."""

from __future__ import annotations

from types import MappingProxyType

from agentsim.graph import CachePlan
from agentsim.records import SECOND
from agentsim.spec.problems import quoted
from agentsim.spec.profile import CacheFile
from agentsim.spec.profile_parts import Parts

_OWN = MappingProxyType({"ttl": "ttl", "capacity": "lru", "evicts": "lru"})
"""Keys of one kind alone."""


def cache_plan(parts: Parts) -> CachePlan:
    """The cache of `cache`; none where there is none, or a wrong one."""
    file = parts.part(CacheFile, "`cache`", "cache")
    raw = parts.raw("cache")
    if file is None or file.kind == "none":
        for key in raw:
            if file and key != "kind":
                hint = "leave it out, or `kind: ttl`"
                parts.bad(("cache", key), f"{quoted(key)} of no cache", hint, at_key=True)
        return CachePlan()
    kind = file.kind
    for key in raw:
        own = _OWN.get(key, kind)
        if own != kind:
            message = f"{quoted(key)} is of a cache of kind {own}, not of {kind}"
            parts.bad(("cache", key), message, "leave it out", at_key=True)
    if kind == "ttl" and file.ttl is None:
        parts.wrong("missing-key", ("cache",), "`cache` needs a `ttl`", "such as `ttl: 5m`")
        return CachePlan()
    if kind == "lru" and file.capacity is None:
        hint = "tokens of all sessions together, such as `capacity: 500k`"
        parts.wrong("missing-key", ("cache",), "`cache` of kind lru needs a `capacity`", hint)
        return CachePlan()
    if kind == "slot" and "slots" not in parts.raw():
        message = "each slot of the server keeps a prompt: `kind: slot` needs `slots`"
        parts.wrong("missing-key", ("cache", "kind"), message, "such as `slots: 4` at the top")
        return CachePlan()
    _check_block(parts, file)
    worse = file.degrades
    if worse is not None and worse.to >= 1.0:
        message = "`degrades` to 100 %: that is all lookups"
        parts.bad(("cache", "degrades", "to"), message, "a smaller share, such as `50%`")
    return CachePlan(
        kind,
        round((file.ttl or 0.0) * SECOND),
        file.block,
        (file.covers or ("prompt" if kind == "ttl" else "all")) == "all",
        file.capacity or 1,
        file.evicts == "tokens",
        0 if worse is None else round(worse.after * SECOND),
        1.0 if worse is None else worse.to,
    )


def _check_block(parts: Parts, file: CacheFile) -> None:
    """A cache smaller than one block never holds any."""
    if file.capacity is not None and file.block > file.capacity:
        message = f"a `capacity` of {file.capacity:,} tokens holds no block of {file.block:,}"
        parts.bad(("cache", "capacity"), message, "raise it: hits are whole blocks, so none is one")
