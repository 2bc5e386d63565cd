"""Sessions into which others put tokens, copies of sessions at work, and tries within tries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.engine import simulate
from agentsim.records import Outcome
from tests.runs import HUNDRED, File, graph_of, run

AGENTS: File = {
    "lead": {"prompt": 0, "turns": 1, "output": 10},
    "worker": {"prompt": 0, "turns": 3, "output": 300, "tools": {}},
}
TOOLS: File = {
    "shell": {"time": "2s", "returns": 200},
    "bad": {"time": "1s", "fails": "100%"},
}
CAST: File = {"agents": AGENTS, "tools": TOOLS}
ON: File = {"call": "self", "id": "on", "input": 0, "output": 1}

MANY_SLOTS: File = {**HUNDRED, "slots": 9}
"""The same, but no step is worked out ahead of the clock."""


def fresh(folder: Path, steps: list[Any], *paths: str, hardware: File = HUNDRED) -> list[int]:
    """Input tokens of the calls of these steps, nothing being cached."""
    found = run(folder, {**CAST, "steps": steps}, hardware)
    return [facts.fresh for path in paths for facts in found.calls(path)]


def lead(*steps: Any, **more: Any) -> File:
    return {"agent": "lead", "id": "lead", "do": list(steps), **more}


def test_what_a_tool_returns_stays_when_a_call_is_cut(tmp_path: Path) -> None:
    """The tool returns 200 tokens at 2 s; the call beside it times out at 5 s and adds nothing."""
    cut = {"call": "self", "input": 40, "output": 1000, "timeout": "5s", "or": "go on"}
    both = {"parallel": [cut, {"tool": "shell"}]}
    assert fresh(tmp_path, [lead(both, ON)], "lead.on") == [200]


@pytest.mark.parametrize("hardware", [HUNDRED, MANY_SLOTS])
def test_turns_send_what_others_have_put_in(tmp_path: Path, hardware: File) -> None:
    """Turns of 300 tokens, 3 s each; 200 come from the tool at 2 s, so the second turn sends 500.

    The last answer stands in the session already, and is not handed back to it: 800 + 300.
    """
    turns = {"agent": "worker", "id": "in", "session": "lead"}
    both = {"parallel": [turns, {"tool": "shell"}], "id": "both"}
    found = fresh(tmp_path, [lead(both, ON)], "lead.both.in", "lead.on", hardware=hardware)
    assert found == [0, 500, 800, 1100]


def test_what_came_while_a_request_waited_was_not_sent_with_it(tmp_path: Path) -> None:
    """100 tokens wait for the slot from 1 s to 5 s; the tool's 200 come at 3 s.

    The cache holds the 100 that were sent. The next call sends 100 + 100 answered + 200.
    """
    hardware = {
        "decode": {"step": "10ms"},
        "prefill": {"rate": "1000 tok/s"},
        "slots": 1,
        "cache": {"kind": "ttl", "ttl": "1h"},
    }
    both = {
        "parallel": [
            {"call": "self", "id": "first", "input": 100, "output": 100},
            {"tool": "shell"},
        ],
        "id": "both",
    }
    steps = [
        {
            "parallel": [
                {"call": "main", "input": 0, "output": 500},
                {"do": [{"wait": "1s"}, lead(both, ON)], "id": "g"},
            ],
            "id": "all",
        }
    ]
    found = run(tmp_path, {**CAST, "steps": steps}, hardware)
    calls = [*found.calls("all.g.lead.both.first"), *found.calls("all.g.lead.on")]
    assert [(one.fresh, one.cached) for one in calls] == [(100, 0), (300, 100)]


@pytest.mark.parametrize("hardware", [HUNDRED, MANY_SLOTS])
def test_a_copy_of_a_session_at_work_holds_what_is_there_by_then(
    tmp_path: Path, hardware: File
) -> None:
    """Answers of 300 at 3 s, then at 6, 9 and 12 s; the copy is made at 3 + 5 s: 600."""
    copy = {"agent": "worker", "id": "copy", "session": "w", "fork": True, "turns": 1}
    steps = [
        {"agent": "worker", "id": "w", "turns": 1},
        {
            "parallel": [
                {"agent": "worker", "id": "more", "session": "w"},
                {"do": [{"wait": "5s"}, copy], "id": "g"},
            ],
            "id": "both",
        },
    ]
    found = fresh(tmp_path, steps, "both.more", "both.g.copy", hardware=hardware)
    assert found == [300, 600, 900, 600]


# --- further tries ----------------------------------------------------------------------------

TWICE: File = {"id": "g", "retry": 1, "or": "go on"}
ONCE: File = {"agent": "worker", "turns": 1}


def test_a_group_that_is_tried_again_copies_its_new_session(tmp_path: Path) -> None:
    """Each try opens a session of 300 and copies that; the copy of the first try is over."""
    copy = {**ONCE, "id": "copy", "session": "w", "fork": True}
    group = {**TWICE, "do": [{**ONCE, "id": "w"}, copy, {"tool": "bad"}]}
    assert fresh(tmp_path, [group], "g.copy") == [300, 300]


def test_a_task_is_sent_in_the_new_session_of_a_further_try(tmp_path: Path) -> None:
    more = {**ONCE, "id": "more", "session": "w", "task": 50}
    group = {**TWICE, "do": [{**ONCE, "id": "w"}, more, {"tool": "bad"}]}
    assert fresh(tmp_path, [group], "g.more") == [350, 350]


def test_a_task_is_sent_once_in_a_session_that_goes_on(tmp_path: Path) -> None:
    """Opened before: 300 + 50; then its answer of 300 more, and the task is known."""
    more = {**ONCE, "id": "more", "session": "w", "task": 50}
    group = {**TWICE, "do": [more, {"tool": "bad"}]}
    assert fresh(tmp_path, [{**ONCE, "id": "w"}, group], "g.more") == [350, 650]


def test_so_is_that_of_an_agent_with_steps(tmp_path: Path) -> None:
    """10 answered before, a task of 70; the further try sends 80 + the 1 answered."""
    opened = {"call": "main", "id": "s", "input": 0, "output": 10}
    own = lead(ON, {"tool": "bad"}, session="s", task=70, retry=1, **{"or": "go on"})
    assert fresh(tmp_path, [opened, own], "lead.on") == [80, 81]


def test_tries_within_tries_draw_apart(tmp_path: Path) -> None:
    """A tool that fails in half of its runs, 2 x 2 tries: all fail in 1/16 of the runs.

    Of 2,000 that is 125 with a deviation of 10.8. Drawn alike for the last of the first two and
    the first of the other two it would be 1/8, which is 250.
    """
    steps = [{"do": [{"tool": "odd", "retry": 1}], "retry": 1}]
    cast = {"tools": {"odd": {"time": "1s", "fails": "50%"}}}
    graph = graph_of(tmp_path, {**cast, "steps": steps})
    failed = sum(simulate(graph, 0, run).outcome is Outcome.FAILED for run in range(2000))
    assert abs(failed - 125) < 4 * 10.8
