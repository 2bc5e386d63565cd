"""What tools give back goes into the session whole, whichever way the tools of a turn run.

A prompt of 1,000 tokens; a turn answers 50 and runs three tools, which return 100 each. So the
second call sends 1,000 + 50 + 300 tokens, the third 350 more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.records import Outcome, WorkFacts
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


def test_each_failed_run_is_tried_again_and_no_other(tmp_path: Path) -> None:
    """Three runs of one tool side by side, half of them fail: each failure has its second try.

    Of 40 turns with tools 120 first tries, so some 60 second ones (error 5.5).
    """
    tools = {"look": {"time": {"uniform": ["1s", "9s"]}, "returns": 0, "fails": "50%", "retry": 1}}
    worker = {"model": "main", "turns": 41, "output": 50, "prompt": 0}
    worker |= {"tools": {"look": "100%"}, "tools_per_turn": 3}
    file = {"tools": tools, "agents": {"worker": worker}, "steps": [{"agent": "worker"}]}
    tries = [
        (span.facts.attempt, span.outcome, span.began, span.ended)
        for span in run(tmp_path, file).trace.spans
        if isinstance(span.facts, WorkFacts)
    ]
    failed = sorted(
        ended for attempt, outcome, _, ended in tries if (attempt, outcome) == (0, Outcome.FAILED)
    )
    again = sorted(began for attempt, _, began, _ in tries if attempt == 1)
    assert again == failed
    assert len(tries) - len(again) == 120
    assert 40 < len(again) < 80
