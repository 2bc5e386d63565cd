"""What a file sets and nothing in it uses: told, since a typing error looks just like that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentsim.errors import Place
from agentsim.graph import Agent, Graph, Life, walk
from agentsim.spec.cast import ONE_OF
from agentsim.spec.expressions import uses
from agentsim.spec.problems import nearest, quoted
from agentsim.spec.tree import Path, Tree, Value

if TYPE_CHECKING:
    from agentsim.spec.scope import Program


def idle_settings(graph: Graph, program: Program) -> list[str]:
    """A sentence each: definitions that no step uses, and what is for agents where none runs."""
    return [*_definitions(program), *_of_agents(graph, program)]


def idle_params(tree: Tree, home: str = "") -> list[str]:
    """Params that no expression of a file uses; `tree` is the file before they are put in.

    `home`: the file that it is included in.
    """
    params = tree.mapping.get("params")
    if not isinstance(params, dict):
        return []
    used = uses(tree)
    return [
        f"the param {quoted(name)} "
        f"({line_of(tree.key_place(('params', name)), home or tree.file)}) is given, and no "
        "expression uses it"
        for name in params
        if isinstance(name, str) and name not in used
    ]


def empty_keys(tree: Tree) -> list[str]:
    """Keys with nothing behind them, of a tree that is filled and has its includes."""
    return [
        f"{quoted(path[-1])} ({line_of(tree.key_place(path), tree.file)}) has no value and counts "
        "as not written"
        for path in _empty(tree.value, ())
    ]


_DATA = frozenset({"params", "each"})
"""Keys of values that expressions use, where nothing is a value as well."""


def _empty(value: Value, path: Path) -> Iterator[Path]:
    if isinstance(value, list):
        for i, entry in enumerate(value):
            yield from _empty(entry, (*path, i))
    elif isinstance(value, dict):
        for key, entry in value.items():
            if entry is None:
                yield (*path, key)
            elif key not in _DATA:
                yield from _empty(entry, (*path, key))


def _definitions(program: Program) -> Iterator[str]:
    """In the order of the file; nothing where steps were not read that may use them."""
    cast = program.cast
    for kind, section in cast.file.items() if not program.unread else ():
        presets = {name for of, name in cast.used if of == kind and name not in section}
        for name in cast.names(kind):
            if (kind, name) in cast.used:
                continue
            near = nearest(name, presets)
            meant = f": the steps use {quoted(near)}, which is a preset" if near else ""
            line = line_of(program.tree.key_place((kind, name)), program.tree.file)
            what = f"the {ONE_OF[kind]} {quoted(name)} ({line})"
            yield f"{what} is defined, and no step uses it{meant}"


def _of_agents(graph: Graph, program: Program) -> Iterator[str]:
    """`harness` and `caps` of a file that starts no agent."""
    given = program.tree.mapping
    keys = [key for key in ("harness", "caps") if given.get(key) is not None]
    if not keys or program.unread or any(isinstance(it, Agent | Life) for it in walk(graph.root)):
        return
    for key in keys:
        line = line_of(program.tree.key_place((key,)), program.tree.file)
        yield f"{quoted(key)} ({line}) counts for nothing, since no step runs an agent"


def line_of(place: Place, home: str) -> str:
    """`line 4`, with the file where that is not `home`."""
    where = "" if place.file == home else f" of {place.file}"
    return f"line {place.line}{where}"
