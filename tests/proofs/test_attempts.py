"""Attempts at one task: who wins, how often the winner is right, what is read, kept and wasted."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis import fold, summarise
from agentsim.engine import simulate
from agentsim.records import SECOND, CallFacts, PersonFacts
from agentsim.report import document, terminal
from tests.runs import graph_of, run

RUNS = 4000
Z = 3.29  # 99.9 %, with fixed seeds
READER = {"count": 1, "reads": {"code": "100 loc/h"}}
"""36 s a line."""


def right(folder: Path, **more: Any) -> float:
    """The share of runs in which a right attempt is picked."""
    step = {"do": [{"wait": "1s"}], "pick": {"person": "dev", "time": "1s"}, **more}
    graph = graph_of(folder, {"people": {"dev": {"count": 1}}, "steps": [step]})
    found = [simulate(graph, 11, n).success for n in range(RUNS)]
    assert None not in found
    return sum(map(bool, found)) / RUNS


def near(share: float, wanted: float) -> bool:
    return abs(share - wanted) < Z * math.sqrt(wanted * (1 - wanted) / RUNS)


def test_independent_attempts(tmp_path: Path) -> None:
    """One of four at 60 %: 1 - 0.4^4 = 0.9744."""
    assert near(right(tmp_path, attempts=4, succeeds="60%", correlation="0%"), 0.9744)


def test_attempts_that_go_together_help_nothing(tmp_path: Path) -> None:
    assert near(right(tmp_path, attempts=4, succeeds="60%", correlation="100%"), 0.6)


def test_one_attempt_has_the_chance_that_is_written(tmp_path: Path) -> None:
    """It has no other to go together with: whatever the correlation, and the text says so."""
    assert near(right(tmp_path, attempts=1, succeeds="60%", correlation="60%"), 0.6)


def test_attempts_that_go_half_together(tmp_path: Path) -> None:
    """Two at 50 %, scores correlated by r: both fail with 1/4 + asin(r) / (2 pi) (the orthant
    of two normals); r = 0.5: 1/3, so one is right in 2/3."""
    assert near(right(tmp_path, attempts=2, succeeds="50%", correlation="50%"), 2 / 3)


def test_a_pick_that_errs(tmp_path: Path) -> None:
    """Two at 50 %: both right in 1/4; one right in 1/2, of which 80 % are seen: 0.25 + 0.4."""
    pick = {"person": "dev", "time": "1s", "right": "80%"}
    assert near(right(tmp_path, attempts=2, succeeds="50%", correlation="0%", pick=pick), 0.65)


def test_the_first_that_succeeds(tmp_path: Path) -> None:
    """One after another, 10 s each, 50 % right: 1 + 1/2 + 1/4 = 1.75 attempts, 7 of 8 succeed."""
    step = {
        "attempts": 3,
        "limit": 1,
        "succeeds": "50%",
        "correlation": "0%",
        "do": [{"wait": "10s"}],
        "pick": "first",
    }
    graph = graph_of(tmp_path, {"steps": [step]})
    traces = [simulate(graph, 3, n) for n in range(RUNS)]
    assert {trace.ended // SECOND for trace in traces} == {10, 20, 30}
    mean = sum(trace.ended for trace in traces) / RUNS / SECOND
    second = (0.5 * 100 + 0.25 * 400 + 0.25 * 900) - 17.5**2
    assert abs(mean - 17.5) < Z * math.sqrt(second / RUNS)
    assert near(sum(bool(trace.success) for trace in traces) / RUNS, 0.875)


def test_the_first_ends_the_others(tmp_path: Path) -> None:
    """Three items side by side of 30, 20 and 10 s (by place): the last is picked at 10 s."""
    times = {"values": ["10s", "20s", "30s"]}
    step = {"attempts": 3, "do": [{"wait": times}], "pick": "first"}
    graph = graph_of(tmp_path, {"steps": [step, {"wait": "5s"}]})
    for n in range(50):
        trace = simulate(graph, 0, n)
        waits = [visit.ended - visit.began for visit in trace.visits if len(visit.place) == 1]
        assert trace.ended == min(waits) + 5 * SECOND
        assert trace.success


def picked(folder: Path, *, every: bool) -> list[PersonFacts]:
    """The pieces of dev and sam: the pick, then each of them reads the changes."""
    agents = {"writer": {"turns": 1, "output": 1, "writes": "100 loc", "tokens_per_line": 1}}
    steps = [
        {
            "attempts": 3,
            "do": [{"agent": "writer"}],
            "pick": {"person": "dev", "reads": "changes", "every": every},
        },
        {"person": "dev", "id": "again", "reads": "changes"},
        {"person": "sam", "id": "other", "reads": "changes"},
    ]
    workflow = {"people": {"dev": READER, "sam": READER}, "agents": agents, "steps": steps}
    trace = run(folder, workflow).trace
    return [span.facts for span in trace.spans if isinstance(span.facts, PersonFacts)]


@pytest.mark.parametrize(("every", "lines"), [(False, 100), (True, 300)])
def test_what_is_read(tmp_path: Path, every: bool, lines: int) -> None:
    """100 lines each: the picked ones or all three; later dev has read them, sam has not."""
    assert [piece.lines for piece in picked(tmp_path, every=every)] == [lines, 0, 100]


def test_what_whoever_picks_writes_is_in_the_picked_one(tmp_path: Path) -> None:
    """100 lines of the attempt and 20 of dev, who picks: sam reads 120, dev knows them all."""
    agents = {"writer": {"turns": 1, "output": 1, "writes": "100 loc", "tokens_per_line": 1}}
    pick = {"person": "dev", "reads": "changes", "writes": "20 loc"}
    steps = [
        {"attempts": 2, "do": [{"agent": "writer"}], "pick": pick},
        {"person": "sam", "id": "other", "reads": "changes"},
        {"person": "dev", "id": "again", "reads": "changes"},
    ]
    workflow = {"people": {"dev": READER, "sam": READER}, "agents": agents, "steps": steps}
    spans = run(tmp_path, workflow).trace.spans
    read = [span.facts.lines for span in spans if isinstance(span.facts, PersonFacts)]
    assert read == [100, 120, 0]


def test_what_is_wasted_and_kept(tmp_path: Path) -> None:
    """Three calls of 1,000 in and 100 out: two are thrown away; the session goes on with the
    third's 1,100 and 10 more."""
    step = {
        "attempts": 3,
        "do": [{"call": "main", "id": "ask", "input": 1000, "output": 100}],
        "pick": {"person": "dev", "time": "1s"},
    }
    more = {"call": "main", "session": "ask", "input": 10, "output": 1}
    workflow = {"people": {"dev": {"count": 1}}, "steps": [step, more]}
    trace = run(tmp_path, workflow).trace
    calls = [span.facts for span in trace.spans if isinstance(span.facts, CallFacts)]
    assert sorted(facts.wasted for facts in calls) == [0, 0, 1100, 1100]
    assert calls[-1].fresh + calls[-1].cached == 1110


def test_set_up_comes_first_in_each(tmp_path: Path) -> None:
    """Two at a time: 3 s and 10 s, twice."""
    step = {
        "attempts": 4,
        "limit": 2,
        "setup": [{"wait": "3s"}],
        "do": [{"wait": "10s"}],
        "pick": {"person": "dev", "time": "1s"},
    }
    assert run(tmp_path, {"people": {"dev": {"count": 1}}, "steps": [step]}).wall == 27


def test_all_fail_and_the_run_goes_on(tmp_path: Path) -> None:
    """Nobody is asked to pick among attempts that all failed."""
    tools = {"tests": {"time": "10s", "fails": "100%"}}
    step = {"attempts": 2, "do": [{"tool": "tests"}], "pick": {"person": "dev", "time": "1s"}}
    steps = [step, {"wait": "5s"}]
    found = run(tmp_path, {"people": {"dev": {"count": 1}}, "tools": tools, "steps": steps})
    assert found.wall == 15
    assert found.trace.success is False
    assert found.trace.reason == ""


def test_a_run_without_attempts_says_nothing_of_success(tmp_path: Path) -> None:
    assert run(tmp_path, {"steps": [{"wait": "1s"}]}).trace.success is None


def test_what_is_picked_of_attempts_that_all_fail(tmp_path: Path) -> None:
    """Three tests that fail with 80 % each: in 51.2 % of the runs none comes through.

    Those go on without a verdict, and the answer says how many they are.
    """
    workflow = {
        "people": {"dev": {}},
        "tools": {"suite": {"time": "1s", "fails": "80%"}},
        "steps": [
            {"attempts": 3, "do": [{"tool": "suite"}], "pick": {"person": "dev", "time": "1s"}}
        ],
    }
    graph = graph_of(tmp_path, workflow)
    found = summarise(graph, [fold(simulate(graph, 5, n), graph) for n in range(RUNS)], 5)
    assert found.quality is not None
    share = found.quality.unpicked
    assert near(share, 0.512)
    assert found.quality.success == pytest.approx(1 - share)
    assert found.failed == 0
    assert any("no attempt succeeds" in text for text in found.warnings)
    told = terminal.draw(document.answer(found))
    assert "no attempt succeeds and nothing is picked" in " ".join(told.split())
