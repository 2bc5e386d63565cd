"""What a profile leaves out: told only where it shows in the run, with the way that it errs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agentsim.analysis import fold, summarise
from agentsim.analysis.findings import Findings, LeftOut
from agentsim.graph import About, Budget, Call, Graph, LimitPlan, ServerPlan
from agentsim.laws.prefill import Prefill
from agentsim.laws.price import Price
from agentsim.records import CallFacts, Part, Span
from tests.unit.analysis.hand import call, called, graph, server, span, trace

READS = Prefill(0.0, 0.001, 0.0)  # 1,000 tok/s
ALL = ("prefill", "latency", "decode", "per_context_token", "limits", "cache", "context", "price")


def box(*keys: str, **changes: Any) -> ServerPlan:
    return replace(server(), about=About("box", left_out=keys), **changes)


def at(began: float, ended: float, facts: CallFacts) -> Span:
    return span(1, "x", began, (Part.DECODE, ended), resource="box", facts=facts)


def of(plan: Graph, *spans: Span) -> Findings:
    """The answer of one run: each span follows the one before it where it begins at its end."""
    linked = [
        it._replace(cause=i - 1 if i and spans[i - 1].ended == it.began else -1)
        for i, it in enumerate(spans)
    ]
    run = trace(linked, linked[-1].ended / 1e9)
    return summarise(plan, [fold(run, plan)], 0)


def one(plan: ServerPlan, *spans: Span) -> Findings:
    return of(graph(call(1, "a"), servers=(plan,)), *spans)


def told(plan: ServerPlan, *spans: Span) -> list[str]:
    return one(plan, *spans).warnings


def test_all_of_it_stands_in_one_sentence_a_profile() -> None:
    # two calls of one session, one after another: 1,000,000 + 2,100,000 tokens of input are
    # 3.1 M; the longest context is 2,100,000 + 40 tokens
    spans = [at(0, 1, called(40, fresh=1_000_000)), at(1, 2, called(40, fresh=2_100_000))]
    found = one(box(*ALL), *spans)
    assert found.warnings == [
        "box: too quick without `prefill` (3.1M tokens read in no time), `latency` (2 calls), "
        "`per_context_token` (contexts to 2.1M), `limits` (if any); "
        "either way without `context` (if below 2.1M)"
    ]
    assert found.left_out[0] == LeftOut("box", "prefill", "quick", "3.1M tokens read in no time")
    assert [(it.key, it.errs) for it in found.left_out[1:]] == [
        ("latency", "quick"), ("per_context_token", "quick"), ("limits", "quick"),
        ("context", "either"),
    ]  # fmt: skip


def test_a_profile_that_says_all_is_not_spoken_of() -> None:
    assert one(box(), at(0, 1, called(1, fresh=9000))).left_out == []


def test_two_files_of_one_name_are_two_profiles() -> None:
    """Folders apart: what the first says is not said by the second, which answers at once."""
    other = replace(box("latency"), name="other", roles=("second",))
    plan = graph(call(1, "a"), call(2, "b", 1), servers=(box(), other))
    call_of_other = at(1, 2, called(1))._replace(step=2, resource="other")
    assert of(plan, at(0, 1, called(1)), call_of_other).left_out == [
        LeftOut("box", "latency", "quick", "1 call")
    ]


def test_a_server_that_nobody_asks_lacks_nothing() -> None:
    plan = graph(call(1, "a"), servers=(box(*ALL),))
    assert summarise(plan, [fold(trace([], 0), plan)], 0).left_out == []


def test_no_prefill_matters_only_with_something_to_read() -> None:
    assert told(box("prefill"), at(0, 1, called(1, cached=500))) == []
    assert told(box("prefill"), at(0, 1, called(1, fresh=500))) == [
        "box: too quick without `prefill` (500 tokens read in no time)"
    ]


def test_a_crowd_matters_only_where_calls_overlap() -> None:
    apart = [at(0, 1, called(1)), at(1, 2, called(1))]
    beside = [at(0, 2, called(1)), at(0, 3, called(1))]
    assert told(box("decode"), *apart) == []
    assert told(box("decode"), *beside) == [
        "box: too quick without `slots` (2 calls at once, each at full speed)"
    ]
    # with slots given, what is missing is the speed of several streams
    assert told(box("decode", slots=4), *beside) == [
        "box: too quick without the speed of several streams in `decode` "
        "(2 calls at once, each at full speed)"
    ]


def test_a_cache_matters_only_where_reading_again_costs_something() -> None:
    again = [at(0, 1, called(1, fresh=500)), at(1, 2, called(1, fresh=600))]
    dear, flat = Price(3.0, 15.0, cached=0.3), Price(3.0, 15.0)
    quota = LimitPlan("uncached_input", 1e6, 1e4, False, False, "#box")
    assert told(box("cache", prefill=READS), *again) == [
        "box: too slow without `cache` (if it keeps prompts)"
    ]
    assert told(box("cache", limits=(quota,)), *again) == [
        "box: too slow without `cache` (if it keeps prompts)"
    ]
    assert told(box("cache", price=dear), *again) == [
        "box: too dear without `cache` (if it keeps prompts)"
    ]
    # reading takes no time, and known input costs what new input costs
    assert told(box("cache", price=flat), *again) == []
    assert told(box("cache"), *again) == []


def test_a_cache_matters_only_where_something_is_sent_again() -> None:
    first, second = called(1, fresh=500), called(1, fresh=500)._replace(session=1)
    plan = box("cache", prefill=READS)
    apart = [at(0, 1, first), at(1, 2, second)]
    assert told(plan, apart[0]) == []
    assert told(plan, *apart) == []  # nothing is known of what the two sessions share
    steps = [replace(call(rank, f"s{rank}"), prompt=(("rules", 400),)) for rank in (1, 2)]
    other: Call = replace(steps[1], prompt=(("mine", 400),))
    shares = graph(*steps, servers=(plan,))
    assert of(shares, *apart).warnings == ["box: too slow without `cache` (if it keeps prompts)"]
    assert of(graph(steps[0], other, servers=(plan,)), *apart).warnings == []


def test_a_price_matters_only_where_money_is_spoken_of() -> None:
    run = at(0, 1, called(1))
    assert told(box("price"), run) == []
    limited = graph(call(1, "a"), servers=(box("price"),), budget=Budget(money=1.0))
    assert of(limited, run).warnings == ["box: too cheap without `price` (1 call for nothing)"]


def test_one_call_waits_for_no_quota() -> None:
    assert told(box("limits"), at(0, 1, called(1))) == []


def test_a_slope_does_not_show_in_short_contexts() -> None:
    assert told(box("per_context_token"), at(0, 1, called(0, fresh=8000))) == []
    assert told(box("per_context_token"), at(0, 1, called(1, fresh=8000))) == [
        "box: too quick without `per_context_token` (contexts to 8,001)"
    ]


def test_two_servers_of_one_profile_are_told_together() -> None:
    first = replace(box("latency"), name="one")
    second = replace(box("latency"), name="two", roles=("small",))
    plan = graph(call(1, "a"), call(2, "b", at=1), servers=(first, second))
    spans = [
        span(1, "x", 0, (Part.DECODE, 1), resource="one", facts=called(1)),
        span(2, "x", 1, (Part.DECODE, 2), resource="two", facts=called(1, role="small")),
    ]
    assert of(plan, *spans).warnings == ["box: too quick without `latency` (2 calls)"]
