"""`agentsim explain`: what a problem's code means, and how to put it right."""

from __future__ import annotations

import click

from agentsim.cli import options
from agentsim.cli.output import Output

EPILOG = """\b
Examples:
  agentsim explain
  agentsim explain unknown-key
  agentsim explain never-fits --json
"""


@click.command("explain", epilog=EPILOG)
@click.argument("code", required=False)
@options.output(("table", "json", "markdown"))
def explain(output: Output, code: str | None) -> None:
    """What the CODE of a problem means, why it is refused, and how to put it right.

    A code is what stands in brackets behind a problem, such as [unknown-key]. Without CODE all
    of them are listed.
    """
    from agentsim.report import explaining
    from agentsim.spec.explained import explanation, explanations

    if code is None:
        every = explanations().values()
        output.show(
            lambda: explaining.listing(every, output.room()), lambda: explaining.list_data(every)
        )
        return
    found = explanation(code.strip().strip("[]"))
    output.show(lambda: explaining.shown(found), lambda: explaining.data(found))
