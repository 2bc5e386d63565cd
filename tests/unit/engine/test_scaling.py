"""Twice as many of a thing cost about twice as much: counted in calls of functions, not in time."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from agentsim.engine import simulate
from tests.runs import HUNDRED, File, graph_of

CACHED: File = {
    **HUNDRED,
    "cache": {"kind": "ttl", "ttl": "5m", "covers": "all"},
}


def on_a_cache(count: int) -> File:
    """So many agents at once, whose calls start with the same blocks."""
    agent = {"turns": 3, "output": 100, "prompt": "1k", "tools": {"shell": 1}}
    tools = {"shell": {"time": "10s", "returns": 100}}
    each = {"each": count, "do": [{"agent": "w", "task": 10}]}
    return {"tools": tools, "agents": {"w": agent}, "steps": [each]}


def in_a_row(count: int) -> File:
    """Each step needs the one before it."""
    first: list[File] = [{"id": "s0", "wait": "1s", "needs": []}]
    more = [{"id": f"s{i}", "wait": "1s", "needs": [f"s{i - 1}"]} for i in range(1, count)]
    return {"steps": first + more}


def at_once(count: int) -> File:
    """Steps of different lengths that all need the first, and a last one that needs them all."""
    first: list[File] = [{"id": "s0", "wait": "1s", "needs": []}]
    more = [{"id": f"s{i}", "wait": f"{i}s", "needs": ["s0"]} for i in range(1, count)]
    last: File = {"id": "end", "wait": "1s", "needs": [f"s{i}" for i in range(1, count)]}
    return {"steps": [*first, *more, last]}


def attempts(count: int) -> File:
    """Attempts that end at different times, and a person who picks one."""
    work = {"tool": "work", "time": {"uniform": ["1s", "9s"]}}
    pick = {"person": "you", "time": "1s"}
    return {
        "tools": {"work": {"time": "1s", "returns": 0}},
        "steps": [{"attempts": count, "do": [work], "succeeds": "50%", "pick": pick}],
    }


def calls_of(folder: Path, workflow: File, hardware: File) -> int:
    graph = graph_of(folder, workflow, hardware)
    count = 0

    def heard(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(heard)
    try:
        simulate(graph, 0, 0)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("made", [on_a_cache, in_a_row, at_once, attempts])
def test_twice_as_many_cost_twice_as_much(tmp_path: Path, made: Any) -> None:
    """What looks at all the others for each of them costs four times as much."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    few = calls_of(tmp_path / "a", made(150), CACHED)
    many = calls_of(tmp_path / "b", made(300), CACHED)
    assert many < 2.2 * few
