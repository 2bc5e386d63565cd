"""Copies of a session at servers whose cache goes by size or by slot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.runs import READS, Run, run

EVEN = {"step": {1: "10ms", 2: "10ms", 3: "10ms"}}


def copies(folder: Path, **hardware: Any) -> Run:
    """1000 sent and 100 answered, then two copies in turn, each with 100 of its own."""
    agents = {"x": {"prompt": 1000, "turns": 1, "output": 100, "thinking": 0, "tools": {}}}
    ask = {"agent": "x", "task": 100, "session": "base", "fork": True}
    steps = [
        {"agent": "x", "id": "base", "task": 0},
        {**ask, "id": "a"},
        {**ask, "id": "b"},
    ]
    return run(folder, {"agents": agents, "steps": steps}, {**READS, **hardware})


@pytest.mark.parametrize("capacity", [1500, 1499])
def test_by_size_what_copies_share_counts_once(tmp_path: Path, capacity: int) -> None:
    """1100 in common, 200 of each copy: 1500 hold all. With less, the second pushes the first out,
    which nobody asks for again; both have found the 1100."""
    found = copies(tmp_path, cache={"kind": "lru", "capacity": capacity})
    assert [found.calls(it)[0].cached for it in ("a", "b")] == [1100, 1100]


def test_by_size_a_copy_that_does_not_fit_beside(tmp_path: Path) -> None:
    """1250 hold the 1100 and half of a copy: the copies are not taken up, what they share stays."""
    found = copies(tmp_path, cache={"kind": "lru", "capacity": 1250})
    assert [found.calls(it)[0].cached for it in ("a", "b")] == [1100, 1100]


def test_by_slot_a_copy_takes_the_slot_of_the_original(tmp_path: Path) -> None:
    """It begins with the 1100 of the original, and so does the next with the first's."""
    found = copies(tmp_path, slots=2, decode=EVEN, cache={"kind": "slot"})
    assert [found.calls(it)[0].cached for it in ("a", "b")] == [1100, 1100]
    assert all(found.calls(it)[0].miss is None for it in ("a", "b"))
