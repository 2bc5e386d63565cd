"""A job: a stretch of replications of one graph, simulated and folded. What a worker process runs.

This module and all it imports load neither pydantic nor yaml: a worker starts quickly.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass

from agentsim.analysis.fold import Folder
from agentsim.analysis.outcome import Tally
from agentsim.engine import Simulator
from agentsim.graph import Graph

COLLECT_AFTER = 20_000
"""Spans simulated before what they left behind is collected, so that long runs keep in memory."""


@dataclass(frozen=True, slots=True)
class Job:
    """Replications `first` to `first + count - 1`."""

    graph: Graph
    seed: int
    first: int
    count: int

    def run(self) -> list[Tally]:
        return run_chunk(self.graph, self.seed, self.first, self.count)


def run_chunk(graph: Graph, seed: int, first: int, count: int) -> list[Tally]:
    """Simulate and fold `count` replications from `first` on.

    The garbage collector is off meanwhile: it would look through live records again and again.
    What a replication leaves behind is young, so a collection of the youngest is enough. Raises
    EngineFault where a run cannot go on.
    """
    folder, run = Folder(graph), Simulator(graph, seed)
    tallies: list[Tally] = []
    enabled = gc.isenabled()
    gc.disable()
    try:
        spans = 0
        for replication in range(first, first + count):
            tally = folder(run(replication))
            tallies.append(tally)
            spans += tally.spans
            if spans >= COLLECT_AFTER:
                gc.collect(0)
                spans = 0
        gc.collect(0)
    finally:
        if enabled:
            gc.enable()
    return tallies
