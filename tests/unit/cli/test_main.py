"""The table of commands, help and version, and what stops a command."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NoReturn

import click
import pytest
from click.testing import CliRunner

from agentsim.cli import app, exits
from agentsim.errors import EngineFault, Place, Problem, Problems
from tests.unit.cli.made import stand_in, typed

Capture = pytest.CaptureFixture[str]


def raising(fault: BaseException) -> Any:
    def answer() -> NoReturn:
        raise fault

    return answer


@pytest.mark.parametrize("name", app.COMMANDS)
def test_the_table_is_true(name: str) -> None:
    """Each row leads to a command whose own help begins as the table says, with an example."""
    module, attribute, _ = app.COMMANDS[name]
    command = getattr(importlib.import_module(module), attribute)
    assert isinstance(command, click.Command)
    assert command.name == name
    shown = CliRunner().invoke(app.cli, [name, "--help"])
    assert shown.exit_code == 0
    if not isinstance(command, click.Group):
        assert f"Examples:\n    agentsim {name}" in shown.output


def test_help_names_all_commands_and_completion(capsys: Capture) -> None:
    code, out, _ = typed(capsys, "--help")
    assert code == 0
    assert all(f"  {name} " in out for name in app.COMMANDS)
    assert "_AGENTSIM_COMPLETE=bash_source" in out


@pytest.mark.parametrize("arguments", [["--version"], ["-V"], ["--version", "run"]])
def test_version(capsys: Capture, arguments: list[str]) -> None:
    code, out, _ = typed(capsys, *arguments)
    assert (code, out.split()[0]) == (0, "agentsim")


def test_version_needs_no_click(root: Path) -> None:
    code = "import sys; from agentsim.cli import main; main(['--version']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    names = set(done.stdout.split())
    assert "agentsim.cli" in names
    assert not names & {"click", "rich", "pydantic", "simpy", "yaml"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnu", "x"], "did you mean 'run'?"),
        (["qqqqqq"], "there are: run, sweep"),
        (["backtest", "a"], "not yet: the command 'backtest'"),
        (["run"], "Missing argument 'WORKFLOW'"),
        (["run", "x", "--runs", "0"], "not from 1 to 1,000,000"),
        (["run", "x", "--runs", "many"], "not a valid integer"),
        (["run", "x", "--seed", "-1"], "not from 0"),
        (["run", "x", "--precision", "200%"], "is not a share"),
        (["run", "x", "--precision", "nan"], "is not a share"),
        (["run", "x", "--set", "loops"], "not of the form name=value"),
        (["run", "x", "--rates", "5,100"], "agentsim sweep FILE --rates 5,100"),
        (["run", "x", "--runs", "9", "--precision", "5%"], "exclude each other"),
        (["run", "x", "-f", "xml"], "'xml' is not one of"),
        (["sweep", "x", "--rates", "5,fast"], "'fast' is not a rate"),
        (["sweep", "x", "--rates", "nan"], "'nan' is not a rate"),
        (["sweep", "x", "--rates", ""], "'' is not a rate"),
    ],
)
def test_bad_usage(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    stand_in(monkeypatch)
    code, out, err = typed(capsys, *arguments)
    assert code == exits.USAGE
    assert said in err
    assert out == ""


def test_problems_are_told_all_at_once_with_their_lines(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "first.yaml"
    file.write_text("agentsim: 1\nsteps:\n  - call: main\n    outptu: 10\n")
    found = [
        Problem("unknown-key", "unknown key `outptu`", Place(str(file), 4, 5), "`output`?"),
        Problem("no-profile", "no profile `x`"),
    ]
    stand_in(monkeypatch, raising(Problems(found)))
    code, out, err = typed(capsys, "run", str(file))
    assert (code, out) == (exits.USAGE, "")
    lines = err.splitlines()
    assert lines[0] == f"{file}:4:5: unknown key `outptu` [unknown-key]"
    assert lines[1].endswith("    outptu: 10")
    assert lines[2].index("^") == lines[1].index("outptu")
    assert "hint: `output`?" in err
    assert "no profile `x`" in err


@pytest.mark.parametrize("how", [["--json"], ["-f", "json"]])
def test_problems_as_json(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, how: list[str]
) -> None:  # fmt: skip
    found = [Problem("bad-value", "no", Place("gone.yaml", 3, 5))]
    stand_in(monkeypatch, raising(Problems(found)))
    code, out, err = typed(capsys, "run", "x", *how)
    assert code == exits.USAGE
    assert json.loads(out)["problems"][0]["place"] == {"file": "gone.yaml", "line": 3, "column": 5}
    assert "gone.yaml:3:5: no" in err


def test_a_deadlock_is_the_files_fault(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, raising(EngineFault("a waits for b, b waits for a")))
    code, _, err = typed(capsys, "run", "x")
    assert code == exits.USAGE
    assert "a waits for b" in err


def test_a_fault_of_ours_is_written_down(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    stand_in(monkeypatch, raising(ZeroDivisionError("division by zero")))
    code, out, err = typed(capsys, "run", "x")
    assert (code, out) == (exits.FAULT, "")
    assert "Traceback" not in err
    (file,) = tmp_path.iterdir()
    assert str(file) in err
    text = file.read_text("utf-8")
    for part in ("agentsim ", "Python 3.", "ZeroDivisionError: division by zero", "Traceback"):
        assert part in text


def test_a_fault_is_told_even_where_nothing_can_be_written(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    stand_in(monkeypatch, raising(RuntimeError("")))
    code, _, err = typed(capsys, "run", "x")
    assert code == exits.FAULT
    assert "Traceback" in err


def test_interrupted(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, raising(KeyboardInterrupt()))
    code, _, err = typed(capsys, "run", "x")
    assert code == exits.INTERRUPTED
    assert err.strip() == "interrupted"


def test_a_reader_that_goes_away_is_no_fault(root: Path) -> None:
    code = (
        "import sys; from agentsim.cli import output; output.put('x' * 2_000_000); sys.exit(7)"
    )  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 7


def test_module_and_command_are_the_same(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agentsim", "rnu"],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == exits.USAGE
    assert "did you mean 'run'?" in done.stderr
