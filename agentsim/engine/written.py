"""The record that a call leaves, and how much of its work is in it."""

from __future__ import annotations

from collections.abc import Callable

from agentsim.engine.frame import Frame
from agentsim.engine.server import Request, Server
from agentsim.engine.world import ns
from agentsim.laws.price import Price
from agentsim.records import CallFacts, Loss, Mark, Miss, Outcome


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
    loss: Loss | None = None,
) -> None:
    """The span of a call: `tokens` are (fresh, cached, thinking, visible) as far as it came."""
    fresh, cached, thinking, visible = tokens
    line, session, _, _, _, _, lost, _, compaction = request
    plan = server.plan
    money = 0.0
    price = plan.price
    if price is not None:
        if price.tiers:
            price = price.of(request.input, marks[-1][1] if marks else began)
        money = price.cost(fresh, cached, thinking + visible, server.caches)
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
            None if loss is None else _miss(server, loss, tokens, money, price),
        ),
    )
    frame.record(line.step, line.who, plan.name, began, tuple(marks), outcome, facts)


def _miss(
    server: Server,
    loss: Loss,
    tokens: tuple[int, int, int, int],
    money: float,
    price: Price | None,
) -> Miss | None:
    """What it read of what the cache had held, and what that costs; None: it read none of it.

    `price`: that of the tier that the call is in.
    """
    fresh, cached, thinking, visible = tokens
    missed = min(loss.tokens, fresh)
    if missed <= 0:
        return None
    input_, hit = fresh + cached, cached + missed
    time = server.reading(input_, cached) - server.reading(input_, hit)
    if price is not None:
        money -= price.cost(fresh - missed, hit, thinking + visible, server.caches)
    return Miss(missed, loss.since, loss.why, max(0, ns(time)), money)


def read_by(server: Server, request: Request, cached: int, takes: int, elapsed: int) -> int:
    """Tokens that are not cached and were read in so many nanoseconds, from front to back.

    `takes`: nanoseconds that all of its input takes, by a measured first-token time.
    """
    high = request.input - cached
    if server.came:
        # such a time goes by all input alike
        return high * min(elapsed, takes) // takes
    return most_that(high, lambda read: ns(server.reading(cached + read, cached)) <= elapsed)


def made_by(server: Server, request: Request, factor: float, elapsed: int) -> tuple[int, int]:
    """Whole tokens that one stream makes in so many nanoseconds, and those between first and last.

    `factor`: that of the call on decoding.
    """
    tokens, came = request.thinking + request.visible, server.came

    def alone(tokens: int) -> int:
        return ns(factor * server.decoding(request, tokens))

    made = most_that(tokens, lambda made: alone(made - came) <= elapsed)
    return made, alone(made - came) - alone(1 - came) if made else 0


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
