"""Answers and sweeps, with a reader of files that gives graphs made by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

import agentsim.spec
from agentsim.chance import Constant, LogNormal
from agentsim.errors import Problem, Problems
from agentsim.experiment import Options, answer, sweep
from agentsim.graph import Assumed, Graph, ToolPlan
from tests.unit.analysis.hand import ask, call, graph, person, server, work


@dataclass(frozen=True)
class Source:
    rates: tuple[str, ...] = ()
    patch: tuple[tuple[str, Any], ...] = ()


def serve(monkeypatch: pytest.MonkeyPatch, load: Callable[[Source], Graph]) -> None:
    monkeypatch.setattr(agentsim.spec, "load", load, raising=False)


def tool(rank: int, path: str, median: float) -> Any:
    """A tool whose time is drawn, sigma 0.5."""
    plan = ToolPlan(path, LogNormal(0.0, 0.5).scaled(median), Constant(0))
    return replace(work(rank, path, 1), tool=plan)


QUICK = Options(runs=30)


def test_ranges_stand_around_the_headline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 500 runs 60 are repeated: half and twice the time are half and twice the headline."""
    value = Assumed("tests: time", "x", "guess", "tests", 50.0, 200.0)

    def load(source: Source) -> Graph:
        tests = tool(1, "tests", dict(source.patch).get("tests", 100.0))
        return replace(graph(tests), assumed=(value,))

    serve(monkeypatch, load)
    found = answer(Source(), Options(runs=500, levers=False))  # type: ignore[arg-type]
    (sway,) = found.sensitivity
    assert sway.low == pytest.approx(found.wall.p50 / 2)
    assert sway.high == pytest.approx(found.wall.p50 * 2)
    assert sway.tried == (50.0, 200.0)


def test_an_answer_has_levers_and_what_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    ranges = {"tests": (50.0, 200.0), "shell": (0.5, 2.0), "gone": (1, 2), "unused": (1, 2)}
    assumed = tuple(
        Assumed(f"{name}: time", "x", "guess", name, *ends) for name, ends in ranges.items()
    )
    fixed = Assumed("fixed", "1", "guess", "fixed")

    def load(source: Source) -> Graph:
        patch = dict(source.patch)
        if "gone" in patch:
            raise Problems([Problem("range", "cannot be")])
        tests = tool(1, "tests", patch.get("tests", 100.0))
        shell = tool(2, "shell", patch.get("shell", 1.0))
        return replace(graph(tests, shell), assumed=(fixed, *assumed))

    serve(monkeypatch, load)
    found = answer(Source(), QUICK)  # type: ignore[arg-type]
    assert found.replications == 30
    assert [lever.what for lever in found.levers] == ["all tools", "tests", "shell"]
    # widest first; what cannot be compiled, or changes nothing, is left out
    assert [sway.key for sway in found.sensitivity] == ["tests", "shell"]
    tests, shell = found.sensitivity
    # the same draws at both ends: the medians are about 4 times apart, less the 1 s of shell
    assert tests.low < found.wall.p50 < tests.high
    assert (tests.high - 1) / (tests.low - 1) == pytest.approx(4, rel=0.05)
    assert shell.high - shell.low == pytest.approx(1.5, rel=0.2)


def test_of_many_ranges_the_widest_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    medians = {"a": 8.0, "b": 1.0, "c": 32.0, "d": 2.0, "e": 16.0, "f": 4.0}
    assumed = tuple(Assumed(name, "x", "guess", name, 0.5, 2.0) for name in medians)

    def load(source: Source) -> Graph:
        patch = dict(source.patch)
        steps = (
            tool(rank, name, median * patch.get(name, 1.0))
            for rank, (name, median) in enumerate(medians.items(), 1)
        )
        return replace(graph(*steps), assumed=assumed)

    serve(monkeypatch, load)
    found = answer(Source(), replace(QUICK, levers=False))  # type: ignore[arg-type]
    assert [sway.key for sway in found.sensitivity] == ["c", "e", "a", "f"]


def test_what_was_not_asked_for_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    serve(monkeypatch, lambda _: graph(tool(1, "a", 1)))
    told: list[str] = []
    options = Options(
        runs=5, levers=False, sensitivity=False, progress=lambda what, *_: told.append(what)
    )
    found = answer(Source(), options)  # type: ignore[arg-type]
    assert (found.levers, found.sensitivity) == ([], [])
    assert set(told) == {"runs"}


def test_two_processes_give_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = graph(tool(1, "a", 1), call(2, "ask"), servers=(server(),))
    serve(monkeypatch, lambda _: plan)
    one, two = (answer(Source(), replace(QUICK, jobs=jobs)) for jobs in (1, 2))  # type: ignore[arg-type]
    assert one == two
    assert repr(one) == repr(two)


def rated(source: Source) -> Graph:
    """1,000 tokens at the rate, 5 s of tools, 10 s of a person."""
    (rate,) = (float(rate) for rate in source.rates if "=" not in rate)
    return graph(
        call(1, "ask"),
        work(2, "tests", 5),
        ask(3, "review", 10),
        servers=(server(rate=rate),),
        people=(person(),),
        exact=True,
    )


def test_a_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, ...]] = []

    def load(source: Source) -> Graph:
        seen.append(source.rates)
        return rated(source)

    serve(monkeypatch, load)
    result = sweep(Source(rates=("small=50", "7")), (800, 5, 100), QUICK)  # type: ignore[arg-type]
    # a rate of a role stays, a plain one gives way
    assert seen[0] == ("small=50", "5.0")
    assert [row.rate for row in result.rows] == [5, 100, 800]
    slow, middle, fast = result.rows
    assert slow.findings.wall.mean == 215  # 200 + 5 + 10
    assert (slow.decode, slow.tools, slow.people) == pytest.approx((200 / 215, 5 / 215, 10 / 215))
    assert middle.findings.without_people.p50 == 15  # 10 s of decoding, 5 of tools
    # 238 words a minute, 0.75 a token, are 5.29 tok/s
    assert slow.reads == pytest.approx(5.2889, abs=1e-4)
    assert slow.outrun == pytest.approx(0.9454, abs=1e-4)
    assert fast.outrun == pytest.approx(151.3, abs=0.1)
    # 1000 / 10 and 1000 / 5; 9 * 1000 / 15 is where twice the speed saves 5 %
    assert [crossing.rate for crossing in result.crossings] == pytest.approx([100, 200, 600])
    assert result.crossings[0].text == "you cost more than decoding"
    assert not any(crossing.beyond for crossing in result.crossings)
    assert result.lever is not None
    assert (result.lever.kind, result.lever.what) == ("people", "you at work")


def test_a_crossing_outside_of_the_rates_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    # the same graph: crossings at 100, 200 and 600
    serve(monkeypatch, rated)
    result = sweep(Source(), (150, 500), QUICK)  # type: ignore[arg-type]
    assert [own.beyond for own in result.crossings] == [True, False, True]


def test_the_closing_lever_goes_by_kind_not_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    # a tool that somebody named "decode" is a tool
    def load(source: Source) -> Graph:
        steps = (call(1, "ask"), work(2, "decode", 5))
        return graph(*steps, servers=(server(rate=float(source.rates[0])),), exact=True)

    serve(monkeypatch, load)
    lever = sweep(Source(), (10, 1000), QUICK).lever  # type: ignore[arg-type]
    assert lever is not None
    assert (lever.kind, lever.what, lever.saves) == ("tool", "decode", 2.5)


def test_no_closing_lever_that_saves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # a tool of 4 ms beside 1 s of decoding: half of it is 0.2 % of the time
    def load(source: Source) -> Graph:
        steps = (call(1, "ask"), work(2, "tests", 0.004))
        return graph(*steps, servers=(server(rate=float(source.rates[0])),), exact=True)

    serve(monkeypatch, load)
    assert sweep(Source(), (10, 1000), QUICK).lever is None  # type: ignore[arg-type]


def test_a_sweep_without_people(monkeypatch: pytest.MonkeyPatch) -> None:
    serve(monkeypatch, lambda source: graph(
        call(1, "ask"), servers=(server(rate=float(source.rates[0])),), exact=True
    ))  # fmt: skip
    result = sweep(Source(), (10, 20), QUICK)  # type: ignore[arg-type]
    assert [row.outrun for row in result.rows] == [None, None]
    assert result.crossings == ()  # nothing but decoding
    assert result.lever is None
