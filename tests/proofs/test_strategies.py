"""Rounds of review against attempts side by side: who wins, and at which speed that turns.

The pair of workflows/until-clean.yaml and workflows/best-of-n.yaml with constants. Agents write:

    first version 6,000 tokens, 40 lines; a review 2,000 tokens; a fix 3,000 tokens, 5 lines

A run of the tests takes 5 s, a worktree 5 s; dev reads a line a second after 10 s to open the
change, and compares three attempts for 20 s more.

Rounds: clean in the third review, so 6,000 + 3 x 2,000 + 2 x 3,000 = 18,000 tokens in a row
and three runs of the tests, then 10 + 40 + 2 x 5 = 60 s of reading: 18,000 / r + 15 + 60.
Attempts: 6,000 tokens, since they go side by side, a worktree and the tests; 10 + 3 x 40 + 20 =
150 s: 6,000 / r + 10 + 150.

At 100 tok/s rounds take 255 s and attempts 220; at 1,000 they take 93 and 166. They are even where
12,000 / r = 85, at 141.2 tok/s.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.experiment import Grid, Options, compare
from agentsim.experiment.compare import Row
from tests.runs import File, write

TOOLS: File = {"suite": {"time": "5s"}}
PEOPLE: File = {"dev": {"reads": {"fixed": "10s", "code": "3600 loc/h"}}}


def agent(tokens: int, lines: int = 0) -> dict[str, Any]:
    """One turn of so many tokens, which hold so many lines."""
    return {"turns": 1, "output": tokens, "writes": f"{lines} loc", "tokens_per_line": 1}


AGENTS: File = {"coder": agent(6000, 40), "reviewer": agent(2000), "fixer": agent(3000, 5)}
TEAM: File = {"tools": TOOLS, "people": PEOPLE, "agents": AGENTS}

ROUNDS: File = {
    **TEAM,
    "steps": [
        {"agent": "coder", "id": "implement"},
        {
            "loop": 10,
            "do": [{"tool": "suite"}, {"agent": "reviewer", "approves": ["0%", "0%", "100%"]}],
            "between": [{"agent": "fixer", "session": "implement"}],
        },
        {"person": "dev", "id": "look", "reads": "changes"},
    ],
}
ATTEMPTS: File = {
    **TEAM,
    "steps": [
        {
            "attempts": 3,
            "setup": [{"wait": "5s"}],
            "do": [{"agent": "coder", "id": "implement"}, {"tool": "suite"}],
            "pick": {
                "person": "dev",
                "id": "look",
                "every": True,
                "reads": "changes",
                "decides": "20s",
            },
        }
    ],
}


def rows(folder: Path, *rates: int) -> list[tuple[Row, ...]]:
    """The row of rounds and that of attempts on a machine of each speed, without prefill."""
    files = (
        str(write(folder, "rounds.yaml", ROUNDS)),
        str(write(folder, "attempts.yaml", ATTEMPTS)),
    )
    machines = tuple(
        (
            str(
                write(
                    folder,
                    f"at-{rate}.yaml",
                    {"decode": {"rate": f"{rate} tok/s"}, "prefill": "none"},
                )
            ),
        )
        for rate in rates
    )
    return [machine.rows for machine in compare(Grid(files, machines), Options(runs=3)).machines]


def test_the_winner_flips_where_agents_are_ten_times_faster(tmp_path: Path) -> None:
    slow, fast = rows(tmp_path, 100, 1000)
    assert [row.findings.wall.mean for row in slow] == [255, 220]
    assert [row.findings.wall.mean for row in fast] == [93, 166]
    assert [row.quickest for row in slow] == [False, True]
    assert [row.quickest for row in fast] == [True, False]


@pytest.mark.parametrize(("rate", "attempts_win"), [(141, True), (142, False)])
def test_where_they_cross(tmp_path: Path, rate: int, attempts_win: bool) -> None:
    """12,000 / 141 = 85.1 s, 12,000 / 142 = 84.5 s, against 85 s."""
    ((rounds, attempts),) = rows(tmp_path, rate)
    assert (rounds.quickest, attempts.quickest) == (not attempts_win, attempts_win)
    saved = rounds.findings.wall.mean - attempts.findings.wall.mean
    assert saved == pytest.approx(12_000 / rate - 85, abs=1e-6)
