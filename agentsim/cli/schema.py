"""`agentsim schema`: the formats as JSON Schema for editors, or as a reference to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from agentsim.cli.output import Output

if TYPE_CHECKING:
    from agentsim.spec.schema import Format

EPILOG = """\b
Examples:
  agentsim schema -o workflow.schema.json
  agentsim schema hardware -o hardware.schema.json
  agentsim schema -f markdown -o reference.md
"""


@click.command("schema", epilog=EPILOG)
@click.argument("which", type=click.Choice(["workflow", "hardware"]), required=False)
@click.option(
    "-f", "--format", "form", type=click.Choice(["json", "markdown"]), default="json",
    show_default=True, help="A JSON Schema, or the reference of all fields.",
)  # fmt: skip
@click.option("-o", "--output", "path", metavar="FILE", help="Write it to a file.")
def schema(which: str | None, form: str, path: str | None) -> None:
    """The format of workflow files, or of hardware profiles, as JSON Schema (draft 2020-12).

    Without a name: that of workflow files; as Markdown, both. An editor finds a schema by a file's
    first line, such as `# yaml-language-server: $schema=workflow.schema.json`.
    """
    from agentsim.spec import reference
    from agentsim.spec.schema import FORMATS, text

    output = Output(form, None if path == "-" else path)
    output.check()
    chosen = (cast("Format", which),) if which else FORMATS
    output.write(text(chosen[0]) if form == "json" else reference.text(chosen))
