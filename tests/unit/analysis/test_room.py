"""What one more place under a cap would give: traces by hand, and the machine's law."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from agentsim.analysis import fold
from agentsim.analysis.behind import IN_SERVICE, INSIDE, TAKEN, Row
from agentsim.analysis.outcome import ServerTally
from agentsim.analysis.room import behind, beside, lost
from agentsim.graph import CapsPlan, Graph, PoolPlan
from agentsim.laws.decode import Decode
from agentsim.laws.prefill import Prefill
from agentsim.records import SECOND, Part, Place, Span, Trace
from tests.unit.analysis.hand import (
    ask,
    called,
    each,
    graph,
    life,
    person,
    read,
    server,
    span,
    trace,
    work,
    worked,
)

S = SECOND


def more(plan: Graph, run: Trace) -> list[Row]:
    """What is measured besides waiting."""
    return [row for row in fold(run, plan).behind if row[1] >= INSIDE]


def in_turn(*uses: tuple[int, float]) -> Trace:
    """Three tool runs of 60 s, one at a time: the last has its place after 120 s."""
    spans: list[Span] = []
    for i in range(3):
        if i:
            spans.append(span(1, "jobs", 0, (Part.CAP_WAIT, 60 * i), place=(i,)))
        spans.append(
            span(
                2, "job", 60 * i, (Part.TOOL, 60 * i + 60), resource="ci", facts=worked(*uses),
                place=(i,), cause=2 * i - 1,
            )
        )  # fmt: skip
    return trace(spans, 180)


def jobs(capacity: float, *uses: tuple[int, float]) -> Graph:
    body = work(2, "jobs.job", 60, uses)
    return graph(each(1, "jobs", 3, body, limit=1), pools=(PoolPlan("ci", capacity),))


def test_a_pool_of_which_all_is_held() -> None:
    # items wait until 120 s; one unit of one is held all along; those in places work 120 s in all
    assert more(jobs(1, (0, 1)), in_turn((0, 1))) == [
        (1, INSIDE, "", 120 * S),
        (1, TAKEN + Part.POOL_WAIT, "ci", 120 * S),
    ]
    assert more(jobs(2, (0, 1)), in_turn((0, 1))) == [(1, INSIDE, "", 120 * S)]


def test_what_is_left_must_be_enough_for_one_more() -> None:
    # two of three units are held: the third is no use to who needs two
    rows = more(jobs(3, (0, 2)), in_turn((0, 2)))
    assert (1, TAKEN + Part.POOL_WAIT, "ci", 120 * S) in rows
    assert len(more(jobs(4, (0, 2)), in_turn((0, 2)))) == 1


def test_the_share_of_the_time_and_the_waits_apart() -> None:
    plan, run = jobs(1, (0, 1)), in_turn((0, 1))
    tallies = [fold(run, plan), fold(run, plan)]
    assert beside(plan, tallies) == {"jobs": {(Part.POOL_WAIT, "ci"): 1.0}}
    assert behind(plan, tallies) == {"jobs": {(Part.CAP_WAIT, "jobs"): 240 * S}}


def test_slots_are_taken_from_the_service_on() -> None:
    # two slots and two places; the third call waits for a place until 30 s. Both slots are taken
    # from 5 to 20 s: the second call waits 5 s for its quota, and the first one ends at 20 s.
    plan = graph(each(1, "jobs", 3, work(2, "x", 1), limit=2), servers=(server(slots=2),))
    facts = called(visible=10)
    spans = [
        span(2, "x", 0, (Part.DECODE, 20), resource="box", facts=facts, place=(0,)),
        span(2, "t", 20, (Part.TOOL, 40), facts=worked(), place=(0,), cause=0),
        span(2, "x", 0, (Part.QUOTA_WAIT, 5), (Part.DECODE, 30), resource="box", facts=facts,
             place=(1,)),
        span(1, "jobs", 0, (Part.CAP_WAIT, 30), place=(2,)),
        span(2, "x", 30, (Part.DECODE, 50), resource="box", facts=facts, place=(2,), cause=3),
    ]  # fmt: skip
    assert more(plan, trace(spans, 50)) == [
        (1, INSIDE, "", (20 + 10 + 30) * S),
        (1, IN_SERVICE, "main", (20 + 25) * S),
        (1, TAKEN + Part.SLOT_WAIT, "main", 15 * S),
    ]


def test_a_person_is_taken_while_at_work() -> None:
    # noticing from 0 to 10 s takes nobody; switching and work do, until 40 s
    plan = graph(each(1, "jobs", 2, ask(2, "jobs.look", 30), limit=1), people=(person(),))
    spans = [
        span(2, "you", 0, (Part.PICKUP, 10), (Part.SWITCHING, 15), (Part.PERSON_WORK, 40),
             facts=read(), place=(0,)),
        span(1, "jobs", 0, (Part.CAP_WAIT, 40), place=(1,)),
        span(2, "you", 40, (Part.PERSON_WORK, 60), facts=read(), place=(1,), cause=1),
    ]  # fmt: skip
    assert more(plan, trace(spans, 60)) == [
        (1, INSIDE, "", 40 * S),
        (1, TAKEN + Part.PERSON_WAIT, "you", 30 * S),
    ]


AT_ONCE = "agents at once"


def one_at_a_time(name: str, job: int = 2, place: Place = ()) -> list[Span]:
    """Three agents (step 1 less than the job's) ask at 0 s; their jobs end at 60, 90 and 95 s."""
    own, ci = job - 1, worked((0, 1))
    return [
        span(job, "job", 0, (Part.TOOL, 60), facts=ci, place=place),
        span(own, "b", 0, (Part.CAP_WAIT, 60), resource=name, place=place),
        span(job, "job", 60, (Part.TOOL, 90), facts=ci, place=place, cause=1),
        span(own, "c", 0, (Part.CAP_WAIT, 90), resource=name, place=place),
        span(job, "job", 90, (Part.TOOL, 95), facts=ci, place=place, cause=3),
    ]


def test_a_cap_of_the_harness_is_measured_as_one_of_an_each() -> None:
    # two agents ask at 0 s for the one place, which is free at 60 and 90 s: somebody waits from
    # 0 to 90 s. Meanwhile one unit of ci is held for 60 + 30 s.
    plan = graph(life(1, "a", work(2, "a.job", 60, ((0, 1),))), pools=(PoolPlan("ci", 1),))
    plan = replace(plan, caps=CapsPlan(agents=1))
    run = trace(one_at_a_time(AT_ONCE), 95)
    assert fold(run, plan).behind == [
        (-1, Part.CAP_WAIT, AT_ONCE, 90 * S),
        (-1, INSIDE, "", 90 * S),
        (-1, TAKEN + Part.POOL_WAIT, "ci", 90 * S),
    ]
    assert beside(plan, [fold(run, plan)]) == {AT_ONCE: {(Part.POOL_WAIT, "ci"): 1.0}}
    # a place that is held for calls only is not held by who runs a tool
    calls_only = replace(plan, caps=CapsPlan(agents=1, per_call=True))
    assert more(calls_only, run) == []


def test_what_no_agent_does_is_in_no_place_of_a_harness() -> None:
    # beside the agents (steps 1, 2) a person works from 0 to 90 s and keeps another (step 3)
    # waiting, and a tool run of nobody (step 4) holds the one unit of gpu
    plan = graph(
        life(1, "a", work(2, "a.job", 60)), ask(3, "talk", 90), work(4, "train", 90, ((0, 1),)),
        pools=(PoolPlan("gpu", 1),), people=(person(),),
    )  # fmt: skip
    outside = [
        span(3, "you", 0, (Part.PERSON_WORK, 90), facts=read()),
        span(3, "you", 0, (Part.PERSON_WAIT, 90), (Part.PERSON_WORK, 95), facts=read()),
        span(4, "train", 0, (Part.TOOL, 90), facts=worked((0, 1))),
        span(4, "train", 0, (Part.POOL_WAIT, 90), (Part.TOOL, 95), facts=worked((0, 1))),
    ]
    # an agent runs a tool from 0 to 60 s, while another waits for its place, or for the tool's
    for caps, name, number, step in (
        (CapsPlan(agents=1), AT_ONCE, -1, 1),
        (CapsPlan(tools=1), "tools at once", -2, 2),
    ):
        inside = [
            span(2, "a.job", 0, (Part.TOOL, 60), facts=worked()),
            span(step, "b", 0, (Part.CAP_WAIT, 60), resource=name),
            span(2, "a.job", 60, (Part.TOOL, 95), facts=worked(), cause=5),
        ]
        tally = fold(trace([*outside, *inside], 95), replace(plan, caps=caps))
        assert tally.behind == [
            (number, Part.CAP_WAIT, name, 60 * S),
            (number, INSIDE, "", 60 * S),
        ]


def test_the_caps_of_an_agent_are_measured_for_each_of_its_runs() -> None:
    # `lead` (step 2) runs for two items, with one place each for its agents (steps 3, 4): the two
    # together wait and work as long as twice the one above. Its number is -1 - 2 x 2.
    lead = life(2, "lead", life(3, "a", work(4, "job", 60, ((0, 1),))), caps=CapsPlan(agents=1))
    plan = graph(each(1, "leads", 2, lead), pools=(PoolPlan("ci", 2),))
    name = f"{AT_ONCE} in lead"
    spans = one_at_a_time(name, 4, (0,)) + [
        it._replace(cause=it.cause + 5 * (it.cause >= 0)) for it in one_at_a_time(name, 4, (1,))
    ]
    tally = fold(trace(spans, 95), plan)
    assert tally.behind == [
        (-5, Part.CAP_WAIT, name, 180 * S),
        (-5, INSIDE, "", 180 * S),
        (-5, TAKEN + Part.POOL_WAIT, "ci", 180 * S),
    ]
    assert beside(plan, [tally]) == {name: {(Part.POOL_WAIT, "ci"): 1.0}}
    assert behind(plan, [tally]) == {name: {(Part.CAP_WAIT, name): 180 * S}}


def test_who_waits_further_out_keeps_the_place_within() -> None:
    # `a` has its place of lead's cap when it waits for one of the run's, from 0 to 30 s; who
    # waits for one of lead's from 0 to 60 s is in none. Lead itself is in one of the run's.
    lead = life(1, "lead", life(2, "a", work(3, "job", 60)), caps=CapsPlan(agents=1))
    plan = replace(graph(lead), caps=CapsPlan(agents=2))
    spans = [
        span(2, "a", 0, (Part.CAP_WAIT, 30), resource=AT_ONCE),
        span(2, "b", 0, (Part.CAP_WAIT, 60), resource=f"{AT_ONCE} in lead"),
        span(3, "job", 30, (Part.TOOL, 60), facts=worked(), cause=0),
    ]
    assert fold(trace(spans, 60), plan).behind == [
        # lead's agents: `a` waits 30 s and works 30 s meanwhile
        (-3, Part.CAP_WAIT, AT_ONCE, 30 * S),
        (-3, Part.CAP_WAIT, f"{AT_ONCE} in lead", 60 * S),
        (-3, INSIDE, "", 60 * S),
        # the run's: until 30 s `b` waits for lead's, as a part of what lead does
        (-1, Part.CAP_WAIT, AT_ONCE, 30 * S),
        (-1, Part.CAP_WAIT, f"{AT_ONCE} in lead", 30 * S),
        (-1, INSIDE, "", 30 * S),
    ]


def calls(fresh: int, made: int, cached: int = 0) -> list[ServerTally]:
    """One call of so many tokens."""
    nothing = dict.fromkeys(ServerTally._fields, 0)
    tally = ServerTally(**{**nothing, "waits": array("q"), "money": ()})  # type: ignore[arg-type]
    return [tally._replace(calls=1, done=1, fresh=fresh, cached=cached, visible=made)]


ROOT = Decode(fit=(0.0, 0.0, 0.01))
"""A step of 10 ms x root of B: a token takes the machine 10 ms / root of B, so e = 1/2."""


@pytest.mark.parametrize(
    ("law", "streams", "places", "share"),
    [
        # a step is as long for any number: one more is served as quickly as all others
        (Decode(((1.0, 0.01),)), 4, 4, 0.0),
        # 10 ms for each stream: the machine does no more for one more
        (Decode(((1.0, 0.01), (2.0, 0.02))), 4, 4, 1.0),
        # half of what the number grows by
        (ROOT, 4, 4, 0.5),
        # b = 1/2 of the time there: 1 - 1/2 / (1/2 + 1/4) = 1/3; b = 1/4: 1 - 1/2 / (5/8) = 1/5
        (ROOT, 4, 8, 1 / 3),
        (ROOT, 2, 8, 1 / 5),
    ],
)
def test_what_one_more_stream_loses(
    law: Decode, streams: float, places: float, share: float
) -> None:
    plan = replace(server(shared=True), decode=law)
    kind, found = lost(plan, calls(0, 100), streams, places)
    assert kind is Part.DECODE
    assert found == pytest.approx(share, abs=1e-9)


def test_reading_that_keeps_others_from_decoding_is_not_shared() -> None:
    # 1 s of reading, and 2 s of flat decoding shared by B: t(2) = 1 + 1 = 2, t(3) = 1 + 2/3
    # e = ln(2 / (5/3)) / ln(3/2) = 0.44966
    plan = replace(
        server(shared=True), decode=Decode(((1.0, 0.02),)), prefill=Prefill(per_token=0.01)
    )
    # not kept from decoding: nothing is lost
    assert lost(plan, calls(100, 100), 2, 2)[1] == pytest.approx(0.0, abs=1e-9)
    alone = replace(plan, schedule="exclusive")
    kind, found = lost(alone, calls(100, 100), 2, 2)
    assert kind is Part.DECODE
    assert found == pytest.approx(1 - 0.44966, abs=1e-5)
    # 2 s of reading are more than 1 s of decoding: t(2) = 3, t(3) = 2 + 2/3
    # e = ln(9/8) / ln(3/2) = 0.29049
    kind, found = lost(alone, calls(200, 100), 2, 2)
    assert kind is Part.PREFILL
    assert found == pytest.approx(1 - 0.29049, abs=1e-5)


def test_nor_is_what_a_step_takes_longer_for_context() -> None:
    # 100 steps, each 10 ms longer for 1,000 tokens of context (950 read before, 50 on average of
    # its own): 1 s that no batch shares, and 2 s that it does: as above with 1 s of reading
    law = Decode(((1.0, 0.02),), slope=1e-5)
    kind, found = lost(replace(server(shared=True), decode=law), calls(50, 100, cached=900), 2, 2)
    assert kind is Part.DECODE
    assert found == pytest.approx(1 - 0.44966, abs=1e-5)


def test_nothing_is_lost_where_nothing_is_served() -> None:
    assert lost(server(shared=True), calls(0, 0), 1, 1) == (Part.DECODE, 0.0)
    assert lost(server(shared=True), [], 1, 1) == (Part.DECODE, 0.0)
