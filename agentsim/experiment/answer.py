"""The whole answer of one workflow on one hardware: findings, levers, what was assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agentsim.analysis import summarise
from agentsim.analysis.findings import Findings
from agentsim.analysis.outcome import Tally
from agentsim.errors import Notice, Weight
from agentsim.experiment.binding import binding
from agentsim.experiment.carry import carries
from agentsim.experiment.executors import Executor, executor_for
from agentsim.experiment.levers import levers
from agentsim.experiment.options import Options
from agentsim.experiment.placed import placed
from agentsim.experiment.replicate import replicated
from agentsim.experiment.sensitivity import sensitivity
from agentsim.graph import Graph

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
        if asked.turn_p90 is not None:
            found = _carrying(executor, graph, tallies, found, asked, asked.turn_p90)
        if asked.sensitivity:
            sways = sensitivity(executor, source, graph, tallies, asked.seed, asked.progress)
            found = replace(found, sensitivity=sways)
    return found


def _carrying(
    executor: Executor,
    graph: Graph,
    tallies: Sequence[Tally],
    found: Findings,
    asked: Options,
    limit: float,
) -> Findings:
    """With what each server carries; a warning where that cannot be found."""
    if graph.queues:
        text = "what a server carries is not found where there is a merge queue: all would share it"
        return replace(found, notices=[Notice(text, Weight.ASKED), *found.notices])
    own = carries(executor, graph, tallies, asked.seed, limit, asked.progress)
    servers = {
        role: replace(server, can_serve=own.get(role)) for role, server in found.servers.items()
    }
    return replace(found, servers=servers)
