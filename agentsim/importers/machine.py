"""Whether rows are of one machine and one model: two set-ups in one fit describe neither."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentsim.errors import Place, Problem, Problems
from agentsim.importers import benchmarks
from agentsim.importers.rows import MOST_ROWS, Row

MOST_APART = 0.05  # the same point measured twice: runs of one set-up differ by 1 to 2 %
_BY_TOOLS = 0.15  # by two tools: llama-bench and llama-batched-bench differ by up to 8 % on a GB10
_FREE = frozenset(("heading", "tool"))
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Machine:
    """What was measured, and the rows of it."""

    rows: tuple[Row, ...]
    setup: dict[str, str]
    files: tuple[str, ...]
    tools: tuple[str, ...]


def gather(
    files: Sequence[str], only: Sequence[tuple[str, str]] = (), ignore: Sequence[str] = ()
) -> Machine:
    """The rows of all files that are what `only` says; raises `Problems` if they do not agree.

    only: (name, value) of settings such as `model`; a value may be a part of the whole one.
    ignore: names of settings that may differ.
    """
    rows: list[Row] = []
    tools: list[str] = []
    wrong: list[Problem] = []
    for file in files:
        try:
            found, by = benchmarks.read(file)
        except Problems as fault:
            wrong += fault.problems
            continue
        rows += _with_models(found)
        tools += [tool for tool in by if tool not in tools]
    if wrong:
        raise Problems(wrong)
    rows = _only(rows, only)
    if len(rows) > MOST_ROWS:
        raise Problems([Problem("file-too-large", f"more than {MOST_ROWS:,} rows together")])
    setup = _agreed(rows, ignore)
    _one_speed(rows)
    used = dict.fromkeys(row.place.file for row in rows)
    return Machine(tuple(rows), setup, tuple(used), tuple(tools))


def _with_models(rows: Sequence[Row]) -> list[Row]:
    """Tables that name no model get that of the table, else of the heading, that stands with them.

    `llama-batched-bench` names none; in collections `llama-bench` of the same model follows it.
    """
    named: dict[int, set[str]] = {}
    for row in rows:
        if "model" in row.setup:
            named.setdefault(row.section, set()).add(row.setup["model"])
    told = []
    for row in rows:
        beside = named.get(row.section, set())
        if "model" in row.setup or (len(beside) != 1 and "heading" not in row.setup):
            told.append(row)
        else:
            told.append(row.told(model=min(beside) if len(beside) == 1 else row.setup["heading"]))
    return told


def _only(rows: list[Row], only: Sequence[tuple[str, str]]) -> list[Row]:
    for name, value in only:
        if name == "streams":
            rows = [row for row in rows if str(row.streams) == value.strip()]
            if rows:
                continue
        exact = [row for row in rows if _folded(row.setup.get(name)) == _folded(value)]
        held = [row for row in rows if _folded(value) in _folded(row.setup.get(name))]
        there = sorted({row.setup[name] for row in rows if name in row.setup})
        known = sorted({key for row in rows for key in row.setup})
        rows = exact or held
        if not rows:
            hint = f"it is one of: {_listed(there)}" if there else f"files tell: {_listed(known)}"
            message = f"--only: no row has a {name!r} of {value!r}"
            raise Problems([Problem("unknown-name", message, None, hint)])
    return rows


def _folded(text: str | None) -> str:
    return (text or "").casefold().strip()


def _agreed(rows: Iterable[Row], ignore: Sequence[str]) -> dict[str, str]:
    """The settings that rows tell of; raises `Problems` where two of them differ in one."""
    found: dict[str, dict[str, Place]] = {}
    for row in rows:
        for name, value in row.setup.items():
            found.setdefault(name, {}).setdefault(value, row.place)
    wrong = []
    free = {*_FREE, *ignore}
    for name, values in found.items():
        if len(values) > 1 and name not in free:
            first, second = list(values.items())[:2]
            message = (
                f"two machines or set-ups in one fit: {name} is {second[0]!r} here, and "
                f"{first[0]!r} at {first[1].file}:{first[1].line}"
            )
            hint = f"fit one alone: --only {name}=..., one of {_listed(values)}; "
            hint += f"or, if they are the same in fact, --ignore {name}"
            wrong.append(Problem("two-machines", message, second[1], hint))
    if wrong:
        raise Problems(wrong)
    return {name: next(iter(values)) for name, values in found.items() if name not in _FREE}


def _one_speed(rows: Iterable[Row]) -> None:
    """Raises `Problems` where one point was measured twice, and differently."""
    seen: dict[tuple[object, ...], Row] = {}
    for row in rows:
        key = (row.kind, row.streams, row.depth, row.prompt, row.output, row.shared)
        other = seen.setdefault(key, row)
        one_tool = row.setup.get("tool") == other.setup.get("tool")
        if abs(row.rate / other.rate - 1.0) > (MOST_APART if one_tool else _BY_TOOLS):
            message = (
                f"{row.rate:.4g} tok/s here, and {other.rate:.4g} for the same measurement at "
                f"{other.place.file}:{other.place.line}: are they of two machines or models?"
            )
            hint = "fit them apart, each with the files that are of one machine and model"
            raise Problems([Problem("two-machines", message, row.place, hint)])


def _listed(names: Iterable[str]) -> str:
    shown = list(names)
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return ", ".join(repr(name) for name in shown[:_SHOWN]) + more
