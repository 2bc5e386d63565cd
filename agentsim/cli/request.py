"""What was asked for on the command line, as the rooms below take it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from agentsim.cli.progress import Told
from agentsim.errors import Problem, Problems

if TYPE_CHECKING:
    from agentsim.experiment import Options
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

    read: list[tuple[str, Any]] = []
    wrong: list[Problem] = []
    for name, text in sets:
        try:
            read.append((name, scalar(text, f"--set {name}")))
        except Problems as found:
            wrong += found.problems
    if wrong:
        raise Problems(wrong)
    return Source(workflow, hardware, tuple(read), rates)


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
