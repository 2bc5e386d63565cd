"""Which limit is named where an `each` has one: small workflows whose every second is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis import fold, summarise
from agentsim.analysis.findings import Bottleneck
from agentsim.engine import simulate
from tests.runs import HUNDRED, File, graph_of


def bound(folder: Path, workflow: File, hardware: File = HUNDRED) -> tuple[Bottleneck, float]:
    """What bound the one run that there is, and its wall time."""
    graph = graph_of(folder, workflow, hardware)
    assert graph.exact
    found = summarise(graph, [fold(simulate(graph, 0, 0), graph)], 0)
    assert sum(found.breakdown.values()) == pytest.approx(found.wall.mean)
    shares = {(row.kind, row.what): row.share for row in found.where}
    assert sum(shares[row] for row in found.bottleneck.rows) == pytest.approx(
        found.bottleneck.share
    )
    return found.bottleneck, found.wall.mean


def jobs(count: int, limit: int, *steps: Any) -> dict[str, Any]:
    return {"each": count, "id": "files", "limit": limit, "do": list(steps)}


TEST: dict[str, Any] = {"tool": "test", "time": "60s"}


def tools(**more: Any) -> dict[str, Any]:
    return {"tools": {"test": {"time": "60s", **more}}}


def test_work_in_the_places_leaves_the_cap_the_limit(tmp_path: Path) -> None:
    # two rounds of 60 s: the last item waits one of them and works the other
    found, wall = bound(tmp_path, {**tools(), "steps": [jobs(4, 2, TEST)]})
    assert wall == 120
    assert (found.kind, found.what, found.share) == ("cap_wait", "files", 0.5)


def test_a_pool_of_one_behind_the_cap(tmp_path: Path) -> None:
    # one after another, whatever the cap: 4 x 60 s. The last waits 120 s for a place and then 60 s
    # for ci: 180 of 240 s
    found, wall = bound(
        tmp_path,
        {
            **tools(uses={"ci": 1}),
            "pools": {"ci": {"capacity": 1}},
            "steps": [jobs(4, 2, TEST)],
        },
    )
    assert wall == 240
    assert (found.kind, found.what, found.share) == ("pool_wait", "ci", 0.75)


def test_a_pool_that_is_hardly_waited_for_leaves_the_cap_the_limit(tmp_path: Path) -> None:
    # Each item works 100 s alone and then 10 s in ci. At 100 s one of the two waits 10 s; from then
    # on they are 10 s apart and nobody waits. Six items: one waits 10 s of the 230 s or more in
    # which items wait for a place.
    found, _ = bound(
        tmp_path,
        {
            "tools": {"alone": {"time": "100s"}, "test": {"time": "10s", "uses": {"ci": 1}}},
            "pools": {"ci": {"capacity": 1}},
            "steps": [jobs(6, 2, {"tool": "alone"}, {"tool": "test"})],
        },
    )
    assert (found.kind, found.what) == ("cap_wait", "files")


def test_a_bucket_that_binds_behind_the_cap(tmp_path: Path) -> None:
    # One request, then one every 10 s; a call lasts 1 s. Six calls begin at 0, 10, ... 50 and the
    # last ends at 51. Item 0 ends at 1, item i (from 1) at 10 i + 1, which frees the place of item
    # i + 2 (and item 0 that of item 2): the last has its place at 31, waits for the quota until 50.
    hardware = {
        **HUNDRED,
        "limits": [{"count": "requests", "bucket": 1, "refill": "0.1/s"}],
    }
    call = {"call": "main", "input": 0, "output": 100}
    found, wall = bound(tmp_path, {"steps": [jobs(6, 2, call)]}, hardware)
    assert wall == 51
    assert (found.kind, found.what) == ("quota_wait", "main")
    assert found.share == pytest.approx((31 + 19) / 51)
    assert set(found.rows) == {("cap_wait", "files"), ("quota_wait", "")}


def test_slots_behind_the_cap(tmp_path: Path) -> None:
    # a cap of 3 before one slot of 10 s calls: at any time somebody in a place waits for the slot
    hardware = {"decode": {"step": "10ms"}, "prefill": "none", "slots": 1}
    call = {"call": "main", "input": 0, "output": 1000}
    found, wall = bound(tmp_path, {"steps": [jobs(9, 3, call)]}, hardware)
    assert wall == pytest.approx(90)
    assert found.kind == "slot_wait"
    # the last waits for a place until 60 s, for the slot until 80 s
    assert found.share == pytest.approx(80 / 90)


def test_a_person_behind_the_cap(tmp_path: Path) -> None:
    # 4 x 10 min of one person, two at once: the last waits 20 min for a place, 10 min for dev
    found, wall = bound(
        tmp_path,
        {
            "people": {"dev": {"count": 1}},
            "steps": [jobs(4, 2, {"person": "dev", "time": "10m"})],
        },
    )
    assert wall == 2400
    assert (found.kind, found.what, found.share) == ("person_wait", "dev", 1.0)


def test_a_pool_behind_two_caps(tmp_path: Path) -> None:
    # 16 runs of 60 s through one unit: 960 s, of which the last run itself is all that is no wait
    inner = {"each": 4, "id": "parts", "limit": 2, "do": [TEST]}
    found, wall = bound(
        tmp_path,
        {
            **tools(uses={"ci": 1}),
            "pools": {"ci": {"capacity": 1}},
            "steps": [jobs(4, 1, inner)],
        },
    )
    assert wall == 960
    assert (found.kind, found.what, found.share) == ("pool_wait", "ci", 0.9375)
