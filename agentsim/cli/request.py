"""What was asked for on the command line, as the rooms below take it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from agentsim.cli.progress import Told
from agentsim.errors import Problem, Problems

if TYPE_CHECKING:
    from agentsim.experiment import Grid, Options
    from agentsim.spec import Source


MANY = 500  # runs from which on further processes pay for their start


def source(
    workflow: str,
    hardware: tuple[str, ...] = (),
    sets: tuple[tuple[str, str], ...] = (),
    rates: tuple[str, ...] = (),
) -> Source:
    """The `Source` of these arguments. Raises `Problems`: all values of `--set` are read here."""
    from agentsim.spec import Source
    from agentsim.spec.arguments import scalar

    wrong = _twice(sets)
    read = _read(sets, scalar, "--set", wrong)
    if wrong:
        raise Problems(wrong)
    return Source(workflow, hardware, tuple(read), rates)


def grid(
    files: tuple[str, ...],
    machines: tuple[tuple[str, ...], ...] = (),
    vary: tuple[tuple[str, str], ...] = (),
    sets: tuple[tuple[str, str], ...] = (),
) -> Grid:
    """What is to be compared. Raises `Problems`: all values of `--set` and `--vary` are read."""
    from agentsim.experiment import Grid
    from agentsim.spec.arguments import scalar, spread

    wrong = _twice(sets)
    varied = _read(vary, spread, "--vary", wrong)
    wrong += _repeated(varied, dict(vary))
    one = _read(sets, scalar, "--set", wrong)
    if wrong:
        raise Problems(wrong)
    return Grid(files, machines or ((),), tuple((k, tuple(v)) for k, v in varied), tuple(one))


def _twice(sets: Sequence[tuple[str, str]]) -> list[Problem]:
    """Params to which `--set` gives more than one value: all but the last would be lost."""
    from agentsim.spec.problems import given, quoted

    found: list[Problem] = []
    seen: dict[str, str] = {}
    for name, text in sets:
        if name in seen:
            message = f"--set gives {quoted(name)} two values"
            hint = (
                f"several side by side: `agentsim compare FILE --vary {name}={seen[name]},{text}`"
            )
            found.append(Problem("bad-value", message, given("--set ", f"{name}={text}"), hint))
        seen.setdefault(name, text)
    return found


def _repeated(
    varied: Sequence[tuple[str, Sequence[Any]]], written: Mapping[str, str]
) -> list[Problem]:
    """Values that one `--vary` has twice: their rows could not be told apart."""
    from agentsim.spec.flow import flow
    from agentsim.spec.problems import given

    found = []
    for name, values in varied:
        shown = [flow(value) for value in values]
        if twice := [text for i, text in enumerate(shown) if text in shown[:i]]:
            text = f"{name}={written[name]}"
            message = f"--vary {text} has {twice[0]} twice"
            hint = "name each value once"
            found.append(Problem("bad-range", message, given("--vary ", text), hint))
    return found


def _read(
    given: tuple[tuple[str, str], ...],
    reader: Callable[[str, str], Any],
    option: str,
    wrong: list[Problem],
) -> list[tuple[str, Any]]:
    """Each value as `reader` has it; what is wrong is added to `wrong`."""
    read: list[tuple[str, Any]] = []
    for name, text in given:
        try:
            read.append((name, reader(text, f"{option} {name}")))
        except Problems as fault:
            wrong += fault.problems
    return read


def settings(progress: Told | None, quick: bool = False, **given: Any) -> Options:
    """How to answer, with the experiment's own choice for what was not said."""
    from agentsim.experiment import Options

    if given.get("runs") is not None and given.get("precision") is not None:
        raise click.UsageError("--runs and --precision exclude each other")
    no_levers, no_sensitivity = given.pop("no_levers", False), given.pop("no_sensitivity", False)
    levers, sensitivity = not (quick or no_levers), not (quick or no_sensitivity)
    runs = given.get("runs")
    if given.get("jobs") is None and (runs is None or runs >= MANY):
        given["jobs"] = os.cpu_count()
    said = {name: value for name, value in given.items() if value is not None}
    return Options(**said, levers=levers, sensitivity=sensitivity, progress=progress)
