"""Replications of a graph, in chunks whose bounds do not depend on how many processes there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentsim.analysis.outcome import Tally
from agentsim.experiment.executors import Executor, executor_for
from agentsim.experiment.job import Job
from agentsim.experiment.options import Progress
from agentsim.experiment.stopping import RUNS, checkpoints, precise
from agentsim.graph import Graph

CHUNK = 25
"""Replications a job: long enough to be worth sending, short enough to share out evenly."""


def replicate(
    graph: Graph,
    seed: int,
    runs: int = RUNS,
    precision: float | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Tally]:
    """Tallies of replications 0, 1, 2, ..., the same for any number of `jobs`.

    `runs` of them, or as many as the `precision` (a share) takes; one where nothing is drawn.
    Raises EngineFault where a run cannot go on.
    """
    with executor_for(jobs) as executor:
        return replicated(executor, graph, seed, runs, precision, progress)


def replicated(
    executor: Executor,
    graph: Graph,
    seed: int,
    runs: int,
    precision: float | None = None,
    progress: Progress | None = None,
) -> list[Tally]:
    """The same in an executor that is already there."""
    tallies: list[Tally] = []
    for target in checkpoints(runs, precision, graph.exact):
        jobs = chunks(graph, seed, len(tallies), target)
        for chunk in executor.map(jobs):
            tallies += chunk
            if progress is not None:
                progress("runs", len(tallies), target)
        if precision is not None and precise(tallies, precision):
            break
    return tallies


def several(
    executor: Executor,
    graphs: Sequence[Graph],
    seed: int,
    count: int,
    what: str,
    progress: Progress | None = None,
    first: int = 0,
) -> Iterator[list[Tally]]:
    """Replications `first` to `count` - 1 of every graph, graph by graph, all of them in one go."""
    jobs = [job for graph in graphs for job in chunks(graph, seed, first, count)]
    each = -(-(count - first) // CHUNK)
    own: list[Tally] = []
    for done, chunk in enumerate(executor.map(jobs), 1):
        own += chunk
        if progress is not None:
            progress(what, done, len(jobs))
        if done % each == 0:
            yield own
            own = []


def chunks(graph: Graph, seed: int, first: int, until: int) -> list[Job]:
    """Replications `first` to `until` - 1, cut at fixed numbers of them."""
    return [Job(graph, seed, at, min(CHUNK, until - at)) for at in range(first, until, CHUNK)]


SPANS = 200_000
"""Spans that one lever, or one rate on the way to a crossing, may simulate.

Up to 200 spans a run that is all of the usual 1,000 replications; a run of 2,000 spans is repeated
100 times.
"""


def affordable(tallies: Sequence[Tally], most: int, spans: int = SPANS) -> int:
    """How many of these replications a further study may repeat: at most `most`, `spans` in all.

    At least one. Counted in spans, never in seconds, so that every machine does the same.
    """
    room = spans
    for count, tally in enumerate(tallies[:most]):
        room -= tally.spans
        if room < 0:
            return max(1, count)
    return min(most, len(tallies))
