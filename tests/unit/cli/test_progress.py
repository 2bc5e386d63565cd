"""Progress is for people at a terminal, and only when there is something to wait for."""

from __future__ import annotations

import re
import sys

import pytest

from agentsim.cli import progress

Capture = pytest.CaptureFixture[str]


def test_nobody_looks(capsys: Capture) -> None:
    with progress.progress() as told:
        assert told is None
    assert capsys.readouterr().err == ""


def test_a_quick_answer_does_not_flicker(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress, "PATIENCE", 3600)
    with progress.progress() as told:
        assert told is not None
        told("runs", 1, 10)
    assert capsys.readouterr().err == ""


def test_a_long_one_says_how_far_it_is(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with progress.progress() as told:
        assert told is not None
        told("[red]runs", 3, 10)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "3/10" in shown.err
    assert "[red]runs" in shown.err


def test_what_follows_has_a_length_of_its_own(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with progress.progress() as told:
        assert told is not None
        told("runs", 10, 10)
        told("crossings", 2, 0)  # of how many is not known
    last = capsys.readouterr().err.split("crossings")[-1]
    assert "2/?" in last


@pytest.mark.parametrize(("said", "coloured"), [("1", False), ("", True)])
def test_no_color_is_heeded(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, said: str, coloured: bool
) -> None:
    """`\\x1b[38;5;…m` and `\\x1b[31m` are colours; moving the cursor, or bold, is none."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", said)  # empty is the same as not set
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with progress.progress() as told:
        assert told is not None
        told("runs", 3, 10)
    shown = capsys.readouterr().err
    assert bool(re.search(r"\x1b\[[0-9;]*\b[34][0-9][0-9;]*m", shown)) is coloured
