"""Buy, rent or pay by the token: from how many hours of use a week on one costs less than another.

In a week of n runs each way of paying costs A + B n: A is paid whatever is done (what a machine of
one's own wears, a plan, rent that is kept day and night), B for each run. Two ways cost the same at
n = (A1 - A2) / (B2 - B1). Hours of use are those that are paid in the mean run, times n.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from agentsim.analysis import by_hour
from agentsim.analysis.estimate import half_width, mean_of
from agentsim.analysis.outcome import Tally
from agentsim.experiment.paired import Interval, apart_by
from agentsim.graph import Graph
from agentsim.records import SECOND

WEEK = 168.0  # hours
_WEEKS = 12.0 / 52.0  # dollars a month as dollars a week: years of 52 weeks, as of a machine


class Bill(NamedTuple):
    """What one variant costs on one machine.

    `weekly`: dollars a week, whatever is done; `kept`: those of its rent, where it is rented day
    and night; `runs`: dollars of each replication beside, `rent` that is in them. `hours`: of use,
    in each; None where nothing is paid by the hour. Not `known`: something called has no price.
    """

    label: str
    weekly: float
    kept: float
    runs: list[float]
    rent: list[float]
    hours: list[float] | None
    known: bool
    plain: bool
    """It is paid by the token alone."""
    exact: bool


@dataclass(frozen=True, slots=True)
class Paying:
    """Whether the machine of number `machine` costs less than that of number `other`.

    `verdict`: `from` (so many hours of use a week on), `always` (however much it is used), `never`,
    `unclear` (chance may be all of it), `unknown` (a price is missing). `kept`: its rent is paid
    day and night. `hours`: of its use in a week, `ci95` at 95 % (None: nothing is drawn, or not
    known), None where nothing is paid by the hour; `runs`: runs a week. `weekly` and `a_run`:
    dollars of the two.
    """

    label: str
    machine: int
    other: int
    verdict: str
    kept: bool = False
    hours: float | None = None
    ci95: Interval | None = None
    runs: float | None = None
    weekly: tuple[float, float] = (0.0, 0.0)
    a_run: tuple[float, float] = (0.0, 0.0)

    @property
    def is_in_a_week(self) -> bool:
        """Whether a week has so many hours, one run at a time."""
        return self.hours is None or self.hours <= WEEK


def bill(label: str, graph: Graph, tallies: Sequence[Tally], known: bool, times: int) -> Bill:
    """What the variant costs; `times`: each tally stands for so many replications."""
    weekly = kept = 0.0
    runs = [tally.money for tally in tallies]
    rent = [0.0] * len(tallies)
    hours: list[float] | None = None
    machines = by_hour.machines(graph.servers)
    for hourly, own in machines:
        paid = [sum(sum(tally.servers[i].money) for i in own) for tally in tallies]
        used = [
            dollars / hourly.rate if hourly.rate else _hours(tally, own, hourly.used)
            for dollars, tally in zip(paid, tallies, strict=True)
        ]
        if hours is None or sum(used) > sum(hours):
            hours = used
        weekly += hourly.weekly
        if hourly.own:
            running = [hourly.running * time for time in used]
            runs = [a - b + c for a, b, c in zip(runs, paid, running, strict=True)]
        else:
            kept += hourly.rate * WEEK
            rent = [a + b for a, b in zip(rent, paid, strict=True)]
    monthly = {
        plan.profile: plan.monthly
        for i, plan in enumerate(graph.servers)
        if plan.monthly is not None and any(tally.servers[i].calls for tally in tallies)
    }
    weekly += sum(monthly.values()) * _WEEKS
    return Bill(
        label,
        weekly,
        kept,
        runs * times,
        rent * times,
        None if hours is None else hours * times,
        known,
        not machines and not monthly,
        graph.exact,
    )


def _hours(tally: Tally, own: tuple[int, ...], used: bool) -> float:
    """Hours that are paid, of a machine that costs nothing."""
    time = max(tally.servers[i].busy for i in own) if used else tally.wall
    return time / SECOND / 3600.0


def paying(machines: Sequence[Sequence[Bill]]) -> Iterator[Paying]:
    """Each pair of machines, variant by variant, of which one is not paid by the token alone."""
    for rows in zip(*machines, strict=True):
        for i, j in combinations(range(len(rows)), 2):
            if rows[i].plain and rows[j].plain:
                continue
            if not (rows[i].known and rows[j].known):
                own, other = (j, i) if rows[i].plain else (i, j)
                yield Paying(rows[i].label, own, other, "unknown")
                continue
            yield _between(rows, i, j)
            for own, other in ((i, j), (j, i)):
                if rows[own].kept and not rows[other].kept:
                    yield _against(_kept(rows[own]), rows[other], own, other, kept=True)


def _kept(it: Bill) -> Bill:
    """The same with its rent paid day and night, and not by the run."""
    runs = [a - b for a, b in zip(it.runs, it.rent, strict=True)]
    return it._replace(weekly=it.weekly + it.kept, runs=runs)


def _between(rows: Sequence[Bill], i: int, j: int) -> Paying:
    """The one that costs more in a week without a run, else the one that costs less a run."""
    one, two = rows[i], rows[j]
    if one.weekly != two.weekly:
        own, other = (i, j) if one.weekly > two.weekly else (j, i)
        return _against(rows[own], rows[other], own, other)
    own, other = (i, j) if sum(one.runs) <= sum(two.runs) else (j, i)
    gap = apart_by(rows[other].runs, rows[own].runs, one.exact and two.exact)
    verdict = "always" if gap.is_more else "unclear"
    return _told(rows[own], rows[other], own, other, verdict)


def _told(own: Bill, other: Bill, i: int, j: int, verdict: str, kept: bool = False) -> Paying:
    return Paying(
        own.label,
        i,
        j,
        verdict,
        kept,
        weekly=(own.weekly, other.weekly),
        a_run=(mean_of(own.runs), mean_of(other.runs)),
    )


def _against(own: Bill, other: Bill, i: int, j: int, kept: bool = False) -> Paying:
    """`own` costs more in a week without a run, so it must cost less a run."""
    exact = own.exact and other.exact
    gap = apart_by(other.runs, own.runs, exact)
    if not gap.is_more:
        verdict = "never" if gap.is_clear else "unclear"
        return _told(own, other, i, j, verdict, kept)
    found = _told(own, other, i, j, "from", kept)
    runs = (own.weekly - other.weekly) / gap.mean
    hours, ci95 = None, None
    if own.hours is not None:
        mean = mean_of(own.hours)
        hours = runs * mean
        if not exact:
            # each run moves the answer by its own hours, and by what it would save
            moves = [
                runs * (time - mean / gap.mean * (theirs - ours))
                for time, theirs, ours in zip(own.hours, other.runs, own.runs, strict=True)
            ]
            half = half_width(moves)
            ci95 = (hours - half, hours + half)
    return Paying(
        found.label,
        i,
        j,
        "from",
        kept,
        hours,
        ci95,
        runs,
        found.weekly,
        found.a_run,
    )
