"""A cache that finds what it holds only at times: how often, by what it goes, and from when on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agentsim.cli.app import cli

TURNS = """\
agentsim: 1
agents: {coder: {prompt: 1k, turns: 400, thinking: 0, output: 10, tools: {look: 100%}}}
tools: {look: {time: 1s, returns: 100}}
steps: [{agent: coder, task: 10}]
"""


def answer(folder: Path, cache: str, steps: str = TURNS, box: str = "") -> dict[str, Any]:
    (folder / "w.yaml").write_text(steps, "utf-8")
    text = f"agentsim: 1\ndecode: {{rate: 1000 tok/s}}\nprefill: {{rate: 10k tok/s}}\n{box}"
    (folder / "box.yaml").write_text(f"{text}cache: {cache}\n", "utf-8")
    args = [
        "run",
        str(folder / "w.yaml"),
        "--hw",
        str(folder / "box.yaml"),
        "--json",
        "--runs",
        "5",
    ]
    done = CliRunner().invoke(cli, args)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("kind", "box"),
    [("ttl, ttl: 1h", ""), ("lru, capacity: 1M", ""), ("slot", "slots: 1\n")],
)
def test_so_many_lookups_find_what_is_held(tmp_path: Path, kind: str, box: str) -> None:
    """400 turns, of which all but the first would hit: of 5 x 399 lookups 70 % do, give or take
    3 standard deviations, sqrt(0.7 * 0.3 / 1995) = 1 %."""
    found = answer(tmp_path, f"{{kind: {kind}, degrades: {{to: 70%}}}}", box=box)
    misses = found["servers"]["main"]["misses"]["degraded"]
    assert 0.27 < misses["calls"] / 399 < 0.33
    whole = answer(tmp_path, f"{{kind: {kind}}}", box=box)
    read = found["tokens"]["cached"] + misses["tokens"]
    assert read == pytest.approx(whole["tokens"]["cached"])
    assert found["servers"]["main"]["misses"].keys() == {"degraded"}


def test_before_that_all_of_them_do(tmp_path: Path) -> None:
    """A turn is above 1 s, so that 100 or fewer begin in the first 100 s."""
    late = answer(tmp_path, "{kind: ttl, ttl: 1h, degrades: {after: 100s, to: 0%}}")
    calls = late["servers"]["main"]["misses"]["degraded"]["calls"]
    assert 299 <= calls <= 310
