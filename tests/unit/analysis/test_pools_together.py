"""Pools asked for one after another: each wait is its own pool's, and what is held is busy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis import fold, summarise
from agentsim.analysis.findings import PoolFindings
from tests.runs import run


def pools(folder: Path, tools: dict[str, Any], steps: list[Any]) -> dict[str, PoolFindings]:
    units = {"a": {"capacity": 1}, "b": {"capacity": 1}}
    found = run(folder, {"pools": units, "tools": tools, "steps": steps})
    return summarise(found.graph, [fold(found.trace, found.graph)], 0).pools


def test_a_pool_held_while_the_next_is_waited_for(tmp_path: Path) -> None:
    """v holds b 0-30; u takes a at 1, b at 30, works 30-40; w asks a at 2, works 40-45."""
    tools = {
        "u": {"time": "10s", "uses": {"a": 1, "b": 1}},
        "v": {"time": "30s", "uses": {"b": 1}},
        "w": {"time": "5s", "uses": {"a": 1}},
    }
    late = [
        {"id": f"d{s}", "do": [{"wait": f"{s}s"}, {"tool": t}]} for s, t in ((1, "u"), (2, "w"))
    ]
    found = pools(tmp_path, tools, [{"parallel": [{"tool": "v"}, *late]}])
    assert found["a"].busy == pytest.approx(44 / 45)
    assert found["b"].busy == pytest.approx(40 / 45)
    assert found["a"].wait is not None
    assert (found["a"].wait.mean, found["a"].queue_max) == (19, 1)  # 0 and 38
    assert found["a"].queue_mean == pytest.approx(38 / 45)
    assert found["b"].wait is not None
    assert found["b"].wait.mean == 14.5  # v 0, u 29


def test_a_pool_that_was_free_all_the_time_was_not_waited_for(tmp_path: Path) -> None:
    """`a` is taken until 5 by a wait, then 5-10 by t; u asks a, then b, which nobody else wants."""
    tools = {"t": {"time": "5s", "uses": {"a": 1}}, "u": {"time": "5s", "uses": {"b": 1, "a": 1}}}
    steps = [{"parallel": [{"wait": "5s", "uses": {"a": 1}}, {"tool": "t"}, {"tool": "u"}]}]
    found = pools(tmp_path, tools, steps)
    assert found["b"].wait is not None
    assert found["b"].wait.mean == 0
    assert (found["b"].queue_mean, found["b"].queue_max) == (0, 0)
