"""The kinds of steps: one module each and a row here."""

from __future__ import annotations

from types import MappingProxyType

from agentsim.spec.steps import (
    agent,
    attempts,
    call,
    choose,
    each,
    group,
    include,
    loop,
    merge,
    parallel,
    person,
    tool,
    wait,
)
from agentsim.spec.steps.base import Kind

KINDS: MappingProxyType[str, Kind] = MappingProxyType(
    {
        module.KIND.name: module.KIND
        for module in (
            call,
            agent,
            tool,
            person,
            wait,
            parallel,
            each,
            attempts,
            loop,
            choose,
            merge,
            include,
            group,
        )
    }
)

LISTS = MappingProxyType({name: kind.lists for name, kind in KINDS.items()})
