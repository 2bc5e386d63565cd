"""The clock: two phases of an instant, and runs that cannot go on."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import simpy

from agentsim.engine import simulate
from agentsim.engine import world as module
from agentsim.engine.world import DEADLINE, Event, Process, World, cycle, ns
from agentsim.errors import EngineFault
from agentsim.graph import Fork, Work
from agentsim.records import Peak
from tests.runs import File, graph_of, run


def wait(nanoseconds: int) -> Generator[int, Any, None]:
    yield nanoseconds


class Probe:
    """Something scarce that only notes when it is asked to settle."""

    def __init__(self, world: World, log: list[str], name: str) -> None:
        self.order = 0
        self.dirty = False
        self.log = log
        self.name = name
        self.grants: list[Event] = []
        world.join(self)

    def settle(self) -> list[Event]:
        self.log.append(self.name)
        granted, self.grants = self.grants, []
        return granted

    def waiting(self) -> Iterator[tuple[str, str, list[str]]]:
        return iter(())

    def peak(self) -> Peak | None:
        return None


def test_a_duration_is_rounded_to_the_nearest_nanosecond() -> None:
    assert ns(1.5) == 1_500_000_000
    assert ns(1e-9 * 2.6) == 3
    assert ns(3.2e9) == 3_200_000_000_000_000_000  # a hundred years


def test_what_moves_comes_before_what_is_given_out_and_deadlines_come_last() -> None:
    world = World()
    log: list[str] = []
    second, first = Probe(world, log, "bench 0"), Probe(world, log, "bench 1")

    def note(name: str, *unsettled: Probe) -> None:
        log.append(name)
        for probe in unsettled:
            world.unsettle(probe)

    world.after(5, lambda _: note("deadline"), None, DEADLINE)
    world.after(5, lambda _: note("moves", first))
    world.after(5, lambda _: note("moves too", second, first))
    world.run(Process(world, wait(6)))
    # both benches once, in the order in which they joined
    assert log == ["moves", "moves too", "bench 0", "bench 1", "deadline"]


def test_what_a_grant_sets_off_at_the_instant_is_settled_again() -> None:
    world = World()
    log: list[str] = []
    probe = Probe(world, log, "bench")
    grant = Event()
    grant.then(lambda _: later_again())
    probe.grants = [grant]

    def later_again() -> None:
        world.after(0, lambda _: again())

    def again() -> None:
        log.append("moves again")
        world.unsettle(probe)

    world.after(5, lambda _: world.unsettle(probe))
    world.after(5, lambda _: log.append("deadline"), None, DEADLINE)
    world.run(Process(world, wait(6)))
    assert log == ["bench", "moves again", "bench", "deadline"]


def test_nothing_left_to_happen_is_a_deadlock() -> None:
    world = World()
    with pytest.raises(EngineFault, match="deadlock: nothing is left"):
        world.run(Event())


def test_events_without_end_at_one_instant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAME_INSTANT", 1000)
    world = World()

    def again(_: None) -> None:
        world.after(0, again)

    world.after(5_000_000_000, again)
    with pytest.raises(EngineFault, match="no progress: 1,000 events at 5 s"):
        world.run(Event())


def test_settling_without_end_at_one_instant(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thing that asks for another second phase each time it gives out."""
    monkeypatch.setattr(module, "SAME_INSTANT", 1000)
    world = World()
    log: list[str] = []

    class Restless(Probe):
        def settle(self) -> list[Event]:
            world.unsettle(self)
            world.after(0, lambda _: None)
            return super().settle()

    restless = Restless(world, log, "restless")
    world.after(5, lambda _: world.unsettle(restless))
    with pytest.raises(EngineFault, match="no progress"):
        world.run(Event())


@pytest.mark.parametrize(
    "inner",
    [
        {"wait": "0s"},
        {"call": "main", "input": 0, "output": 0},
        {"wait": "0s", "uses": {"gate": 1}},
        {"person": "dev", "time": "0s"},
        {"parallel": [{"wait": "0s"}, {"wait": "0s"}]},
    ],
    ids=["wait", "call", "pool", "person", "parallel"],
)
def test_steps_without_end_at_one_instant_stop(
    inner: File, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loops in loops whose steps take no time: stopped by a count, whether they wait or not."""
    monkeypatch.setattr(module, "SAME_INSTANT", 2000)
    monkeypatch.setattr(module, "SPANS", 2000)
    workflow: File = {
        "pools": {"gate": {"capacity": 1}},
        "people": {"dev": {"count": 1}},
        "steps": [{"loop": 100, "do": [{"loop": 100, "do": [inner]}]}],
    }
    with pytest.raises(EngineFault, match=r"no progress|stopped as endless"):
        run(tmp_path, workflow)


def test_a_run_with_too_many_spans_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SPANS", 100)
    with pytest.raises(EngineFault, match="endless"):
        run(tmp_path, {"steps": [{"loop": 200, "do": [{"wait": "1s"}]}]})


def test_a_drawn_time_beyond_all_calendars_stops(tmp_path: Path) -> None:
    """64 bits of nanoseconds are 292 years: four times 98 are more. One in a million takes 1 s, so
    that it is not known before the run."""
    with pytest.raises(EngineFault, match="years"):
        run(tmp_path, {"steps": [{"wait": {"values": ["1s", "3.1e9s"], "weights": [1, 1e6]}}] * 4})


# --- deadlocks are named ----------------------------------------------------------------------


def test_a_circle_of_waits_is_found() -> None:
    waits = [("x", "ci", ["y"]), ("z", "ci", ["y"]), ("y", "stage", ["w", "x"])]
    assert cycle(waits) == "circle x -> y -> x: "
    assert cycle([("z", "ci", ["y"]), *waits]) == "circle y -> x -> y: "
    assert cycle([("x", "ci", ["somebody"])]) == ""


CROSSED: File = {
    "pools": {"a": {"capacity": 1}, "b": {"capacity": 1}},
    "tools": {
        "forth": {"time": "5s", "returns": 0, "uses": {"a": 1, "b": 1}},
        "back": {"time": "5s", "returns": 0, "uses": {"b": 1, "a": 1}},
    },
    "steps": [{"parallel": [{"tool": "forth"}, {"tool": "back"}]}],
}


def crossed(tmp_path: Path) -> str:
    """How the run ends: what the fault says, or the time that it took."""
    try:
        return f"{run(tmp_path, CROSSED).wall:g} s"
    except EngineFault as fault:
        return str(fault)


def test_two_pools_taken_in_two_orders(tmp_path: Path) -> None:
    """A mapping has no order, so both take them in one: no deadlock, one after the other."""
    assert crossed(tmp_path) == "10 s"


def test_a_deadlock_between_tools_is_named(tmp_path: Path) -> None:
    """As it would be if a plan had two orders: each holds one pool and waits for the other."""
    graph = graph_of(tmp_path, CROSSED)
    fork = graph.root.steps[0]
    assert isinstance(fork, Fork)
    forth, back = fork.branches
    assert isinstance(forth, Work)
    assert isinstance(back, Work)
    opposite = tuple(reversed(forth.tool.uses))
    back = replace(back, tool=replace(back.tool, uses=opposite))
    root = replace(graph.root, steps=(replace(fork, branches=(forth, back)),))
    with pytest.raises(EngineFault) as fault:
        simulate(replace(graph, root=root), 0, 0)
    text = str(fault.value)
    assert text.startswith("deadlock: circle ")
    assert "parallel.back -> parallel.forth -> parallel.back" in text
    assert "parallel.forth waits for b, held by parallel.back" in text
    assert "parallel.back waits for a, held by parallel.forth" in text


def test_what_is_written_for_simpy_runs_on_the_clock_beside_ours() -> None:
    """A resource of one unit, held for 3 ns by each of two processes: 3 and 6; ours at 4."""
    world = World()
    resource = simpy.Resource(world.env, 1)
    log: list[tuple[int, str]] = []

    def customer(name: str) -> Generator[simpy.Event, Any, None]:
        with resource.request() as request:
            yield request
            yield world.env.timeout(3)
        log.append((world.now, name))

    over = Event()
    world.env.process(customer("a"))
    world.env.process(customer("b"))
    world.after(4, lambda _: log.append((world.now, "ours")))
    world.happens(over, 10)
    world.run(over)
    assert log == [(3, "a"), (4, "ours"), (6, "b")]


def test_a_fault_of_an_event_that_nobody_takes_is_raised() -> None:
    world = World()
    lost = Event()
    lost.fault = ValueError("lost")
    world.happens(lost)
    with pytest.raises(ValueError, match="lost"):
        world.run(Event())
