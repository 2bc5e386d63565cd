"""What each value of a param adds to the one above it, from the same replications."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest

from agentsim.experiment.compare import Row, compare
from agentsim.experiment.grid import Grid
from agentsim.experiment.options import Options

WAITS = """\
agentsim: 1
params: {n: 1, each: 10}
tools: {job: {time: "${each}s", returns: 0}}
steps:
  - loop: $(n)
    do: [{tool: job}]
"""
DRAWN = """\
agentsim: 1
params: {n: 1}
tools: {job: {time: {uniform: [0s, 60s]}, returns: 0}}
steps:
  - loop: $(n)
    do: [{tool: job}]
"""


def rows(
    folder: Path, text: str, *vary: tuple[str, tuple[object, ...]], runs: int = 1
) -> tuple[Row, ...]:
    (folder / "a.yaml").write_text(text, "utf-8")
    grid = Grid((str(folder / "a.yaml"),), vary=vary)
    (machine,) = compare(grid, Options(runs=runs, jobs=1)).machines
    return machine.rows


def added(found: tuple[Row, ...]) -> list[float | None]:
    return [None if row.above is None else row.above.mean for row in found]


def test_each_row_is_set_beside_the_one_above(tmp_path: Path) -> None:
    """A job takes 10 s: 1, 2 and 4 of them 10, 20 and 40 s, so +10 and +20, and +30 in all."""
    found = rows(tmp_path, WAITS, ("n", (1, 2, 4)))
    assert added(found) == [None, 10.0, 20.0]
    assert [row.difference and row.difference.mean for row in found] == [None, 10.0, 30.0]
    assert all(row.above.ci95 == (row.above.mean,) * 2 for row in found if row.above)
    assert "without_people" in found[2].above_others
    assert found[0].above_others == {}


@pytest.mark.parametrize("values", [(1, 4, 2), (2, 1, 4)])
def test_without_an_order_there_is_no_step(tmp_path: Path, values: tuple[int, ...]) -> None:
    assert added(rows(tmp_path, WAITS, ("n", values))) == [None] * 3


def test_downwards_is_an_order_too(tmp_path: Path) -> None:
    assert added(rows(tmp_path, WAITS, ("n", (4, 2, 1)))) == [None, -20.0, -10.0]


def test_names_are_no_order(tmp_path: Path) -> None:
    text = WAITS.replace("each: 10", "each: 10s").replace('"${each}s"', "$(each)")
    assert added(rows(tmp_path, text, ("each", ("5s", "10s", "20s")))) == [None] * 3


def test_of_two_params_a_step_is_in_one(tmp_path: Path) -> None:
    """(1, 10), (1, 20), (2, 10), (2, 20): 10, 20, 20 and 40 s. The third row changes both."""
    found = rows(tmp_path, WAITS, ("n", (1, 2)), ("each", (10, 20)))
    assert added(found) == [None, 10.0, None, 20.0]


def test_steps_are_paired(tmp_path: Path) -> None:
    """Steps add up to the difference to the first row, as means of the same runs do; and a round
    more of a drawn job is the job's own time, so that the error is that of one job's mean.

    A uniform 0..60 s has a mean of 30 s and a spread of 60 / sqrt(12) = 17.3 s. Of runs that are
    no pairs the spread would be that of three jobs, 30 s.
    """
    found = rows(tmp_path, DRAWN, ("n", (1, 2, 3)), runs=400)
    one, two = (row.above for row in found[1:])
    whole = found[2].difference
    assert one is not None
    assert two is not None
    assert whole is not None
    assert one.mean + two.mean == pytest.approx(whole.mean)
    sd = 60 / sqrt(12)
    assert one.mean == pytest.approx(30.0, abs=4 * sd / sqrt(400))
    # a uniform's kurtosis is 1.8: the spread's own error is sd * sqrt(0.8 / (4 * 400)), 2.2 %
    assert one.sd == pytest.approx(sd, rel=4 * 0.022)
    # of two jobs more, sqrt(2) of that; of no pairs, that of four
    assert whole.sd == pytest.approx(sqrt(2) * sd, rel=4 * 0.022)
    assert one.ci95 is not None
    assert one.ci95[0] < one.mean < one.ci95[1]
