"""`run` and `sweep`: what they ask for, what they show, where, and with which exit code."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from agentsim.analysis.gate import BudgetFindings
from agentsim.cli import exits
from tests.unit.cli.made import stand_in, typed
from tests.unit.report.made import findings, odd

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
GOLDEN = Path(__file__).parents[1] / "report" / "golden"


def test_the_answer_is_a_table_without_escapes(capsys: Capture, monkeypatch: Patch) -> None:
    stand_in(monkeypatch)
    code, out, err = typed(capsys, "run", "first.yaml")
    assert (code, err) == (exits.DONE, "")
    assert out == (GOLDEN / "answer.txt").read_text("utf-8")


def test_what_is_asked_for(capsys: Capture, monkeypatch: Patch) -> None:
    asked = stand_in(monkeypatch)
    typed(
        capsys, "run", "a.yaml", "--hw", "h200", "--hw", "small=cerebras", "--set", "loops=2",
        "--set", "x=a=b", "--rates", "main=200,small=50", "--seed", "0", "--jobs", "2",
        "--precision", "5%", "--no-levers",
    )  # fmt: skip
    hardware, sets = ("h200", "small=cerebras"), (("loops", "2"), ("x", "a=b"))
    assert asked.source == ("a.yaml", hardware, sets, ("main=200", "small=50"))
    assert asked.options == {
        "seed": 0, "jobs": 2, "precision": 0.05,
        "levers": False, "sensitivity": True, "progress": None,
    }  # fmt: skip


def test_what_is_not_said_is_the_experiments_choice(capsys: Capture, monkeypatch: Patch) -> None:
    asked = stand_in(monkeypatch)
    typed(capsys, "run", "a.yaml", "--quick")
    # but for the processes: one a core, since 1,000 runs are what is not said
    assert asked.options.pop("jobs") == os.cpu_count()
    assert asked.options == {"seed": 0, "levers": False, "sensitivity": False, "progress": None}


@pytest.mark.parametrize("met", [0.79, 0.8])
def test_a_missed_budget_is_an_exit_code(capsys: Capture, monkeypatch: Patch, met: float) -> None:
    budget = BudgetFindings({"wall": 5400.0}, 0.8, met)
    stand_in(monkeypatch, lambda: findings(budget=budget))
    code, out, _ = typed(capsys, "run", "x")
    assert code == (exits.DONE if met >= 0.8 else exits.MISSED)
    assert ("MISSED" in out) == (met < 0.8)


def test_failed_runs_are_an_exit_code_only_if_asked(capsys: Capture, monkeypatch: Patch) -> None:
    stand_in(monkeypatch, lambda: findings(failed=0.1, reasons={"tests": 0.1}))
    assert typed(capsys, "run", "x")[0] == exits.DONE
    assert typed(capsys, "run", "x", "--fail-on", "failed")[0] == exits.MISSED


@pytest.mark.parametrize("how", [["--json"], ["-f", "json"]])
def test_json(capsys: Capture, monkeypatch: Patch, how: list[str]) -> None:
    stand_in(monkeypatch)
    code, out, _ = typed(capsys, "run", "x", *how)
    assert code == 0
    assert json.loads(out)["wall"]["p50"] == 2820.0


def test_markdown_and_csv(capsys: Capture, monkeypatch: Patch) -> None:
    stand_in(monkeypatch)
    assert typed(capsys, "run", "x", "-f", "markdown")[1] == (GOLDEN / "answer.md").read_text()
    assert typed(capsys, "run", "x", "-f", "csv")[1].startswith("workflow,hardware,seed")


def test_warnings_reach_stderr_where_nobody_reads_the_answer(
    capsys: Capture, monkeypatch: Patch
) -> None:
    stand_in(monkeypatch, lambda: findings(notices=odd("thin \x1b[31mdata")))
    _, out, err = typed(capsys, "run", "x", "--json")
    assert err == "warning: thin data\n"
    assert json.loads(out)["warnings"] == ["thin \x1b[31mdata"]


def test_to_a_file(capsys: Capture, monkeypatch: Patch, tmp_path: Path) -> None:
    stand_in(monkeypatch)
    file = tmp_path / "answer.txt"
    code, out, _ = typed(capsys, "run", "x", "-o", str(file))
    assert (code, out) == (0, "")
    assert file.read_text("utf-8") == (GOLDEN / "answer.txt").read_text("utf-8")


def test_a_target_that_cannot_be_is_told_before_the_run(
    capsys: Capture, monkeypatch: Patch, tmp_path: Path
) -> None:
    asked = stand_in(monkeypatch)
    code, _, err = typed(capsys, "run", "x", "-o", str(tmp_path / "gone" / "a.json"))
    assert code == exits.USAGE
    assert "there is no folder" in err
    assert asked.source is None


def test_a_terminal_gets_colour_unless_somebody_says_no(
    capsys: Capture, monkeypatch: Patch
) -> None:
    stand_in(monkeypatch, lambda: findings(notices=odd("thin")))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    _, out, err = typed(capsys, "run", "x")
    assert "\x1b[1m" in out
    assert err == ""  # the warning is read in the answer
    assert "\x1b" not in typed(capsys, "run", "x", "--no-color")[1]
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in typed(capsys, "run", "x")[1]
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in typed(capsys, "run", "x")[1]


def test_sweep(capsys: Capture, monkeypatch: Patch) -> None:
    asked = stand_in(monkeypatch)
    code, out, _ = typed(capsys, "sweep", "x", "--hw", "cerebras")
    assert code == 0
    assert out == (GOLDEN / "sweep.txt").read_text("utf-8")
    assert asked.rates == (5.0, 100.0, 800.0, 15_000.0)
    assert asked.source == ("x", ("cerebras",), ())


def test_a_sweep_says_which_hardware_it_took(capsys: Capture, monkeypatch: Patch) -> None:
    asked = stand_in(monkeypatch)
    warning = "no --hw was given: cerebras is taken"
    assert warning in typed(capsys, "sweep", "x")[1]
    assert asked.source == ("x", ("cerebras",), ())
    _, out, err = typed(capsys, "sweep", "x", "--json")
    assert err.startswith(f"warning: {warning}")
    answers = [row["answer"] for row in json.loads(out)["rows"]]
    assert len(answers) == 4
    assert all(answer["warnings"][0].startswith(warning) for answer in answers)
    assert "no --hw" not in typed(capsys, "sweep", "x", "--hw", "cerebras")[1]


def test_rates_go_from_slow_to_fast(capsys: Capture, monkeypatch: Patch) -> None:
    asked = stand_in(monkeypatch)
    typed(capsys, "sweep", "x", "--rates", "100, 5tok/s", "--hw", "h200", "-f", "csv")
    assert asked.rates == (5.0, 100.0)
    assert asked.source == ("x", ("h200",), ())


def test_the_help_says_what_typical_and_4_in_5_mean(capsys: Capture) -> None:
    text = " ".join(typed(capsys, "run", "--help")[1].split())
    assert (
        '"typical" is the median run, and 4 in 5 runs (80%) end within the time beside it' in text
    )
