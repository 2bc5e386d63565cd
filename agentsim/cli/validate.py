"""`agentsim validate`: reads a workflow and says what is wrong with it, or what is in it."""

from __future__ import annotations

import click

from agentsim.cli import options
from agentsim.cli.output import Output
from agentsim.cli.pointing import Pointing

EPILOG = """\b
Examples:
  agentsim validate first.yaml
  agentsim validate prefill-heavy --hw cerebras --set read=50k
  agentsim validate first.yaml --full > written-out.yaml
"""


@click.command("validate", cls=Pointing, epilog=EPILOG)
@click.argument("workflow")
@options.hw
@options.sets
@options.rates
@click.option("--full", is_flag=True, help="Print the file with every assumed value written out.")
@options.output(("table", "json", "markdown"))
def validate(
    output: Output,
    workflow: str,
    hardware: tuple[str, ...],
    sets: tuple[tuple[str, str], ...],
    rates: tuple[str, ...],
    full: bool,
) -> None:
    """Check WORKFLOW, and the profiles it would run on, without running it.

    All problems are listed at once, each with its place and what would mend it.
    """
    from agentsim.cli.request import source
    from agentsim.spec import load

    asked = source(workflow, hardware, sets, rates)
    graph = load(asked)
    if full:
        from agentsim.spec.writer import full as written_out

        output.write(written_out(asked))
        return
    from agentsim.analysis.weights import by_weight
    from agentsim.report import document, json_

    output.show(
        document=lambda: document.found(graph, workflow),
        data=lambda: json_.found(graph),
        warnings=[it.text for it in by_weight(graph.notices)],
    )
