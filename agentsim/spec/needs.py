"""Which steps of a list wait for which: its `needs`, and that none of them go in a circle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any

from agentsim.errors import Problem
from agentsim.spec.problems import quoted, unknown_name
from agentsim.spec.tree import Path

if TYPE_CHECKING:
    from agentsim.spec.scope import Program

Needs = tuple[tuple[int, ...], ...]
"""For each step of a list the positions of those that it waits for."""


def in_turn(count: int) -> Needs:
    """Each step waits for the one written before it."""
    return tuple((i - 1,) if i else () for i in range(count))


def needs_of(program: Program, at: Path, given: Sequence[Any]) -> Needs | None:
    """What the steps of a list wait for; None where that is wrong, which is reported.

    A step without `needs` waits for the one written before it.
    """
    before = in_turn(len(given))
    ids = {row.id: i for i in range(len(given)) if (row := program.rows.get((*at, i)))}
    found: list[tuple[int, ...]] = []
    for i, raw in enumerate(given):
        wanted = raw.get("needs") if isinstance(raw, dict) else None
        if not isinstance(wanted, list):
            found.append(before[i])
            continue
        positions: list[int] = []
        for j, name in enumerate(wanted):
            if isinstance(name, str) and "." in name:
                program.whole = False  # which is told where it is read
            elif isinstance(name, str) and name not in ids:
                program.whole = False
                place = program.tree.place((*at, i, "needs", j))
                problem = unknown_name(name, ids, place, "step")
                program.report(
                    Problem(problem.code, f"{problem.message} in this list", place, problem.hint)
                )
            elif isinstance(name, str) and ids[name] in positions:
                message = f"{quoted(name)} stands twice in `needs`"
                place, hint = program.tree.place((*at, i, "needs", j)), "name each step once"
                program.report(Problem("bad-value", message, place, hint))
            elif isinstance(name, str):
                positions.append(ids[name])
        found.append(tuple(sorted(set(positions))))
    return tuple(found) if _is_acyclic(program, at, found, ids) else None


def _is_acyclic(
    program: Program, at: Path, needs: Sequence[tuple[int, ...]], ids: Mapping[str, int]
) -> bool:
    sorter = TopologicalSorter({i: set(before) for i, before in enumerate(needs)})
    try:
        sorter.prepare()
    except CycleError as fault:
        names = {i: quoted(name) for name, i in ids.items()}  # none of what is no step at all
        circle = " needs ".join(names.get(i, f"step {i + 1}") for i in reversed(fault.args[1]))
        place = program.tree.place((*at, fault.args[1][0], "needs"))
        message = f"steps wait for each other: {circle}"
        hint = "take one of these out of a `needs`: then that step can start"
        program.report(Problem("needs-circle", message, place, hint))
        program.whole = False
        return False
    return True
