"""How many replications there are."""

from __future__ import annotations

import pytest

from agentsim.experiment.options import Options
from agentsim.experiment.replicate import affordable, replicate
from agentsim.experiment.stopping import checkpoints, precise
from tests.unit.analysis.hand import graph, work
from tests.unit.experiment.test_job import random_graph


def test_checkpoints() -> None:
    assert list(checkpoints(70, None, exact=False)) == [70]
    assert list(checkpoints(70, None, exact=True)) == [1]
    assert list(checkpoints(70, 0.05, exact=True)) == [1]
    assert list(checkpoints(70, 0.05, exact=False)) == [
        100, 200, 400, 800, 1600, 3200, 6400, 12800, 20000,
    ]  # fmt: skip


def test_what_is_exact_is_run_once() -> None:
    assert len(replicate(graph(work(1, "a", 1), exact=True), 0)) == 1


def test_a_precision_stops_at_the_first_look_that_reaches_it() -> None:
    # An exponential has sd = mean: the half width after n runs is 1.96 / sqrt(n) of the mean,
    # 20 % after 100 runs and 9.8 % after 400.
    tallies = replicate(random_graph(), 1, precision=0.12)
    assert len(tallies) == 400
    assert precise(tallies, 0.12)
    assert not precise(tallies[:200], 0.12)
    assert tallies == replicate(random_graph(), 1, runs=400)


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    replicate(random_graph(), 0, runs=30, progress=lambda *what: told.append(what))
    assert told == [("runs", 25, 30), ("runs", 30, 30)]


@pytest.mark.parametrize(
    ("most", "spans", "count"),
    # every tally of the graph has one span
    [(100, 1000, 40), (10, 1000, 10), (100, 7, 7), (100, 0, 1)],
)
def test_affordable(most: int, spans: int, count: int) -> None:
    assert affordable(replicate(random_graph(), 0, runs=40), most, spans) == count


@pytest.mark.parametrize(
    "wrong", [{"runs": 0}, {"precision": 0.0}, {"precision": 1.0}, {"jobs": 0}]
)
def test_options_that_ask_for_nothing(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"at least one|a precision"):
        Options(**wrong)  # type: ignore[arg-type]
