"""`agentsim run`: the answer for one workflow on one set of hardware."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from agentsim.cli import exits, options
from agentsim.cli.output import Output, error
from agentsim.cli.pointing import Pointing
from agentsim.cli.progress import progress

if TYPE_CHECKING:
    from agentsim.analysis.findings import Findings
    from agentsim.report.blocks import Document

EPILOG = """\b
Examples:
  agentsim run first.yaml --hw claude-opus
  agentsim run orchestrator --hw claude-opus --hw small=cerebras
  agentsim run prefill-heavy --hw cerebras --set read=50k --rates 100
  agentsim run single-agent --hw h200 --turn-p90 30s --quick
  agentsim run first.yaml --hw h200 --json -o answer.json
"""


@click.command("run", cls=Pointing, epilog=EPILOG)
@click.argument("workflow")
@options.hw
@options.sets
@options.rates
@options.runs
@options.precision
@options.seed
@options.jobs
@options.no_levers
@options.no_sensitivity
@options.quick
@options.turn_p90
@options.fail_on
@options.full
@options.output()
def run(
    output: Output,
    workflow: str,
    hardware: tuple[str, ...],
    sets: tuple[tuple[str, str], ...],
    rates: tuple[str, ...],
    fail_on: str | None,
    full: bool,
    **choices: Any,
) -> None:
    """How long WORKFLOW takes, what bound it, and what would help.

    WORKFLOW is a file, or the name of one that ships. Without --hw a hosted model of today is
    taken. Exit code 1 says that the workflow's budget was missed.

    In the answer "typical" is the median run, and 4 in 5 runs (80%) end within the time beside it.
    What stands behind +- or in brackets is the simulation's own error at 95%.
    """
    _one_rate_each(rates)
    from agentsim.cli.request import settings, source
    from agentsim.experiment import answer

    asked = source(workflow, hardware, sets, rates)
    with progress(not output.no_color) as told:
        findings = answer(asked, settings(told, **choices))
    _show(findings, output, full)
    code = _code(findings, fail_on)
    if code == exits.MISSED and output.path is not None:
        # what a person would have read on the screen: why this ends with 1, and where the answer is
        error(f"{_missed(findings)}: the answer is in {output.path}")
    raise click.exceptions.Exit(code)


def _one_rate_each(rates: tuple[str, ...]) -> None:
    roles = Counter(text.rpartition("=")[0] for text in rates)
    if any(count > 1 for count in roles.values()):
        listed = ",".join(rates)
        raise click.UsageError(f"several rates make a sweep: agentsim sweep FILE --rates {listed}")


def _show(findings: Findings, output: Output, full: bool) -> None:
    """Each form is imported only where it is asked for."""

    def document() -> Document:
        from agentsim.report import document

        return document.answer(findings, full)

    def data() -> dict[str, Any]:
        from agentsim.report import json_

        return json_.answer(findings)

    def table() -> str:
        from agentsim.report import csv_

        return csv_.answer(findings)

    output.show(document, data, table, findings.warnings)


def _missed(findings: Findings) -> str:
    budget = findings.budget
    if budget is None or budget.is_met:
        return "a simulated run failed"
    return "budget missed" if budget.is_known else "not known whether the budget is met"


def _code(findings: Findings, fail_on: str | None) -> int:
    missed = findings.budget is not None and not findings.budget.is_met
    failed = fail_on == "failed" and findings.failed > 0
    return exits.MISSED if missed or failed else exits.DONE
