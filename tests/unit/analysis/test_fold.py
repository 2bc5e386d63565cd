"""One replication as a tally: traces written by hand, figures worked by hand."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.analysis import fold
from agentsim.analysis.gather import in_service
from agentsim.chance import Constant
from agentsim.engine import simulate
from agentsim.graph import About, PoolPlan
from agentsim.records import SECOND, Outcome, Part, Peak
from tests.runs import graph_of
from tests.unit.analysis.hand import (
    ask,
    block,
    call,
    called,
    each,
    graph,
    loop,
    person,
    read,
    server,
    span,
    trace,
    visit,
    work,
    worked,
)

S = SECOND


def test_calls_of_one_server() -> None:
    # Two calls side by side from 0: one waits 1 s for its slot and is served 1-4, the other 0-3.
    plan = server("box", "main", slots=2)
    run = trace(
        [
            span(2, "x", 0, (Part.DECODE, 3), resource="box",
                 facts=called(visible=30, fresh=100, cached=300, shown=0.5, decoding=2.9)),
            span(1, "x", 0, (Part.SLOT_WAIT, 1), (Part.PREFILL, 2), (Part.DECODE, 4),
                 resource="box", facts=called(10, 11, fresh=50, shown=3, decoding=2)),
        ],
        ended=4,
    )  # fmt: skip
    tally = fold(run, graph(call(1, "a"), call(2, "b"), servers=(plan,)))
    (own,) = tally.servers
    assert (own.calls, own.done, own.failed, own.rejected) == (2, 2, 0, 0)
    assert own.busy == 4 * S  # 0-3 and 1-4 together
    assert own.area == 6 * S  # 3 + 3
    assert own.most == 2
    assert list(own.waits) == [S]  # the other did not wait: counted in calls, not kept
    assert (own.fresh, own.cached, own.visible, own.thinking) == (150, 300, 40, 11)
    assert own.decoding == round(4.9 * S)
    assert own.gaps == 29 + 20  # n tokens have n - 1 gaps
    assert own.lasted == 7 * S
    assert own.made == 51
    assert tally.first_output == S // 2
    assert tally.wall == 4 * S
    assert tally.path == [
        (1, Part.DECODE, "main", 2 * S),
        (1, Part.PREFILL, "main", S),
        (1, Part.SLOT_WAIT, "main", S),
    ]
    assert tally.busy == 3 * S  # less the second of waiting


def test_calls_without_tokens_say_nothing_about_a_tokens_time() -> None:
    facts = [called(0, shown=-1), called(1, shown=1, decoding=1), called(3, shown=2, decoding=4)]
    run = trace(
        [
            span(1, "x", at, (Part.DECODE, at + 2), resource="box", facts=own, cause=at // 2 - 1)
            for at, own in zip((0, 2, 4), facts, strict=True)
        ],
        ended=6,
    )
    (own,) = fold(run, graph(call(1, "a"), servers=(server(),))).servers
    assert (own.decoding, own.gaps) == (4 * S, 2)  # only the call of three tokens has gaps
    assert (own.lasted, own.made) == (4 * S, 4)  # not the call that made none


def test_calls_that_did_not_end_well() -> None:
    outcomes = (Outcome.DONE, Outcome.FAILED, Outcome.REJECTED, Outcome.CANCELLED)
    run = trace(
        [
            span(1, "x", i, (Part.DECODE, i + 1), resource="box", facts=called(5), cause=i - 1,
                 outcome=outcome)
            for i, outcome in enumerate(outcomes)
        ],
        ended=4,
    )  # fmt: skip
    (own,) = fold(run, graph(call(1, "a"), servers=(server(),))).servers
    assert (own.calls, own.done, own.failed, own.rejected) == (4, 1, 2, 1)  # given up


def test_a_call_cancelled_in_the_queue_was_never_in_service() -> None:
    waiting = span(1, "x", 0, (Part.SLOT_WAIT, 3), resource="box", facts=called(),
                   outcome=Outcome.CANCELLED)  # fmt: skip
    (own,) = fold(trace([waiting], 3), graph(call(1, "a"), servers=(server(slots=1),))).servers
    assert (own.busy, own.area, own.most) == (0, 0, 0)
    assert list(own.waits) == [3 * S]


def test_money_goes_to_the_role_that_asked() -> None:
    plan = server("box", "main", "small")
    run = trace(
        [
            span(1, "x", 0, (Part.DECODE, 1), resource="box", facts=called(1, money=0.25)),
            span(1, "x", 1, (Part.DECODE, 2), resource="box", cause=0,
                 facts=called(1, money=2.0, role="small")),
        ],
        ended=2,
    )  # fmt: skip
    tally = fold(run, graph(call(1, "a"), servers=(plan,)))
    assert tally.servers[0].money == (0.25, 2.0)
    assert tally.money == 2.25


def test_the_deepest_context_is_kept_where_it_was_measured() -> None:
    facts = called(visible=5, thinking=6, fresh=100, cached=1000)
    run = trace([span(1, "x", 0, (Part.DECODE, 1), resource="box", facts=facts)], 1)
    plan = server()
    measured = replace(plan, about=About("box", deepest=500))
    assert fold(run, graph(call(1, "a"), servers=(measured,))).servers[0].deepest == 1111
    assert fold(run, graph(call(1, "a"), servers=(plan,))).servers[0].deepest == 0


def test_a_person() -> None:
    # Noticed after 40 s, waits 10 s for the person, who switches 5 s and reads 45 s.
    run = trace(
        [
            span(1, "you", 0, (Part.PICKUP, 40), (Part.PERSON_WAIT, 50), (Part.SWITCHING, 55),
                 (Part.PERSON_WORK, 100), facts=read(lines=5)),
            span(1, "you", 100, (Part.PERSON_WORK, 120), cause=0, facts=read()),
        ],
        ended=120,
        visits=[visit(1, 0, 100)],
        peaks=[Peak("you", 3, 1.0)],
    )  # fmt: skip
    tally = fold(run, graph(ask(1, "review", 60), people=(person(),)))
    (own,) = tally.people
    assert (own.asked, own.pieces) == (2, 2)
    assert list(own.waits) == [10 * S]
    assert (own.pickup, own.switches, own.switching, own.work) == (40 * S, 1, 5 * S, 65 * S)
    assert (own.read, own.reading) == (0, 0)  # the step gives a `time`: what of it is unknown
    assert (own.over_lines, own.lines) == (45 * S, 5)
    assert own.queue == 3
    assert tally.attention == 70 * S
    assert tally.without_people == 0
    assert tally.busy == 70 * S  # 120 s less 40 of noticing and 10 of waiting
    assert list(tally.visits) == [1, 0, 100 * S, 50 * S]  # the step waited 40 + 10 s


def test_what_of_a_persons_work_is_reading() -> None:
    # 400 lines an hour: 2 lines take 18 s; the other 12 s of 30 are deciding. A piece that was cut
    # short after 9 s of work had read one line, which is all of the 9 s.
    review = replace(ask(1, "review", 1), time=None, reads="changes", decides=Constant(12.0))
    run = trace(
        [
            span(1, "you", 0, (Part.PERSON_WORK, 30), facts=read(lines=2)),
            span(1, "you", 30, (Part.SWITCHING, 31), (Part.PERSON_WORK, 40), cause=0,
                 facts=read(lines=1), outcome=Outcome.CANCELLED),
        ],
        ended=40,
    )  # fmt: skip
    (own,) = fold(run, graph(review, people=(person(),))).people
    assert (own.read, own.reading, own.work) == (2, 27 * S, 39 * S)
    assert (own.pieces, own.lines, own.over_lines) == (1, 3, 39 * S)
    assert own.switches == 1


def test_one_name_for_a_server_a_pool_and_a_person() -> None:
    # peaks come in the order in which a run makes things: servers, pools, people
    plan = graph(
        call(1, "a"), work(2, "b", 1, ((1, 1),)), ask(3, "c", 1),
        servers=(server("x", slots=1),), pools=(PoolPlan("y", 1), PoolPlan("x", 1)),
        people=(person("x"), person("y")),
    )  # fmt: skip
    names = ("x", "y", "x", "x", "y")
    run = trace([], 0, peaks=[Peak(name, 10 + i, 1.0) for i, name in enumerate(names)])
    tally = fold(run, plan)
    assert [own.queue for own in tally.pools] == [11, 12]
    assert [own.queue for own in tally.people] == [13, 14]


def test_queues_of_one_name_through_the_engine(tmp_path: Path) -> None:
    # Of calls on one slot of `x` (the role), runs in one unit of pool `x` and pieces of person `x`,
    # 4, 3 and 2 begin at once: 3, 2 and 1 of them queue. A tool in a pool named as a server keeps
    # its own name.
    sides = {"call": 4, "tool": 3, "person": 2}
    steps = {
        "call": {"call": "x", "input": 0, "output": 100},
        "tool": {"tool": "test"},
        "person": {"person": "x", "time": "10s"},
    }
    own = graph_of(
        tmp_path,
        {
            "tools": {"test": {"time": "9s", "uses": {"x": 1}}},
            "pools": {"x": {"capacity": 1}},
            "people": {"x": {"count": 1}},
            "steps": [
                {"parallel": [{"each": n, "do": [steps[kind]]} for kind, n in sides.items()]}
            ],
        },
        {"decode": {"step": "10ms"}, "prefill": "none", "slots": 1},
    )
    tally = fold(simulate(own, 0, 0), own)
    assert [pool.queue for pool in tally.pools] == [2]
    assert [people.queue for people in tally.people] == [1]
    # three runs of 9 s are the longest: 18 s of waiting for `x`, then 9 s of `test`
    assert [(part, what, time) for _, part, what, time in tally.path] == [
        (Part.TOOL, "test", 9 * S),
        (Part.POOL_WAIT, "x", 18 * S),
    ]


def test_a_pool() -> None:
    # Two tool runs of 4 s ask for 2 of 3 units at 0: the second waits for the first.
    run = trace(
        [
            span(1, "tests", 0, (Part.TOOL, 4), resource="ci", facts=worked((0, 2))),
            span(2, "tests", 0, (Part.POOL_WAIT, 4), (Part.TOOL, 8), resource="ci",
                 facts=worked((0, 2))),
        ],
        ended=8,
        peaks=[Peak("ci", 1, 2.0)],
    )  # fmt: skip
    plan = graph(work(1, "a", 4, ((0, 2),)), work(2, "b", 4, ((0, 2),)), pools=(PoolPlan("ci", 3),))
    tally = fold(run, plan)
    (own,) = tally.pools
    assert (own.asked, list(own.waits), own.queue) == (2, [4 * S], 1)
    assert own.held == 2 * 4 * S + 2 * 4 * S
    # the tool goes by its name, the wait by its pool's
    assert tally.path == [(2, Part.TOOL, "tests", 4 * S), (2, Part.POOL_WAIT, "ci", 4 * S)]


def test_waits_of_an_each_are_those_of_its_items() -> None:
    # Two items of 3 s, one at once, inside the second round of a loop.
    inner = each(2, "loop.jobs", 2, work(3, "loop.jobs.job", 3), limit=1)
    run = trace(
        [
            span(3, "job", 0, (Part.TOOL, 3), place=(1, 0), facts=worked()),
            span(2, "loop.jobs", 0, (Part.CAP_WAIT, 3), place=(1, 1)),
            span(3, "job", 3, (Part.TOOL, 6), place=(1, 1), cause=1, facts=worked()),
        ],
        ended=6,
        visits=[
            visit(2, 0, 3, place=(1, 0)),
            visit(2, 3, 6, place=(1, 1), waited=3),
            visit(2, 0, 6, place=(1,)),
            visit(1, 0, 6),
        ],
    )
    tally = fold(run, graph(loop(1, "loop", 2, inner)))
    rows = [tuple(tally.visits[i : i + 4]) for i in range(0, 16, 4)]
    assert rows == [
        (-3, 0, 3 * S, 0),  # an item of step 2: -1 - 2
        (-3, 3 * S, 6 * S, 3 * S),
        (2, 0, 6 * S, -1),
        (1, 0, 6 * S, -1),
    ]
    assert (2, Part.CAP_WAIT, "loop.jobs", 3 * S) in tally.path


def test_an_agents_waits_are_summed_over_its_calls() -> None:
    # The place of a call within an agent may be longer than that of its step.
    run = trace(
        [
            span(1, "coder", 0, (Part.SLOT_WAIT, 1), (Part.DECODE, 2), resource="box",
                 facts=called(1), place=(0, 0)),
            span(1, "coder", 2, (Part.SLOT_WAIT, 4), (Part.DECODE, 5), resource="box", cause=0,
                 facts=called(1), place=(0, 1)),
        ],
        ended=5,
        visits=[visit(2, 0, 5, place=(0,))],
    )  # fmt: skip
    steps = loop(1, "loop", 1, call(2, "loop.coder"))
    moved = [own._replace(step=2) for own in run.spans]
    tally = fold(run._replace(spans=moved), graph(steps, servers=(server(slots=1),)))
    assert list(tally.visits) == [2, 0, 5 * S, 3 * S]


def test_waits_side_by_side_are_one_stretch_of_waiting() -> None:
    # Three tools of one turn ask for one unit of ci at 0 and take 4 s each: two of them wait, until
    # 4 and until 8 s. The step stood waiting from 0 to 8 s, not for 12 s.
    uses = worked((0, 1))
    run = trace(
        [
            span(1, "a", 0, (Part.TOOL, 4), facts=uses),
            span(1, "b", 0, (Part.POOL_WAIT, 4), (Part.TOOL, 8), facts=uses),
            span(1, "c", 0, (Part.POOL_WAIT, 8), (Part.TOOL, 12), facts=uses),
        ],
        ended=12,
        visits=[visit(1, 0, 12)],
    )
    tally = fold(run, graph(work(1, "x", 4, ((0, 1),)), pools=(PoolPlan("ci", 1),)))
    assert list(tally.visits) == [1, 0, 12 * S, 8 * S]
    assert list(tally.pools[0].waits) == [4 * S, 8 * S]  # of the pool every ask counts


def test_a_steps_wait_holds_that_before_a_further_try() -> None:
    # it fails at 2 s, waits 5 s and runs 3 s more
    run = trace(
        [
            span(1, "a", 0, (Part.TOOL, 2), facts=worked(), outcome=Outcome.FAILED),
            span(1, "a", 2, (Part.RETRY, 7), cause=0, resource=""),
            span(1, "a", 7, (Part.TOOL, 10), cause=1, facts=worked()),
        ],
        ended=10,
        visits=[visit(1, 0, 10)],
    )
    assert list(fold(run, graph(work(1, "a", 2))).visits) == [1, 0, 10 * S, 5 * S]


def test_a_cancelled_visit_has_no_end() -> None:
    run = trace([], 0, visits=[visit(1, 0, 5, outcome=Outcome.CANCELLED)])
    assert list(fold(run, graph(work(1, "a", 9))).visits) == [1, 0, -1, -1]  # nor a wait


def test_groups_are_not_steps_that_wait() -> None:
    run = trace([], 0, visits=[visit(1, 0, 0), visit(2, 0, 0)])
    plan = graph(block(1, "do", work(2, "do.a", 0)))
    assert list(fold(run, plan).visits) == [1, 0, 0, -1, 2, 0, 0, 0]


def test_a_tally_can_be_sent() -> None:
    run = trace([span(1, "x", 0, (Part.DECODE, 1), resource="box", facts=called(2))], 1)
    tally = fold(run, graph(call(1, "a"), servers=(server(),)))
    assert pickle.loads(pickle.dumps(tally)) == tally


@pytest.mark.parametrize(
    ("intervals", "busy", "most"),
    [
        ([], 0, 0),
        ([(1, 4)], 3, 1),
        ([(0, 2), (2, 5)], 5, 1),  # one ends where the other begins: never two at once
        ([(0, 2), (3, 5)], 4, 1),
        ([(0, 9), (1, 2), (2, 3), (12, 13)], 10, 2),
        ([(0, 4), (1, 5), (2, 6)], 6, 3),
    ],
)
def test_in_service(intervals: list[tuple[int, int]], busy: int, most: int) -> None:
    starts, ends = [a for a, _ in intervals], [b for _, b in intervals]
    assert in_service(starts, ends) == (busy, most)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20)), max_size=12))
def test_in_service_against_counting_every_tick(lengths: list[tuple[int, int]]) -> None:
    starts = [start for start, _ in lengths]
    ends = [start + length for start, length in lengths]
    open_at = [sum(a <= tick < b for a, b in zip(starts, ends, strict=True)) for tick in range(60)]
    assert in_service(starts[:], ends[:]) == (sum(map(bool, open_at)), max(open_at))
