"""`agentsim graph`: a workflow as a picture in words, or as a flowchart for Mermaid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentsim.cli import inputs, options
from agentsim.cli.app import AS_JSON
from agentsim.cli.output import Output
from agentsim.cli.pointing import Pointing

if TYPE_CHECKING:
    from agentsim.report.picture import Box

_TYPED = click.core.ParameterSource.COMMANDLINE

EPILOG = """\b
Examples:
  agentsim graph first.yaml
  agentsim graph orchestrator --set helpers=8 -f mermaid -o orchestrator.mmd
  agentsim graph review-loop --step until-clean
"""


@click.command("graph", cls=Pointing, epilog=EPILOG)
@click.argument("workflow")
@options.sets
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Only so many levels of steps.")
@click.option("--step", metavar="PATH", help="Only this step and what is in it.")
@click.option(
    "-f", "--format", "form", type=click.Choice(["text", "mermaid", "json"]), default="text",
    show_default=True, help="How to draw it.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="-f json")
@click.option("-o", "--output", "path", metavar="FILE", help="Write it to a file.")
@click.pass_context
def graph(
    ctx: click.Context,
    workflow: str,
    sets: tuple[tuple[str, str], ...],
    depth: int | None,
    step: str | None,
    form: str,
    as_json: bool,
    path: str | None,
) -> None:
    """Draw WORKFLOW: its steps, what each does, what stands in it and what it waits for.

    It needs no hardware. Amounts that vary are shown by their median.
    """
    from agentsim.cli.request import source
    from agentsim.report import graphing, json_, picture
    from agentsim.spec.load import sketch

    if as_json and form != "json" and ctx.get_parameter_source("form") == _TYPED:
        raise click.UsageError(f"--json and -f {form} exclude each other")
    form = "json" if as_json else form
    ctx.meta[AS_JSON] = form == "json"
    output = Output(form, None if path == "-" else path)
    output.check()
    inputs.spare(output.path, {"workflow": workflow, "sets": sets})
    box = picture.picture(sketch(source(workflow, sets=sets)))
    if step is not None:
        inner = picture.part_of(box, step)
        box = picture.Box("", "workflow", box.title, groups=(picture.Group("", (inner,)),))
    if depth is not None:
        box = picture.cut(box, depth)
    elif step is None and form != "json":
        box = picture.without_large(box)
    if form == "json":
        output.write(json_.text(graphing.data(box)))
        return
    most = graphing.MOST_TEXT if form == "text" else graphing.MOST_MERMAID
    if why := picture.too_large(box, most, form):
        raise click.UsageError(why)
    output.write(graphing.text(box, output.width()) if form == "text" else _mermaid(box))


def _mermaid(box: Box) -> str:
    from agentsim.report import graphing

    try:
        return graphing.mermaid(box)
    except ValueError as fault:
        hint = "`--depth N` shows fewer levels, `--step PATH` one step, `-f text` draws it in words"
        raise click.UsageError(f"Mermaid does not draw so much: {fault}; {hint}") from None
