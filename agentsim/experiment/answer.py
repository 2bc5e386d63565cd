"""The whole answer of one workflow on one hardware: findings, levers, what was assumed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agentsim.analysis import summarise
from agentsim.analysis.findings import Findings
from agentsim.experiment.binding import binding
from agentsim.experiment.executors import executor_for
from agentsim.experiment.levers import levers
from agentsim.experiment.options import Options
from agentsim.experiment.placed import placed
from agentsim.experiment.replicate import replicated
from agentsim.experiment.sensitivity import sensitivity

if TYPE_CHECKING:
    from agentsim.spec import Source


def answer(source: Source, options: Options | None = None) -> Findings:
    """Load, simulate, summarise; then the levers and the assumed values that matter.

    Raises Problems where the files are wrong, EngineFault where a run cannot go on. The result is
    the same for any number of processes.
    """
    from agentsim.spec import load

    asked = options or Options()
    graph = load(source)
    with placed(source), executor_for(asked.jobs) as executor:
        tallies = replicated(
            executor, graph, asked.seed, asked.runs, asked.precision, asked.progress
        )
        found = summarise(graph, tallies, asked.seed)
        if asked.levers:
            binds = binding(executor, graph, tallies, asked.seed)
            own = levers(executor, graph, found, tallies, asked.seed, asked.progress, binds)
            found = replace(found, levers=own, binding=binds and binds[1])
        if asked.sensitivity:
            sways = sensitivity(executor, source, graph, tallies, asked.seed, asked.progress)
            found = replace(found, sensitivity=sways)
    return found
