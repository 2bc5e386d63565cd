"""The compiled run: all that can be known without a clock and without a random number."""

from __future__ import annotations

from dataclasses import dataclass

from agentsim.errors import Notice
from agentsim.graph.cast import CapsPlan, PersonPlan, PoolPlan, QueuePlan
from agentsim.graph.nodes import Block
from agentsim.graph.server import ServerPlan


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits that all must hold, in seconds and dollars, in a share `chance` of the runs."""

    wall: float | None = None
    without_people: float | None = None
    person: float | None = None
    money: float | None = None
    chance: float = 0.5


@dataclass(frozen=True, slots=True)
class QualityPlan:
    """Defects are modelled. `correlation`: the share of them that all find, or miss, alike."""

    correlation: float


@dataclass(frozen=True, slots=True)
class Step:
    """A row of the table of steps: its path and the kind the person wrote (`agent`, `loop`)."""

    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class Assumed:
    """A value that the file did not give.

    `what` is a person's words ("coder: turns"), `value` as it would be written, `source` where it
    comes from, `key` the path of the field in the file ("agents/coder/turns"). `low` and `high`
    (as written) are the span that a sensitivity check tries; None: not tried.
    """

    what: str
    value: str
    source: str
    key: str
    low: object = None
    high: object = None
    note: str = ""
    """What else a person should know of it, a sentence."""


@dataclass(frozen=True, slots=True)
class Graph:
    """What is to run. `steps[rank]` tells a node's path. `notices`: warnings known before.

    `start` is the calendar instant of time 0 as UTC seconds since 1970 and `zone` its IANA name,
    where the workflow gives one. `exact`: nothing is drawn, one replication says all.
    """

    name: str
    root: Block
    steps: tuple[Step, ...]
    servers: tuple[ServerPlan, ...]
    pools: tuple[PoolPlan, ...]
    people: tuple[PersonPlan, ...]
    budget: Budget | None = None
    caps: CapsPlan | None = None
    queues: tuple[QueuePlan, ...] = ()
    start: float | None = None
    zone: str | None = None
    exact: bool = False
    quality: QualityPlan | None = None
    assumed: tuple[Assumed, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentences of `notices`, in the order in which they were found."""
        return tuple(it.text for it in self.notices)
