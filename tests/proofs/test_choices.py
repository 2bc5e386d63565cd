"""Branches by chance, rounds within a time, draws that steps share: in closed form."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from agentsim.engine import simulate
from agentsim.errors import EngineFault
from agentsim.records import SECOND, Verdict
from tests.runs import graph_of, run

RUNS = 4000
Z = 3.29  # 99.9 %, with fixed seeds


def test_branches_come_by_their_chance(tmp_path: Path) -> None:
    """20 % take 1 s, 50 % take 10 s, the rest nothing: mean 5.2 s."""
    arms = [{"chance": "20%", "wait": "1s"}, {"chance": "50%", "do": [{"wait": "10s"}]}]
    graph = graph_of(tmp_path, {"steps": [{"choose": arms}]})
    assert not graph.exact
    found = Counter(simulate(graph, 5, n).ended // SECOND for n in range(RUNS))
    assert set(found) == {0, 1, 10}
    for wall, share in ((0, 0.3), (1, 0.2), (10, 0.5)):
        assert abs(found[wall] / RUNS - share) < Z * math.sqrt(share * (1 - share) / RUNS)


def test_a_branch_without_a_chance_takes_the_rest(tmp_path: Path) -> None:
    arms = [{"chance": "75%", "wait": "1s"}, {"wait": "2s"}]
    graph = graph_of(tmp_path, {"steps": [{"choose": arms}]})
    found = Counter(simulate(graph, 1, n).ended // SECOND for n in range(RUNS))
    assert set(found) == {1, 2}
    assert abs(found[2] / RUNS - 0.25) < Z * math.sqrt(0.25 * 0.75 / RUNS)


@pytest.mark.parametrize(("chance", "wall"), [("100%", 1), ("0%", 0)])
def test_a_certain_branch_draws_nothing(chance: str, wall: int, tmp_path: Path) -> None:
    graph = graph_of(tmp_path, {"steps": [{"choose": [{"chance": chance, "wait": "1s"}]}]})
    assert graph.exact
    assert {simulate(graph, n, n).ended for n in range(20)} == {wall * SECOND}


def test_the_verdict_of_a_choice_is_that_of_its_branch(tmp_path: Path) -> None:
    """A loop leaves when the branch that approves is drawn: rounds are geometric, mean 1 / 0.25."""
    arms = [
        {"chance": "25%", "wait": "1s", "approves": "100%"},
        {"wait": "1s", "approves": "0%"},
    ]
    graph = graph_of(tmp_path, {"steps": [{"loop": 200, "do": [{"choose": arms}]}]})
    traces = [simulate(graph, 2, n) for n in range(RUNS)]
    assert {trace.verdict for trace in traces} == {Verdict.APPROVED}
    mean = sum(trace.ended for trace in traces) / RUNS / SECOND
    assert abs(mean - 4.0) < Z * math.sqrt(0.75) / 0.25 / math.sqrt(RUNS)


@pytest.mark.parametrize(
    ("within", "wall"),
    [("9m", 12.0), ("8m", 8.0), ("1s", 4.0)],
)
def test_no_round_begins_at_or_after_the_time(within: str, wall: float, tmp_path: Path) -> None:
    """Rounds of 4 min begin at 0, 4 and 8 min; the one begun before the time ends."""
    loop = {"loop": {"within": within}, "do": [{"wait": "4m"}]}
    assert run(tmp_path, {"steps": [loop]}).wall == wall * 60


def test_the_time_counts_what_stands_between(tmp_path: Path) -> None:
    """Rounds of 4 min and 3 min between: 0-4, 4-7, 7-11, 11-14; at 14 min 10 min are over."""
    loop = {"loop": {"within": "10m"}, "do": [{"wait": "4m"}], "between": [{"wait": "3m"}]}
    assert run(tmp_path, {"steps": [loop]}).wall == 11 * 60
    loop["loop"] = {"within": "12m"}
    assert run(tmp_path, {"steps": [loop]}).wall == 14 * 60


def test_a_loop_in_time_still_leaves_when_approved(tmp_path: Path) -> None:
    loop = {"loop": {"within": "1h"}, "do": [{"wait": "1m", "approves": ["0%", "0%", "100%"]}]}
    assert run(tmp_path, {"steps": [loop]}).wall == 180


def test_rounds_that_take_no_time_are_told(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, {"steps": [{"loop": {"within": "1s"}, "do": [{"wait": "0s"}]}]})
    with pytest.raises(EngineFault, match="loop: its rounds take no time"):
        simulate(graph, 0, 0)


def test_steps_of_one_name_of_draws_draw_the_same(tmp_path: Path) -> None:
    """Two waits of a mean of 10 s: with the same draws the second takes as long as the first."""
    time = {"exponential": "10s"}
    steps = [{"wait": time, "draws": "one"}, {"wait": time, "draws": "one"}, {"wait": time}]
    graph = graph_of(tmp_path, {"steps": steps})
    for n in range(20):
        first, second, third = simulate(graph, 0, n).visits[:3]
        assert first.ended - first.began == second.ended - second.began
        assert third.ended - third.began != first.ended - first.began
