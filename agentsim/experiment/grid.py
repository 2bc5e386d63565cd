"""What a comparison holds side by side: every file on every machine with every value of `--vary`.

Files differ in their params and roles: a param is varied, or set, in the files that have it, and
a role is bound in those that ask for it. What none of them knows is an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from agentsim.errors import Place, Problem, Problems
from agentsim.graph import Graph

if TYPE_CHECKING:
    from agentsim.spec import Source

MOST = 500
"""Variants of one comparison: at a second or more each, that is long enough to wait for."""

Pairs = tuple[tuple[str, object], ...]
"""Names of params and their values, in the order in which they were given."""


@dataclass(frozen=True, slots=True)
class Grid:
    """What was asked for.

    files: paths or names. machines: for each the bindings of its roles, as `--hw` takes them; one
    without any is the machine that is taken where none is given. vary: params and their values.
    sets: params with one value in all variants.
    """

    files: tuple[str, ...]
    machines: tuple[tuple[str, ...], ...] = ((),)
    vary: tuple[tuple[str, tuple[object, ...]], ...] = ()
    sets: Pairs = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """One file with the values of `vary` on one machine.

    source: what the graph was loaded from, with all of its params and without bindings of roles
    that the file does not ask for.
    """

    file: str
    vary: Pairs
    label: str
    graph: Graph
    source: Source


class Columns(NamedTuple):
    """For each machine its variants, the same ones in the same order on all.

    `left_out`: the machines whose contexts are too small for some of them, and why.
    """

    machines: tuple[tuple[str, ...], ...]
    variants: list[list[Variant]]
    left_out: tuple[tuple[tuple[str, ...], str], ...] = ()


UNUSED = "unused-hardware"
"""The code of a binding that is for all roles left, in a file that has none left."""

TOO_SMALL = "context-too-small"
"""The code of what another machine may well hold: it says something about a machine, no more."""


def variants(grid: Grid) -> Columns:
    """Load every file on every machine, with all values of what is varied.

    Raises Problems with what is wrong in any of the files, each said once; a machine on which
    nothing is wrong but that contexts are too small is left out where others hold them.
    """
    params = [_params(file) for file in grid.files]
    wrong = _Wrong()
    wrong.add([(problem, "") for problem in _unknown(grid, params)])
    choices = [list(_combinations(grid.vary, known)) for known in params]
    _check_size(len(grid.machines) * sum(map(len, choices)))
    titles = _titles(grid.files)
    alone = len(grid.files) == 1
    rows = [
        _Row(
            file, "" if alone else title, tuple(it for it in grid.sets if _has(known, it[0])), vary
        )
        for file, title, known, choice in zip(grid.files, titles, params, choices, strict=True)
        for vary in choice
    ]
    columns: list[tuple[tuple[str, ...], list[Variant]]] = []
    too_small: list[tuple[tuple[str, ...], list[_Fault]]] = []
    for machine in grid.machines:
        column, faults = _column(machine, rows)
        if faults and all(problem.code == TOO_SMALL for problem, _ in faults):
            too_small.append((machine, faults))
        else:
            columns.append((machine, column))
            wrong.add(faults)
    if not columns:
        for _, faults in too_small:
            wrong.add(faults)
    wrong.refuse([_written(row.vary) for row in rows])
    left = tuple((machine, faults[0][0].message) for machine, faults in too_small)
    machines = tuple(machine for machine, _ in columns)
    return Columns(machines, [column for _, column in columns], left)


class _Row(NamedTuple):
    """A file with values of what is varied; `title` where there are several files."""

    file: str
    title: str
    sets: Pairs
    vary: Pairs


_Fault = tuple[Problem, str]
"""What is wrong, and in which variation (empty: in any)."""


def _column(machine: tuple[str, ...], rows: Sequence[_Row]) -> tuple[list[Variant], list[_Fault]]:
    """All rows on one machine, and what is wrong there."""
    loader = _Loader(machine)
    column, faults = list[Variant](), list[_Fault]()
    for file, title, sets, vary in rows:
        changed = _written(vary)
        try:
            source, graph = loader.load(file, sets, vary)
        except Problems as fault:
            faults += [(problem, changed) for problem in fault.problems]
            continue
        label = f"{title} {changed}".strip() or _titles([file])[0]
        column.append(Variant(file, vary, label, graph, source))
    return column, faults + [(problem, "") for problem in loader.unasked()]


def _has(known: set[str] | None, param: str) -> bool:
    """Whether a file has the param; of one that cannot be read that is not known."""
    return known is None or param in known


def _written(vary: Pairs) -> str:
    """`rounds=2 helpers=4`, as one writes them."""
    from agentsim.spec.flow import flow

    return " ".join(f"{name}={flow(value)}" for name, value in vary)


def _params(file: str) -> set[str] | None:
    """The params that a file has; None where it cannot be read, which loading it will tell."""
    from agentsim.spec import catalogue
    from agentsim.spec.reader import read_file

    try:
        value = read_file(catalogue.find("workflows", file)).value
    except Problems:
        return None
    params = value.get("params") if isinstance(value, dict) else None
    return set(map(str, params)) if isinstance(params, dict) else set()


def _unknown(grid: Grid, params: Sequence[set[str] | None]) -> Iterator[Problem]:
    """Params that no file has; where one cannot be read, it may have them."""
    from agentsim.spec.problems import given, unknown_name

    if None in params:
        return
    known = sorted(set[str]().union(*(own for own in params if own is not None)))
    for option, names in (("--set ", grid.sets), ("--vary ", grid.vary)):
        for name, _ in names:
            if name not in known:
                yield unknown_name(name, known, given(option, name), "param")


def _combinations(
    vary: Sequence[tuple[str, tuple[object, ...]]], known: set[str] | None
) -> Iterator[Pairs]:
    """All values of all params that are varied and that the file has: one where there is none."""
    own = [(name, values) for name, values in vary if known is not None and name in known]
    size = 1
    for _, values in own:
        size *= len(values)
    _check_size(size)
    for chosen in product(*(values for _, values in own)):
        yield tuple(zip((name for name, _ in own), chosen, strict=True))


def _check_size(count: int) -> None:
    if count > MOST:
        message = f"{count:,} variants to compare; at most {MOST}"
        hint = "fewer files, machines or values of --vary; the numbers of each are multiplied"
        raise Problems([Problem("too-many-variants", message, hint=hint)])


def _titles(files: Sequence[str]) -> list[str]:
    """The stem of each file; where two have the same, with as many folders as tell them apart."""
    parts = [os.path.splitext(file)[0].replace(os.sep, "/").split("/") for file in files]
    depth = [1] * len(files)
    while True:
        titles = ["/".join(own[-n:]) for own, n in zip(parts, depth, strict=True)]
        longer = [
            n + 1 if titles.count(title) > 1 and n < len(own) else n
            for own, n, title in zip(parts, depth, titles, strict=True)
        ]
        if longer == depth:
            return titles
        depth = longer


class _Loader:
    """Loads files on one machine; a binding whose role a file does not ask for is left out there.

    `unasked` is told for those that no file asks for.
    """

    def __init__(self, machine: tuple[str, ...]) -> None:
        self._machine = machine
        self._used: set[str] = set()
        self._unasked: dict[str, Problem] = {}

    def load(self, file: str, sets: Pairs, vary: Pairs) -> tuple[Source, Graph]:
        """The graph and what it is of. Raises Problems, in the words of a comparison."""
        from agentsim.spec import Source

        varied = frozenset(name for name, _ in vary)
        source = Source(file, self._machine, (*sets, *vary), varied=varied)
        try:
            return self._kept(source)
        except Problems as fault:
            unasked = self._roles_unasked(fault)
            kept = tuple(own for own in self._machine if own not in unasked)
            if not unasked or not kept:
                raise Problems(map(_in_words_of_compare, fault.problems)) from None
        self._unasked |= unasked
        try:
            return self._kept(replace(source, hardware=kept))
        except Problems as fault:
            raise Problems(map(_in_words_of_compare, fault.problems)) from None

    def _kept(self, source: Source) -> tuple[Source, Graph]:
        from agentsim.spec import load

        graph = load(source)
        self._used.update(source.hardware)
        return source, graph

    def _roles_unasked(self, fault: Problems) -> dict[str, Problem]:
        """The bindings, as they were given, that serve no role that the file asks for."""
        from agentsim.spec.problems import given

        bound: dict[Place, str] = {given("--hw ", own): own for own in self._machine}
        return {
            bound[problem.place]: problem
            for problem in fault.problems
            if problem.place in bound
            and problem.code == ("unknown-name" if "=" in bound[problem.place] else UNUSED)
        }

    def unasked(self) -> list[Problem]:
        return [it for own, it in self._unasked.items() if own not in self._used]


def _in_words_of_compare(problem: Problem) -> Problem:
    """Here several `--hw` are several machines: what `run` advises would not help."""
    together = "one machine's bindings stand in one --hw, with commas: --hw NAME,ROLE=NAME"
    if problem.code in {"unbound-role", UNUSED}:
        return replace(problem, hint=together)
    is_bound = problem.place is not None and problem.place.file.startswith("--hw ")
    if is_bound and problem.message.endswith("twice"):
        return replace(problem, hint=f"several machines: a --hw for each; {together}")
    return problem


class _Wrong:
    """Problems by what they say, each once, with the variations in which they were met."""

    def __init__(self) -> None:
        self._found: dict[Problem, set[str]] = {}

    def add(self, faults: Iterable[_Fault]) -> None:
        for problem, variation in faults:
            self._found.setdefault(problem, set()).add(variation)

    def refuse(self, every: Sequence[str]) -> None:
        """Raises Problems where there are any; what holds in some variations says in which."""
        if not self._found:
            return
        told = []
        for problem, where in self._found.items():
            first = next((own for own in every if own in where), "")
            message = problem.message
            if first and len(where) < len(set(filter(None, every))):
                more = f" and {len(where) - 1} more" if len(where) > 1 else ""
                message = f"{message} (with {first}{more})"
            told.append(replace(problem, message=message))
        raise Problems(told)
