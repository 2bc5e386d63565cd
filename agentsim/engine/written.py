"""The record that a call leaves, and how much of its work is in it."""

from __future__ import annotations

from collections.abc import Callable

from agentsim.engine.frame import Frame
from agentsim.engine.server import Request, Server
from agentsim.records import CallFacts, Mark, Outcome


def write(
    server: Server,
    request: Request,
    frame: Frame,
    began: int,
    marks: list[Mark],
    outcome: Outcome,
    tokens: tuple[int, int, int, int],
    wasted: int,
    streams: int,
    shown: int,
    decoding: int,
    again: bool = False,
) -> None:
    """The span of a call: `tokens` are (fresh, cached, thinking, visible) as far as it came."""
    fresh, cached, thinking, visible = tokens
    line, session, _, _, _, _, lost, _, compaction = request
    plan = server.plan
    money = 0.0
    if plan.price is not None:
        money = plan.price.cost(fresh, cached, thinking + visible, server.caches)
    facts = _new(
        CallFacts,
        (
            line.role,
            session.number,
            fresh,
            cached,
            thinking,
            visible,
            wasted,
            streams,
            money,
            shown,
            decoding,
            lost,
            compaction,
            again,
        ),
    )
    frame.record(line.step, line.who, plan.name, began, tuple(marks), outcome, facts)


def most_that(high: int, fits: Callable[[int], bool]) -> int:
    """The greatest number up to `high` that fits, by bisection; 0 always does."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


_new = tuple.__new__  # a named tuple made without its own __new__: there are millions
