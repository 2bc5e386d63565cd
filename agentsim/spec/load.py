"""From a workflow file and hardware profiles to the graph that is run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agentsim.errors import Place, Problem, Problems
from agentsim.graph import Graph
from agentsim.spec import catalogue
from agentsim.spec.blame import blamed, chosen
from agentsim.spec.compile import compiled
from agentsim.spec.expressions import unfilled
from agentsim.spec.idle import empty_keys, idle_params
from agentsim.spec.includes import files_of, included
from agentsim.spec.problems import refuse
from agentsim.spec.reader import read_file, told_apart
from agentsim.spec.scope import Program
from agentsim.spec.told import few
from agentsim.spec.tree import Tree
from agentsim.spec.workflow import filled


@dataclass(frozen=True)
class Source:
    """What is to be run, as it was asked for.

    workflow: a path or a name. hardware: as given by --hw (`NAME`, `role=NAME`, `NAME#2`). sets:
    params and their values, of which --vary gave those that are `varied`. rates: tok/s as given by
    --rates (`200`, `main=200`). patch: a key of `Assumed` and the value to try there, as it would
    be written.
    """

    workflow: str
    hardware: tuple[str, ...] = ()
    sets: tuple[tuple[str, object], ...] = ()
    rates: tuple[str, ...] = ()
    patch: tuple[tuple[str, object], ...] = field(default=())
    varied: frozenset[str] = frozenset()


def load(source: Source) -> Graph:
    """The graph of a source. Raises `Problems` with all that is wrong, in the order of places."""
    path = catalogue.find("workflows", source.workflow)
    tree = read_file(path)
    hint = f"a profile is given by --hw: agentsim run FILE --hw {path}"
    told_apart(tree, "steps", "decode", "this is a hardware profile, not a workflow", hint)
    return load_tree(tree, source, path.stem)


def load_tree(tree: Tree, source: Source, stem: str = "workflow") -> Graph:
    """The graph of a file that is read already; `stem` is its name where it has no title."""
    return program_of(tree, source, stem)[1]


def place_of(source: Source, path: str) -> Place | None:
    """Where the step of that path was written; None where there is none."""
    try:
        file = catalogue.find("workflows", source.workflow)
        program, _ = program_of(read_file(file), source, file.stem, checked=False)
    except Problems:
        return None
    at = next((row.at for row in program.rows.values() if row.path == path), None)
    return None if at is None else program.tree.place(at)


def sketch(source: Source) -> Graph:
    """The graph to look at: no check of what needs hardware or a run. Raises `Problems`."""
    path = catalogue.find("workflows", source.workflow)
    return program_of(read_file(path), source, path.stem, checked=False)[1]


def workflow_files(source: Source) -> list[Path]:
    """The files that a workflow is read from, as far as they are there: its own, what it includes.

    What is wrong with them is not told here.
    """
    try:
        path = catalogue.find("workflows", source.workflow)
    except Problems:
        return []
    try:
        return [path, *files_of(parsed(read_file(path), source, [])[0])]
    except Problems:
        return [path]


def program_of(
    tree: Tree, source: Source, stem: str, checked: bool = True
) -> tuple[Program, Graph]:
    """The compiled file and its graph. Raises `Problems`."""
    try:
        return _program_of(tree, source, stem, checked)
    except Problems as fault:
        raise Problems(blamed(fault.problems, tree, source.sets, source.varied)) from None


def _program_of(tree: Tree, source: Source, stem: str, checked: bool) -> tuple[Program, Graph]:
    problems: list[Problem] = []
    whole, params = parsed(tree, source, problems)
    whole, inner, decided = included(whole, problems.append, chosen(tree, source.sets))
    idle = [*idle_params(tree), *inner]
    known = len(problems)
    lost = {it.place for it in problems}
    if problems:
        lost.update(map(whole.place, unfilled(whole.value)))
    try:
        program, graph = compiled(whole, params, source, stem, problems, checked, decided)
    except Problems as fault:
        problems = list(fault.problems)
        graph = None
    # A text that could not be filled in is no value either: that is said once.
    later = (one for one in problems[known:] if one.place not in lost)
    refuse([*problems[:known], *later])
    assert graph is not None
    notices = (*graph.notices, *few([*empty_keys(whole), *idle]))
    return program, replace(graph, notices=notices)


def parsed(tree: Tree, source: Source, problems: list[Problem]) -> tuple[Tree, dict[str, Any]]:
    """The tree with its params filled in, and these. Raises `Problems` if no more can be said."""
    try:
        return filled(tree, source.sets, problems.append)
    except Problems as fault:
        problems.extend(fault.problems)
        refuse(problems)
        raise
