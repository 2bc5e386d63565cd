"""Twice as many of a thing cost about twice as much: counted in calls of functions, not in time."""

from __future__ import annotations

import sys
import tracemalloc
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


def bytes_of(folder: Path, people: int) -> int:
    """The most that a run holds at once, of three pieces for so many people."""
    folder.mkdir()
    ask = {"person": "crew", "time": "10s"}
    file: File = {"people": {"crew": {"count": people}}, "steps": [{"loop": 3, "do": [ask]}]}
    graph = graph_of(folder, file)
    simulate(graph, 0, 0)  # what is made once and kept
    tracemalloc.start()
    try:
        simulate(graph, 0, 0)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_people_who_never_work_cost_nothing(tmp_path: Path) -> None:
    """What is made for each of them are bytes, not calls: 8 of each for a place in a list."""
    few, many = bytes_of(tmp_path / "a", 10), bytes_of(tmp_path / "b", 1_000_000)
    assert many < few + 10_000


def asked_at_once(count: int) -> File:
    """So many people, each with a piece at the same time, twice."""
    ask = {"person": "crew", "time": {"uniform": ["1s", "9s"]}}
    do = [{"loop": 2, "do": [ask]}]
    return {"people": {"crew": {"count": count}}, "steps": [{"each": count, "do": do}]}


def test_twice_as_many_people_who_work_cost_twice_as_much(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    few = calls_of(tmp_path / "a", asked_at_once(150), HUNDRED)
    assert calls_of(tmp_path / "b", asked_at_once(300), HUNDRED) < 2.2 * few
