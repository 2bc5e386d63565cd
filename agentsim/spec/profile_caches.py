"""What a profile says of its prefix cache."""

from __future__ import annotations

from agentsim.graph import CachePlan
from agentsim.records import SECOND
from agentsim.spec.problems import quoted
from agentsim.spec.profile import CacheFile
from agentsim.spec.profile_parts import Parts


def cache_plan(parts: Parts) -> CachePlan:
    """The cache of `cache`; none where there is none, or a wrong one."""
    file = parts.part(CacheFile, "`cache`", "cache")
    if file is None or file.kind == "none":
        for key in parts.raw("cache"):
            if file and key != "kind":
                hint = "leave it out, or `kind: ttl`"
                parts.bad(("cache", key), f"{quoted(key)} of no cache", hint, at_key=True)
        return CachePlan()
    if file.ttl is None:
        parts.wrong("missing-key", ("cache",), "`cache` needs a `ttl`", "such as `ttl: 5m`")
        return CachePlan()
    return CachePlan("ttl", round(file.ttl * SECOND), file.block, file.covers == "all")
