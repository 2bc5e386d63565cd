"""`agentsim hw fit` as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.made import typed

GB10 = str(Path(__file__).resolve().parents[2] / "measured" / "gb10_gpt-oss-120b.txt")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_writes_a_profile_that_runs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = typed(capsys, "hw", "fit", GB10, "-o", "box.yaml")
    assert code == 0, err
    assert "written: box.yaml" in out
    assert "Decoding: mean error" in out
    assert "left out" in out
    assert typed(capsys, "hw", "show", "box.yaml")[0] == 0
    assert typed(capsys, "init", "first.yaml")[0] == 0
    code, out, err = typed(
        capsys, "run", "first.yaml", "--hw", "box.yaml", "--runs", "2", "--quick"
    )
    assert code in (0, 1), err


def test_without_a_file_the_profile_goes_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = typed(capsys, "hw", "fit", GB10)
    assert code == 0
    assert out.startswith("# Made by")
    assert "Decoding: mean error" in err


def test_json_has_every_row_and_the_profile(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(typed(capsys, "hw", "fit", GB10, "-f", "json")[1])
    assert told["agentsim"] == "fit"
    assert len(told["rows"]) == 46
    assert told["errors"]["decode"]["mean"] < 0.02
    assert told["profile"].startswith("# Made by")


def test_what_it_reads_is_not_written_over(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.csv").write_text("x")
    code, _, err = typed(capsys, "hw", "fit", "a.csv", "-o", "a.csv")
    assert code == 2
    assert "this command reads it" in err
    assert (here / "a.csv").read_text() == "x"


def test_a_bad_file_leaves_nothing_behind(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.csv").write_text("hello")
    code, _, err = typed(capsys, "hw", "fit", "a.csv", "-o", "box.yaml")
    assert code == 2
    assert "a.csv:1:1: no result of a benchmark tool" in err
    assert not (here / "box.yaml").exists()


def test_a_form_for_the_errors_needs_a_file_for_the_profile(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = typed(capsys, "hw", "fit", GB10, "-f", "csv")
    assert code == 2
    assert "name a file for the profile" in err
    code, out, _ = typed(capsys, "hw", "fit", GB10, "-f", "csv", "-o", "box.yaml")
    assert code == 0
    assert len(out.splitlines()) == 47
    code, out, _ = typed(capsys, "hw", "fit", GB10, "-f", "markdown", "-o", "box.yaml")
    assert code == 0
    assert "| line 5 |" in out
