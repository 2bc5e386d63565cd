"""How many more turns a quicker machine's model may need before it is no longer ahead.

A comparison takes the same turns and tokens on every machine, though another machine often means
another model. So all agents of the quicker one are given more turns, with the same draws, until
their work, people left out, takes as long as on the other: simulated, since a session that grows
with its turns costs more than in proportion, and calls that share a server wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from agentsim.analysis.estimate import half_width, mean_of
from agentsim.analysis.outcome import Tally
from agentsim.experiment.executors import Executor
from agentsim.experiment.meeting import LOWEST, Look, interval_of, meet
from agentsim.experiment.options import Progress
from agentsim.experiment.paired import Interval, apart
from agentsim.experiment.replicate import several
from agentsim.experiment.variants import with_turns
from agentsim.graph import Graph
from agentsim.records import PEOPLE, SECOND, Part

MOST_TIMES = 100.0
"""Times the turns up to which a break-even is looked for."""

SPANS = 100_000
"""Spans that one look at a pair may simulate, where that is at least `FEWEST_RUNS`."""

FEWEST_RUNS = 10

MOST_PAIRS = 12
"""Pairs of machines that are looked at, those of the first variants first."""

_FIXED = PEOPLE | {Part.CAP_WAIT}


class Entry(NamedTuple):
    """One variant on one machine: its times without people, and what of them goes by turns.

    Nanoseconds a replication; `spans` of all of them together.
    """

    label: str
    graph: Graph
    alone: list[int]
    turns: list[int]
    spans: int


@dataclass(frozen=True, slots=True)
class BreakEven:
    """`ahead` (the number of a machine) beats `behind` in the mean time without people.

    It does so while its model needs fewer than `times` the turns, `ci95` at 95 % (None where one
    run tells nothing of that). `times` is None where it was not found: `beyond` says that it is
    ahead with `MOST_TIMES` the turns too. Not `clear`: neither is surely ahead as they are.
    """

    label: str
    ahead: int
    behind: int
    clear: bool
    times: float | None = None
    ci95: Interval | None = None
    runs: int = 0
    beyond: bool = False


def of_turns(graph: Graph, tally: Tally) -> int:
    """Nanoseconds of the critical path spent in agents' turns: their calls and tools, and waits."""
    kinds = [step.kind for step in graph.steps]
    return sum(
        time
        for step, part, _, time in tally.path
        if 0 <= step < len(kinds) and kinds[step] == "agent" and part not in _FIXED
    )


def break_evens(
    executor: Executor,
    machines: Sequence[Sequence[Entry]],
    seed: int,
    progress: Progress | None = None,
) -> tuple[list[BreakEven], int]:
    """For each variant whose agents take turns and each pair of machines; and how many are left.

    At most `MOST_PAIRS` pairs are tried.
    """
    pairs = [
        (rows, i, j)
        for rows in zip(*machines, strict=True)
        if any(any(entry.turns) for entry in rows)
        for i, j in combinations(range(len(machines)), 2)
    ]
    found = []
    for done, (rows, i, j) in enumerate(pairs[:MOST_PAIRS], 1):
        found.append(_break_even(executor, rows, i, j, seed))
        if progress is not None:
            progress("turns", done, len(pairs[:MOST_PAIRS]))
    return found, max(0, len(pairs) - MOST_PAIRS)


def _break_even(
    executor: Executor, rows: Sequence[Entry], i: int, j: int, seed: int
) -> BreakEven:  # fmt: skip
    ahead, behind = (i, j) if sum(rows[i].alone) <= sum(rows[j].alone) else (j, i)
    quick, slow = rows[ahead], rows[behind]
    exact = quick.graph.exact and slow.graph.exact
    gap = apart(slow.alone, quick.alone, exact)
    found = BreakEven(quick.label, ahead, behind, clear=gap.is_clear and not gap.is_same)
    if not found.clear or not any(quick.turns):
        return found
    start = min(MOST_TIMES, _proportional(quick.alone, quick.turns, slow.alone))
    a_run = quick.spans / len(quick.alone) * start
    runs = len(quick.alone) if exact else max(FEWEST_RUNS, int(SPANS / max(1.0, a_run)))
    runs = min(runs, len(quick.alone))
    wanted = slow.alone[:runs]
    look = _looker(executor, quick, wanted, seed)
    met = meet(look, start, (LOWEST, MOST_TIMES))
    if met is None or met.rate > MOST_TIMES:
        most = look(MOST_TIMES)
        beyond = most is not None and most.wanted > MOST_TIMES
        return BreakEven(quick.label, ahead, behind, True, runs=runs, beyond=beyond)
    ci95 = interval_of(met) if exact or runs > 1 else None
    return BreakEven(quick.label, ahead, behind, True, met.rate, ci95, runs)


def _proportional(alone: Sequence[int], turns: Sequence[int], wanted: Sequence[int]) -> float:
    """X = (T - R) / S: where S seconds of turns and R of all else come to T, if S goes as X."""
    spent = sum(turns)
    return (sum(wanted) - (sum(alone) - spent)) / spent


def _looker(
    executor: Executor, quick: Entry, wanted: Sequence[int], seed: int
) -> Callable[[float], Look | None]:
    """Simulates a number of times the turns: at which both would take as long, in proportion."""
    runs = len(wanted)
    seen: dict[float, Look | None] = {}

    def look(times: float) -> Look | None:
        if times > MOST_TIMES:
            return None
        if times not in seen:
            graph = with_turns(quick.graph, times)
            count = 1 if graph.exact else runs
            tallies = next(several(executor, [graph], seed, count, "turns"))
            alone = [tally.without_people for tally in tallies] * (runs // count)
            turns = [of_turns(graph, tally) for tally in tallies] * (runs // count)
            seen[times] = _look(times, alone, turns, wanted)
        return seen[times]

    return look


def _look(
    times: float, alone: Sequence[int], turns: Sequence[int], wanted: Sequence[int]
) -> Look | None:  # fmt: skip
    """The logarithm of the answer moves with the paired difference, over what goes by turns."""
    share = _proportional(alone, turns, wanted) if any(turns) else 0.0
    if share <= 0:
        return None
    gaps = [(a - b) / SECOND for a, b in zip(alone, wanted, strict=True)]
    return Look(times * share, half_width(gaps) * SECOND / mean_of(turns))
