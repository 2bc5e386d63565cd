"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from agentsim.cli import output
from agentsim.errors import Problems
from agentsim.report.blocks import Document
from tests.unit.cli.made import typed


def test_a_new_file_has_the_usual_rights(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    before = os.umask(0o027)
    try:
        output.write_whole(str(file), "é\n")
    finally:
        os.umask(before)
    assert file.read_bytes() == b"\xc3\xa9\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [it.name for it in tmp_path.iterdir()] == ["a.txt"]


def test_an_old_file_keeps_its_rights_and_links(tmp_path: Path) -> None:
    file, link = tmp_path / "a.txt", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(file)
    output.write_whole(str(link), "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.txt"
    file.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Problems, match="No space left"):
        output.write_whole(str(file), "new")
    assert file.read_text() == "old"
    assert [it.name for it in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("name", ["gone/a.txt", ".", "a\0b"])
def test_impossible_targets(tmp_path: Path, name: str) -> None:
    with pytest.raises(Problems) as found:
        output.write_whole(f"{tmp_path}/{name}", "x")
    assert found.value.problems[0].code == "cannot-write"
    assert list(tmp_path.iterdir()) == []


def test_a_device_is_written_to() -> None:
    output.write_whole(os.devnull, "x")
    assert not Path(os.devnull).is_file()


def test_letters_that_the_stream_cannot_show_are_escaped(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(1, "w", encoding="ascii", closefd=False) as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        output.put("漢\ud800\n")
    assert capfdbinary.readouterr().out == b"\\u6f22\\ud800\n"


def test_a_form_that_a_command_should_not_have_offered_is_a_fault_of_ours() -> None:
    with pytest.raises(ValueError, match="no csv form"):
        output.Output("csv").show(lambda: None, dict)  # type: ignore[arg-type, return-value]


def test_messages_are_wrapped_where_somebody_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a terminal of 60 columns; in a pipe each stays on its line, for scripts."""
    file = tmp_path / "w.yaml"
    file.write_text("agentsim: 1\nsteps: [{wait: 5}]\n")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.chdir(tmp_path)
    whole = typed(capsys, "validate", "w.yaml")[2]
    assert "w.yaml:2:16: `wait`: expected a duration with a unit (ns us ms s m h d w)" in whole
    monkeypatch.setattr(output, "_is_terminal", lambda stream: True)
    told = typed(capsys, "validate", "w.yaml")[2]
    assert max(map(len, told.splitlines())) <= 60
    assert told != whole
    assert told.split() == whole.split()


def test_warnings_are_wrapped_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = output.Output("table", str(tmp_path / "a.txt"))
    long = "a warning " * 10
    monkeypatch.setenv("COLUMNS", "60")
    for terminal, most in ((False, 110), (True, 60)):
        monkeypatch.setattr(output, "_is_terminal", lambda stream, is_one=terminal: is_one)
        made.show(lambda: Document(()), dict, warnings=[long])
        told = capsys.readouterr().err
        assert max(map(len, told.splitlines())) <= most
        assert len(told.splitlines()) == (2 if terminal else 1)


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    """To open one that nobody reads waits for ever; it is told before the run."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for write in (output.Output(path=str(pipe)).check, lambda: output.write_whole(str(pipe), "x")):
        with pytest.raises(Problems, match="no regular file"):
            write()
