"""Warnings of two lines, or of two names with figures, are two: on a terminal, in full, as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.cli import main

FILE = """\
agentsim: 1
params: {n: 2}
tools: {t: {time: 2s}}
steps:
  - {tool: t, id: part 1, retry: 2}
  - {tool: t, id: part 2, retry: 2}
  - {wait: 1s, timeout: }
  - {wait: 2s, id: b, timeout: }
  - {each: $(n), do: [{tool: t}]}
"""
IDLE = "`retry` does nothing, since it cannot fail: nothing gives it a chance by `fails`, or a "
TOLD = [
    f"part 1 (line 5): {IDLE}`timeout`",
    f"part 2 (line 6): {IDLE}`timeout`",
    "`timeout` (line 7) has no value and counts as not written",
    "`timeout` (line 8) has no value and counts as not written",
]
"""By the lines of the file: two steps that differ by a figure in their name, and two lines."""

SWEEP = ("sweep", "--rates", "5,100")
COMPARE = ("compare", "--vary", "n=1,2")


def said(words: tuple[str, ...], folder: Path, *more: str) -> int:
    (folder / "a.yaml").write_text(FILE, "utf-8")
    return main([words[0], str(folder / "a.yaml"), *words[1:], *more])


@pytest.mark.parametrize("more", [(), ("--full",)])
@pytest.mark.parametrize("words", [("run",), SWEEP, COMPARE])
def test_each_is_told(
    words: tuple[str, ...],
    more: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert said(words, tmp_path, *more) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert [it for it in TOLD if it in text] == TOLD
    assert "other figures" not in text


@pytest.mark.parametrize("words", [("run",), SWEEP, COMPARE])
def test_each_is_told_beside_data(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(words, tmp_path, "-f", "csv") == 0
    told = [line.removeprefix("warning: ") for line in capsys.readouterr().err.splitlines()]
    assert sorted(told) == sorted(TOLD)


def test_a_comparison_as_data_has_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(COMPARE, tmp_path, "--json") == 0
    assert sorted(json.loads(capsys.readouterr().out)["warnings"]) == sorted(TOLD)
