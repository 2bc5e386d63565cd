"""The names of all steps, before any of them is read: ranks, ids, paths, what draws are keyed by.

A step is known by where it stands in the file. A body that is run for many items stands there
once, so all its runs share rank, path and name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from agentsim.errors import Problem
from agentsim.spec import values
from agentsim.spec.expressions import Waiting
from agentsim.spec.model import Report
from agentsim.spec.problems import quoted
from agentsim.spec.quantity import QuantityFaults
from agentsim.spec.tree import Path, Tree

ROOT: Path = ("steps",)


@dataclass(frozen=True, slots=True)
class Row:
    """A step as it is named. `id` is its own, given or not; `path` with those of its parents."""

    rank: int
    at: Path
    kind: str
    id: str
    given: bool
    path: str
    name: str


Lists = Mapping[str, tuple[str, ...]]
"""Kind -> the keys that hold lists of steps."""


def kind_of(raw: Mapping[Any, Any], kinds: Lists) -> str | None:
    """The one kind key of a step; `do` counts only where there is no other. None: none, or two."""
    found = [key for key in kinds if key in raw and key != "do"]
    if len(found) == 1:
        return found[0]
    return "do" if not found and "do" in raw else None


def outline(tree: Tree, kinds: Lists, report: Report) -> dict[Path, Row]:
    """Every step by where it stands; the root stands at `ROOT`. Ids that cannot be are reported."""
    walker = _Walker(tree, kinds, report)
    walker.rows[ROOT] = Row(0, ROOT, "workflow", "", False, "", "")
    steps = tree.mapping.get("steps")
    walker.walk([(ROOT, steps)], "")
    return walker.named()


class _Walker:
    def __init__(self, tree: Tree, kinds: Lists, report: Report) -> None:
        self.rows: dict[Path, Row] = {}
        self._tree, self._kinds, self._report = tree, kinds, report

    def walk(self, lists: list[tuple[Path, Any]], prefix: str) -> None:
        """The steps of one parent, whose lists share a room of ids."""
        steps = list(_steps(lists))
        ids = self._ids(steps)
        for at, raw in steps:
            kind = kind_of(raw, self._kinds) or "step"
            path = f"{prefix}.{ids[at]}" if prefix else ids[at]
            given = raw.get("id") == ids[at]
            # what is included is a group when it is run
            shown = "do" if kind == "include" else kind
            self.rows[at] = Row(len(self.rows), at, shown, ids[at], given, path, path)
            inner = [((*at, key), raw.get(key)) for key in self._kinds.get(kind, ())]
            self.walk(inner, path)

    def _ids(self, steps: list[tuple[Path, dict[Any, Any]]]) -> dict[Path, str]:
        given: dict[str, Path] = {}
        ids: dict[Path, str] = {}
        for at, raw in steps:
            own = self._given(at, raw)
            if own in given:
                first = self._tree.place((*given[own], "id"))
                message = f"the id {quoted(own)} is taken: first in line {first.line}"
                place = self._tree.place((*at, "id"))
                self._report(Problem("duplicate-id", message, place, "ids differ within a list"))
            elif own is not None:
                given[own] = at
                ids[at] = own
        free = _Free(given)
        for at, raw in steps:
            if at not in ids:
                ids[at] = free.name(self._default(raw))
        return ids

    def _given(self, at: Path, raw: dict[Any, Any]) -> str | None:
        own = raw.get("id")
        if isinstance(own, Waiting):
            message = "an id is the same for all items: it cannot hold $(item) or $(index)"
            hint = "a fixed name, such as `id: work`; results tell the items apart by number"
            place = self._tree.place((*at, "id"))
            self._report(Problem("bad-value", message, place, hint))
            return None
        return own if _is_name(own) else None

    def _default(self, raw: dict[Any, Any]) -> str:
        """The argument of a call, agent, tool, person, merge or include; else the kind."""
        kind = kind_of(raw, self._kinds) or "step"
        argument = raw.get(kind)
        if kind == "include" and isinstance(argument, str):
            argument = PurePath(argument).stem
        named = kind in ("call", "agent", "tool", "person", "merge", "include")
        usable = named and _is_name(argument) and not isinstance(argument, Waiting)
        return str(argument) if usable else kind

    def named(self) -> dict[Path, Row]:
        """The rows with the names of their draws: the id where it is unique, else the path."""
        ids = Counter(row.id for row in self.rows.values() if row.given)
        paths = Counter(row.path for row in self.rows.values())
        return {at: _named(row, ids, paths) for at, row in self.rows.items()}


def _named(row: Row, ids: Counter[str], paths: Counter[str]) -> Row:
    others = paths[row.id] - (row.path == row.id)
    unique = row.given and ids[row.id] == 1 and not others
    name = row.id if unique else row.path
    return Row(row.rank, row.at, row.kind, row.id, row.given, row.path, name)


def _steps(lists: list[tuple[Path, Any]]) -> Iterator[tuple[Path, dict[Any, Any]]]:
    for at, given in lists:
        if isinstance(given, dict):  # a single step, such as a pick
            yield at, given
        for i, raw in enumerate(given if isinstance(given, list) else ()):
            if isinstance(raw, dict):
                yield (*at, i), raw


class _Free:
    """Names that are not taken: `wait`, `wait-2`, `wait-3`."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def name(self, base: str) -> str:
        """The first free one; all before it are known to be taken, so none is asked for twice."""
        found, number = base, self._next.get(base, 2)
        if base in self._next or base in self._taken:
            while (found := f"{base}-{number}") in self._taken:
                number += 1
            number += 1
        self._next[base] = number
        self._taken.add(found)
        return found


def _is_name(value: object) -> bool:
    try:
        values.name(value)
    except QuantityFaults:
        return False
    return True
