"""Which of the assumed values matter: each at the low and at the high end of its range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
"""Replications at each end of a range, at most."""

SCREEN = 10
"""Replications with which all ranges are compared first, where there are many."""

KEPT = 4
"""Ranges, the widest, that are then tried with `PAIRS` replications and told."""

SPANS = 400_000
"""Spans that each of the two rounds may simulate."""


@dataclass(frozen=True, slots=True)
class Range:
    """An assumed value, and the graph at both ends of its range."""

    assumed: Assumed
    low: Graph
    high: Graph


def sensitivity(
    executor: Executor,
    source: Source,
    graph: Graph,
    tallies: Sequence[Tally],
    seed: int,
    progress: Progress | None = None,
) -> list[Sway]:
    """The median wall time (seconds) at both ends of the assumed ranges that matter, widest first.

    The same replications throughout, so that only the value makes a difference. Where there are
    many ranges a short round finds the `KEPT` widest. A value that the file cannot be compiled
    with, or that changes nothing in the run, is left out.
    """
    ranges = _ranges(source, graph)
    if len(ranges) > KEPT:
        ranges = _widest(executor, ranges, tallies, seed, progress)
    typical = quantile(sorted(tally.wall / SECOND for tally in tallies), 0.5)
    found = []
    for own, low, high in _walls(executor, ranges, tallies, PAIRS, seed, progress):
        # few runs are repeated: what they show is how far the typical time moves, not where it is
        among = quantile(sorted(tally.wall / SECOND for tally in tallies[: len(low)]), 0.5)
        scale = typical / among if among else 1.0
        ends = (scale * quantile(sorted(walls), 0.5) for walls in (low, high))
        found.append(_sway(own.assumed, *ends))
    return sorted(found, key=lambda sway: sway.low - sway.high)


def _widest(
    executor: Executor,
    ranges: Sequence[Range],
    tallies: Sequence[Tally],
    seed: int,
    progress: Progress | None,
) -> list[Range]:
    """The ranges whose ends lie furthest apart in the typical pair of runs."""
    reach = {}
    for number, (_, low, high) in enumerate(
        _walls(executor, ranges, tallies, SCREEN, seed, progress)
    ):
        apart = sorted(abs(b - a) for a, b in zip(low, high, strict=True))
        reach[number] = quantile(apart, 0.5)
    return [ranges[number] for number in sorted(reach, key=lambda number: -reach[number])[:KEPT]]


def _walls(
    executor: Executor,
    ranges: Sequence[Range],
    tallies: Sequence[Tally],
    most: int,
    seed: int,
    progress: Progress | None,
) -> Iterator[tuple[Range, list[float], list[float]]]:
    """Each range with the wall times (seconds) of the same replications at both of its ends."""
    if not ranges:
        return
    graphs = [end for own in ranges for end in (own.low, own.high)]
    count = affordable(tallies, most, SPANS // len(graphs))
    runs = several(executor, graphs, seed, count, "sensitivity", progress)
    for own in ranges:
        low, high = ([tally.wall / SECOND for tally in next(runs)] for _ in range(2))
        yield own, low, high


def _ranges(source: Source, graph: Graph) -> list[Range]:
    """What can be tried and changes what is run."""
    plain = _bare(graph)
    found: list[Range] = []
    for assumed in graph.assumed:
        ends = _ends(source, assumed)
        if ends is not None and any(_bare(end) != plain for end in ends):
            found.append(Range(assumed, *ends))
    return found


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
    return replace(graph, assumed=(), notices=())


def _sway(assumed: Assumed, one: float, other: float) -> Sway:
    """Ascending: a higher value may make the run shorter."""
    if one <= other:
        return Sway(assumed.what, one, other, assumed.key, (assumed.low, assumed.high))
    return Sway(assumed.what, other, one, assumed.key, (assumed.high, assumed.low))
