"""The answer from tallies: figures worked by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, replace

import pytest

from agentsim.analysis import fold, summarise
from agentsim.analysis.findings import Findings
from agentsim.graph import About, Assumed, Budget, Graph, PoolPlan
from agentsim.laws.price import Price
from agentsim.records import Outcome, Part, Trace, Verdict
from tests.unit.analysis.hand import (
    ask,
    block,
    call,
    called,
    graph,
    person,
    read,
    server,
    span,
    trace,
    visit,
    work,
    worked,
)


def of(plan: Graph, *runs: Trace) -> Findings:
    return summarise(plan, [fold(run, plan) for run in runs], seed=7)


def tool_run(seconds: float, **more: object) -> Trace:
    """One tool run of so many seconds."""
    spans = [span(1, "shell", 0, (Part.TOOL, seconds), facts=worked())]
    return trace(spans, seconds, visits=[visit(1, 0, seconds)], **more)  # type: ignore[arg-type]


SHELL = graph(work(1, "shell", 1))


def test_wall_times_over_replications() -> None:
    found = of(SHELL, *(tool_run(seconds) for seconds in (1, 2, 3, 4)))
    assert found.replications == 4
    assert (found.wall.mean, found.wall.p50, found.wall.min, found.wall.max) == (2.5, 2.5, 1, 4)
    assert found.seed == 7
    assert found.breakdown["tool"] == 2.5
    assert list(found.breakdown) == [part.label for part in Part]
    assert sum(found.breakdown.values()) == found.wall.mean
    assert found.steps["shell"].time == found.wall
    assert (found.done, found.failed, found.reasons, found.verdicts) == (1, 0, {}, {})
    assert found.finish is None
    assert found.budget is None
    assert found.first_output is None
    assert found.cost_total is None


def test_failed_runs_and_verdicts() -> None:
    found = of(
        SHELL,
        tool_run(1, outcome=Outcome.FAILED, reason="shell: failed"),
        tool_run(1, verdict=Verdict.CHANGES),
        tool_run(1, outcome=Outcome.REJECTED, reason="you: rejected"),
        tool_run(1, outcome=Outcome.FAILED, reason="shell: failed"),
    )
    assert (found.done, found.failed) == (0.25, 0.75)
    assert found.reasons == {"shell: failed": 0.5, "you: rejected": 0.25}
    assert found.verdicts == {"changes": 0.25}


def test_times_are_of_all_runs_and_those_of_the_done_stand_beside() -> None:
    # two fail after 1 s, two are done after 10 and 20 s
    found = of(
        SHELL,
        tool_run(1, outcome=Outcome.FAILED, reason="shell: failed"),
        tool_run(10),
        tool_run(1, outcome=Outcome.FAILED, reason="shell: failed"),
        tool_run(20),
    )
    assert (found.wall.mean, found.wall.n) == (8, 4)
    assert sum(found.breakdown.values()) == found.wall.mean
    assert found.wall_done is not None
    assert (found.wall_done.mean, found.wall_done.min, found.wall_done.n) == (15, 10, 2)
    assert of(SHELL, tool_run(1)).wall_done == of(SHELL, tool_run(1)).wall


def test_where_every_run_fails_there_is_no_time_of_the_done() -> None:
    found = of(SHELL, tool_run(1, outcome=Outcome.FAILED, reason="shell: failed"))
    assert (found.failed, found.wall_done) == (1, None)


def test_a_bucket_is_no_row_of_a_server_where_there_is_but_one() -> None:
    spans = [span(1, "x", 0, (Part.QUOTA_WAIT, 3), (Part.DECODE, 4), resource="box",
                  facts=called(1))]  # fmt: skip
    one = graph(call(1, "ask"), servers=(server("box"),))
    two = graph(call(1, "ask"), servers=(server("box"), server("other", "small")))
    assert of(one, trace(spans, 4)).bottleneck.rows == (("quota_wait", ""),)
    assert of(two, trace(spans, 4)).bottleneck.rows == (("quota_wait", "main"),)


def test_a_failed_run_does_not_meet_the_budget() -> None:
    plan = replace(SHELL, budget=Budget(wall=2.0, money=1.0, chance=0.8))
    found = of(plan, tool_run(1), tool_run(2), tool_run(3), tool_run(1, outcome=Outcome.FAILED))
    assert found.budget is not None
    assert found.budget.limits == {"wall": 2.0, "money": 1.0}
    assert found.budget.chance == 0.8
    # 1 and 2 s are within 2 s; 3 s costs nothing and is within the money
    assert found.budget.met == 0.5
    assert found.budget.met_by == {"wall": 0.5, "money": 0.75}
    assert not found.budget.is_met
    assert replace(found.budget, chance=0.5).is_met
    assert found.budget.ci95 is None  # four runs tell no error


def test_a_budget_has_an_error_from_six_runs_on() -> None:
    # 5 of 6 within 2 s; Wilson: middle (0.83333 + 0.32012) / 1.64024 = 0.70322, half 1.95996 /
    # 1.64024 x root of (0.023148 + 0.026677) = 0.26673
    plan = replace(SHELL, budget=Budget(wall=2.0, chance=0.8))
    runs = [tool_run(1)] * 5 + [tool_run(3)]
    budget = of(plan, *runs).budget
    assert budget is not None
    assert budget.ci95 == pytest.approx((0.43649, 0.96995), abs=2e-5)
    assert budget.is_met
    assert budget.is_close  # 0.8 lies within
    assert not replace(budget, chance=0.98).is_close
    assert not replace(budget, chance=0.4).is_close
    exact = of(replace(plan, exact=True), *runs).budget
    assert exact is not None
    assert (exact.ci95, exact.is_close) == (None, False)


def test_that_all_runs_keep_to_it_is_never_close() -> None:
    plan = replace(SHELL, budget=Budget(wall=2.0, chance=1.0))
    budget = of(plan, *[tool_run(1)] * 20).budget
    assert budget is not None
    assert budget.ci95 == pytest.approx((20 / 23.841459, 1.0))
    assert (budget.is_met, budget.is_close) == (True, False)


def test_finish_as_dates_in_the_zone() -> None:
    # 2026-11-30T10:00 in Amsterdam (UTC+1) is 1796029200; a day later it is the 1st of December
    plan = replace(SHELL, start=1796029200.0, zone="Europe/Amsterdam")
    found = of(plan, tool_run(86_400))
    assert found.finish == dict.fromkeys(("p50", "p80", "p90"), "2026-12-01T10:00:00+01:00")
    # of 1, 2 and 3 days: 2 days; 80 % lies at 1.6 of 2 steps, 2.6 days (14:24 h more than 2), 90 %
    # at 1.8, 2.8 days (19:12 h more)
    spread = of(plan, *(tool_run(days * 86_400) for days in (1, 2, 3)))
    assert spread.finish == {
        "p50": "2026-12-02T10:00:00+01:00",
        "p80": "2026-12-03T00:24:00+01:00",
        "p90": "2026-12-03T05:12:00+01:00",
    }


def test_a_server() -> None:
    # 101 tokens in 2 s after 0.2 s: the gaps between tokens are 20 ms, 2.2 s / 101 in all
    plan = graph(call(1, "ask"), servers=(server("box", "main", "small", slots=2),))
    facts = called(visible=101, fresh=25, cached=75, shown=0.2, decoding=2.0)
    spans = [
        span(1, "x", 0, (Part.LATENCY, 0.2), (Part.DECODE, 2.2), resource="box", facts=facts),
        span(1, "x", 2.2, (Part.SLOT_WAIT, 4.4), resource="box", cause=0, facts=called(),
             outcome=Outcome.CANCELLED),
    ]  # fmt: skip
    found = of(plan, trace(spans, 4.4))
    own = found.servers["main"]
    assert own.roles == ("main", "small")
    assert own.busy == pytest.approx(0.5)
    assert own.slots_busy == pytest.approx(0.25)
    assert own.streams_mean == pytest.approx(0.5)
    assert own.streams_max == 1
    assert own.hit_rate == 0.75
    assert own.tok_s_stream == pytest.approx(50)
    assert own.tok_s_total == pytest.approx(101 / 2.2)
    assert own.tok_s_useful == pytest.approx(101 / 4.4)
    assert own.rate == pytest.approx(100)
    assert own.wait is not None
    assert own.wait.n == 2
    assert own.wait.mean == pytest.approx(1.1)
    assert found.calls.decode_only == pytest.approx(0.02)
    assert found.calls.inclusive == pytest.approx(0.021782178217821784)
    assert (found.calls.attempts, found.calls.done) == (2, 1)
    assert found.first_output is not None
    assert found.first_output.mean == pytest.approx(0.2)
    assert asdict(found.tokens) == {
        "input": 100, "cached": 75, "thinking": 0, "output": 101, "wasted": 0,
    }  # fmt: skip
    assert found.where[0].what == ""  # there is but one server
    assert found.hardware == {"main": "box", "small": "box"}


def test_a_server_that_nobody_asked_has_no_rates() -> None:
    found = of(replace(SHELL, servers=(server(),)), tool_run(1))
    own = found.servers["main"]
    assert (own.busy, own.wait, own.hit_rate, own.tok_s_stream, own.tok_s_total) == (
        0, None, None, None, None,
    )  # fmt: skip
    assert found.calls.decode_only is None
    assert found.calls.inclusive is None


def test_cost_is_known_only_with_a_price() -> None:
    priced = replace(server("dear", "main"), price=Price(3.0, 15.0))
    free = replace(server("own", "small"), about=About("own", left_out=("price",)))
    plan = graph(call(1, "ask"), call(2, "tell", at=1), servers=(priced, free))
    facts = called(1, money=0.5)
    spans = [
        span(1, "x", 0, (Part.DECODE, 1), resource="dear", facts=facts),
        span(2, "x", 1, (Part.DECODE, 2), resource="own", facts=called(1, role="small"), cause=0),
    ]
    run = trace(spans, 2)
    found = of(plan, run)
    assert found.cost_total == 0.5
    assert found.cost_by_role == {"main": 0.5}
    assert found.unpriced == ("own",)
    alone = trace(spans[:1], 1)
    assert of(plan, alone).unpriced == ()  # the other one was not called
    assert found.warnings == ["own: too cheap without `price` (1 call for nothing)"]


def test_a_person_and_a_pool() -> None:
    # two of them: 3600 s of work in a run of 3600 s is half of their time
    plan = graph(
        ask(1, "review", 3600),
        work(2, "job", 1800, ((0, 1),)),
        people=(person("dev", count=2),),
        pools=(PoolPlan("ci", 2),),
    )
    spans = [
        span(2, "job", 0, (Part.POOL_WAIT, 900), (Part.TOOL, 2700), resource="ci",
             facts=worked((0, 1))),
        span(1, "dev", 0, (Part.PERSON_WORK, 3600), facts=read(lines=300)),
    ]  # fmt: skip
    found = of(plan, trace(spans, 3600))
    dev, ci = found.people["dev"], found.pools["ci"]
    assert dev.busy == 0.5
    assert (dev.lines, dev.lines_per_hour, dev.times_needed, dev.items) == (300, 300, 1, 1)
    assert (dev.work, dev.reading, dev.switches, dev.switching) == (3600, None, 0, 0)
    assert dev.wait is not None
    assert dev.wait.mean == 0
    assert ci.busy == 0.25  # one unit of two for half of the time
    assert ci.queue_mean == 0.25  # one waited for a quarter of the time
    assert ci.wait is not None
    assert ci.wait.mean == 900


def test_breakdown_of_a_group_holds_its_steps() -> None:
    plan = graph(block(1, "do", work(2, "do.a", 1), work(3, "do.b", 2)), work(4, "c", 4))
    spans = [
        span(2, "a", 0, (Part.TOOL, 1), facts=worked()),
        span(3, "b", 1, (Part.TOOL, 3), cause=0, facts=worked()),
        span(4, "c", 3, (Part.TOOL, 7), cause=1, facts=worked()),
    ]
    found = of(plan, trace(spans, 7))
    spent = {path: step.breakdown["tool"] for path, step in found.steps.items()}
    assert spent == {"do": 3, "do.a": 1, "do.b": 2, "c": 4}


def test_nothing_to_do() -> None:
    found = of(
        graph(servers=(server(),), people=(person(),), pools=(PoolPlan("ci", 1),)), trace([], 0)
    )
    assert found.wall.mean == 0
    assert found.bottleneck.share == 0
    assert found.servers["main"].busy == found.people["you"].busy == found.pools["ci"].busy == 0


def test_what_was_assumed_is_said() -> None:
    plan = replace(
        SHELL, assumed=(Assumed("coder: turns", "22", "TraceLab", "agents/coder/turns"),)
    )
    assert of(plan, tool_run(1)).assumed[0]["what"] == "coder: turns"


def _floats(value: object) -> Iterator[float]:
    match value:
        case float():
            yield value
        case dict():
            for own in value.values():
                yield from _floats(own)
        case list() | tuple():
            for own in value:
                yield from _floats(own)


def test_no_figure_is_nan_or_infinite() -> None:
    plan = graph(call(1, "ask"), servers=(server(),), people=(person(),))
    endless = replace(plan.servers[0], decode=plan.servers[0].decode.times(0))
    fast = replace(plan, servers=(endless,))
    instant = trace([span(1, "x", 0, resource="box", facts=called(5))], 0)
    found = asdict(of(fast, instant, instant))
    figures = list(_floats(found))
    assert len(figures) > 50
    assert all(map(math.isfinite, figures))
