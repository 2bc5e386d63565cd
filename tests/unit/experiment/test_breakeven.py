"""What stands behind a break-even in turns: what goes by turns, its error, and how many runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agentsim.analysis import fold
from agentsim.analysis.estimate import t95
from agentsim.analysis.outcome import Tally
from agentsim.engine import simulate
from agentsim.experiment import breakeven
from agentsim.experiment.breakeven import BreakEven, Entry, of_turns
from agentsim.experiment.executors import executor_for
from agentsim.graph import Graph, Step
from agentsim.records import SECOND, Part
from tests.runs import File, graph_of
from tests.unit.analysis.hand import graph, trace

PLAN = replace(graph(), steps=(Step("", "workflow"), Step("x", "agent")))
"""Drawn, with one agent; what it takes is made up below."""


def test_a_wait_for_a_place_does_not_go_by_turns(tmp_path: Path) -> None:
    """Two agents of 3 s (one turn of 300 tokens at 100 tok/s), one place: 6 s of critical path.

    The second waits 3 s for its place and then decodes 3 s: 3 s go by turns, the wait does not.
    """
    file: File = {
        "caps": {"agents": 1},
        "agents": {"x": {"model": "main", "prompt": 0, "turns": 1, "output": 300}},
        "steps": [{"each": 2, "do": [{"agent": "x"}]}],
    }
    plan = graph_of(tmp_path, file)
    tally = fold(simulate(plan, 0, 0), plan)
    waited = sum(time for _, part, _, time in tally.path if part == Part.CAP_WAIT)
    assert (tally.wall, waited) == (6 * SECOND, 3 * SECOND)
    assert of_turns(plan, tally) == 3 * SECOND


def broken_even(
    other: Sequence[float],
    turns: Sequence[float],
    wanted: Sequence[float],
    spans: int,
    monkeypatch: pytest.MonkeyPatch,
) -> BreakEven:
    """Of a machine whose runs take `other` + X * `turns` at X times the turns; seconds."""
    none = fold(trace([], 0), PLAN)

    def tally(fixed: float, some: float) -> Tally:
        path = [(1, int(Part.DECODE), "", round(some * SECOND))]
        return none._replace(wall=round((fixed + some) * SECOND), path=path)

    def with_turns(plan: Graph, times: float) -> Graph:
        return replace(plan, name=repr(times))

    def several(
        executor: object, plans: Sequence[Graph], seed: int, count: int, what: str
    ) -> Iterator[list[Tally]]:
        times = float(plans[0].name)
        pairs = list(zip(other, turns, strict=True))
        yield [tally(fixed, own * times) for fixed, own in pairs[:count]]

    monkeypatch.setattr(breakeven, "with_turns", with_turns)
    monkeypatch.setattr(breakeven, "several", several)
    now = [tally(fixed, own) for fixed, own in zip(other, turns, strict=True)]
    alone = [own.without_people for own in now]
    quick = Entry("w", PLAN, alone, [of_turns(PLAN, own) for own in now], spans)
    longer = [round(own * SECOND) for own in wanted]
    slow = Entry("w", PLAN, longer, longer, spans)
    with executor_for(1) as executor:
        ((found,), _) = breakeven.break_evens(executor, [[slow], [quick]], 0)
    assert (found.ahead, found.behind, found.clear) == (1, 0, True)
    return found


def test_a_break_even_and_its_interval_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten runs, half of 6 + 4 X s, half of 8 + 6 X s, against 18 and 30 s: 7 + 5 X = 24 at 3.4.

    There they take 19.6 and 28.4 s, 1.6 s more and less: a standard deviation of 1.6 sqrt(10 / 9),
    over sqrt(10) runs 1.6 / 3 s, over the 17 s that go by turns then 0.031373, times Student's t
    for nine degrees of freedom.
    """
    found = broken_even([6, 8] * 5, [4, 6] * 5, [18, 30] * 5, 10, monkeypatch)
    assert found.times == pytest.approx(3.4)
    assert found.runs == 10
    half = t95(9) * 1.6 / 3 / 17
    assert found.ci95 == pytest.approx((3.4 / math.exp(half), 3.4 * math.exp(half)), rel=1e-3)


@pytest.mark.parametrize(
    ("spans", "runs"),
    # 40 runs of 1,000 spans: at three times the turns one has 3,000, and 100,000 are 33 of them;
    # of 100 spans it is all 40; of 5,000 six would do, and ten are the fewest
    [(40_000, 33), (4000, 40), (200_000, 10)],
)
def test_as_many_runs_as_their_spans_allow(
    spans: int, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """5 + 5 X s against 20 s: three times the turns."""
    found = broken_even([5] * 40, [5] * 40, [20] * 40, spans, monkeypatch)
    assert found.times == pytest.approx(3)
    assert found.runs == runs
