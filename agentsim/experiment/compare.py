"""Files, machines and values of params side by side, on the same replications.

Every variant draws by the same keys, so that a step which stands in two of them is the same in
both: their difference, run by run, is far steadier than their times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agentsim.analysis import summarise
from agentsim.analysis.failing import fail_more
from agentsim.analysis.findings import Findings
from agentsim.analysis.outcome import Tally
from agentsim.experiment.breakeven import BreakEven, Entry, break_evens, of_turns
from agentsim.experiment.executors import Executor, executor_for
from agentsim.experiment.grid import Grid, Pairs, Variant, variants
from agentsim.experiment.options import Options, Progress
from agentsim.experiment.paired import Apart, apart, by_pairs
from agentsim.experiment.paying import Bill, Paying, bill, paying
from agentsim.experiment.placed import placed
from agentsim.experiment.replicate import several
from agentsim.records import SECOND, Outcome

BATCH = 8
"""Variants that are simulated in one go: their tallies are kept until they are summarised."""


def _has_attempts(found: Findings) -> bool:
    return found.quality is not None and found.quality.success is not None


def _has_defects(found: Findings) -> bool:
    return found.quality is not None and found.quality.defects is not None


def _escaped(tally: Tally) -> float | None:
    """Defects left in the work of a run that did not fail."""
    if tally.defects is None or tally.outcome is not Outcome.DONE:
        return None
    return float(tally.defects.escaped)


MEASURES: Mapping[str, tuple[Callable[[Findings], bool], Callable[[Tally], float | None]]] = {
    "without_people": (lambda _: True, lambda tally: tally.without_people / SECOND),
    "attention": (lambda it: bool(it.people), lambda tally: tally.attention / SECOND),
    "cost": (lambda it: it.whole_cost is not None, lambda tally: tally.money),
    "tokens": (lambda it: it.calls.attempts > 0, lambda tally: float(tally.output)),
    # a run that failed before its attempts did not pick a right one
    "success": (_has_attempts, lambda tally: float(tally.success is True)),
    "escaped_defects": (_has_defects, _escaped),
}
"""Besides the wall time, what is compared pair by pair: which answers have it, and how much of it
a replication took. Seconds, dollars, tokens made, runs with a right pick, defects."""


@dataclass(frozen=True, slots=True)
class Row:
    """One variant on one machine. `difference`: to the machine's first row; None of that itself.

    `others`: the same of what else both have, by name; `MEASURES` says what and in which unit.
    `above` and `above_others`: the same to the row before, where that has the next smaller or
    larger number of one param and is the same in all else; None and empty elsewhere.
    `quickest`: its mean is the least on this machine, or cannot be told apart from that; never of
    a row that `fails_more`, in clearly more of its runs. `behind`: to that least one; None of that
    itself. Where there is a row a machine, the least one is that of all machines.
    """

    file: str
    vary: Pairs
    label: str
    findings: Findings
    difference: Apart | None
    quickest: bool
    others: Mapping[str, Apart] = field(default_factory=dict)
    above: Apart | None = None
    above_others: Mapping[str, Apart] = field(default_factory=dict)
    behind: Apart | None = None
    fails_more: bool = False


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine: its bindings as they were given, and a row a variant."""

    hardware: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """A machine each, all with the same variants. `untried`: pairs that were too many to try.

    `left_out`: machines whose contexts are too small for what is compared, and why.
    """

    machines: tuple[Machine, ...]
    break_evens: tuple[BreakEven, ...] = ()
    untried: int = 0
    left_out: tuple[tuple[tuple[str, ...], str], ...] = ()
    paying: tuple[Paying, ...] = ()


Measures = dict[str, list[float | None]]
"""What each replication has of it; None where that is not known of it."""


class _Run(NamedTuple):
    """A variant that was simulated: the answer, and nanoseconds of each replication."""

    variant: Variant
    findings: Findings
    wall: list[int]
    entry: Entry
    measures: Measures
    bill: Bill


def compare(grid: Grid, options: Options | None = None) -> Compared:
    """Simulate all variants of the grid with the same replications and set them side by side.

    Raises Problems with what is wrong in any of the files, EngineFault where a run cannot go on.
    The result is the same for any number of processes.
    """
    asked = options or Options()
    tried, columns, left_out = variants(grid)
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
        Machine(bound, tuple(_rows(group, group if count > 1 else runs)))
        for bound, group in zip(tried, groups, strict=True)
    )
    pays = paying([[run.bill for run in group] for group in groups])
    return Compared(tuple(machines), tuple(found), untried, left_out, tuple(pays))


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
            with placed(variant.source, variant.label):
                tallies = next(found)
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
    findings = summarise(variant.graph, tallies, seed)
    known = set(findings.unpriced) <= set(findings.plans)
    own = bill(variant.label, variant.graph, tallies, known, times)
    return _Run(variant, findings, walls, entry, _measures(findings, tallies, times), own)


def _measures(findings: Findings, tallies: Sequence[Tally], times: int) -> Measures:
    """What the variant has of `MEASURES`, and what each replication has of that."""
    return {
        name: [of(tally) for tally in tallies] * times
        for name, (has, of) in MEASURES.items()
        if has(findings)
    }


def _rows(group: Sequence[_Run], beside: Sequence[_Run]) -> Iterator[Row]:
    """The rows of one machine; the first is what the others are compared with.

    `beside`: those of which one is the quickest, the rows themselves or a row a machine.
    """
    base = group[0]
    fails = fail_more([run.findings for run in beside])
    fit = [run for run, more in zip(beside, fails, strict=True) if not more]
    best = min(fit, key=lambda run: sum(run.wall))
    failing = {id(run) for run, more in zip(beside, fails, strict=True) if more}
    for i, run in enumerate(group):
        before = group[i - 1] if i and _is_step(group, i) else None
        behind = None if run is best else _apart(run, best)
        yield Row(
            run.variant.file,
            run.variant.vary,
            run.variant.label,
            run.findings,
            None if run is base else _apart(run, base),
            len(group) == 1 or not (id(run) in failing or (behind is not None and behind.is_more)),
            {} if run is base else _others(run, base),
            None if before is None else _apart(run, before),
            {} if before is None else _others(run, before),
            behind,
            id(run) in failing,
        )


def _is_step(group: Sequence[_Run], i: int) -> bool:
    """Whether row `i` differs from the one before in one number, which the rows go by in order.

    Names are no order, and of 1, 4, 2 none is a step.
    """
    before, own = group[i - 1].variant, group[i].variant
    if before.file != own.file:
        return False
    changed = [
        (key, was, value)
        for (key, was), (_, value) in zip(before.vary, own.vary, strict=True)
        if was != value
    ]
    if len(changed) != 1 or not all(map(_is_number, changed[0][1:])):
        return False
    key = changed[0][0]
    rows = (dict(run.variant.vary)[key] for run in group if run.variant.file == own.file)
    values = [value for value in dict.fromkeys(rows) if isinstance(value, int | float)]
    return values in (sorted(values), sorted(values, reverse=True))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _apart(run: _Run, base: _Run) -> Apart:
    return apart(run.wall, base.wall, run.findings.exact and base.findings.exact)


def _others(run: _Run, base: _Run) -> dict[str, Apart]:
    """What else sets the two apart, over the replications of which both know it."""
    exact = run.findings.exact and base.findings.exact
    found = {}
    for name, own in run.measures.items():
        pairs = zip(own, base.measures.get(name, ()), strict=False)
        more = [a - b for a, b in pairs if a is not None and b is not None]
        if more:
            found[name] = by_pairs(more, exact)
    return found
