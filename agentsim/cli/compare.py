"""`agentsim compare`: workflows, machines and values of params side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from agentsim.cli import exits, options
from agentsim.cli.output import Output
from agentsim.cli.pointing import Pointing
from agentsim.cli.progress import progress

EPILOG = """\b
Examples:
  agentsim compare first.yaml until-green --hw claude-opus
  agentsim compare review-loop --vary rounds=0:6:2 --hw claude-opus
  agentsim compare orchestrator --hw claude-opus --hw claude-opus,small=cerebras
  agentsim compare first.yaml --hw tok100 --hw cerebras -f csv -o side-by-side.csv

\b
In `run` several --hw bind the roles of one machine; here each --hw is a machine
of its own, and its roles stand in it with commas: --hw NAME,ROLE=NAME.
"""


def _machines(
    _: click.Context, __: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    """`claude-opus,small=cerebras` is one machine with two bindings."""
    machines = [tuple(part.strip() for part in text.split(",")) for text in given]
    if not all(all(machine) for machine in machines):
        raise click.BadParameter("a name is missing; write it as NAME or as NAME,ROLE=NAME")
    if (twice := _twice(machines)) is not None:
        raise click.BadParameter(f"{','.join(twice)} is given twice")
    return tuple(machines)


hw = click.option(
    "--hw", "machines", multiple=True, metavar="NAME", callback=_machines,
    help="A machine: a hardware profile (name or file), or NAME,ROLE=NAME with roles of their own. "
    "Repeated: several machines.",
)  # fmt: skip
vary = click.option(
    "--vary", "vary", multiple=True, metavar="NAME=VALUES", callback=options.setting,
    help="Values of a param of the workflows: 0:6 (both ends), 0:6:2 (by twos) or 1,2,4. "
    "Repeated: all of one with all of the other.",
)  # fmt: skip


@click.command("compare", cls=Pointing, epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@hw
@vary
@options.sets
@options.runs
@options.seed
@options.jobs
@options.full
@options.output()
def compare(
    output: Output,
    files: tuple[str, ...],
    machines: tuple[tuple[str, ...], ...],
    vary: tuple[tuple[str, str], ...],
    sets: tuple[tuple[str, str], ...],
    full: bool,
    **choices: Any,
) -> None:
    """Workflows, machines and values of params side by side.

    FILES are files, or names of those that ship. Without --hw a hosted model of today is taken.
    All draw the same random numbers, so that the difference of two is far steadier than their
    times. A param that only some of the files have is set or varied in those. The exit code is 0,
    whatever becomes of budgets.
    """
    _once_each(files, vary, sets)
    from agentsim.cli.request import grid, settings
    from agentsim.experiment import compare as compared

    asked = grid(files, machines, vary, sets)
    with progress(not output.no_color) as told:
        result = compared(asked, settings(told, quick=True, **choices))
    from agentsim.report import comparing, csv_, document, json_comparing

    output.show(
        document=lambda: document.compare(result, full),
        data=lambda: json_comparing.compare(result),
        table=lambda: csv_.compare(result),
        warnings=[it.text for it in comparing.in_brief(result)],
    )
    raise click.exceptions.Exit(exits.DONE)


def _twice(given: Sequence[Any]) -> Any:
    return next((own for i, own in enumerate(given) if own in given[:i]), None)


def _once_each(
    files: tuple[str, ...], vary: tuple[tuple[str, str], ...], sets: tuple[tuple[str, str], ...]
) -> None:
    """Nothing is given twice: rows could not be told by their names, or a value would be lost."""
    if (twice := _twice(files)) is not None:
        raise click.UsageError(f"{twice} is given twice")
    names = [name for name, _ in vary]
    if (twice := _twice(names)) is not None:
        raise click.UsageError(f"--vary {twice} is given twice; list all values in one")
    if both := [name for name, _ in sets if name in names]:
        raise click.UsageError(f"--set {both[0]} and --vary {both[0]} exclude each other")
