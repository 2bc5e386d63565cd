"""What a file sets and nothing in it uses: told, since a typing error looks just like that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from agentsim.graph import Agent, Graph, Life, walk
from agentsim.spec.cast import ONE_OF
from agentsim.spec.expressions import uses
from agentsim.spec.problems import line_of, nearest, quoted
from agentsim.spec.told import Told
from agentsim.spec.tree import Path, Tree, Value

if TYPE_CHECKING:
    from agentsim.spec.scope import Program


def idle_settings(graph: Graph, program: Program) -> list[Told]:
    """A sentence each: definitions that no step uses, and what is for agents where none runs."""
    return [*_definitions(program), *_of_agents(graph, program)]


def idle_params(tree: Tree, home: str = "") -> list[Told]:
    """Params that no expression of a file uses; `tree` is the file before they are put in.

    `home`: the file that it is included in.
    """
    params = tree.mapping.get("params")
    if not isinstance(params, dict):
        return []
    used = uses(tree)
    home = home or tree.file
    return [
        Told(f"the param {quoted(name)} ({line_of(tree.key_place(at), home)}) {_UNUSED}", at)
        for name in params
        if isinstance(name, str) and name not in used
        for at in [("params", name)]
    ]


_UNUSED = "is given, and no expression uses it"


def empty_keys(tree: Tree) -> list[Told]:
    """Keys with nothing behind them, of a tree that is filled and has its includes."""
    return [
        Told(
            f"{quoted(path[-1])} ({line_of(tree.key_place(path), tree.file)}) has no value and "
            "counts as not written",
            path,
        )
        for path in _empty(tree.value, ())
    ]


def without_empty(tree: Tree) -> tuple[Tree, list[str]]:
    """A profile without the keys of itself and its parts that have nothing behind them, and a
    sentence about each.

    Not of the rows of a table: what has no figure there is no row, and an error.
    """
    value, told = tree.value, []

    def kept(part: Value, path: Path, deep: int) -> Value:
        if isinstance(part, list):
            return [kept(entry, (*path, i), deep) for i, entry in enumerate(part)]
        if not isinstance(part, dict) or not deep:
            return part
        for key, entry in part.items():
            if entry is None and isinstance(key, str):
                line = line_of(tree.key_place((*path, key)), tree.file)
                told.append(f"{quoted(key)} ({line}) has no value and counts as not written")
        return {
            key: kept(entry, (*path, key), deep - 1)
            for key, entry in part.items()
            if entry is not None or not isinstance(key, str)
        }

    return replace(tree, value=kept(value, (), 2)), told


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


_NAMING = frozenset(
    ("tool", "agent", "person", "merge", "tools", "uses", "like", "harness", "who", "asks", "each")
)
"""Keys that may name a definition."""


def _definitions(program: Program) -> Iterator[Told]:
    """In the order of the file; nothing where steps were not read that may use them."""
    cast = program.cast
    for kind, section in cast.file.items() if not program.unread else ():
        presets = {name for of, name in cast.used if of == kind and name not in section}
        for name in cast.names(kind):
            if (kind, name) in cast.used:
                continue
            near = nearest(name, presets)
            meant = f": the steps use {quoted(near)}, which is a preset" if near else ""
            what = f"the {ONE_OF[kind]} {quoted(name)} ({program.line((kind, name))})"
            text = f"{what} is defined, and no step uses it{meant}"
            yield Told(text, (kind,), also=_NAMING)


def _of_agents(graph: Graph, program: Program) -> Iterator[Told]:
    """`harness` and `caps` of a file that starts no agent."""
    given = program.tree.mapping
    keys = [key for key in ("harness", "caps") if given.get(key) is not None]
    if not keys or program.unread or any(isinstance(it, Agent | Life) for it in walk(graph.root)):
        return
    for key in keys:
        text = f"{quoted(key)} ({program.line((key,))}) counts for nothing, since no step runs an"
        yield Told(f"{text} agent", (key,))
