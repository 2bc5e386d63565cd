"""What the answer warns of."""

from __future__ import annotations

from dataclasses import replace

from agentsim.analysis import fold, summarise
from agentsim.errors import Notice, Weight
from agentsim.graph import About, Graph
from agentsim.laws.decode import Decode
from agentsim.records import Part, Trace
from tests.unit.analysis.hand import (
    ask,
    call,
    called,
    each,
    graph,
    person,
    read,
    server,
    span,
    trace,
    work,
    worked,
)

DAY = 86_400


def notices(plan: Graph, *runs: Trace) -> list[Notice]:
    return summarise(plan, [fold(run, plan) for run in runs], 0).notices


def warnings(plan: Graph, *runs: Trace) -> list[str]:
    return [it.text for it in notices(plan, *runs)]


def test_a_typical_run_of_more_than_a_day() -> None:
    # 63 h = 2 days 15 h, nearly all of it waiting for the limit of the `each`
    plan = graph(each(1, "jobs", 335, work(2, "jobs.job", 5400), limit=8))
    spans = [
        span(1, "jobs", 0, (Part.CAP_WAIT, 226_800 - 5400)),
        span(2, "job", 226_800 - 5400, (Part.WAIT, 226_800), cause=0, facts=worked()),
    ]
    (warning,) = warnings(plan, trace(spans, 226_800))
    assert "2 days 15 h, more than a day" in warning
    assert "a higher limit" in warning


def test_a_day_is_not_more_than_a_day() -> None:
    plan = graph(work(1, "a", DAY))
    assert warnings(plan, trace([span(1, "a", 0, (Part.TOOL, DAY), facts=worked())], DAY)) == []


def test_what_happened_in_runs_is_counted() -> None:
    one, none = trace([], 0, notes={"output_cut": 3, "odd_thing": 1}), trace([], 0)
    found = warnings(graph(), one, none)
    assert found == [
        "odd thing: 0.5 times a run, in 50 % of the runs",
        "output is cut to what the model or its context allows: 1.5 times a run, "
        "in 50 % of the runs",
    ]


def test_notes_of_the_graph_are_passed_on() -> None:
    plan = replace(graph(), notices=(Notice("the verdict of `review` is not heeded", Weight.FILE),))
    assert warnings(plan, trace([], 0)) == ["the verdict of `review` is not heeded"]


def test_reading_faster_than_reviews_find_anything() -> None:
    plan = graph(ask(1, "review", 3600), people=(person(),))

    def run(lines: float) -> Trace:
        spans = [span(1, "you", 0, (Part.PERSON_WORK, 3600), facts=read(lines))]
        return trace(spans, 3600)

    assert warnings(plan, run(500)) == []
    assert warnings(plan, run(600)) == ["you read 600 lines an hour; above 500 reviews find less"]


def call_run(**facts: int) -> Trace:
    own = called(**facts)  # type: ignore[arg-type]
    return trace([span(1, "x", 0, (Part.DECODE, 1), resource="box", facts=own)], 1)


def test_thin_data_of_a_profile() -> None:
    old = replace(server(), about=About("box", grade="C", as_of="2025-10", deepest=1000))
    found = warnings(graph(call(1, "a"), servers=(old,)), call_run(fresh=1200, visible=1))
    assert found == [
        "box: contexts of over 1,000 tokens (up to 1,201); it was not measured so far, and its "
        "speed there is extrapolated",
        "box: figures of grade C (older or second-hand), as of 2025-10",
    ]


def test_more_streams_than_were_measured() -> None:
    plan = replace(server(shared=True), decode=Decode(knots=((1, 0.01), (2, 0.015))))
    spans = [span(1, "x", 0, (Part.DECODE, 1), resource="box", facts=called(1)) for _ in range(3)]
    found = warnings(graph(call(1, "a"), servers=(plan,)), trace(spans, 1))
    assert found == [
        "box: more than 2 streams at once (up to 3); it was not measured so far, and its speed "
        "there is extrapolated",
    ]


def test_what_has_figures_says_what_it_is_about_without_them() -> None:
    """Of two answers with other figures the texts differ and the keys do not, so they are one."""
    bare = About("box", grade="C", deepest=1000, left_out=("latency",))
    plan = graph(
        call(1, "a"), ask(2, "review", 3600), servers=(replace(server(), about=bare),),
        people=(person(),),
    )  # fmt: skip

    def of(fresh: int, lines: float, cut: int) -> list[Notice]:
        asked = span(1, "x", 0, (Part.DECODE, 1), resource="box", facts=called(1, fresh=fresh))
        reads = span(
            2, "you", 1, (Part.PERSON_WORK, 2 * DAY), cause=0, facts=read(lines)
        )  # fmt: skip
        return notices(plan, trace([asked, reads], 2 * DAY, notes={"output_cut": cut}))

    one, other = of(1200, 48_000, 1), of(1300, 72_000, 2)
    assert [it.about for it in one] == [it.about for it in other]
    assert {it.about[:1] for it in one} == {
        ("contexts",), ("reads",), ("happened",), ("long",), ("lacks",), (),
    }  # fmt: skip
    assert {it.profile for it in one if it.about[:1] in {("contexts",), ("lacks",)}} == {"box"}
    same = [it.about[:1] for it, its in zip(one, other, strict=True) if it.text == its.text]
    assert set(same) == {("long",), ("lacks",), ()}  # the grade has no figures


def test_a_server_that_nobody_asked_is_not_warned_of() -> None:
    assert warnings(graph(servers=(server(grade="C"),)), trace([], 0)) == []


def test_the_longest_context_of_all_runs_is_not_what_is_usual() -> None:
    # measured to 1,000 tokens: 999 + 1 is within, 1,200 + 1 beyond: in one run of four
    long = replace(server(), about=About("box", deepest=1000))
    runs = [call_run(fresh=fresh, visible=1) for fresh in (999, 1200, 10, 999)]
    assert warnings(graph(call(1, "a"), servers=(long,)), *runs) == [
        "box: contexts of over 1,000 tokens in 25 % of the runs (up to 1,201); it was not "
        "measured so far, and its speed there is extrapolated",
    ]


def at_once(streams: int) -> Trace:
    own = [span(1, "x", 0, (Part.DECODE, 1), resource="box", facts=called(1))] * streams
    return trace(own, 1)


def test_a_server_that_is_slower_for_two_is_warned_of_where_two_met() -> None:
    """190 tok/s alone; two of 59 each make 118 together: 1 - 118 / 190 = 37.9 % fewer."""
    decode = Decode(knots=((1, 1 / 190), (2, 1 / 59)))
    plan = graph(call(1, "a"), servers=(replace(server(shared=True), decode=decode),))
    assert warnings(plan, at_once(1)) == []
    (warning,) = warnings(plan, at_once(2))
    assert warning.startswith("box: 2 streams together make 37.9 % fewer tok/s than 1 alone")
