"""Sweeps of workflows in which there is nothing to sweep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.cli import main

NO_MODEL = """agentsim: 1
name: A person and a tool
steps:
  - tool: tests
  - {person: you, time: 5m}
"""


def test_without_a_model_there_is_no_rate_to_outrun(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "none.yaml"
    file.write_text(NO_MODEL, encoding="utf-8")
    assert main(["sweep", str(file), "--runs", "8", "--json"]) == 0
    told = capsys.readouterr()
    rows = json.loads(told.out)["rows"]
    assert [row["outrun"] for row in rows] == [None] * 4
    assert len({row["answer"]["wall"]["mean"] for row in rows}) == 1
    # no profile was taken, so none is said to be
    assert "--hw" not in told.err + told.out


def test_with_a_model_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    """238 words a minute of 1.33 tokens are 5.28 tok/s; of 100 that is 18.95 times."""
    assert main(["sweep", "first", "--runs", "2", "--rates", "100", "--json"]) == 0
    told = capsys.readouterr()
    (row,) = json.loads(told.out)["rows"]
    assert row["outrun"] == pytest.approx(100 / (238 / 60 * 1.33))
    assert "no --hw was given: cerebras" in told.err + told.out
