"""Options that contradict each other or say nothing, and targets that cannot be written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentsim.cli import exits
from tests.unit.cli.made import typed

Capture = pytest.CaptureFixture[str]
FULL = Path("/dev/full")


@pytest.mark.parametrize("command", ["run", "validate", "sweep", "graph", "compare"])
def test_a_param_is_set_once(capsys: Capture, command: str) -> None:
    given = ("review-loop", "--set", "rounds=3", "--set", "rounds=4")
    code, out, err = typed(capsys, command, *given)
    assert (code, out) == (exits.USAGE, "")
    assert "--set rounds=4: --set gives `rounds` two values [bad-value]" in err
    assert "--vary rounds=3,4" in err


@pytest.mark.parametrize(
    ("rate", "message"),
    [
        ("1e10", "expected a rate from 0.000001 to 1,000,000,000 a second; got `1e10`"),
        ("main=0.0000001", "from 0.000001 to 1,000,000,000 a second; got `0.0000001`"),
        ("=5", "there is no role before the `=`"),
    ],
)
def test_a_rate_that_cannot_be(capsys: Capture, rate: str, message: str) -> None:
    code, _, err = typed(capsys, "run", "first", "--quick", "--rates", rate)
    assert code == exits.USAGE
    assert f"--rates {rate}: --rates: " in err
    assert message in err
    assert "hint: " in err


@pytest.mark.parametrize(
    "command", [("run", "first", "-f", "csv"), ("graph", "first", "-f", "mermaid")]
)
def test_two_formats(capsys: Capture, command: tuple[str, ...]) -> None:
    code, out, err = typed(capsys, *command, "--json")
    assert (code, out) == (exits.USAGE, "")
    assert f"--json and -f {command[-1]} exclude each other" in err


def test_one_format_said_twice(capsys: Capture) -> None:
    code, out, _ = typed(capsys, "hw", "show", "cerebras", "-f", "json", "--json")
    assert code == exits.DONE
    assert json.loads(out)["profile"]["name"] == "cerebras"


@pytest.mark.skipif(not FULL.exists(), reason="this system has no full disk to try")
@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["--help"],
        ["run", "--help"],
        ["validate", "first", "--hw", "cerebras"],
        ["validate", "first", "--hw", "cerebras", "--json"],
        ["schema"],
    ],
)
def test_a_full_disk_is_no_fault_of_ours(arguments: list[str]) -> None:
    """In a process of its own: what is left in a buffer must not fail its end (exit code 120)."""
    with FULL.open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "agentsim", *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
            env={**os.environ, "NO_COLOR": "1"},
        )  # fmt: skip
    assert ended.returncode == exits.USAGE
    assert ended.stderr.startswith("agentsim: cannot write to stdout: ")
    assert "fault of ours" not in ended.stderr
    assert "Exception" not in ended.stderr
