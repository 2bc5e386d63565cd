"""Where the time of the average run goes: the critical paths of all replications, added up."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from agentsim.analysis.estimate import t95
from agentsim.analysis.outcome import Tally
from agentsim.graph import Graph
from agentsim.records import SECOND, Part

Key = tuple[Part, str]
"""A part, and what it was spent at."""


class Spent(NamedTuple):
    """Nanoseconds of one row in all runs together, and the sum of their squares run by run."""

    total: int
    squares: int

    def half(self, runs: int) -> float:
        """Half of the 95 % interval of the mean, seconds, by Student's t; 0 for a single run.

        Runs without the row count as runs of none. Whole numbers until the end: exact.
        """
        if runs < 2:
            return 0.0
        spread = (runs * self.squares - self.total**2) / (runs * (runs - 1))
        return t95(runs - 1) * sqrt(spread / runs) / SECOND


def spent(graph: Graph, tallies: Sequence[Tally]) -> dict[Key, Spent]:
    """By part and by what it was spent at, in the order of the parts.

    A session may be compacted by a call, spent at a server, or in a `time` of its agent: where the
    server's name is not said, that is one thing and no name is left to tell both apart.
    """
    found: dict[Key, Spent] = {}
    alone = len(graph.servers) == 1
    for tally in tallies:
        own: dict[Key, int] = {}
        for _, part, what, time in tally.path:
            key = (Part(part), "" if alone and part == Part.COMPACTION else what)
            own[key] = own.get(key, 0) + time
        for key, time in own.items():
            total, squares = found.get(key, (0, 0))
            found[key] = Spent(total + time, squares + time * time)
    return dict(sorted(found.items()))
