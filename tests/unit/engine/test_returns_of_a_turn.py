"""What tools give back goes into the session whole, whichever way the tools of a turn run.

A prompt of 1,000 tokens; a turn answers 50 and runs three tools, which return 100 each. So the
second call sends 1,000 + 50 + 300 tokens, the third 350 more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.runs import run


def sizes(folder: Path, look: dict[str, Any], in_turn: bool) -> list[int]:
    """Tokens that each call of an agent sends that runs the tool `look` three times a turn."""
    worker = {
        "model": "main",
        "prompt": 1000,
        "turns": 3,
        "output": 50,
        "tools": {"look": "100%"},
        "tools_per_turn": 3,
        "in_turn": in_turn,
    }
    file = {"tools": {"look": look}, "agents": {"worker": worker}, "steps": [{"agent": "worker"}]}
    return [facts.fresh + facts.cached for facts in run(folder, file).calls("worker")]


@pytest.mark.parametrize("in_turn", [False, True])
def test_of_three_runs_that_end_together(in_turn: bool, tmp_path: Path) -> None:
    assert sizes(tmp_path, {"time": "1s", "returns": 100}, in_turn) == [1000, 1350, 1700]


@pytest.mark.parametrize("in_turn", [False, True])
def test_of_three_runs_that_end_apart(in_turn: bool, tmp_path: Path) -> None:
    """Times are drawn, so that one run ends after another: none may be lost meanwhile."""
    look = {"time": {"uniform": ["1s", "9s"]}, "returns": 100, "fails": "50%"}
    assert sizes(tmp_path, look, in_turn) == [1000, 1350, 1700]
