"""What those in the places of a capped `each` wait for: traces written by hand."""

from __future__ import annotations

from agentsim.analysis import fold
from agentsim.analysis.behind import INSIDE, Row
from agentsim.graph import Graph, PoolPlan
from agentsim.records import SECOND, Part, Span, Trace
from tests.unit.analysis.hand import (
    called,
    each,
    graph,
    loop,
    server,
    span,
    trace,
    work,
    worked,
)

S = SECOND
POOL = (PoolPlan("ci", 1),)


def behind(plan: Graph, run: Trace) -> list[Row]:
    """The waits; what else is measured has tests of its own."""
    return [row for row in fold(run, plan).behind if row[1] < INSIDE]


def item(
    i: int, began: float, start: float, end: float, cause: int = -1, place: tuple[int, ...] = ()
) -> Span:
    """A tool run of item i that asks for the pool at `began`, holds it from `start` to `end`."""
    parts = [(Part.POOL_WAIT, start)] if start > began else []
    return span(
        2, "job", began, *parts, (Part.TOOL, end), cause=cause, resource="ci",
        facts=worked((0, 1)), place=(*place, i),
    )  # fmt: skip


def capped(i: int, until: float, began: float = 0, place: tuple[int, ...] = ()) -> Span:
    return span(1, "jobs", began, (Part.CAP_WAIT, until), place=(*place, i))


def one_unit() -> Trace:
    """Four items of 60 s, two at once, one unit of ci: the second place always waits."""
    spans = [
        item(0, 0, 0, 60),
        capped(2, 60),
        item(1, 0, 60, 120),
        capped(3, 120),
        item(2, 60, 120, 180, cause=1),
        item(3, 120, 180, 240, cause=3),
    ]
    return trace(spans, 240)


JOBS = graph(each(1, "jobs", 4, work(2, "jobs.job", 60, ((0, 1),)), limit=2), pools=POOL)


def test_somebody_in_a_place_waits_all_the_time() -> None:
    # items wait for a place until 120 s; in a place item 1 waits 0-60, item 2 from 60 on.
    # what item 3 waits after 120 s does not count: nobody waits for a place any more.
    assert behind(JOBS, one_unit()) == [
        (1, Part.POOL_WAIT, "ci", 120 * S),
        (1, Part.CAP_WAIT, "jobs", 120 * S),
    ]


def test_two_that_wait_at_once_count_once() -> None:
    spans = [
        item(0, 0, 40, 50),
        item(1, 0, 30, 60),
        capped(2, 100),
        item(2, 100, 100, 110, cause=2),
    ]
    assert behind(JOBS, trace(spans, 110)) == [
        (1, Part.POOL_WAIT, "ci", 40 * S),
        (1, Part.CAP_WAIT, "jobs", 100 * S),
    ]


def test_an_each_without_a_limit_has_no_cap() -> None:
    plan = graph(each(1, "jobs", 4, work(2, "jobs.job", 60, ((0, 1),))), pools=POOL)
    assert behind(plan, trace([item(0, 0, 0, 60), item(1, 0, 60, 120)], 120)) == []


def test_a_wait_outside_the_each_does_not_count() -> None:
    plan = graph(
        each(1, "jobs", 2, work(2, "jobs.job", 60), limit=1), work(3, "after", 1, ((0, 1),)),
        pools=POOL,
    )  # fmt: skip
    spans = [
        span(3, "after", 0, (Part.POOL_WAIT, 60), (Part.TOOL, 61), resource="ci",
             facts=worked((0, 1))),
        span(2, "job", 0, (Part.TOOL, 60), place=(0,), facts=worked()),
        capped(1, 60),
        span(2, "job", 60, (Part.TOOL, 120), place=(1,), facts=worked(), cause=2),
    ]  # fmt: skip
    assert behind(plan, trace(spans, 120)) == [(1, Part.CAP_WAIT, "jobs", 60 * S)]


def test_each_round_of_a_loop_has_a_cap_of_its_own() -> None:
    # the first round is capped until 50 s and waits for ci until 20 s, the second from 100 to
    # 130 s; its wait of 110-125 s counts there, and that of round 0 at the same time does not.
    inner = each(1, "loop.jobs", 3, work(2, "loop.jobs.job", 9, ((0, 1),)), limit=1)
    plan = graph(loop(3, "loop", 2, inner), pools=POOL)
    spans = [
        item(0, 0, 20, 50, place=(0,)),
        capped(1, 50, place=(0,)),
        item(1, 50, 50, 100, cause=1, place=(0,)),
        item(0, 100, 100, 110, cause=2, place=(1,)),
        capped(1, 130, began=100, place=(1,))._replace(cause=2),
        item(1, 110, 125, 130, cause=3, place=(1,)),
        item(2, 130, 130, 140, cause=4, place=(1,)),
        item(9, 110, 125, 130, place=(0,)),
    ]
    run = trace(spans, 140, last=6)
    assert behind(plan, run) == [
        (1, Part.POOL_WAIT, "ci", (20 + 15) * S),
        (1, Part.CAP_WAIT, "loop.jobs", (50 + 30) * S),
    ]


def test_the_cap_inside_a_cap_is_a_wait_of_the_outer() -> None:
    inner = each(2, "out.in", 2, work(3, "out.in.job", 10), limit=1)
    plan = graph(each(1, "out", 2, inner, limit=1))

    def job(began: float, place: tuple[int, ...], cause: int) -> Span:
        return span(3, "job", began, (Part.TOOL, began + 10), place=place, cause=cause)

    spans = [
        job(0, (0, 0), -1),
        span(2, "out.in", 0, (Part.CAP_WAIT, 10), place=(0, 1)),
        job(10, (0, 1), 1),
        span(1, "out", 0, (Part.CAP_WAIT, 20), place=(1,)),
        job(20, (1, 0), 3),
        span(2, "out.in", 20, (Part.CAP_WAIT, 30), place=(1, 1), cause=3),
        job(30, (1, 1), 5),
    ]
    # the inner caps are full 0-10 and 20-30; the outer one 0-20, and in 10 s of that the inner is
    assert behind(plan, trace(spans, 40)) == [
        (1, Part.CAP_WAIT, "out", 20 * S),
        (1, Part.CAP_WAIT, "out.in", 10 * S),
        (2, Part.CAP_WAIT, "out.in", 20 * S),
    ]


def test_a_wait_for_a_server_goes_by_its_role() -> None:
    plan = graph(each(1, "jobs", 2, work(2, "jobs.job", 9), limit=1), servers=(server("box"),))
    spans = [
        span(2, "x", 0, (Part.QUOTA_WAIT, 9), (Part.DECODE, 10), resource="box", place=(0,),
             facts=called(1)),
        capped(1, 10),
        span(2, "x", 10, (Part.DECODE, 11), resource="box", place=(1,), cause=1, facts=called(1)),
    ]  # fmt: skip
    assert behind(plan, trace(spans, 11)) == [
        (1, Part.QUOTA_WAIT, "main", 9 * S),
        (1, Part.CAP_WAIT, "jobs", 10 * S),
    ]
