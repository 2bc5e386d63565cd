"""One machine at several decode speeds: where the time goes at each, and where that changes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, log
from typing import TYPE_CHECKING, NamedTuple

from agentsim.analysis import summarise
from agentsim.analysis.findings import Findings, Lever
from agentsim.analysis.outcome import Tally
from agentsim.experiment.crossings import KINDS, Costs, Crossing, crossings
from agentsim.experiment.executors import Executor, executor_for
from agentsim.experiment.levers import changes, tried
from agentsim.experiment.options import Options
from agentsim.experiment.placed import placed
from agentsim.experiment.replicate import affordable, replicated, several
from agentsim.graph import Graph
from agentsim.laws.reading import WORDS_PER_TOKEN
from agentsim.records import PEOPLE, SECOND, Part

if TYPE_CHECKING:
    from agentsim.spec import Source

RATES = (5.0, 100.0, 800.0, 15_000.0)
"""tok/s: the four speed classes."""

WORDS_PER_MINUTE = 238.0
"""Silent reading of English prose (Brysbaert 2019, 190 studies)."""

CROSSED = 500
"""Replications that are repeated at each speed where a crossing is looked for: a dozen speeds and
more. What they cost is carried over to all, as for levers (the ratio estimator of `paired`), so
that a crossing says the same as the table; its interval is that of these runs alone, on the safe
side."""


@dataclass(frozen=True, slots=True)
class Row:
    """One rate. Shares are of the mean critical path; that of decode holds compactions' decoding.

    `reads` is what a person of this workflow reads, tok/s of prose, and `outrun` how often that
    fits into the rate of one stream; None where there is no person, or no step asks a model.
    """

    rate: float
    findings: Findings
    decode: float
    tools: float
    people: float
    outrun: float | None
    reads: float | None


@dataclass(frozen=True, slots=True)
class SweepResult:
    """Rows by rate, and the crossings between. `lever`: what helps most at the highest rate."""

    rows: tuple[Row, ...]
    crossings: tuple[Crossing, ...]
    lever: Lever | None = None


def sweep(
    source: Source, rates: Sequence[float] = RATES, options: Options | None = None
) -> SweepResult:
    """Simulate the workflow at each rate (tok/s of one stream at empty context), the same draws.

    Raises Problems where the files are wrong, EngineFault where a run cannot go on.
    """
    asked = options or Options()
    ordered = sorted(set(rates))
    graphs = [_at(source, rate) for rate in ordered]
    with placed(source), executor_for(asked.jobs) as executor:
        runs = list(_runs(executor, graphs, asked))
        findings = [
            summarise(graph, own, asked.seed) for graph, own in zip(graphs, runs, strict=True)
        ]
        rows = tuple(map(_row, ordered, findings, graphs))
        lever = None
        if asked.levers and rows:
            lever = _lever(executor, graphs[-1], findings[-1], runs[-1], asked)
        asks = any(row.findings.hardware for row in rows)
        found = _crossings(executor, source, rows, runs, asked) if asks else []
    return SweepResult(rows, tuple(found), lever)


def _at(source: Source, rate: float) -> Graph:
    """The graph at a rate; a rate given for a role by name stays."""
    from agentsim.spec import load

    kept = tuple(own for own in source.rates if "=" in own)
    return load(replace(source, rates=(*kept, repr(float(rate)))))


def _runs(executor: Executor, graphs: Sequence[Graph], asked: Options) -> Iterator[list[Tally]]:
    for done, graph in enumerate(graphs, 1):
        yield replicated(executor, graph, asked.seed, asked.runs, asked.precision)
        if asked.progress is not None:
            asked.progress("rates", done, len(graphs))


def _row(rate: float, findings: Findings, graph: Graph) -> Row:
    times, wall = findings.breakdown, findings.wall.mean or 1.0
    reads = _reads(graph) if findings.hardware else None
    return Row(
        rate=rate,
        findings=findings,
        decode=(times[Part.DECODE.label] + findings.compaction_decode) / wall,
        tools=times[Part.TOOL.label] / wall,
        people=sum(times[part.label] for part in sorted(PEOPLE)) / wall,
        outrun=None if reads is None else rate / reads,
        reads=reads,
    )


def _reads(graph: Graph) -> float | None:
    """Tokens of prose a second that the first person of the workflow reads."""
    if not graph.people:
        return None
    prose = graph.people[0].reading.prose
    return (prose if prose is not None else WORDS_PER_MINUTE / 60) / WORDS_PER_TOKEN


def _lever(
    executor: Executor, graph: Graph, findings: Findings, tallies: Sequence[Tally], asked: Options
) -> Lever | None:
    """What helps most once decoding is as fast as it was tried; None where nothing surely does."""
    others = [change for change in changes(graph, findings) if change.kind != "decode"]
    found = tried(executor, others, tallies, asked.seed, asked.progress, told=1)
    return next((lever for lever in found if lever.helps), None)


def _crossings(
    executor: Executor,
    source: Source,
    rows: Sequence[Row],
    runs: Sequence[list[Tally]],
    asked: Options,
) -> list[Crossing]:
    """From the rate at which decoding and all else are nearest to each other."""
    nearest = min(range(len(rows)), key=lambda i: abs(rows[i].decode - 0.5))
    count = affordable(runs[nearest], min(CROSSED, *map(len, runs)))
    known = {row.rate: own[:count] for row, own in zip(rows, runs, strict=True)}
    carried = {row.rate: _carried(own, count) for row, own in zip(rows, runs, strict=True)}
    looked = 0

    def probe(rate: float) -> list[Costs]:
        nonlocal looked
        tallies = known.get(rate)
        if tallies is None:
            graph = _at(source, rate)
            tallies = next(several(executor, [graph], asked.seed, count, "crossings"))
            looked += 1
            if asked.progress is not None:
                asked.progress("crossings", looked, 0)
        factors = _between(carried, rate)
        return [_times(costs(tally), factors) for tally in tallies]

    people = {name for name, own in rows[nearest].findings.people.items() if own.times_needed}
    who = people.pop() if len(people) == 1 else "people"
    found = crossings(probe, rows[nearest].rate, who, _kinds(rows), list(known))
    slowest, fastest = rows[0].rate, rows[-1].rate
    return [replace(it, beyond=not slowest <= it.rate <= fastest) for it in found]


class _Factors(NamedTuple):
    """How much more each cost is in the mean of all runs than in that of the first.

    The wall time goes by its two parts, decoding and all else: each of their factors is much the
    same at every speed, while that of their sum bends as decoding shrinks.
    """

    decode: float
    tools: float
    people: float
    rest: float


def _carried(tallies: Sequence[Tally], count: int) -> _Factors:
    """By how much the mean of all is above that of the first `count`."""
    each = [
        (own.decode, own.tools, own.people, own.wall - own.decode) for own in map(costs, tallies)
    ]
    whole = [fsum(column) / len(each) for column in zip(*each, strict=True)]
    first = [fsum(column) / count for column in zip(*each[:count], strict=True)]
    return _Factors(*(own / few if few else 1.0 for own, few in zip(whole, first, strict=True)))


def _times(own: Costs, by: _Factors) -> Costs:
    decode = own.decode * by.decode
    wall = decode + (own.wall - own.decode) * by.rest
    return Costs(decode, own.tools * by.tools, own.people * by.people, wall)


def _between(carried: Mapping[float, _Factors], rate: float) -> _Factors:
    """The factors at a rate: those of the table, on straight lines over the logarithm between."""
    rates = sorted(carried)
    at = bisect_left(rates, rate)
    if at == len(rates) or rates[at] == rate or at == 0:
        return carried[rates[min(at, len(rates) - 1)]]
    low, high = rates[at - 1], rates[at]
    part = log(rate / low) / log(high / low)
    pairs = zip(carried[low], carried[high], strict=True)
    return _Factors(*(below + part * (above - below) for below, above in pairs))


def _kinds(rows: Sequence[Row]) -> list[str]:
    """The kinds of crossings that can be: of what no run can have, none is looked for."""
    own = rows[0].findings
    has = {
        "people": bool(own.people),
        "tools": any(row.tools for row in rows)
        or any(step.kind in {"tool", "agent"} for step in own.steps.values()),
        "speed": True,
    }
    return [kind for kind in KINDS if has[kind]]


def costs(tally: Tally) -> Costs:
    """Seconds of one replication by what they went to: all decoding, that of compactions too."""
    decode, tools, people = tally.compaction_decode, 0, 0
    for _, part, _, time in tally.path:
        if part == Part.DECODE:
            decode += time
        elif part == Part.TOOL:
            tools += time
        elif part in PEOPLE:
            people += time
    return Costs(decode / SECOND, tools / SECOND, people / SECOND, tally.wall / SECOND)
