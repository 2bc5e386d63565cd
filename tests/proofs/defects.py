"""Small workflows with defects, run many times: what the proofs of quality ask."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentsim.engine import simulate
from agentsim.graph import Graph
from agentsim.records import Defects, Trace
from tests.runs import graph_of

RUNS = 600
Z = 3.29  # 99.9 %, with fixed seeds

WRITE: dict[str, Any] = {
    "person": "dev",
    "id": "write",
    "time": "1s",
    "writes": "1000 loc",
    "defects": "10 per kloc",
}
MEND: dict[str, Any] = {"person": "dev", "id": "mend", "time": "1s", "writes": "0 loc"}


def look(finds: str, id_: str = "look", **more: Any) -> dict[str, Any]:
    return {"tool": "tests", "id": id_, "finds": finds, **more}


def made(folder: Path, steps: Sequence[Any], correlation: str = "0%", **more: Any) -> Graph:
    workflow = {
        "quality": {"correlation": correlation},
        "people": {name: {"reads": {"code": "3600 loc/h"}} for name in ("dev", "ann", "bob")},
        "tools": {"tests": {"time": "1s"}},
        "steps": list(steps),
    }
    return graph_of(folder, {**workflow, **more})


def traces(folder: Path, steps: Sequence[Any], correlation: str = "0%", **more: Any) -> list[Trace]:
    graph = made(folder, steps, correlation, **more)
    return [simulate(graph, 7, n) for n in range(RUNS)]


def ends(folder: Path, steps: Sequence[Any], correlation: str = "0%", **more: Any) -> list[Defects]:
    """What each of the runs ends with: all of them tell."""
    found = [trace.defects for trace in traces(folder, steps, correlation, **more)]
    told = [it for it in found if it is not None]
    assert len(told) == RUNS
    return told


def near(values: Sequence[float], wanted: float) -> bool:
    """Whether a mean is what it should be, by its own error (the spread of a constant is none)."""
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    return len(values) == RUNS and abs(mean - wanted) <= Z * spread / math.sqrt(RUNS)


def escaped(folder: Path, steps: Sequence[Any], correlation: str = "0%", **more: Any) -> list[int]:
    return [it.escaped for it in ends(folder, steps, correlation, **more)]


def reads(who: str, id_: str, finds: str = "50%") -> dict[str, Any]:
    return {"person": who, "id": id_, "reads": "changes", "finds": finds}
