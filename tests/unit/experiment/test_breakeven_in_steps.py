"""A break-even in turns where these are few and fixed, so that it jumps; and what it may take."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.experiment import breakeven
from agentsim.experiment.compare import Compared, compare
from agentsim.experiment.grid import Grid
from agentsim.experiment.meeting import JUMP, Look, meet
from agentsim.experiment.options import Options
from tests.runs import File, write


def least(rate: float, **more: object) -> File:
    """Nothing but decoding (and what more is given)."""
    return {"decode": {"rate": f"{rate} tok/s"}, "prefill": "none", **more}


def found_of(folder: Path, turns: object, tool: object, slow: File, quick: File) -> Compared:
    """The break-even of an agent of so many turns of 100 tokens, and of a tool after it."""
    file: File = {
        "tools": {"t": {"time": tool}},
        "agents": {"x": {"model": "main", "prompt": 0, "turns": turns, "output": 100}},
        "steps": [{"agent": "x"}, {"tool": "t"}],
    }
    names = [write(folder, "w.yaml", file), write(folder, "a.yaml", slow)]
    names.append(write(folder, "b.yaml", quick))
    grid = Grid((str(names[0]),), machines=((str(names[1]),), (str(names[2]),)))
    return compare(grid, Options(runs=20))


def test_whole_turns_jump(tmp_path: Path) -> None:
    """10 turns at 10 tok/s are 100 s; at 18.5 tok/s one is 5.405 s: 18 are 97.3 s, 19 are 102.7 s.

    It is ahead with 18 and not with 19, and 18.5 / 10 is where turns round to the one or the other.
    Nothing is drawn, so that there is no interval.
    """
    (own,) = found_of(tmp_path, 10, "60s", least(10), least(18.5)).break_evens
    assert own.times == pytest.approx(1.85, rel=5.1e-4)
    assert (own.ci95, own.runs) == (None, 1)


def test_a_jump_where_what_is_drawn_is_the_same_on_both(tmp_path: Path) -> None:
    """As above, and the tool draws its time: all pairs differ alike, by the turns alone.

    So the statistical interval is that one number, and only the closing (0.1 %) is not known.
    """
    tool = {"uniform": ["0s", "60s"]}
    (own,) = found_of(tmp_path, 10, tool, least(10), least(18.5)).break_evens
    assert own.times == pytest.approx(1.85, rel=5.1e-4)
    assert own.ci95 is not None
    low, high = own.ci95
    assert low <= 1.85 <= high
    assert 0 < high / low - 1 < 0.0021


def test_an_interval_goes_from_step_to_step(tmp_path: Path) -> None:
    """Ten calls of 10 s and a latency of 0 to 4 s on the slow machine, of 5.405 s on the quick one.

    The slow one takes 120 s, known to t95(19) * sqrt(10 * 16 / 12 / 20) = 1.71 s: as long as 22.2
    turns, by 0.32. Which whole number is ahead is a matter of rounding: times end where it changes.
    """
    slow = least(10, latency={"uniform": ["0s", "4s"]})
    (own,) = found_of(tmp_path, 10, "60s", slow, least(18.5)).break_evens
    assert own.times is not None
    assert own.ci95 is not None
    for end in (*own.ci95, own.times):
        assert abs(end * 10 % 1 - 0.5) < 0.06
    low, high = own.ci95
    assert 2.0 < low < own.times < high < 2.4


def test_a_pair_that_takes_too_many_spans_is_not_tried(tmp_path: Path) -> None:
    """20,000 turns of one call, and eleven times as many: 220,000 spans a run, above 200,000."""
    found = found_of(tmp_path, 20_000, "60s", least(100), least(1100))
    assert (found.break_evens, found.untried) == ((), 1)


def test_all_looks_at_a_pair_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """100 turns at 5 times as many are 500 calls and a tool: a second look does not fit."""
    monkeypatch.setattr(breakeven, "ALL_SPANS", 600)
    found = found_of(tmp_path, 100, "60s", least(100), least(500))
    assert (found.break_evens, found.untried) == ((), 1)


def test_a_step_on_which_both_are_equal_is_the_answer() -> None:
    """Turns are whole tenths and both sides are level at 2.3: from 2.25 to 2.35 nothing moves.

    Looked at twice there, a line through both looks would divide by nothing.
    """

    def better(times: float) -> Look:
        return Look(times * 2.3 / (round(times * 10) / 10), 0.0)

    for start in (1.0, 2.0, 2.3, 4.0):
        met = meet(better, start, (0.1, 100.0), JUMP)
        assert met is not None
        assert 2.25 * (1 - JUMP) <= met.rate <= 2.35 * (1 + JUMP)
