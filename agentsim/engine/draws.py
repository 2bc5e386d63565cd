"""Random draws, keyed by structure: what is drawn never depends on the order of events.

A key is made from (seed, replication, arriving item), the step's name and its place (item and
round numbers), the purpose tells the draws of one step apart, and the number of the draw within
its stream is the number of the turn. So a step that stands in two workflows draws the same
numbers in both, and adding a step changes no other.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from agentsim.chance import Distribution, blender, first, key_of, uniforms
from agentsim.engine.tasks import Task

Sampler = Callable[[], float]


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


def sampler(
    dist: Distribution, key: int, purpose: int, task: Task, owner: str
) -> Sampler:
    """A function that gives the stream's next value each time.

    What is drawn between tasks comes from one uniform of the task for `owner` (the tool or agent
    by name), so that all runs of a tool within an item or attempt are slow or quick together.
    """
    if dist.low == dist.high:
        value = dist.low
        return lambda: value
    at = dist.at
    between = dist.between
    if not between:
        take = uniforms(key, purpose).__next__
        return lambda: at(take())
    shared = first(key_of(task.key, owner), purpose)
    if between >= 1.0:
        fixed = at(shared)
        return lambda: fixed
    mix = blender(shared, between)
    take = uniforms(key, purpose).__next__
    return lambda: at(mix(take()))


def once(dist: Distribution, key: int, purpose: Purpose, task: Task, owner: str) -> float:
    """The first value of a stream."""
    return sampler(dist, key, purpose, task, owner)()


def whole(value: float) -> int:
    """A drawn amount as a count: the nearest whole number, never below zero."""
    return max(0, round(value))
