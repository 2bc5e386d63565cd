"""A loop that approves with probability p: rounds are geometric, mean 1/p, variance (1-p)/p^2."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from agentsim.engine import simulate
from agentsim.records import SECOND
from tests.runs import graph_of

RUNS = 3000
Z = 3.29  # 99.9 %, with fixed seeds


def rounds(folder: Path, approves: Any, most: int) -> list[int]:
    """Rounds of each run: a round takes one second, and there is nothing else."""
    step = {"wait": "1s", "approves": approves}
    graph = graph_of(folder, {"steps": [{"loop": most, "do": [step]}]})
    return [simulate(graph, 3, number).ended // SECOND for number in range(RUNS)]


def test_rounds_until_approved_at_55_percent(tmp_path: Path) -> None:
    """1 / 0.55 = 1.818; a cap of 200 rounds is never met (0.45^200)."""
    found = rounds(tmp_path, "55%", 200)
    deviation = math.sqrt(0.45) / 0.55 / math.sqrt(RUNS)
    assert abs(sum(found) / RUNS - 1.818182) < Z * deviation
    first = sum(count == 1 for count in found) / RUNS
    assert abs(first - 0.55) < Z * math.sqrt(0.55 * 0.45 / RUNS)


def test_a_cap_cuts_the_tail(tmp_path: Path) -> None:
    """At most 3 rounds at 55 %: 1 + 0.45 + 0.45^2 = 1.6525."""
    found = rounds(tmp_path, "55%", 3)
    assert max(found) == 3
    second = 0.55 + 4 * 0.45 * 0.55 + 9 * 0.45**2
    deviation = math.sqrt((second - 1.6525**2) / RUNS)
    assert abs(sum(found) / RUNS - 1.6525) < Z * deviation


def test_chances_by_round_and_the_last_holds_on(tmp_path: Path) -> None:
    """[0, 50 %]: never in round 1, then geometric: 1 + 1/0.5 = 3, variance 0.5 / 0.25 = 2."""
    found = rounds(tmp_path, ["0%", "50%"], 200)
    assert min(found) == 2
    assert abs(sum(found) / RUNS - 3.0) < Z * math.sqrt(2.0 / RUNS)


@pytest.mark.parametrize(("approves", "wanted"), [("100%", 1), ("0%", 5)])
def test_certain_chances_are_certain(approves: str, wanted: int, tmp_path: Path) -> None:
    assert set(rounds(tmp_path, approves, 5)) == {wanted}
