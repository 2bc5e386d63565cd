"""The queueing core by itself: who is served when, worked by hand in nanoseconds."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from agentsim.engine.bench import Bench, Job
from agentsim.engine.world import Event, Process, World
from agentsim.records import Peak


def wait(nanoseconds: int) -> Generator[int, Any, None]:
    yield nanoseconds


class Play:
    """A bench and those who use it; `log` is (who, from, until) in the order of service."""

    def __init__(self, capacity: float) -> None:
        self.world = World()
        self.bench = Bench(self.world, "gate", capacity)
        self.log: list[tuple[str, int, int]] = []
        self._users = 0

    def user(
        self, who: str, at: int, hold: int, units: float = 1, priority: float = 0.0, rank: int = -1
    ) -> None:
        """Asks at `at` and holds for `hold`; declared in the order of these calls."""
        self._users += 1
        order = (self._users if rank < 0 else rank, ())

        def life() -> Generator[Event | int, Any, None]:
            yield at
            job = self.bench.ask(units, order, who, priority)
            yield job
            began = self.world.now
            yield hold
            job.leave()
            self.log.append((who, began, self.world.now))

        Process(self.world, life())

    def run(self, until: int = 1000) -> list[tuple[str, int, int]]:
        self.world.run(Process(self.world, wait(until)))
        return sorted(self.log, key=lambda entry: entry[1])


def test_first_come_first_served() -> None:
    play = Play(1)
    play.user("late", 2, 5)
    play.user("early", 1, 5)
    play.user("first", 0, 5)
    assert play.run() == [("first", 0, 5), ("early", 5, 10), ("late", 10, 15)]


def test_at_one_instant_in_order_of_declaration() -> None:
    """Whoever happens to ask first within the instant: the rank decides."""
    play = Play(1)
    play.user("third", 0, 5, rank=3)
    play.user("first", 0, 5, rank=1)
    play.user("second", 0, 5, rank=2)
    assert [who for who, _, _ in play.run()] == ["first", "second", "third"]


def test_priority_goes_before_time_and_declaration() -> None:
    play = Play(1)
    play.user("holder", 0, 10)
    play.user("usual", 1, 5)
    play.user("urgent", 3, 5, priority=2.0)
    play.user("lazy", 2, 5, priority=-1.0)
    assert [who for who, _, _ in play.run()] == ["holder", "urgent", "usual", "lazy"]


def test_priority_counts_even_when_asked_after_at_the_same_instant() -> None:
    play = Play(1)
    play.user("usual", 0, 5)
    play.user("urgent", 0, 5, priority=1.0)
    assert play.run() == [("urgent", 0, 5), ("usual", 5, 10)]


def test_the_first_in_the_queue_is_not_overtaken_by_a_smaller_one() -> None:
    play = Play(2)
    play.user("holder", 0, 10)
    play.user("big", 1, 3, units=2)
    play.user("small", 2, 3)
    assert play.run() == [("holder", 0, 10), ("big", 10, 13), ("small", 13, 16)]


def test_a_unit_freed_at_an_instant_is_taken_at_it() -> None:
    play = Play(1)
    play.user("late", 10, 3, rank=1)
    play.user("holder", 0, 10, rank=2)
    assert play.run() == [("holder", 0, 10), ("late", 10, 13)]


def test_fractions_of_a_unit_at_one_instant() -> None:
    """0.3 holds 0.1 three times, though 0.3 - 0.1 - 0.1 is less than 0.1 in floats."""
    play = Play(0.3)
    for who in "abcd":
        play.user(who, 0, 10, units=0.1)
    assert [(began, ended) for _, began, ended in play.run()] == [(0, 10)] * 3 + [(10, 20)]


def test_fractions_of_a_unit_one_after_another() -> None:
    """The same when the third asks later: it need not wait for anybody."""
    play = Play(0.3)
    for at, who in enumerate("abc"):
        play.user(who, at, 10, units=0.1)
    assert play.run() == [("a", 0, 10), ("b", 1, 11), ("c", 2, 12)]


def test_many_fractions_leave_no_drift() -> None:
    """After a thousand of them all of the bench is still there for one who wants it all."""
    play = Play(1.0)
    for at in range(1000):
        play.user("part", at, 3, units=0.1)
    play.user("all", 1010, 5, units=1.0)
    assert play.run(2000)[-1] == ("all", 1010, 1015)


def test_capacity_0_serves_nobody_and_is_no_fault() -> None:
    play = Play(0)
    play.user("a", 0, 5)
    assert play.run() == []
    assert play.bench.peak() == Peak("gate", 1, 0.0)
    assert [wait[:2] for wait in play.bench.waiting()] == [("a", "gate")]


def test_an_ask_taken_back_while_it_waits() -> None:
    """Whoever stood behind it is served as if it had never asked."""
    play = Play(2)
    world = play.world
    play.user("holder", 0, 10)
    asked: list[Job] = []

    def ask(_: Event) -> None:
        asked.append(play.bench.ask(2, (2, ()), "big"))

    world.after(1, ask)
    play.user("small", 2, 3)
    world.after(5, lambda _: asked[0].leave())
    assert play.run() == [("holder", 0, 10), ("small", 5, 8)]
    assert not asked[0].held
    assert play.bench.free == 2


def test_leaving_twice_gives_back_once() -> None:
    play = Play(1)
    world = play.world
    jobs: list[Job] = []
    world.after(0, lambda _: jobs.append(play.bench.ask(1, (1, ()), "a")))

    def leave(_: Event) -> None:
        jobs[0].leave()
        jobs[0].leave()

    world.after(5, leave)
    play.user("b", 1, 3)
    play.user("c", 1, 3)
    assert play.run() == [("b", 5, 8), ("c", 8, 11)]
    assert play.bench.free == 1


def test_peaks() -> None:
    """Three ask for one of two units each at 0, a fourth at 1; two at most are in use."""
    play = Play(2)
    for who in "abc":
        play.user(who, 0, 10)
    play.user("d", 1, 10)
    play.run()
    assert play.bench.peak() == Peak("gate", 2, 2.0)


def test_a_queue_that_is_served_at_its_instant_is_none() -> None:
    play = Play(2)
    play.user("a", 0, 10)
    play.user("b", 0, 10)
    play.run()
    assert play.bench.peak() == Peak("gate", 0, 2.0)


@pytest.mark.parametrize("units", [1, 2])
def test_who_holds_is_named(units: int) -> None:
    play = Play(2)
    play.user("holder", 0, 10)
    play.user("other", 0, 10)
    play.user("late", 1, 1, units=units)
    play.run(5)
    assert list(play.bench.waiting()) == [("late", "gate", ["holder", "other"])]


def test_asked_before_it_is_freed_at_one_instant_is_no_queue() -> None:
    """The unit is free at 5 again: whether the ask or the giving back comes first at 5."""
    for asked, queue in ((5, 0), (4, 1)):
        play = Play(1)
        play.user("a", 0, 5)
        play.user("b", asked, 5)
        play.run()
        assert play.bench.peak().queue == queue
    world = World()
    bench = Bench(world, "gate", 1)
    held = bench.ask(1, (0, ()), "a")
    world.after(5, lambda _: bench.ask(1, (1, ()), "b"))
    world.after(5, lambda _: held.leave())
    world.run(Process(world, wait(6)))
    assert bench.peak().queue == 0
