"""The profile to start with: the README shows what `init --hw` writes, and it runs as it says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
START = "import sys; from agentsim.cli import main; sys.argv[0] = 'agentsim'; sys.exit(main())"


def agentsim(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", START, *words], cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


@pytest.fixture
def box(tmp_path: Path) -> Path:
    done = agentsim("init", "--hw", "mybox.yaml", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_the_readme_shows_it(box: Path) -> None:
    shown = re.findall(r"^```yaml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    written = (box / "mybox.yaml").read_text(encoding="utf-8")
    assert written in shown
    assert max(map(len, written.splitlines())) <= 100


def test_it_runs_and_nothing_that_it_needs_is_left_out(box: Path) -> None:
    done = agentsim(
        "run", "orchestrator", "--hw", "mybox.yaml", "--quick", "--runs", "20", "--json",
        folder=box,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)
    assert found["left_out"] == []
    assert found["wall"]["mean"] > 0
    server = found["servers"]["main"]
    assert server["hit_rate"] > 0.5  # it keeps prompts
    assert server["streams"]["max"] > 1  # subagents side by side, on one machine


def test_one_call_by_hand(box: Path) -> None:
    """25,000 tokens in and 500 out, alone: what the file's four figures come to.

    Reading: 25,000 / 1,700 + 24 ns x 25,000^2 / 2 = 14.706 + 7.5 = 22.206 s. Decoding: 500 / 88 +
    166 ns x (500 x 25,000 + 500^2 / 2) = 5.682 + 2.096 = 7.778 s.
    """
    (box / "one.yaml").write_text(
        "agentsim: 1\nsteps: [{call: main, input: 25k, output: 500, thinking: 0}]\n"
    )
    done = agentsim("run", "one.yaml", "--hw", "mybox.yaml", "--json", folder=box)
    found = json.loads(done.stdout)
    assert found["breakdown"]["prefill"] == pytest.approx(22.206, abs=0.001)
    assert found["breakdown"]["decode"] == pytest.approx(7.778, abs=0.001)
    assert found["wall"]["mean"] == pytest.approx(29.984, abs=0.002)


def test_two_lines_are_told_what_they_leave_out(tmp_path: Path) -> None:
    """The README quotes what the answer says of them."""
    quoted = re.search(r'errs: "(too quick [^"]*)"', README)
    rate = re.search(r"`(decode: {rate: [^`]*)` are enough", README)
    assert quoted
    assert rate
    (tmp_path / "two.yaml").write_text(f"agentsim: 1\n{rate[1]}\n")
    done = agentsim("run", "first", "--hw", "two.yaml", "--quick", folder=tmp_path)
    text = " ".join(done.stdout.split())
    assert f"two: {quoted[1]}, `latency` (" in text
    assert "either way without `context` (if below " in text
