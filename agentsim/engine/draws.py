"""Random draws, keyed by structure: what is drawn never depends on the order of events.

A key is made from (seed, replication, arriving item), the step's name and its place (item and
round numbers), the purpose tells the draws of one step apart, and the number of the draw within
its stream is the number of the turn. So a step that stands in two workflows draws the same
numbers in both, and adding a step changes no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from itertools import repeat
from typing import TypeVar

from agentsim.chance import Distribution, blend, blender, blocks, first, key_of
from agentsim.engine.tasks import Task
from agentsim.records import SECOND

T = TypeVar("T")
Sampler = Callable[[], float]
Counter = Callable[[], int]


class Purpose(IntEnum):
    """What a draw is for. The numbers are part of every key: never renumber, only add."""

    TURNS = 1
    THINKING = 2
    OUTPUT = 3
    CHOICE = 4
    COUNT = 5
    TIME = 6
    RETURNS = 7
    FAILS = 8
    VERDICT = 9
    INPUT = 10
    TASK = 11
    WRITES = 12
    LATENCY = 13
    FIRST_TOKEN = 14
    SPREAD = 15
    PICKUP = 16
    SWITCH = 17
    AMOUNT = 18
    DECIDES = 19
    COMPACTION = 20
    SUCCESS = 21
    PICK = 22
    WHICH = 23
    ASKS = 24
    REBASE = 25
    CONFLICT = 26
    CI = 27
    DEFECTS = 28
    SIGHT = 29
    FINDS = 30
    REGRESSION = 31
    HARNESS = 32
    JITTER = 33
    LOAD = 40
    FATE = 41
    AGAIN = 42
    TOKENS = 50
    LOOKUP = 60


def sampler(dist: Distribution, key: int, purpose: int, task: Task, owner: str) -> Sampler:
    """A function that gives the stream's next value each time.

    What is drawn between tasks comes from one uniform of the task for `owner` (the tool or agent
    by name), so that all runs of a tool within an item or attempt are slow or quick together.
    """
    return _sampler(dist, key, purpose, task, owner, _as_is)


def counter(dist: Distribution, key: int, purpose: int, task: Task, owner: str) -> Counter:
    """The same for an amount that is counted: the nearest whole number."""
    return _sampler(dist, key, purpose, task, owner, _rounded)


def timer(dist: Distribution, key: int, purpose: int, task: Task, owner: str) -> Counter:
    """The same for a duration: whole nanoseconds."""
    return _sampler(dist, key, purpose, task, owner, _nanoseconds)


def once(dist: Distribution, key: int, purpose: int, task: Task, owner: str) -> float:
    """The first value of a stream."""
    if dist.low == dist.high:
        return dist.low
    u = first(key, purpose)
    if dist.between:
        u = blend(first(key_of(task.key, owner), purpose), u, dist.between)
    return dist.at(u)


def whole(value: float) -> int:
    """A drawn amount as a count: the nearest whole number, never below zero."""
    return max(0, round(value))


def _as_is(values: list[float]) -> list[float]:
    return values


def _rounded(values: list[float]) -> list[int]:
    return [round(value) for value in values]


def _nanoseconds(values: list[float]) -> list[int]:
    return [round(value * SECOND) for value in values]


def _sampler(
    dist: Distribution,
    key: int,
    purpose: int,
    task: Task,
    owner: str,
    convert: Callable[[list[float]], list[T]],
) -> Callable[[], T]:
    """Draws by the block of uniforms: what a value costs is a share of a list, not a call."""
    if dist.low == dist.high:
        return repeat(convert([dist.low])[0]).__next__
    between = dist.between
    if not between:
        return _values(dist, key, purpose, _unmixed, convert).__next__
    shared = first(key_of(task.key, owner), purpose)
    if between >= 1.0:
        return repeat(convert([dist.at(shared)])[0]).__next__
    return _values(dist, key, purpose, blender(shared, between), convert).__next__


def _unmixed(us: list[float]) -> list[float]:
    return us


def _values(
    dist: Distribution,
    key: int,
    purpose: int,
    mix: Callable[[list[float]], list[float]],
    convert: Callable[[list[float]], list[T]],
) -> Iterator[T]:
    for us in blocks(key, purpose):
        yield from convert(dist.many(mix(us)))
