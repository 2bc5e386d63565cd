"""What `hw show` says at the edges: short answers, slow machines, no source."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.analysis import hardware as figures
from agentsim.graph import ServerPlan
from agentsim.report import hardware
from agentsim.report.hardware_words import speed
from agentsim.spec.hardware import load_profile, profile_of
from agentsim.spec.reader import read


def plan(text: str) -> ServerPlan:
    return profile_of(read(f"agentsim: 1\n{text}", "box.yaml"), "box").plan


@pytest.mark.parametrize(
    ("limits", "fits"),
    [
        # (25k in, 500 out), (100k in, 50 out), (500 in, 5k out)
        ("", [True, True, True]),
        ("max_output: 10", [False, False, False]),
        ("max_output: 50", [False, True, False]),
        ("max_output: 5000", [True, True, True]),
        ("context: 64k\nmax_output: 500", [True, False, False]),
    ],
)
def test_an_answer_longer_than_the_longest(limits: str, fits: list[bool]) -> None:
    found = plan(f"decode: {{rate: 100 tok/s}}\n{limits}")
    assert [row.fits for row in figures.examples(found)] == fits


def test_what_no_source_measured_is_not_called_measured() -> None:
    """128,000 is the deepest of the table; the file says nothing of how far it was measured."""
    text = hardware.show_csv(plan("decode: {rate: 100 tok/s}"))
    assert "box,128000,100.0,,0.0,\n" in text.replace("\r", "")
    text = hardware.show_csv(plan("source: {measured_to: 64k}\ndecode: {rate: 100 tok/s}"))
    rows = text.replace("\r", "").splitlines()
    assert [row.rpartition(",")[2] for row in rows[1:]] == ["True"] * 4 + ["False"]


@pytest.mark.parametrize(
    ("rate", "text"),
    [(1e-6, "0.000001"), (0.0123, "0.012"), (0.94, "0.94"), (0.95, "0.95"), (1.25, "1.2"),
     (21.9, "21.9"), (250.0, "250")],
)  # fmt: skip
def test_slow_speeds_are_not_nought(rate: float, text: str) -> None:
    """Two figures below 1, one decimal above."""
    assert speed(rate) == text


def test_a_profile_that_ships_still_shows_its_limit(root: Path) -> None:
    """Those that say how far they were measured: some row is marked, and some is not."""
    files = sorted((root / "hardware").glob("*.yaml"))
    found = [[row.measured for row in figures.depths(load_profile(str(it)).plan)] for it in files]
    assert any(None in rows for rows in found)
    assert any(False in rows and True in rows for rows in found)
