"""`--full`: all warnings of an answer, where the terminal tells the weightiest few."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.cli import main

FILE = """\
agentsim: 1
params: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, n: 1}
tools: {job: {time: 10s, returns: 0}}
steps:
  - loop: $(n)
    do: [{tool: job}]
"""
"""Six params that nothing uses, and what a tool returns: a warning each."""


@pytest.mark.parametrize(
    "words", [("run",), ("sweep", "--rates", "5,100"), ("compare", "--vary", "n=1,2,3")]
)
def test_full_shows_what_is_counted(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seven in all, of which four are told; in JSON all, in the order of `--full`."""
    (tmp_path / "a.yaml").write_text(FILE, "utf-8")
    command = (words[0], str(tmp_path / "a.yaml"), *words[1:])
    assert main(command) == 0
    few = " ".join(capsys.readouterr().out.split())
    assert main([*command, "--full"]) == 0
    whole = " ".join(capsys.readouterr().out.split())
    assert "3 more, and all with their figures: add `--full`" in few
    assert few.count(" is given, and no ") < whole.count(" is given, and no ") == 6
    assert "add `--full`" not in whole
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    told = found["warnings"] if "warnings" in found else found["rows"][0]["answer"]["warnings"]
    assert len(told) == 7
    places = [whole.index(" ".join(text.split())) for text in told]
    assert places == sorted(places)
