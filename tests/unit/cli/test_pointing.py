"""What another command takes is refused with the name of that command; bad targets with reasons."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentsim.cli import exits, output
from tests.unit.cli.made import typed

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "first", "until-green"], "agentsim compare FILE FILE"),
        (["run", "first", "a", "b"], "one workflow at a time, and a b is one more"),
        (["sweep", "first", "until-green"], "agentsim compare FILE FILE"),
        (["validate", "first", "until-green"], "one workflow at a time, and until-green"),
        (["run", "first", "--hw", "tok5", "--hw", "tok100"], "compare FILE --hw A --hw B"),
        (["sweep", "first", "--hw", "tok5", "--hw", "tok100"], "compare FILE --hw A --hw B"),
        (["run", "first", "--vary", "n=1,2"], "agentsim compare FILE --vary NAME=VALUES"),
        (["sweep", "first", "--vary", "n=1,2"], "agentsim compare FILE --vary NAME=VALUES"),
        (["compare", "first", "--budget", "2h"], "`budget: {wall: 2h, chance: 80%}`"),
        (["run", "first", "--budget", "2h"], "a budget stands in the workflow's file"),
        (["compare", "first", "--rates", "5"], "agentsim sweep FILE --rates 5,100"),
        (["run", "first", "--rates", "main=5,6"], "6 is for no role, since each has a rate"),
        (["sweep", "first", "--rates", "small=20,200"], "sweep takes no role (small=20)"),
        (["sweep", "first", "--rates", "small=20,200"], "agentsim run FILE --rates small=20"),
        (["sweep", "first", "--rates", "5,100,5"], "--rates 5,100,5 has 5 twice"),
        (["sweep", "first", "--rates", "5,5.0"], "has 5 twice; name each rate once"),
        # other options are told as ever
        (["run", "first", "--verbose"], "--verbose"),
    ],
)
def test_what_was_meant(capsys: Capture, arguments: list[str], said: str) -> None:
    code, out, err = typed(capsys, *arguments)
    assert (code, out) == (exits.USAGE, "")
    assert said in err


@pytest.mark.parametrize("given", [["--budget", "2h"], ["--hw", "tok5,"], ["--nothing"]])
def test_bad_usage_is_wrapped_where_somebody_reads_it(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, given: list[str]
) -> None:
    """In a terminal of 50 columns; in a pipe it stays on its line."""
    whole = typed(capsys, "compare", "first", *given)[2]
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr(output, "_is_terminal", lambda stream: True)
    code, _, told = typed(capsys, "compare", "first", *given)
    assert code == exits.USAGE
    assert max(map(len, told.split("Error: ")[1].splitlines())) <= 50
    assert told.split() == whole.split()


def test_a_rate_for_the_roles_that_are_left_is_heeded(capsys: Capture) -> None:
    """`orchestrator` has the roles main and small."""
    given = ("orchestrator", "--hw", "claude-opus", "--quick", "--runs", "2")
    code, out, _ = typed(capsys, "run", *given, "--hw", "small=cerebras", "--rates", "main=5,6")
    assert code == exits.DONE
    assert "claude-opus, 5 tok/s" in out
    assert "cerebras, 6 tok/s" in out


def test_names_are_listed_in_one_order(capsys: Capture) -> None:
    lists = []
    for given in ("claude", "small=h20"):
        err = typed(capsys, "run", "orchestrator", "--hw", "tok5", "--hw", given)[2]
        lists += [part.split(" [")[0] for part in err.split("there are: ")[1:]]
    assert lists[-1].split(", ") == sorted(lists[-1].split(", "))
    assert "did you mean `h200`?" in err


@pytest.mark.parametrize(
    ("target", "why", "hint"),
    [
        ("", "that is no name", "hint: name a file, or leave it out"),
        (".", "it is a folder", "hint: name a file in it, such as ./answer.txt"),
        pytest.param(
            "/dev/full", "No space left on device", "hint: make room there",
            marks=pytest.mark.skipif(not os.path.exists("/dev/full"), reason="none here"),
        ),
    ],
)  # fmt: skip
def test_targets(capsys: Capture, target: str, why: str, hint: str) -> None:
    given = ("run", "first", "--quick", "--runs", "2", "--hw", "tok100", "-o", target)
    code, out, err = typed(capsys, *given)
    assert (code, out) == (exits.USAGE, "")
    assert f"cannot write {target!r}: {why}" in err
    assert hint in err


def test_init_refuses_no_name_and_devices(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = typed(capsys, "init", "")
    assert code == exits.USAGE
    assert "'' is no name of a file" in err
    code, _, err = typed(capsys, "init", "--force", "/dev/agentsim-none")
    assert code == exits.USAGE
    assert "'/dev/agentsim-none' is among the devices" in err
    assert not Path("/dev/agentsim-none.yaml").exists()
    assert list(tmp_path.iterdir()) == []


def test_init_refuses_a_folder_that_is_not_writable(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what the system says: who tests may be one who may write everywhere."""
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(tmp_path))
    code, _, err = typed(capsys, "init", str(tmp_path / "mine"))
    assert code == exits.USAGE
    assert f"the folder {str(tmp_path)!r} is not writable" in err
    assert "hint: name a file in a folder that you may write to" in err
    assert list(tmp_path.iterdir()) == []


def test_init_tells_each_file_that_it_writes(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = typed(capsys, "init", "mine")
    assert told[1] == "mine.yaml\n"
    assert "also written: workflow.schema.json" in told[2]
    assert sorted(it.name for it in tmp_path.iterdir()) == ["mine.yaml", "workflow.schema.json"]
