"""A few long runs, levers that the typical run would order otherwise, errors of rows: by hand."""

from __future__ import annotations

import math

import pytest

from agentsim.analysis import fold, summarise
from agentsim.analysis.findings import Lever
from agentsim.analysis.typical import better_for_typical, held_by_longest, middle
from agentsim.records import Part, Trace
from tests.unit.analysis.hand import graph, span, trace, work, worked


def test_what_the_longest_hold() -> None:
    # the longest of twenty is 5 %: 81 of 100
    assert held_by_longest([1] * 19 + [81]) == 0.81
    # of thirty one and a half: 40 + 30 / 2 = 55 of 98
    assert held_by_longest([40, *[1] * 28, 30]) == pytest.approx(55 / 98)
    assert held_by_longest([5] * 40) == 0.05


def test_too_few_have_no_longest() -> None:
    assert held_by_longest([1] * 18 + [81]) is None
    assert held_by_longest([0] * 40) is None


def lever(what: str, saves: float, typical: float, error: float = 1.0, note: str = "") -> Lever:
    """Of a typical run of 100 s."""
    saved = (100 - typical - error, 100 - typical + error)
    return Lever(what, "2x", saves, (saves, saves), 0.0, note, typical=typical,
                 typical_saves_ci95=saved)  # fmt: skip


def best(*levers: Lever) -> tuple[str, str] | None:
    found = better_for_typical(levers, 100)
    return found and (found[0].what, found[1].what)


def test_the_orders_differ() -> None:
    shell, decode = lever("shell", 90, 95), lever("decode", 60, 75)
    assert best(shell, decode) == ("decode", "shell")
    assert best(decode, shell) == ("decode", "shell")


def test_the_same_order_tells_nothing() -> None:
    assert best(lever("a", 90, 75), lever("b", 60, 95)) is None
    assert best(lever("a", 90, 75)) is None
    assert best() is None


def test_a_difference_that_may_be_chance_tells_nothing() -> None:
    # 5 +- 11 and 25 +- 11 s overlap from 14 to 16
    assert best(lever("a", 90, 95, 11), lever("b", 60, 75, 11)) is None
    # 5 +- 9.9 and 25 +- 9.9 s: 14.9 and 15.1
    assert best(lever("a", 90, 95, 9.9), lever("b", 60, 75, 9.9)) == ("b", "a")


def test_a_difference_of_less_than_a_hundredth_tells_nothing() -> None:
    assert best(lever("a", 90, 95, 0), lever("b", 60, 94.1, 0)) is None
    assert best(lever("a", 90, 95, 0), lever("b", 60, 93.9, 0)) == ("b", "a")


def test_what_nobody_can_have_is_left_out() -> None:
    assert best(lever("a", 90, 95), lever("endless", 60, 10, note="the most")) is None


def test_below_the_first_too() -> None:
    """By the mean people, tools, decode; by the typical run people, decode, tools."""
    levers = lever("people", 90, 50), lever("tools", 60, 95), lever("decode", 30, 75)
    assert best(*levers) == ("decode", "tools")


def two_parts(tool: float, wait: float) -> Trace:
    spans = [
        span(1, "a", 0, (Part.TOOL, tool), facts=worked()),
        span(2, "b", tool, (Part.WAIT, tool + wait), cause=0, facts=worked()),
    ]
    return trace(spans if wait else spans[:1], tool + wait)


def test_rows_have_an_error_each() -> None:
    """Tool runs of 10, 20 and 30 s: mean 20, sd 10, t of two degrees 4.302653, so 24.84 s.

    Waits of 0, 0 and 6 s: mean 2, sd sqrt((4 + 4 + 16) / 2); runs without one count as nought.
    """
    plan = graph(work(1, "a", 1), work(2, "b", 1))
    runs = two_parts(10, 0), two_parts(20, 0), two_parts(30, 6)
    tool, wait = summarise(plan, [fold(run, plan) for run in runs], 0).where
    assert (tool.kind, tool.seconds, wait.kind, wait.seconds) == ("tool", 20, "wait", 2)
    half = 4.302653 * 10 / math.sqrt(3)
    assert tool.ci95 == pytest.approx((20 - half, 20 + half), rel=1e-6)
    half = 4.302653 * math.sqrt(12 / 3)
    assert wait.ci95 == pytest.approx((2 - half, 2 + half), rel=1e-6)


def test_a_row_of_one_length_has_no_error() -> None:
    plan = graph(work(1, "a", 1), work(2, "b", 1))
    (row,) = summarise(plan, [fold(two_parts(0.1, 0), plan) for _ in range(3)], 0).where
    assert row.ci95 == (row.seconds, row.seconds)


def two_steps(tool: float, pause: float, replication: int) -> Trace:
    spans = [
        span(1, "shell", 0, (Part.TOOL, tool), facts=worked()),
        span(2, "pause", tool, (Part.WAIT, tool + pause), facts=worked(), cause=0),
    ]
    return trace(spans, tool + pause, replication=replication)


def test_typical_runs_are_the_fifth_in_the_middle() -> None:
    plan = graph(work(1, "shell", 1), work(2, "pause", 1))
    order = [7, 3, 9, 1, 5, 0, 8, 2, 6, 4]
    tallies = [fold(two_steps(1 + at, 1, i), plan) for i, at in enumerate(order)]
    # of 2 to 11 s those in the places 5 and 6: 4 + 2 and 5 + 2 s
    assert [tally.wall / 1e9 for tally in middle(tallies)] == [6, 7]
    assert middle(tallies[:1]) == tallies[:1]


def test_the_sentence_says_what_binds_typical_runs() -> None:
    """27 runs of 1 s + 3 s, three of 997 s + 3 s: the middle six spend 3 of 4 s on the pause."""
    plan = graph(work(1, "shell", 1), work(2, "pause", 3))
    walls = [1.0] * 27 + [997.0] * 3
    tallies = [fold(two_steps(tool, 3, i), plan) for i, tool in enumerate(walls)]
    told = summarise(plan, tallies, 0).bottleneck.sentence
    # (27 + 3 x 997) / (27 x 4 + 3 x 1000) = 3018 / 3108 = 97.1 %
    assert told == (
        "Tools are the limit: 97 % of the time is shell. "
        "That is the average; in typical runs it is waiting, with 75 % of their time."
    )
    even = [fold(two_steps(4, 3, i), plan) for i in range(30)]
    assert "average" not in summarise(plan, even, 0).bottleneck.sentence
