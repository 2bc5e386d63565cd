"""A merge queue lets one through at a time: rebase, CI, and what is done after a conflict."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis import fold
from agentsim.engine import simulate
from agentsim.records import SECOND, Outcome, Part
from tests.runs import Run, graph_of, run

TRUNK = {"rebase": "20s", "ci": "100s"}
MERGE = {"merge": "trunk"}


def of(folder: Path, *steps: Any, **more: Any) -> Run:
    return run(folder, {"queues": {"trunk": {**TRUNK, **more}}, "steps": list(steps)})


def ends(found: Run, *paths: str) -> list[int]:
    rank = {step.path: i for i, step in enumerate(found.graph.steps)}
    by_rank = {visit.step: visit.ended // SECOND for visit in found.trace.visits}
    return [by_rank[rank[path]] for path in paths]


def test_one_at_a_time(tmp_path: Path) -> None:
    """120 s each: 120, 240, 360; on the critical path two of them are waited for."""
    found = of(tmp_path, {"each": 3, "do": [MERGE]})
    assert found.wall == 360
    assert found.breakdown == {Part.POOL_WAIT: 240.0, Part.MERGE: 120.0}
    rows = [row[1:] for row in fold(found.trace, found.graph).path]
    assert (Part.POOL_WAIT, "trunk", 240 * SECOND) in rows


def test_a_conflict_shows_after_the_rebase(tmp_path: Path) -> None:
    """Yes is once: rebase 20, rework 50, rebase 20, CI 100."""
    step = {**MERGE, "conflict": True, "rework": [{"wait": "50s"}]}
    found = of(tmp_path, step)
    assert found.wall == 190
    assert [span.outcome for span in found.spans("trunk")] == [Outcome.FAILED, Outcome.DONE]


def test_each_try_of_retry_begins_with_the_first_chance(tmp_path: Path) -> None:
    """Yes is at the first try, and without `rework` there is no other: three rebases of 20 s."""
    found = of(tmp_path, {**MERGE, "conflict": True, "retry": 2, "or": "go on"})
    assert found.wall == 60
    assert found.breakdown == {Part.MERGE: 60.0}


@pytest.mark.parametrize(("where", "first", "second"), [("tail", 260, 140), ("block", 190, 310)])
def test_where_it_goes_after_a_conflict(
    tmp_path: Path, where: str, first: int, second: int
) -> None:
    """a: 0-20 and a conflict, rework 20-70. At the tail b has the queue 20-140, then a 140-260;
    in its place a goes on 70-190 and b 190-310."""
    steps = {
        "parallel": [
            {**MERGE, "id": "a", "conflict": True, "rework": [{"wait": "50s"}]},
            {**MERGE, "id": "b"},
        ],
        "id": "p",
    }
    found = of(tmp_path, steps, on_conflict=where)
    assert ends(found, "p.a", "p.b") == [first, second]


def test_without_rework_it_fails(tmp_path: Path) -> None:
    found = of(tmp_path, {**MERGE, "conflict": True}, {"wait": "1s"})
    assert found.trace.outcome is Outcome.FAILED
    assert found.trace.reason == "trunk: a conflict"
    assert found.wall == 20


def test_a_failed_one_gives_the_queue_up(tmp_path: Path) -> None:
    """a's conflict fails it at 20 s; b follows at once."""
    steps = {
        "parallel": [{**MERGE, "id": "a", "conflict": True, "or": "go on"}, {**MERGE, "id": "b"}]
    }
    assert of(tmp_path, steps).wall == 140


def test_ci_that_fails_half_of_the_time(tmp_path: Path) -> None:
    """Passes are geometric, mean 2, variance 2: each takes 120 s, and 10 s between two."""
    workflow = {
        "queues": {"trunk": {**TRUNK, "ci_fails": "50%"}},
        "steps": [{**MERGE, "rework": [{"wait": "10s"}]}],
    }
    graph = graph_of(tmp_path, workflow)
    assert not graph.exact
    runs = 4000
    mean = sum(simulate(graph, 6, n).ended for n in range(runs)) / runs / SECOND
    assert abs(mean - 250) < 3.29 * 130 * math.sqrt(2 / runs)


def test_chances_by_try(tmp_path: Path) -> None:
    """Certain at the first two tries, then none: 20 + 5 + 20 + 5 + 120."""
    step = {**MERGE, "conflict": ["100%", "100%", "0%"], "rework": [{"wait": "5s"}]}
    assert of(tmp_path, step).wall == 170


def test_a_time_limit_gives_the_place_back(tmp_path: Path) -> None:
    """a is cut at 50 s in its CI; b has the queue from then on."""
    steps = {
        "parallel": [{**MERGE, "id": "a", "timeout": "50s", "or": "go on"}, {**MERGE, "id": "b"}]
    }
    assert of(tmp_path, steps).wall == 170


def test_a_conflict_at_every_later_try_is_none_at_the_first(tmp_path: Path) -> None:
    """The first try has none, and its CI of 10 s passes."""
    found = run(
        tmp_path,
        {
            "queues": {"trunk": {"ci": "10s", "ci_fails": 0}},
            "steps": [{"merge": "trunk", "conflict": [0, "100%"], "rework": [{"wait": "1s"}]}],
        },
    )
    assert (found.wall, found.trace.outcome) == (10, Outcome.DONE)


def test_the_queue_of_a_pool_beside_a_merge_queue_of_its_name(tmp_path: Path) -> None:
    """Six branches merge one at a time, and use five units of a pool called the same.

    All six ask for a unit at 1 s: one waits. They are merged one by one: five wait there.
    """
    found = run(
        tmp_path,
        {
            "pools": {"trunk": {"capacity": 5}},
            "queues": {"trunk": {"ci": "10m", "rebase": "1s", "ci_fails": 0}},
            "tools": {"build": {"time": "1s", "uses": {"trunk": 1}}},
            "steps": [{"each": 6, "do": [{"wait": "1s"}, {"tool": "build"}, {"merge": "trunk"}]}],
        },
    )
    assert [pool.queue for pool in fold(found.trace, found.graph).pools] == [1]
