"""The greatest of N exponential(1) branches: its mean is the harmonic number H_N.

H_2 = 1.5, H_4 = 2.0833, H_8 = 2.7179, H_16 = 3.3807; its variance is the sum of 1/k^2. A plan
made of means would say 1 for every N.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from agentsim.engine import simulate
from agentsim.records import SECOND
from tests.runs import File, graph_of

RUNS = 3000
Z = 3.29  # 99.9 %: the seeds are fixed, so this can only fail when the engine changes

WAIT: dict[str, Any] = {"wait": {"exponential": "1s"}}


def workflow(kind: str, branches: int) -> File:
    if kind == "each":
        return {"steps": [{"each": branches, "do": [WAIT]}]}
    return {"steps": [{"parallel": [WAIT] * branches}]}


@pytest.mark.parametrize("kind", ["each", "parallel"])
@pytest.mark.parametrize(
    ("branches", "mean"), [(2, 1.5), (4, 2.083333), (8, 2.717857), (16, 3.380729)]
)
def test_the_greatest_of_exponential_branches(
    kind: str, branches: int, mean: float, tmp_path: Path
) -> None:
    graph = graph_of(tmp_path, workflow(kind, branches))
    walls = [simulate(graph, 1, number).ended / SECOND for number in range(RUNS)]
    found = sum(walls) / RUNS
    deviation = math.sqrt(sum(1 / k**2 for k in range(1, branches + 1)) / RUNS)
    assert abs(found - mean) < Z * deviation
    assert Z * deviation < 0.05 * mean  # so close that an error of 5 % would be seen


def test_branches_are_drawn_apart(tmp_path: Path) -> None:
    """Were they one draw, the greatest would be that draw and its mean 1."""
    graph = graph_of(tmp_path, workflow("each", 4))
    for number in range(20):
        times = [span.ended - span.began for span in simulate(graph, 1, number).spans]
        assert len(set(times)) == 4
