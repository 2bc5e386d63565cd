"""How many copies of a workflow one server carries: what they see of it in one long run.

A turn's time is that of its call from the asking to the last token: all waits, further tries and
the waits between them are in it, tools and people are not. A call that is given up has no end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from agentsim.graph import Agent, Graph, walk
from agentsim.records import SECOND, CallFacts, Outcome, Place, Trace


class Crowd(NamedTuple):
    """What so many copies saw of one server while all of them were at work.

    `turns`: seconds of each turn that began meanwhile, `inf` of one that was given up. `agents`:
    how many agents were at work in the mean. `lasted`: seconds that were looked at.
    """

    turns: list[float]
    agents: float
    lasted: float


@dataclass(frozen=True, slots=True)
class Tried:
    """So many copies at once: the 90 % quantile of their turns, in seconds; None: without end.

    `ci95`: its interval over independent runs; None where there is but one.
    """

    copies: int
    p90: float | None
    ci95: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Carries:
    """What one server carries: the most copies of the workflow at work at once, so that 9 in 10
    turns take no longer than `turn_p90` seconds.

    `at_least`: more were not tried. `agents`: those at work in the mean of so many copies; None
    where there are none. `people`: who looks after them, all copies together; None: nobody.
    `between`: what is sure at 95 %: the most that surely hold it, and the fewest that surely do
    not (None: none of those tried). `lasted`: seconds of each run that were looked at.
    """

    turn_p90: float
    copies: int
    at_least: bool
    agents: float | None
    people: int | None
    between: tuple[int, int | None]
    lasted: float
    tried: tuple[Tried, ...]
    notes: tuple[str, ...] = ()

    @property
    def own(self) -> Tried | None:
        """What so many copies saw; None where not even one holds it."""
        return next((it for it in self.tried if it.copies == self.copies), None)

    @property
    def more(self) -> Tried | None:
        """What the fewest saw that are too many; None where none were."""
        return next((it for it in self.tried if it.copies > self.copies), None)


def seen(trace: Trace, graph: Graph, server: str, fork: int, copies: int) -> Crowd:
    """What `copies` copies saw of a server: items of the step of rank `fork`, one after the other.

    From when as many copies have ended as there are, until none begins any more.
    """
    begun = sorted(
        visit.began for visit in trace.visits if visit.step == fork and len(visit.place) == 1
    )
    since, until = begun[2 * copies - 1], begun[-1]
    turns: list[float] = []
    asked: dict[tuple[int, Place, str], int] = {}
    for step, place, who, resource, began, marks, _, outcome, facts in trace.spans:
        if not isinstance(facts, CallFacts) or resource != server or facts.compaction:
            continue
        key = (step, place, who)
        first = asked.pop(key, began)
        if facts.again:
            asked[key] = first
        elif since <= first < until and outcome is not Outcome.CANCELLED:
            end = marks[-1][1] if marks else began
            turns.append((end - first) / SECOND if outcome is Outcome.DONE else inf)
    return Crowd(turns, _agents(trace, graph, since, until), (until - since) / SECOND)


def _agents(trace: Trace, graph: Graph, since: int, until: int) -> float:
    """How many agents were at work at once, in the mean."""
    ranks = {node.rank for node in walk(graph.root) if isinstance(node, Agent)}
    if until <= since:
        return 0.0
    inside = sum(
        max(0, min(visit.ended, until) - max(visit.began, since))
        for visit in trace.visits
        if visit.step in ranks
    )
    return inside / (until - since)


def quantile90(turns: Sequence[float]) -> float | None:
    """The smallest value that 9 in 10 do not exceed; None where that is without end, or of none."""
    if not turns:
        return None
    ordered = sorted(turns)
    value = ordered[-(-9 * len(ordered) // 10) - 1]
    return None if value == inf else value
