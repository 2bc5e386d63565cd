"""The limit that is named is one whose widening helps, or all that must be widened are named.

Small workflows whose every second is known: 40 calls of 100 tokens, or 8 jobs of 60 s. Each is run
again with one thing more, and what the sentence says is held against that.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis import fold, summarise
from agentsim.engine import simulate
from agentsim.experiment import Options, answer
from agentsim.spec import Source
from tests.runs import File, graph_of


def ran(folder: Path, workflow: File, hardware: File) -> tuple[float, str]:
    """The wall time of the one run that there is, and what is said to bind it."""
    graph = graph_of(folder, workflow, hardware)
    assert graph.exact
    found = summarise(graph, [fold(simulate(graph, 0, 0), graph)], 0)
    return found.wall.mean, found.bottleneck.sentence


def calls(limit: int) -> File:
    call = {"call": "main", "input": 0, "output": 100}
    return {"steps": [{"each": 40, "id": "files", "limit": limit, "do": [call]}]}


def box(slots: int | None = None, **decode: Any) -> File:
    made: dict[str, Any] = {"decode": decode, "prefill": "none", "latency": 0}
    return made if slots is None else {**made, "slots": slots}


TURNS: File = {
    "model": "main", "prompt": 0, "thinking": 0, "output": 100, "tools": {}, "returns": 0,
    "writes": 0,
}  # fmt: skip
"""An agent of turns of 1 s at 100 tok/s."""

WIDE: File = {**box(rate="100 tok/s"), "context": 100_000}


def test_as_many_places_as_slots(tmp_path: Path) -> None:
    """100 tok/s for each: 1 s a call, so 40 / 4 = 10 s; with five of both 40 / 5 = 8 s."""
    wall, told = ran(tmp_path, calls(4), box(4, rate="100 tok/s"))
    assert wall == pytest.approx(10)
    assert told.startswith("The cap on files and the slots of main are the limit together: 90 % of")
    assert ran(tmp_path, calls(5), box(4, rate="100 tok/s"))[0] == pytest.approx(10)
    assert ran(tmp_path, calls(4), box(5, rate="100 tok/s"))[0] == pytest.approx(10)
    assert ran(tmp_path, calls(5), box(5, rate="100 tok/s"))[0] == pytest.approx(8)


def test_fewer_places_than_slots(tmp_path: Path) -> None:
    wall, told = ran(tmp_path, calls(4), box(5, rate="100 tok/s"))
    assert wall == pytest.approx(10)
    assert told.startswith("The cap on files is the limit: 90 % of the time")
    assert ran(tmp_path, calls(5), box(5, rate="100 tok/s"))[0] == pytest.approx(8)


def test_fewer_slots_than_places(tmp_path: Path) -> None:
    """Four places, two slots: 40 / 2 = 20 s."""
    wall, told = ran(tmp_path, calls(4), box(2, rate="100 tok/s"))
    assert wall == pytest.approx(20)
    assert told.startswith("Slots are the limit")
    assert ran(tmp_path, calls(4), box(3, rate="100 tok/s"))[0] == pytest.approx(14)


def test_a_machine_that_does_no_more_for_one_more(tmp_path: Path) -> None:
    """100 tok/s for all together: 4,000 tokens take 40 s, whatever the cap and the slots."""
    flat, twice = {1: "100 tok/s", 8: "100 tok/s"}, {1: "200 tok/s", 8: "200 tok/s"}
    for slots in (None, 4):
        wall, told = ran(tmp_path, calls(4), box(slots, total=flat))
        assert wall == pytest.approx(40)
        assert told.startswith("Decoding is the limit: 100 % of the time is decoding or waiting")
        assert ran(tmp_path, calls(4), box(slots, total=twice))[0] == pytest.approx(20)
    for limit, slots in ((5, 4), (5, 5), (8, None)):
        assert ran(tmp_path, calls(limit), box(slots, total=flat))[0] == pytest.approx(40)


def test_a_machine_that_does_as_much_more(tmp_path: Path) -> None:
    """Each at 100 tok/s, up to eight: the cap is what binds, though they share a machine."""
    linear = {1: "100 tok/s", 8: "800 tok/s"}
    wall, told = ran(tmp_path, calls(4), box(None, total=linear))
    assert wall == pytest.approx(10)
    assert told.startswith("The cap on files is the limit")
    assert ran(tmp_path, calls(5), box(None, total=linear))[0] == pytest.approx(8)


def jobs(limit: int, units: int) -> File:
    """Eight jobs of 60 s, each of which holds a unit of ci."""
    return {
        "tools": {"test": {"time": "60s", "uses": {"ci": 1}}},
        "pools": {"ci": {"capacity": units}},
        "steps": [{"each": 8, "id": "files", "limit": limit, "do": [{"tool": "test"}]}],
    }


def test_as_many_places_as_units_of_a_pool(tmp_path: Path) -> None:
    """Two at a time: 4 x 60 s; three of both: 3 x 60 s."""
    one = box(rate="100 tok/s")
    wall, told = ran(tmp_path, jobs(2, 2), one)
    assert wall == 240
    assert told.startswith("The cap on files and ci are the limit together: 75 % of the time")
    walls = [ran(tmp_path, jobs(*own), one)[0] for own in ((3, 2), (2, 3), (3, 3))]
    assert walls == [240, 240, 180]
    assert ran(tmp_path, jobs(2, 3), one)[1].startswith("The cap on files is the limit: 75 %")
    assert ran(tmp_path, jobs(3, 2), one)[1].startswith("ci is the limit")


def test_one_place_and_one_person(tmp_path: Path) -> None:
    """Four pieces of ten minutes, one after another; two places and two people halve that."""

    def pieces(limit: int, count: int) -> File:
        step = {"person": "dev", "time": "10m"}
        return {
            "people": {"dev": {"count": count, "pickup": 0, "switch": 0}},
            "steps": [{"each": 4, "id": "files", "limit": limit, "do": [step]}],
        }

    one = box(rate="100 tok/s")
    wall, told = ran(tmp_path, pieces(1, 1), one)
    assert wall == 2400
    assert told.startswith("The cap on files and dev are the limit together: 75 % of the time")
    walls = [ran(tmp_path, pieces(*own), one)[0] for own in ((2, 1), (1, 2), (2, 2))]
    assert walls == [2400, 2400, 1200]


def test_as_many_agents_at_once_as_slots(tmp_path: Path) -> None:
    """The cap of the harness: eight agents of one turn of 1 s, two at a time: 4 s; three: 3 s."""

    def agents(most: int) -> File:
        return {
            "caps": {"agents": most},
            "agents": {"one": {**TURNS, "turns": 1}},
            "steps": [{"each": 8, "id": "files", "do": [{"agent": "one", "task": 0}]}],
        }

    def machine(slots: int) -> File:
        return {**WIDE, "slots": slots}

    wall, told = ran(tmp_path, agents(2), machine(2))
    assert wall == pytest.approx(4)
    assert told.startswith(
        "The cap on agents at once and the slots of main are the limit together: 75 % of the time"
    )
    others = [ran(tmp_path, agents(n), machine(slots)) for n, slots in ((3, 2), (2, 3), (3, 3))]
    assert [wall for wall, _ in others] == pytest.approx([4, 4, 3])
    assert others[0][1].startswith("Slots are the limit")
    assert others[1][1].startswith("The cap on agents at once is the limit")


def beside(folder: Path, caps: File, agent: File, step: File, **cast: File) -> tuple[float, str]:
    """Eight agents, and beside them a step of which none of them has anything."""
    agents = {"each": 8, "id": "work", "do": [{"agent": "one", "task": 0}]}
    workflow = {
        "caps": caps,
        "agents": {"one": {**TURNS, **agent}},
        "steps": [{"parallel": [agents, step]}],
    }
    return ran(folder, {**workflow, **cast}, WIDE)


def test_people_beside_the_agents_are_not_behind_their_cap(tmp_path: Path) -> None:
    """Eight agents of 100 s, one at a time: 800 s; two: 400 s. Dev has two talks of 190 s beside.

    No agent asks dev: though dev is busy, and waited for, for half of the time and less.
    """

    def run(most: int, devs: int) -> tuple[float, str]:
        talks = {"each": 2, "id": "talks", "do": [{"person": "dev", "time": "190s"}]}
        people = {"dev": {"count": devs, "pickup": 0, "switch": 0}}
        agent = {"turns": 1, "output": 10_000}
        return beside(tmp_path, {"agents": most}, agent, talks, people=people)

    wall, told = run(1, 1)
    assert wall == pytest.approx(800)
    assert told.startswith("The cap on agents at once is the limit: 88 % of the time")  # 700 / 800
    assert run(2, 1)[0] == pytest.approx(400)
    assert run(1, 2)[0] == pytest.approx(800)


def test_tools_beside_the_agents_are_not_behind_their_cap(tmp_path: Path) -> None:
    """Eight agents: 1 s, a tool run of 100 s, 1 s. One run at a time: 1 + 800 + 1 s; two: 402 s.

    Two trainings of 190 s hold the gpu one after the other, and no agent uses it.
    """

    def run(most: int, gpus: int) -> tuple[float, str]:
        trainings = {"each": 2, "id": "two", "do": [{"tool": "train"}]}
        tools = {"t": {"time": "100s"}, "train": {"time": "190s", "uses": {"gpu": 1}}}
        pools = {"gpu": {"capacity": gpus}}
        agent = {"turns": 2, "tools": {"t": 1}}
        return beside(tmp_path, {"tools": most}, agent, trainings, tools=tools, pools=pools)

    wall, told = run(1, 1)
    assert wall == pytest.approx(802)
    assert told.startswith("The cap on tools at once is the limit: 87 % of the time")  # 700 / 802
    assert run(2, 1)[0] == pytest.approx(402)
    assert run(1, 2)[0] == pytest.approx(802)


@pytest.mark.parametrize("where", ["agent", "file", "limit"])
def test_the_same_cap_wherever_it_is_written(tmp_path: Path, where: str) -> None:
    """Six agents of four turns of 1 s, between them three builds of 60 s: 18 builds.

    With one unit of ci the builds go one after another, whatever the cap on agents is: at least
    1 + 18 x 60 + 1 s. With units enough, two at a time take three rounds of 184 s.
    """

    def run(most: int, units: int) -> tuple[float, str]:
        each: dict[str, Any] = {"each": 6, "id": "work", "do": [{"agent": "one", "task": 0}]}
        lead: dict[str, Any] = {**TURNS, "turns": 1}
        workflow: dict[str, Any] = {
            "pools": {"ci": {"capacity": units}},
            "tools": {"build": {"time": "60s", "uses": {"ci": 1}}},
            "agents": {"one": {**TURNS, "turns": 4, "tools": {"build": 1}}, "lead": lead},
            "steps": [{"agent": "lead", "task": 0, "do": [each]}],
        }
        if where == "agent":
            lead["caps"] = {"agents": most}
        elif where == "file":
            workflow["caps"] = {"agents": most + 1}  # the lead has a place too
        else:
            each["limit"] = most
        return ran(tmp_path, workflow, WIDE)

    cap = {
        "agent": "agents at once in lead",
        "file": "agents at once",
        "limit": "lead.work",
    }[where]
    wall, told = run(2, 1)
    assert told.startswith("ci is the limit: 83 % of the time is waiting for it or for a place")
    assert told.endswith(f"under the cap on {cap}, whose holders wait for it.")
    assert run(3, 1)[0] > 0.99 * wall
    assert run(2, 2)[0] < 0.6 * wall
    wall, told = run(2, 6)
    assert wall == pytest.approx(3 * 184)
    assert told.startswith(f"The cap on {cap} is the limit: 67 % of the time")
    assert run(3, 6)[0] == pytest.approx(2 * 184)


def test_the_workflow_that_ships() -> None:
    """Eight places and eight slots, and a machine that is slower the more it serves: see `lost`."""
    options = Options(runs=10, sensitivity=False)
    found = answer(Source("narrow-calls", ("m2-ultra",)), options)
    assert found.bottleneck.kind == "decode"
    saves = {f"{it.change} {it.what}": it for it in found.levers}
    assert saves["2x decode"].ci95[0] > 0.2 * found.wall.mean
    assert not any(it.kind == "cap" for it in found.levers)  # tried, and of no use
