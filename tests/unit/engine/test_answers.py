"""`reads: answer`, by hand: 400 visible tokens are 300 words; at 300 wpm they take a minute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.records import PersonFacts
from agentsim.spec import Source, load
from tests.runs import graph_of, run, write

READ: dict[str, Any] = {"person": "dev", "reads": "answer"}
ALONE: dict[str, Any] = {
    "people": {"dev": {"reads": {"prose": "300 wpm", "fixed": "0s"}}},
    "tools": {"shell": {"time": "1s"}},
    "agents": {
        "writer": {"model": "main", "turns": 2, "output": 400, "thinking": 50, "tools": {}},
        "short": {"model": "main", "turns": 1, "output": 200, "tools": {}},
    },
}


def say(tokens: int, name: str) -> dict[str, Any]:
    return {"call": "main", "id": name, "input": 0, "output": tokens}


def words(folder: Path, *steps: dict[str, Any]) -> list[float]:
    """The words that dev reads, piece by piece."""
    facts = [span.facts for span in run(folder, {**ALONE, "steps": list(steps)}).trace.spans]
    return [it.words for it in facts if isinstance(it, PersonFacts)]


@pytest.mark.parametrize(
    ("steps", "read"),
    [
        pytest.param([say(400, "a"), READ], [300], id="a call"),
        pytest.param([{"agent": "writer"}, READ], [300], id="an agent: its last turn alone"),
        pytest.param([say(400, "a"), say(200, "b"), READ], [150], id="the last of a list"),
        pytest.param([say(400, "a"), {"tool": "shell"}, READ], [300], id="a tool says nothing"),
        pytest.param([say(400, "a"), READ, {**READ, "id": "again"}], [300, 300], id="read twice"),
        pytest.param(
            [{"parallel": [say(400, "a"), say(200, "b"), {"tool": "shell"}]}, READ],
            [450],
            id="of branches by each",
        ),
        pytest.param(
            [say(400, "a"), {"parallel": [{"tool": "shell"}, {"wait": "1s"}]}, READ],
            [300],
            id="what stood before branches that say nothing",
        ),
        pytest.param(
            [say(400, "a"), {"parallel": [READ, say(200, "b")]}], [300], id="within a branch"
        ),
        pytest.param([{"each": 3, "do": [{"agent": "short"}]}, READ], [450], id="of items"),
        pytest.param(
            [{"parallel": [say(400, "a"), {"wait": "60s"}], "join": "any"}, READ],
            [300],
            id="of those that count",
        ),
        pytest.param(
            [
                say(400, "a"),
                {**say(200, "b"), "needs": []},
                {"tool": "shell", "needs": ["a"]},
                {**READ, "needs": ["a", "b", "shell"]},
            ],
            [450],
            id="needs: an answer that comes by two ways counts once",
        ),
        pytest.param(
            [
                {
                    "id": "graph",
                    "do": [
                        say(400, "a"),
                        {**say(200, "b"), "needs": []},
                        {**say(80, "c"), "needs": ["b"]},
                    ],
                },
                READ,
            ],
            [360],
            id="what stands at the ends of a graph",
        ),
        pytest.param(
            [{"agent": "short", "do": [{"call": "self", "input": 0, "output": 40}]}, READ],
            [30],
            id="an agent with steps of its own",
        ),
        pytest.param(
            [
                {"loop": 2, "do": [{"agent": "short"}, {**READ, "approves": "0%"}]},
                {**READ, "id": "after"},
            ],
            [150, 150, 150],
            id="rounds",
        ),
    ],
)  # fmt: skip
def test_the_last_answer_is_read(
    steps: list[dict[str, Any]], read: list[float], tmp_path: Path
) -> None:
    assert words(tmp_path, *steps) == pytest.approx(read)


def test_of_attempts_the_picked_one(tmp_path: Path) -> None:
    """Whoever picks reads the picked answer, or with `every` all; then the winner's stands."""
    tries = {"attempts": 3, "do": [{"agent": "short"}], "id": "tries"}
    for every, picking in ((False, 150), (True, 450)):
        pick = {"person": "dev", "reads": "answer", "every": every}
        assert words(tmp_path, {**tries, "pick": pick}, READ) == pytest.approx([picking, 150])


def test_it_takes_a_minute(tmp_path: Path) -> None:
    """400 tokens at 100 tok/s: 4 s; then 60 s of reading and 5 s to decide."""
    found = run(tmp_path, {**ALONE, "steps": [say(400, "a"), {**READ, "decides": "5s"}]})
    assert found.wall == pytest.approx(69)


def test_thinking_is_not_read(tmp_path: Path) -> None:
    assert words(tmp_path, {**say(400, "a"), "thinking": 1000}, READ) == pytest.approx([300])


def test_a_warning_where_nothing_answers(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, {**ALONE, "steps": [{"parallel": [READ, say(1, "a")]}]})
    assert any("`reads: answer` reads nothing" in it for it in graph.notes)
    assert words(tmp_path, {"parallel": [READ, say(1, "a")]}) == [0]
    for steps in ([say(1, "a"), READ], [{"loop": 2, "do": [READ], "between": [say(1, "a")]}]):
        graph = graph_of(tmp_path, {**ALONE, "steps": steps})
        assert not any("reads nothing" in it for it in graph.notes)


def test_a_person_without_a_rate_takes_that_of_the_preset(tmp_path: Path) -> None:
    """238 words a minute, of `you`: it is listed with what was assumed."""
    path = write(tmp_path, "w.yaml", {"people": {"dev": {}}, "steps": [say(400, "a"), READ]})
    graph = load(Source(str(path), ("cerebras",)))
    assert any("dev" in str(it) and "238" in str(it) for it in graph.assumed)
