"""`agentsim hw fit`: a profile from what benchmark tools have measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agentsim.cli import options
from agentsim.cli.app import AS_JSON
from agentsim.cli.inputs import keep
from agentsim.cli.output import FORMATS, Output, error, put, write_whole

EPILOG = """\b
Examples:
  agentsim hw fit bench.md -o box.yaml
  agentsim hw fit bench.md batched.jsonl -o box.yaml --only model=gpt-oss-120b
  agentsim hw fit bench.md > box.yaml
"""


def _as_json(ctx: click.Context, _: click.Parameter, chosen: str | None) -> str | None:
    if chosen == "json":
        ctx.meta[AS_JSON] = True
    return chosen


@click.command("fit", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@click.option("-o", "--output", "path", metavar="FILE", help="Where the profile goes: all of it or "
              "nothing. Without it to stdout, and the errors to stderr.")  # fmt: skip
@click.option("--only", multiple=True, metavar="NAME=VALUE", callback=options.setting,
              help="Only rows of this model, backend, build, ... Repeatable.")  # fmt: skip
@click.option("--ignore", multiple=True, metavar="NAME",
              help="Files may differ in this setting: they are of one machine all the same. "
              "Repeatable.")  # fmt: skip
@click.option("--name", default="", metavar="TEXT", help="The profile's title.")
@click.option("--model", default="", metavar="TEXT", help="The model's name, as the profile says.")
@click.option("-f", "--format", "format_", type=click.Choice(FORMATS), default="table",
              callback=_as_json, help="How to write the errors. [default: table]")  # fmt: skip
@click.option("--no-color", "no_color", is_flag=True, help="No colour.")
def fit(
    files: tuple[str, ...], path: str | None, only: tuple[Any, ...], ignore: tuple[str, ...],
    name: str, model: str,
    format_: str, no_color: bool,
) -> None:  # fmt: skip
    """Make a profile from results of benchmark tools, and show the error of every row.

    FILES are what llama-bench, llama-batched-bench and others wrote, all of one machine and one
    model. A first row that spoils the fit is left out, and named.
    """
    from agentsim.importers.profile import fitted
    from agentsim.report import fitting

    target = None if path == "-" else path
    if target is None and format_ in ("csv", "markdown"):
        raise click.UsageError(f"-f {format_} is for the errors: name a file for the profile (-o)")
    Output(path=target).check()
    keep(target, map(Path, files))
    found = fitted(files, only, ignore, name, model)
    shown = Output(format_, no_color=no_color)
    if target is not None:
        write_whole(target, found.text)
    elif format_ != "json":
        put(found.text)
        from agentsim.report import terminal

        error(terminal.draw(fitting.document(found, None), shown.width(), False))
        return
    shown.show(
        document=lambda: fitting.document(found, target),
        data=lambda: fitting.data(found),
        table=lambda: fitting.csv(found),
        warnings=found.warnings,
    )
