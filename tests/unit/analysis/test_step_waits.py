"""What a step waits, by passage: the same passages as its `time` is of, each by itself."""

from __future__ import annotations

from pathlib import Path

from agentsim.analysis.findings import StepFindings
from agentsim.analysis.fold import fold
from agentsim.analysis.tables import steps
from agentsim.experiment import Options, answer
from agentsim.graph import PoolPlan
from agentsim.records import SECOND, Outcome, Part
from agentsim.spec import Source
from tests.unit.analysis.hand import each, graph, loop, span, trace, visit, work, worked


def _steps(tmp_path: Path, text: str) -> dict[str, StepFindings]:
    file = tmp_path / "w.yaml"
    file.write_text(f"agentsim: 1\nname: waits\n{text}")
    return answer(Source(str(file)), Options(runs=40, levers=False, sensitivity=False)).steps


def test_tries_of_a_group_wait_each_for_itself(tmp_path: Path) -> None:
    """A passage: 1 s, 3 s of waiting, 1 s. The group is tried three times: 5 s and 3 s each."""
    found = _steps(
        tmp_path,
        "tools: {t: {time: 1s, fails: 100%}}\n"
        "steps: [{do: [{tool: t, retry: {tries: 1, wait: 3s}, id: b}],"
        " retry: {tries: 2, wait: 0s}, or: go on, id: g}]\n",
    )["g.b"]
    assert found.runs == 3
    assert found.time is not None
    assert found.wait is not None
    assert (found.time.min, found.time.max) == (5, 5)
    assert (found.wait.min, found.wait.max) == (3, 3)


def test_what_was_cancelled_counts_in_neither_time_nor_wait(tmp_path: Path) -> None:
    """Noticed after 1 s: 1 + 5 + 10 = 16 s, of which 1 s waits. Noticed after 60 s: cut at 20 s."""
    found = _steps(
        tmp_path,
        "people: {d: {pickup: {values: [1s, 60s]}, switch: 5s}}\n"
        "steps: [{parallel: [{person: d, time: 10s, id: a}, {wait: 20s, id: c}], join: any}]\n",
    )["parallel.a"]
    assert found.runs == 1
    assert found.time is not None
    assert found.wait is not None
    assert found.time.n == found.wait.n < 40  # the others were cut
    assert (found.time.max, found.wait.min, found.wait.max) == (16, 1, 1)


def test_waits_side_by_side_in_a_second_passage_count_once() -> None:
    """Passage 0 to 4: waits 0 to 1 and 0.5 to 2, so 2 s. Passage 4 to 9: 4 to 7, 5 to 6, so 3 s."""
    rows = [
        (0.5, 2.0, 4.0, -1),
        (0.0, 1.0, 4.0, -1),
        (5.0, 6.0, 9.0, 1),
        (4.0, 7.0, 9.0, 1),
    ]
    spans = [
        span(
            1, "t", began, (Part.POOL_WAIT, until), (Part.TOOL, end),
            cause=cause, facts=worked((0, 1.0)),
        )
        for began, until, end, cause in rows
    ]  # fmt: skip
    run = trace(spans, ended=9, visits=[visit(1, 0, 4), visit(1, 4, 9)])
    tally = fold(run, graph(work(1, "t", 4, ((0, 1.0),)), pools=(PoolPlan("p", 9),)))
    assert list(tally.visits) == [
        1,
        0,
        4 * SECOND,
        2 * SECOND,
        1,
        4 * SECOND,
        9 * SECOND,
        3 * SECOND,
    ]


def test_items_of_a_cancelled_each_do_not_count() -> None:
    """A try of 0 to 5 is cut: its items wait 0, 2 and (cut) 4 s. The next is done: 0 and 1 s."""
    inner = each(2, "loop.jobs", 3, work(3, "loop.jobs.job", 1), limit=1)
    plan = graph(loop(1, "loop", 1, inner))
    cut = Outcome.CANCELLED
    run = trace(
        [span(3, "job", 0, (Part.TOOL, 9), place=(0, 0), facts=worked())],
        ended=9,
        visits=[
            visit(2, 0, 2, place=(0, 0)),
            visit(2, 2, 4, place=(0, 1), waited=2),
            visit(2, 4, 5, place=(0, 2), waited=4, outcome=cut),
            visit(2, 0, 5, place=(0,), outcome=cut),
            visit(2, 5, 6, place=(0, 0)),
            visit(2, 6, 9, place=(0, 1), waited=1),
            visit(2, 5, 9, place=(0,)),
        ],
    )
    found = steps(plan, [fold(run, plan)])["loop.jobs"]
    assert found.runs == 2
    assert found.time is not None
    assert found.wait is not None
    assert (found.time.n, found.time.max) == (1, 4)
    assert (found.wait.n, found.wait.min, found.wait.max) == (2, 0, 1)
