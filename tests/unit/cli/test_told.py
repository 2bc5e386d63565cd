"""Small things that the command line says: later commands, exit codes, where an answer went."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.cli import app, exits
from tests.unit.cli.made import typed

Capture = pytest.CaptureFixture[str]


def test_a_misspelt_command_of_hw_is_told_with_those_there_are(capsys: Capture) -> None:
    code, _, err = typed(capsys, "hw", "lst")
    assert code == exits.USAGE
    assert "there are: fit, list, show" in err


@pytest.mark.parametrize("name", sorted(app.LATER))
def test_a_misspelt_later_command_is_not_offered(capsys: Capture, name: str) -> None:
    code, _, err = typed(capsys, f"{name}e")
    assert code == exits.USAGE
    assert f"did you mean '{name}'" not in err


def test_help_names_every_exit_code(capsys: Capture) -> None:
    out = typed(capsys, "--help")[1]
    codes = (exits.DONE, exits.MISSED, exits.USAGE, exits.FAULT, exits.INTERRUPTED)
    assert all(f"{code} " in out[out.index("Exit codes:") :] for code in codes)


def test_a_missed_budget_says_where_the_answer_is(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("w.yaml").write_text("agentsim: 1\nbudget: {wall: 1s}\nsteps: [{wait: 2s}]\n")
    code, out, err = typed(capsys, "run", "w.yaml", "--hw", "tok5", "-o", "answer.txt")
    assert (code, out) == (exits.MISSED, "")
    assert "budget missed: the answer is in answer.txt" in err
    assert Path("answer.txt").is_file()


@pytest.mark.parametrize("name", [" ", ".", "..", "d/", "a\nb", "\x1b[31mx", "a\0b", "x" * 300])
def test_init_refuses_what_is_no_name(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = typed(capsys, "init", name)
    assert (code, out) == (exits.USAGE, "")
    assert "\x1b" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "typed_as"), [("a b", "'a b.yaml'"), ("-x", "./-x.yaml")])
def test_init_says_a_command_that_a_shell_takes(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, typed_as: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = typed(capsys, "init", "--", name)
    assert (code, out) == (exits.DONE, f"{name}.yaml\n")
    assert f"agentsim run {typed_as} --hw" in err
