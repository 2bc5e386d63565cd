"""Whose value it is that is wrong: a place of the file, or what `--set` put there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from agentsim.errors import Place, Problem
from agentsim.spec.expressions import uses
from agentsim.spec.flow import flow
from agentsim.spec.problems import given
from agentsim.spec.tree import Path, Tree


def blamed(
    problems: Sequence[Problem],
    tree: Tree,
    sets: Sequence[tuple[str, object]],
    varied: frozenset[str],
) -> list[Problem]:
    """The same problems; those of a value that uses a param of an option say which that is.

    `tree` is the file as it was written, before anything was filled in. `sets` are the params of
    `--set` and, those that are `varied`, of `--vary`.
    """
    if not sets or not isinstance(tree.value, dict):
        return list(problems)
    where = dict(_places(tree, _reached(tree.value, dict(sets), varied)))
    return [_told(it, where.get(it.place) if it.place else None) for it in problems]


def chosen(tree: Tree, sets: Sequence[tuple[str, object]]) -> frozenset[Path]:
    """The values that use a param of an option."""
    if not sets or not isinstance(tree.value, dict):
        return frozenset()
    reached = _reached(tree.value, dict(sets), frozenset())
    return frozenset(
        path for path, text in texts(tree.value) if not reached.keys().isdisjoint(uses(text))
    )


def _told(problem: Problem, options: list[str] | None) -> Problem:
    if not options:
        return problem
    said = f"the value comes from {' and '.join(f'`{it}`' for it in options)}"
    return replace(problem, hint=f"{problem.hint}; {said}" if problem.hint else said)


def _reached(
    value: dict[Any, Any], sets: dict[str, object], varied: frozenset[str]
) -> dict[str, list[str]]:
    """Param -> the options that it depends on, by itself or by params above it."""
    found = {
        name: [
            str(
                given(
                    "--vary " if name in varied else "--set ",
                    f"{name}={'' if it is None else flow(it)}",
                )
            )
        ]
        for name, it in sets.items()
    }
    params = value.get("params")
    for name, written in params.items() if isinstance(params, dict) else ():
        if isinstance(name, str) and name not in found:
            used = [it for other in sorted(uses(written)) for it in found.get(other, ())]
            if used:
                found[name] = list(dict.fromkeys(used))
    return found


def _places(tree: Tree, reached: dict[str, list[str]]) -> Iterator[tuple[Place, list[str]]]:
    """Each place of a text that uses a param of `reached`, with the options behind it."""
    for path, text in texts(tree.value):
        used = [it for name in sorted(uses(text)) for it in reached.get(name, ())]
        if used:
            yield tree.place(path), list(dict.fromkeys(used))


def texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every text of a value, with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from texts(part, (*path, key))
