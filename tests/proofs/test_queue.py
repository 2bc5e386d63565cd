"""A batch of N equal jobs through c units, in closed form, wherever units can be held.

Job i (from 0) waits floor(i/c) services and ends after floor(i/c) + 1 of them. The same holds for
a pool, the slots of a server, people, and the limit of an `each`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis import fold, summarise
from agentsim.engine import simulate
from agentsim.records import SECOND, Part
from tests.runs import HUNDRED, File, Run, graph_of

SERVICE = 6 * SECOND
SIZES = [(1, 1), (7, 1), (8, 2), (11, 3), (5, 8), (50, 16)]


def held(where: str, units: int) -> tuple[File, File, Part]:
    """(what stands beside the steps, and the item's step; the profile; what waiting counts as)."""
    hardware = dict(HUNDRED)
    if where == "slots":
        # a decode step takes 10 ms whatever the batch, so that slots are all that counts
        hardware = {"decode": {"step": "10ms"}, "prefill": "none", "slots": units}
        step: dict[str, Any] = {"call": "main", "id": "job", "input": 0, "output": 600}
        return {"step": step}, hardware, Part.SLOT_WAIT
    if where == "pool":
        step = {"wait": "6s", "id": "job", "uses": {"gate": 1}}
        return {"pools": {"gate": {"capacity": units}}, "step": step}, hardware, Part.POOL_WAIT
    if where == "people":
        step = {"person": "dev", "id": "job", "time": "6s"}
        return {"people": {"dev": {"count": units}}, "step": step}, hardware, Part.PERSON_WAIT
    return {"limit": units, "step": {"wait": "6s", "id": "job"}}, hardware, Part.CAP_WAIT


@pytest.mark.parametrize(("jobs", "units"), SIZES)
@pytest.mark.parametrize("where", ["pool", "slots", "people", "limit"])
def test_a_batch_of_equal_jobs(where: str, jobs: int, units: int, tmp_path: Path) -> None:
    parts, hardware, waiting = held(where, units)
    rest = dict(parts)
    fork = {"each": jobs, "id": "all", "do": [rest.pop("step")]}
    if "limit" in rest:
        fork["limit"] = rest.pop("limit")
    graph = graph_of(tmp_path, {**rest, "steps": [fork]}, hardware)
    run = Run(graph, simulate(graph, 0, 0))
    ends = sorted(span.ended for span in run.spans("all.job"))
    assert ends == [(i // units + 1) * SERVICE for i in range(jobs)]
    rounds = -(-jobs // units)
    assert run.trace.ended == rounds * SERVICE
    assert run.breakdown.get(waiting, 0.0) == (rounds - 1) * 6
    # first declared, first served
    order = [span.place for span in sorted(run.spans("all.job"), key=lambda span: span.ended)]
    assert order == [(i,) for i in range(jobs)]
    found = summarise(graph, [fold(run.trace, graph)], 0)
    mean = 6 * sum(i // units for i in range(jobs)) / jobs
    row = found.steps["all" if where == "limit" else "all.job"]
    assert row.wait is not None
    assert row.wait.mean == pytest.approx(mean)
