"""A result is never written over what it was made from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentsim.cli import exits
from tests.unit.cli.made import typed

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch

WORKFLOW = "agentsim: 1\nparams: {part: part.yaml}\nsteps: [{include: $(part)}]\n"
PART = "agentsim: 1\nsteps: [{call: main, input: 10, output: 10}]\n"
BOX = "agentsim: 1\ndecode: {rate: 100 tok/s}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: Patch) -> Path:
    for name, text in (("w", WORKFLOW), ("part", PART), ("other", PART), ("box", BOX)):
        (tmp_path / f"{name}.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


RUN = ("run", "w.yaml", "--hw", "box.yaml", "--quick")


@pytest.mark.parametrize(
    ("command", "target"),
    [
        (RUN, "w.yaml"),
        (RUN, "./w.yaml"),
        (RUN, "part.yaml"),
        (RUN, "box.yaml"),
        ((*RUN, "--set", "part=other.yaml"), "other.yaml"),
        (("run", "w.yaml", "--hw", "main=./box.yaml#2"), "box.yaml"),
        (("sweep", "w.yaml", "--hw", "box.yaml"), "part.yaml"),
        (("compare", "w.yaml", "other.yaml", "--hw", "box.yaml"), "other.yaml"),
        (("compare", "w.yaml", "--hw", "cerebras", "--hw", "cerebras,main=box.yaml"), "box.yaml"),
        (("validate", "w.yaml", "--full", "--hw", "box.yaml"), "w.yaml"),
        (("graph", "w.yaml"), "w.yaml"),
        (("graph", "w.yaml"), "part.yaml"),
        (("hw", "show", "box.yaml"), "box.yaml"),
    ],
)
def test_what_is_read_is_not_written(
    capsys: Capture, folder: Path, command: tuple[str, ...], target: str
) -> None:
    before = (folder / target).read_text()
    code, out, err = typed(capsys, *command, "-o", target)
    assert (code, out) == (exits.USAGE, "")
    assert f"cannot write {target!r}: this command reads it [cannot-write]" in err
    assert (folder / target).read_text() == before


def test_a_file_without_steps_is_told_so(capsys: Capture, folder: Path) -> None:
    """What it includes is asked before it is read in earnest, if the result is there already."""
    (folder / "w.yaml").write_text("agentsim: 1\nname: nothing yet\n")
    (folder / "result.md").write_text("of yesterday")
    code, out, err = typed(capsys, *RUN, "-o", "result.md")
    assert (code, out) == (exits.USAGE, "")
    assert "`steps` is missing in a workflow" in err


def test_a_link_to_it_is_seen_through(capsys: Capture, folder: Path) -> None:
    os.symlink(folder / "w.yaml", folder / "answer.json")
    code, _, err = typed(capsys, *RUN, "--json", "-o", "answer.json")
    assert code == exits.USAGE
    assert "this command reads it" in err
    assert (folder / "w.yaml").read_text() == WORKFLOW


def test_profiles_that_are_listed(capsys: Capture, folder: Path) -> None:
    (folder / "hardware").mkdir()
    (folder / "hardware" / "box.yaml").write_text(BOX)
    code, _, err = typed(capsys, "hw", "list", "-o", "hardware/box.yaml")
    assert code == exits.USAGE
    assert "this command reads it" in err
    assert (folder / "hardware" / "box.yaml").read_text() == BOX


def test_an_answer_of_before_is_written_over(capsys: Capture, folder: Path) -> None:
    """Another file of the folder is nobody's input, whatever it holds."""
    (folder / "answer.json").write_text("old")
    code, _, _ = typed(capsys, *RUN, "--json", "-o", "answer.json")
    assert code == exits.DONE
    assert (folder / "answer.json").read_text().startswith("{")
