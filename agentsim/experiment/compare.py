"""Files, machines and values of params side by side, on the same replications.

Every variant draws by the same keys, so that a step which stands in two of them is the same in
both: their difference, run by run, is far steadier than their times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agentsim.analysis import summarise
from agentsim.analysis.findings import Findings
from agentsim.analysis.outcome import Tally
from agentsim.errors import EngineFault
from agentsim.experiment.breakeven import BreakEven, Entry, break_evens, of_turns
from agentsim.experiment.executors import Executor, executor_for
from agentsim.experiment.grid import Grid, Pairs, Variant, variants
from agentsim.experiment.options import Options, Progress
from agentsim.experiment.paired import Apart, apart
from agentsim.experiment.replicate import several

BATCH = 8
"""Variants that are simulated in one go: their tallies are kept until they are summarised."""


@dataclass(frozen=True, slots=True)
class Row:
    """One variant on one machine. `difference`: to the machine's first row; None of that itself.

    `quickest`: its mean is the least on this machine, or cannot be told apart from that.
    """

    file: str
    vary: Pairs
    label: str
    findings: Findings
    difference: Apart | None
    quickest: bool


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine: its bindings as they were given, and a row a variant."""

    hardware: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A machine each, all with the same variants. `untried`: pairs that were too many to try."""

    machines: tuple[Machine, ...]
    break_evens: tuple[BreakEven, ...] = ()
    untried: int = 0


class _Run(NamedTuple):
    """A variant that was simulated: the answer, and nanoseconds of each replication."""

    variant: Variant
    findings: Findings
    wall: list[int]
    entry: Entry


def compare(grid: Grid, options: Options | None = None) -> Compared:
    """Simulate all variants of the grid with the same replications and set them side by side.

    Raises Problems with what is wrong in any of the files, EngineFault where a run cannot go on.
    The result is the same for any number of processes.
    """
    asked = options or Options()
    columns = variants(grid)
    whole = [variant for column in columns for variant in column]
    with executor_for(asked.jobs) as executor:
        runs = list(_simulated(executor, whole, asked))
        count = len(columns[0])
        groups = [runs[i : i + count] for i in range(0, len(runs), count)]
        found, untried = break_evens(
            executor,
            [[run.entry for run in group] for group in groups],
            asked.seed,
            asked.progress,
        )
    machines = (
        Machine(bound, tuple(_rows(group)))
        for bound, group in zip(grid.machines, groups, strict=True)
    )
    return Compared(tuple(machines), tuple(found), untried)


def _simulated(executor: Executor, whole: Sequence[Variant], asked: Options) -> Iterator[_Run]:
    """All variants in their order. One that draws nothing is run once, and stands for all runs."""
    count = 1 if all(variant.graph.exact for variant in whole) else asked.runs
    batches: list[list[Variant]] = []
    for variant in whole:
        last = batches[-1] if batches else []
        if not last or len(last) == BATCH or last[0].graph.exact != variant.graph.exact:
            batches.append([])
        batches[-1].append(variant)
    done = 0
    for batch in batches:
        own = 1 if batch[0].graph.exact else count
        progress = _within(asked.progress, done, len(batch), len(whole))
        graphs = [variant.graph for variant in batch]
        found = several(executor, graphs, asked.seed, own, "variants", progress)
        for variant in batch:
            try:
                tallies = next(found)
            except EngineFault as fault:
                raise EngineFault(f"{variant.label}: {fault}") from None
            yield _run(variant, tallies, asked.seed, count // own)
        done += len(batch)


def _within(progress: Progress | None, before: int, batch: int, whole: int) -> Progress | None:
    """Tells of the variants of all batches, not of the jobs of one."""
    if progress is None:
        return None

    def told(what: str, done: int, total: int) -> None:
        progress(what, before + done * batch // total, whole)

    return told


def _run(variant: Variant, tallies: Sequence[Tally], seed: int, times: int) -> _Run:
    entry = Entry(
        variant.label,
        variant.graph,
        [tally.without_people for tally in tallies] * times,
        [of_turns(variant.graph, tally) for tally in tallies] * times,
        sum(tally.spans for tally in tallies) * times,
    )
    walls = [tally.wall for tally in tallies] * times
    return _Run(variant, summarise(variant.graph, tallies, seed), walls, entry)


def _rows(group: Sequence[_Run]) -> Iterator[Row]:
    """The rows of one machine; the first is what the others are compared with."""
    base = group[0]
    best = min(group, key=lambda run: sum(run.wall))
    for run in group:
        yield Row(
            run.variant.file,
            run.variant.vary,
            run.variant.label,
            run.findings,
            None if run is base else _apart(run, base),
            _is_tied(run, best),
        )


def _apart(run: _Run, base: _Run) -> Apart:
    return apart(run.wall, base.wall, run.findings.exact and base.findings.exact)


def _is_tied(run: _Run, best: _Run) -> bool:
    found = _apart(run, best)
    return run is best or found.is_same or not found.is_clear
