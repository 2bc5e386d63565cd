"""In which order the steps of a run began and ended, as far as a trace lets it be told.

Ends stand in the order of the visits. What began at an instant at which something else ended is
put after all that comes before it in the workflow; side by side, it cannot be told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from agentsim.graph import (
    Agent,
    Attempts,
    Block,
    Choose,
    Fork,
    Graph,
    Life,
    Loop,
    Merge,
    Node,
)
from agentsim.records import Place


class Untold(Exception):
    """The trace does not say it."""


class Turn(NamedTuple):
    """Where a step stands in one of those around it.

    `slot`: in which part of it, `number` which of several there, `depth`: how long a place is
    outside of it; `again`: whether the place inside has a number more.
    """

    node: Node
    slot: str
    number: int
    depth: int
    again: bool


Address = tuple[Turn, ...]


def addresses(graph: Graph) -> dict[int, Address]:
    """Of each step by rank, all that it stands in, from the outside in."""
    found: dict[int, Address] = {}

    def read(node: Node, at: Address, depth: int) -> None:
        found.setdefault(node.rank, at)
        for inner, slot, number, again in _parts(node):
            turn = Turn(node, slot, number, depth, again)
            read(inner, (*at, turn), depth + again)

    read(graph.root, (), 0)
    return found


def _parts(node: Node) -> Iterator[tuple[Node, str, int, bool]]:
    """What stands in a node: (node, part of it, which of several, a number more in its place)."""
    match node:
        case Block(steps=several):
            yield from ((inner, "step", i, False) for i, inner in enumerate(several))
        case Fork(branches=several, items=None):
            yield from ((inner, "branch", i, False) for i, inner in enumerate(several))
        case Fork(branches=several):
            yield from ((inner, "item", 0, True) for inner in several)
        case Attempts(fork=fork, pick=pick):
            yield from ((inner, "item", 0, True) for inner in fork.branches)
            if pick is not None:
                yield pick, "pick", 0, False
        case Choose(branches=several):
            yield from ((inner, "choice", i, False) for i, inner in enumerate(several))
        case Loop(body=body, between=between):
            yield body, "body", 0, True
            if between is not None:
                yield between, "between", 1, True
        case Merge(rework=rework):
            if rework is not None:
                yield rework, "rework", 0, True
        case Life(body=body):
            yield body, "body", 0, False
        case Agent(subs=subs, asks=asks):
            yield from ((inner, "sub", i, True) for i, inner in enumerate(subs))
            if asks is not None:
                yield asks, "asks", 0, True


class Spot(NamedTuple):
    """A passage through a step or an item, by what stands around it."""

    address: Address
    place: Place


@dataclass
class Order:
    """Whether one step comes before another in the workflow.

    `late` and `over`: the items (rank, place, instant) that began when a place was freed for them,
    and that ended.
    """

    late: set[tuple[int, Place, int]]
    over: set[tuple[int, Place, int]]

    @staticmethod
    def nested(a: Spot, b: Spot) -> bool:
        """Whether one is the other, or stands in it."""
        for x, y in zip(a.address, b.address, strict=False):
            if (x.slot, x.number) != (y.slot, y.number):
                return False
        least = min(len(a.place), len(b.place))
        return a.place[:least] == b.place[:least]

    def before(self, a: Spot, b: Spot, at: int) -> bool | None:
        """Whether the one ends before the other begins, where both is at that instant.

        False: the other way round. None: side by side, or one stands in the other.
        """
        for x, y in zip(a.address, b.address, strict=False):
            assert x.node.rank == y.node.rank
            one, other = (
                spot.place[turn.depth] if turn.again else 0
                for spot, turn in ((a, x), (b, y))
            )  # fmt: skip
            if (x.slot, x.number, one) == (y.slot, y.number, other):
                continue
            match x.node:
                case Block():
                    return _in_block(x.node, x.number, y.number)
                case Fork() | Attempts() if x.slot == y.slot == "item":
                    return self._items(x, a, b, at)
                case Attempts():
                    return x.slot == "item"
                case Fork() | Agent():
                    return None
                case _:
                    return (one, x.number) < (other, y.number)
        return None

    def _items(self, turn: Turn, a: Spot, b: Spot, at: int) -> bool | None:
        """Of two items one may have begun in the place of the other."""
        one, other = (
            (turn.node.rank, spot.place[: turn.depth + 1], at) for spot in (a, b)
        )  # fmt: skip
        if one in self.over and other in self.late and one < other:
            return True
        return False if other in self.over and one in self.late and other < one else None


def _in_block(block: Block, x: int, y: int) -> bool | None:
    if block.needs is None:
        return x < y
    if _needs(block, y, x):
        return True
    return False if _needs(block, x, y) else None


def _needs(block: Block, later: int, before: int) -> bool:
    """Whether one step of a graph waits for another, perhaps through others."""
    assert block.needs is not None
    return any(j == before or _needs(block, j, before) for j in block.needs[later])
