"""`agentsim sweep`: one workflow, one machine, several decode speeds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from agentsim.cli import exits, options
from agentsim.cli.output import Output
from agentsim.cli.pointing import Pointing
from agentsim.cli.progress import progress
from agentsim.errors import Notice, Weight

if TYPE_CHECKING:
    from agentsim.experiment import SweepResult

RATES = (5.0, 100.0, 800.0, 15_000.0)
HARDWARE = ("cerebras",)
MOST_RATES = 100
FASTEST = 1e9

EPILOG = """\b
Examples:
  agentsim sweep first.yaml
  agentsim sweep first.yaml --hw claude-opus --rates 30,60,120,240
  agentsim sweep first.yaml -f csv -o speeds.csv
"""


@click.command("sweep", cls=Pointing, epilog=EPILOG)
@click.argument("workflow")
@options.hw
@options.sets
@click.option(
    "--rates", metavar="RATES", default=",".join(f"{rate:g}" for rate in RATES), show_default=True,
    help="Tokens per second of one stream, with commas between them.",
)  # fmt: skip
@options.runs
@options.precision
@options.seed
@options.jobs
@options.full
@options.output()
def sweep(
    output: Output,
    workflow: str,
    hardware: tuple[str, ...],
    sets: tuple[tuple[str, str], ...],
    rates: str,
    full: bool,
    **choices: Any,
) -> None:
    """How long WORKFLOW takes at several decode speeds, and where a faster model stops helping.

    Only decode speed changes: prefill, latency, cache and quotas stay those of the profile
    (`cerebras` without --hw).
    """
    speeds = _speeds(rates)
    from agentsim.cli.request import settings, source
    from agentsim.experiment import sweep as swept

    asked = source(workflow, hardware or HARDWARE, sets)
    with progress(not output.no_color) as told:
        result = swept(asked, speeds, settings(told, no_sensitivity=True, **choices))
    if not hardware and result.rows[0].findings.hardware:  # empty where no step asks a model
        text = f"no --hw was given: {HARDWARE[0]} is taken at these speeds"
        result = _warned(result, Notice(text, Weight.ASKED))
    from agentsim.report import csv_, document, json_, sweeping

    output.show(
        document=lambda: document.sweep(result, full),
        data=lambda: json_.sweep(result),
        table=lambda: csv_.sweep(result),
        warnings=[it.text for it in sweeping.in_brief(result)],
    )
    raise click.exceptions.Exit(exits.DONE)


def _warned(result: SweepResult, notice: Notice) -> SweepResult:
    """The same with a warning more at each speed, before the others."""
    return replace(
        result,
        rows=tuple(
            replace(row, findings=replace(it := row.findings, notices=[notice, *it.notices]))
            for row in result.rows
        ),
    )


def _speeds(text: str) -> tuple[float, ...]:
    """From slow to fast; none is given twice, and none to one role."""
    found = list[float]()
    for part in text.split(","):
        if "=" in part:
            role = part.strip()
            raise click.UsageError(
                f"--rates: sweep takes no role ({role}), it gives all roles each speed; for one "
                f"role run it once for each rate: agentsim run FILE --rates {role}"
            )
        try:
            rate = float(part.strip().removesuffix("tok/s"))
        except ValueError:
            rate = 0.0
        if not 0 < rate <= FASTEST:
            raise click.UsageError(f"--rates: {part.strip()!r} is not a rate such as 100, to 1e9")
        if rate in found:
            raise click.UsageError(f"--rates {text} has {rate:g} twice; name each rate once")
        found.append(rate)
    if len(found) > MOST_RATES:
        raise click.UsageError(f"--rates: at most {MOST_RATES} rates")
    return tuple(sorted(found))
