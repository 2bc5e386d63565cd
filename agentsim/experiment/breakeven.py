"""How many more turns a quicker machine's model may need before it is no longer ahead.

A comparison takes the same turns and tokens on every machine, though another machine often means
another model. So all agents of the quicker one are given more turns, with the same draws, until
their work, people left out, takes as long as on the other: simulated, since a session that grows
with its turns costs more than in proportion, and calls that share a server wait for each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from agentsim.analysis.estimate import half_width, mean_of
from agentsim.analysis.outcome import Tally
from agentsim.experiment.executors import Executor
from agentsim.experiment.meeting import (
    CLOSE,
    JUMP,
    LOWEST,
    WIDEST,
    Look,
    Met,
    interval_of,
    meet,
)
from agentsim.experiment.options import Progress
from agentsim.experiment.paired import Interval, apart
from agentsim.experiment.replicate import several
from agentsim.experiment.variants import with_turns
from agentsim.graph import Agent, Graph, walk
from agentsim.records import PEOPLE, SECOND, Part

MOST_TIMES = 100.0
"""Times the turns up to which a break-even is looked for."""

SPANS = 100_000
"""Spans that one look at a pair may simulate, where that is at least `FEWEST_RUNS`."""

FEWEST_RUNS = 10

MOST_SPANS = 200_000
"""Spans of the first look at a pair, at most: with as few runs as two. What takes more is not
tried."""

ALL_SPANS = 1_500_000
"""Spans that all looks at a pair may simulate together: one that takes more is not found."""

COARSE, COARSE_DRAWN = 1000, 200
"""Fewer turns than that, where they are fixed, make steps that are looked for: of more than
`JUMP`; of 0.5 % where a look takes many runs, since what else is drawn makes more."""

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

    It does so while its model needs fewer than `times` the turns, `ci95` at 95 % (None where
    nothing is drawn, and where one run tells nothing of that). `times` is None where it was not
    found: `beyond` says that it is ahead with `MOST_TIMES` the turns too. Not `clear`: neither is
    surely ahead as they are.
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

    At most `MOST_PAIRS` pairs are tried, and none that takes too many spans.
    """
    pairs = [
        (rows, i, j)
        for rows in zip(*machines, strict=True)
        if any(any(entry.turns) for entry in rows)
        for i, j in combinations(range(len(machines)), 2)
    ]
    found: list[BreakEven] = []
    for done, (rows, i, j) in enumerate(pairs[:MOST_PAIRS], 1):
        own = _break_even(executor, rows, i, j, seed)
        found += [] if own is None else [own]
        if progress is not None:
            progress("turns", done, len(pairs[:MOST_PAIRS]))
    return found, len(pairs) - len(found)


def _break_even(
    executor: Executor, rows: Sequence[Entry], i: int, j: int, seed: int
) -> BreakEven | None:
    """None where that takes more spans than a pair has."""
    ahead, behind = (i, j) if sum(rows[i].alone) <= sum(rows[j].alone) else (j, i)
    quick, slow = rows[ahead], rows[behind]
    exact = quick.graph.exact and slow.graph.exact
    gap = apart(slow.alone, quick.alone, exact)
    found = BreakEven(quick.label, ahead, behind, clear=gap.is_clear and not gap.is_same)
    if not found.clear or not any(quick.turns):
        return found
    start = min(MOST_TIMES, _proportional(quick.alone, quick.turns, slow.alone))
    look = _Looks(executor, quick, slow.alone[: _runs(quick, start, exact)], seed)
    met, ci95 = _met(look, start, exact)
    beyond = False
    if look.is_over:
        return None
    if met is None or met.rate > MOST_TIMES:
        met, ci95 = None, None
        most = look(MOST_TIMES)
        beyond = most is not None and most.wanted > MOST_TIMES
    if look.is_over:
        return None
    times = None if met is None else met.rate
    return BreakEven(quick.label, ahead, behind, True, times, ci95, look.runs, beyond)


def _runs(quick: Entry, start: float, exact: bool) -> int:
    """How many replications are compared: one that draws nothing stands for all."""
    whole = len(quick.alone)
    if exact:
        return whole
    a_run = max(1.0, quick.spans / whole * start)
    fewest = min(FEWEST_RUNS, max(2, int(MOST_SPANS / a_run)))
    return min(whole, max(fewest, int(SPANS / a_run)))


def _proportional(alone: Sequence[int], turns: Sequence[int], wanted: Sequence[int]) -> float:
    """X = (T - R) / S: where S seconds of turns and R of all else come to T, if S goes as X."""
    spent = sum(turns)
    return (sum(wanted) - (sum(alone) - spent)) / spent


def _met(look: _Looks, start: float, exact: bool) -> tuple[Met | None, Interval | None]:
    """Where both take as long, and its interval.

    Few turns that are fixed go in steps, of which one may be the answer: closed to `JUMP`, or to
    `CLOSE` where other turns are drawn.
    """
    reach = (LOWEST, MOST_TIMES)
    bracket = 0.0
    if look.is_coarse:
        bracket = JUMP if look.is_fixed else CLOSE
    met = meet(look, start, reach, bracket)
    if met is None or look.is_over or exact or look.runs == 1:
        return met, None
    if not (look.is_coarse and look.is_fixed):
        moved = 0.0 if bracket else met.moved
        return met, interval_of(met._replace(half=met.half + moved))
    least, most = interval_of(met._replace(half=math.inf))
    low = meet(_shifted(look, -1), met.rate, reach, bracket)
    high = meet(_shifted(look, 1), met.rate, reach, bracket)
    if look.is_over:  # there is an answer, and a slope about it
        look.is_over = False
        return met, interval_of(met)
    return met, (
        least if low is None else min(interval_of(low)[0], met.rate * math.exp(-bracket / 2)),
        most if high is None else max(interval_of(high)[1], met.rate * math.exp(bracket / 2)),
    )


def _shifted(look: Callable[[float], Look | None], sign: int) -> Callable[[float], Look | None]:
    """The same with the error added (1) or taken away (-1): it meets at an end of the interval.

    In steps a slope says little of that: what is not surely on one side reaches to a further step.
    """

    def shifted(times: float) -> Look | None:
        own = look(times)
        if own is None:
            return None
        return Look(own.wanted * math.exp(sign * min(own.half, WIDEST)), 0.0)

    return shifted


class _Looks:
    """Simulates a number of times the turns: at which both would take as long, in proportion.

    `is_over`: a look would have taken more spans than there are, and told nothing.
    """

    def __init__(self, executor: Executor, quick: Entry, wanted: Sequence[int], seed: int) -> None:
        self._executor, self._quick, self._wanted, self._seed = executor, quick, wanted, seed
        self.runs = len(wanted)
        self._count = 1 if quick.graph.exact else self.runs
        self._left = float(ALL_SPANS)
        self.is_over = False
        self._seen: dict[object, Look | None] = {}
        turns = [it.plan.turns for it in walk(quick.graph.root) if isinstance(it, Agent)]
        fixed = [it.low for it in turns if it.low == it.high]
        self.is_fixed = len(fixed) == len(turns)
        fine = COARSE if quick.graph.exact else COARSE_DRAWN
        self.is_coarse = any(it < fine for it in fixed)
        self._fixed = fixed if self.is_fixed else []

    def __call__(self, times: float) -> Look | None:
        if times > MOST_TIMES:
            return None
        # fixed turns are the same to the next whole number: simulated once
        key: object = tuple(max(1, round(it * times)) for it in self._fixed) or times
        if key not in self._seen:
            spans = self._quick.spans / len(self._quick.alone) * self._count * times
            if spans > (self._left if self._seen else MOST_SPANS):
                self.is_over = True
                return None
            self._left -= spans
            self._seen[key] = self._simulated(times)
        own = self._seen[key]
        return None if own is None else Look(times * own.wanted, own.half)

    def _simulated(self, times: float) -> Look | None:
        """What is wanted over `times`."""
        graph = with_turns(self._quick.graph, times)
        tallies = next(several(self._executor, [graph], self._seed, self._count, "turns"))
        alone = [tally.without_people for tally in tallies] * (self.runs // self._count)
        turns = [of_turns(graph, tally) for tally in tallies] * (self.runs // self._count)
        return _look(alone, turns, self._wanted)


def _look(alone: Sequence[int], turns: Sequence[int], wanted: Sequence[int]) -> Look | None:
    """The logarithm of the answer moves with the paired difference, over what goes by turns."""
    share = _proportional(alone, turns, wanted) if any(turns) else 0.0
    if share <= 0:
        return None
    gaps = [(a - b) / SECOND for a, b in zip(alone, wanted, strict=True)]
    return Look(share, half_width(gaps) * SECOND / mean_of(turns))
