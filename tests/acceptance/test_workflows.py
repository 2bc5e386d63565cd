"""Every workflow that ships validates without a doubt of its own and runs; what pairs says so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agentsim.cli import main

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "workflows").glob("*.yaml"))

EXPECTED = ("no --hw was given", "taken as there at all times")
"""What `validate` tells of any workflow: the machine taken, and people without working hours."""

FAILS = {"until-green": 0.20}
"""The most that may fail of 20 runs of those that can: 1 in 11 stays red."""

PAIRS = {
    ("until-clean", "best-of-n"): set(),
    ("single-agent", "orchestrator"): {"plan", "tests", "you"},
    ("slow-but-right", "fast-but-wrong"): {
        "implement",
        "until-accepted",
        "until-accepted.you",
        "until-accepted.fixer",
    },
}
"""Pairs, and the paths of steps that are the same in both, so that they draw the same numbers."""

Capture = pytest.CaptureFixture[str]


def answer(capsys: Capture, *words: str) -> dict[str, Any]:
    """What the command writes as JSON."""
    assert main([*words, "--json"]) in (0, 1)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_is_valid_and_nothing_in_it_is_doubtful(file: Path, capsys: Capture) -> None:
    found = answer(capsys, "validate", str(file))
    assert found["problems"] == []
    told: list[str] = found["warnings"]
    assert [text for text in told if not text.startswith(EXPECTED)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_runs(file: Path, capsys: Capture) -> None:
    """Twenty runs on a hosted model of today: it takes some time, and fails only where it may."""
    words = ("run", str(file), "--hw", "claude-opus", "--quick", "--runs", "20")
    found = answer(capsys, *words)
    assert 1 < found["wall"]["p50"] < 4 * 3600
    assert found["calls"]["done"] > 0
    assert found["outcome"]["failed"] <= FAILS.get(file.stem, 0)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_says_what_it_is_for(file: Path) -> None:
    """Its schema first, then a remark; and a command in it names workflows that there are."""
    lines = file.read_text("utf-8").splitlines()
    assert lines[0].startswith("# yaml-language-server: $schema=../agentsim/schemas/workflow")
    assert lines[1].startswith("# ")
    names = {it.stem for it in FILES}
    for command in re.findall(r"agentsim (?:compare|sweep) ((?:[a-z][a-z-]+ )+)", "\n".join(lines)):
        assert set(command.split()) <= names


@pytest.mark.parametrize("pair", PAIRS, ids=" ".join)
def test_a_pair_shares_its_steps(pair: tuple[str, str], capsys: Capture) -> None:
    paths = [
        set(answer(capsys, "run", name, "--hw", "claude-opus", "--quick", "--runs", "2")["steps"])
        for name in pair
    ]
    assert paths[0] & paths[1] == PAIRS[pair]
