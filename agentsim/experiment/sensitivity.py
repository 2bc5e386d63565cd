"""Which of the assumed values matter: each at the low and at the high end of its range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agentsim.analysis.estimate import quantile
from agentsim.analysis.findings import Sway
from agentsim.analysis.outcome import Tally
from agentsim.errors import Problems
from agentsim.experiment.executors import Executor
from agentsim.experiment.options import Progress
from agentsim.experiment.replicate import affordable, several
from agentsim.graph import Assumed, Graph
from agentsim.records import SECOND

if TYPE_CHECKING:
    from agentsim.spec import Source

PAIRS = 60
"""Replications for each end of each range, at most."""

SPANS = 400_000
"""Spans that all of them together may simulate."""


def sensitivity(
    executor: Executor,
    source: Source,
    graph: Graph,
    tallies: Sequence[Tally],
    seed: int,
    progress: Progress | None = None,
) -> list[Sway]:
    """The median wall time (seconds) at both ends of every assumed range, the widest first.

    The same replications throughout, so that only the value makes a difference. A value that the
    file cannot be compiled with, or that changes nothing in the run, is left out.
    """
    pairs = [(assumed, *ends) for assumed in graph.assumed if (ends := _ends(source, assumed))]
    plain = _bare(graph)
    pairs = [pair for pair in pairs if _bare(pair[1]) != plain or _bare(pair[2]) != plain]
    if not pairs:
        return []
    graphs = [graph for _, low, high in pairs for graph in (low, high)]
    count = affordable(tallies, PAIRS, SPANS // len(graphs))
    medians = map(_median, several(executor, graphs, seed, count, "sensitivity", progress))
    found = [_sway(assumed, next(medians), next(medians)) for assumed, _, _ in pairs]
    return sorted(found, key=lambda sway: sway.low - sway.high)


def _ends(source: Source, assumed: Assumed) -> tuple[Graph, Graph] | None:
    """The graph at the low and at the high end of one value's range."""
    if assumed.low is None or assumed.high is None:
        return None
    from agentsim.spec import load

    try:
        low, high = (
            load(replace(source, patch=(*source.patch, (assumed.key, end))))
            for end in (assumed.low, assumed.high)
        )
    except Problems:
        return None
    return low, high


def _bare(graph: Graph) -> Graph:
    """What is run, without what is only said."""
    return replace(graph, assumed=(), notes=())


def _median(tallies: Sequence[Tally]) -> float:
    return quantile(sorted(tally.wall / SECOND for tally in tallies), 0.5)


def _sway(assumed: Assumed, one: float, other: float) -> Sway:
    """Ascending: a higher value may make the run shorter."""
    return Sway(assumed.what, min(one, other), max(one, other), assumed.key)
