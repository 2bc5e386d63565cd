"""`wait: {until:}` in a run: when it ends, what it holds, who waits with it, what stops it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from agentsim.engine import simulate
from agentsim.errors import EngineFault
from agentsim.experiment.variants import with_people, with_tools
from agentsim.records import SECOND, Outcome, Part
from tests.runs import File, graph_of, run

HOUR = 3600
MORNING: File = {"start": "2026-11-30T08:00", "timezone": "Europe/Amsterdam"}  # a Monday


def until(when: str, **fields: Any) -> dict[str, Any]:
    return {"wait": {"until": when}, **fields}


def test_it_ends_at_the_time_and_is_waiting(tmp_path: Path) -> None:
    found = run(tmp_path, {**MORNING, "steps": [{"wait": "17m"}, until("09:00")]})
    assert found.wall == HOUR
    assert found.breakdown == {Part.WAIT: HOUR}
    assert found.marks("wait-2") == [(Part.WAIT, HOUR)]


def test_exactly_at_the_time_it_takes_nothing(tmp_path: Path) -> None:
    """A nanosecond later it takes a day less that nanosecond."""
    steps = [until("08:00"), until("08:00"), {"wait": "1ns"}, until("08:00", id="late")]
    found = run(tmp_path, {**MORNING, "steps": steps})
    assert found.trace.ended == 24 * HOUR * SECOND
    began = [visit.began for visit in found.visits("late")]
    assert began == [1]


@pytest.mark.parametrize(
    ("start", "zone", "when", "hours"),
    [
        # Amsterdam at 23:00; 02:30 is skipped, and is 03:00: 3 h. 09:00 is 9 h later, not 10
        ("2026-03-28T23:00", "Europe/Amsterdam", "02:30", 3),
        ("2026-03-28T23:00", "Europe/Amsterdam", "09:00", 9),
        # 02:30 comes twice, the first 3.5 h after 23:00; 09:00 is 11 h later
        ("2026-10-24T23:00", "Europe/Amsterdam", "02:30", 3.5),
        ("2026-10-24T23:00", "Europe/Amsterdam", "09:00", 11),
        # begun between the two: 02:45 of summer to 02:30 of winter
        ("2026-10-25T02:45+02:00", "Europe/Amsterdam", "02:30", 0.75),
        ("2026-10-25T02:45+02:00", "Europe/Amsterdam", "2026-10-25T02:30", 0.75),
        ("2026-10-24T23:00", "Europe/Amsterdam", "2026-10-25T02:30", 3.5),
        ("2026-03-28T23:00", "Europe/Amsterdam", "2026-03-29T02:30", 3),
        ("2026-03-07T22:00", "America/New_York", "02:15", 4),
        ("2026-10-31T22:00", "America/New_York", "01:30", 3.5),
        ("2026-11-01T01:31-04:00", "America/New_York", "01:30", 59 / 60),
        # a start whose clock is of another zone: 08:00 in Tokyo is midnight in Amsterdam
        ("2026-11-30T08:00+09:00", "Europe/Amsterdam", "09:00", 9),
        ("2026-11-30T08:00", None, "09:00", 1),  # UTC
    ],
)
def test_changes_of_daylight_saving(
    start: str, zone: str | None, when: str, hours: float, tmp_path: Path
) -> None:
    head = {"start": start, **({"timezone": zone} if zone else {})}
    found = run(tmp_path, {**head, "steps": [until(when)]})
    assert found.trace.ended == round(hours * HOUR) * SECOND
    assert found.trace.notes == {}


def test_a_start_with_a_fraction_is_met_to_the_nanosecond(tmp_path: Path) -> None:
    """From 08:00:00.123456 to 09:00 it is an hour less 123,456 us."""
    head = {"start": "2026-11-30T08:00:00.123456", "timezone": "UTC"}
    found = run(tmp_path, {**head, "steps": [until("09:00")]})
    assert found.trace.ended == HOUR * SECOND - 123_456_000


def test_items_that_wait_at_different_times(tmp_path: Path) -> None:
    """Items come at 08:00, 08:50 and 09:40; the last is too late, and waits for Tuesday."""
    steps = [{"each": 3, "do": [{"wait": "$(index * 50)m"}, until("09:00", id="w")]}]
    found = run(tmp_path, {**MORNING, "steps": steps})
    assert sorted(found.ends("each.w")) == [HOUR, HOUR, 25 * HOUR]
    assert found.wall == 25 * HOUR


def test_items_with_a_time_each(tmp_path: Path) -> None:
    steps = [{"each": ["08:30", "12:00", "07:00"], "do": [until("$(item)", id="w")]}]
    found = run(tmp_path, {**MORNING, "steps": steps})
    assert sorted(span.ended / SECOND for span in found.trace.spans) == [1800, 4 * HOUR, 23 * HOUR]


POOL: File = {"pools": {"staging": {"capacity": 1}}}


def test_it_holds_what_it_uses(tmp_path: Path) -> None:
    """The first holds the pool from 08:00 to 09:00; the other gets it then, for 10 minutes."""
    first = until("09:00", uses={"staging": 1}, id="first")
    other = {"wait": "10m", "uses": {"staging": 1}, "id": "other"}
    found = run(tmp_path, {**MORNING, **POOL, "steps": [{"parallel": [first, other]}]})
    assert found.marks("parallel.first") == [(Part.WAIT, HOUR)]
    assert found.marks("parallel.other") == [(Part.POOL_WAIT, HOUR), (Part.WAIT, HOUR + 600)]


def test_it_begins_when_it_has_what_it_uses(tmp_path: Path) -> None:
    """The pool is free at 10:00: 09:00 is over for today, and 12:00 is two hours later."""
    for when, ended in (("09:00", 25 * HOUR), ("12:00", 4 * HOUR)):
        first = {"wait": "2h", "uses": {"staging": 1}}
        other = until(when, uses={"staging": 1}, id="other")
        found = run(tmp_path, {**MORNING, **POOL, "steps": [{"parallel": [first, other]}]})
        assert found.marks("parallel.other") == [(Part.POOL_WAIT, 2 * HOUR), (Part.WAIT, ended)]


def test_a_date_that_is_over_is_counted(tmp_path: Path) -> None:
    """08:30 is over when the second and third wait for it, which is at 09:00."""
    day = "2026-11-30"
    steps = [until("09:00"), until(f"{day}T08:30"), until(f"{day}T08:30"), until(f"{day}T09:00")]
    found = run(tmp_path, {**MORNING, "steps": steps})
    assert found.wall == HOUR
    assert found.trace.notes == {"until_past": 2}
    assert found.graph.notes == ()


def test_a_date_before_the_start_is_told_before_the_run(tmp_path: Path) -> None:
    found = run(tmp_path, {**MORNING, "steps": [until("2026-11-30T07:59:59", id="old")]})
    assert (found.wall, found.trace.notes) == (0, {})
    assert [note for note in found.graph.notes if "before the `start`" in note]
    exact = run(tmp_path, {**MORNING, "steps": [until("2026-11-30T08:00", id="now")]})
    assert (exact.wall, exact.graph.notes) == (0, ())


def test_a_timeout_cuts_it(tmp_path: Path) -> None:
    """An hour to go, and half an hour given."""
    found = run(tmp_path, {**MORNING, "steps": [until("09:00", id="w", timeout="30m")]})
    assert (found.trace.outcome, found.wall) == (Outcome.FAILED, 1800)
    assert found.marks("w") == [(Part.WAIT, 1800)]
    met = run(tmp_path, {**MORNING, "steps": [until("09:00", timeout="1h")]})
    assert (met.trace.outcome, met.wall) == (Outcome.DONE, HOUR)


def test_it_says_a_verdict_and_is_one_of_branches(tmp_path: Path) -> None:
    """The branch until 09:00 loses against half an hour; the loop leaves when it is approved."""
    fork = {"parallel": [until("09:00", id="w"), {"wait": "30m"}], "join": "any"}
    found = run(tmp_path, {**MORNING, "steps": [fork]})
    assert found.wall == 1800
    assert found.spans("parallel.w")[0].outcome is Outcome.CANCELLED
    loop = {"loop": 5, "do": [{"wait": "1s"}, until("09:00", approves=["0%", "0%", "100%"])]}
    rounds = run(tmp_path, {**MORNING, "steps": [loop]})
    assert rounds.wall == 49 * HOUR  # 09:00 of Monday, Tuesday and Wednesday


def test_rounds_within_a_time(tmp_path: Path) -> None:
    """Rounds may begin within 49 h: at 08:00, 09:01 and 09:01 of Tuesday, not at that of Wednesday
    (49 h 1 min later)."""
    loop = {"loop": {"within": "49h"}, "do": [until("09:00", id="w"), {"wait": "1m"}]}
    found = run(tmp_path, {**MORNING, "steps": [loop]})
    assert found.ends("loop.w") == [HOUR, 25 * HOUR, 49 * HOUR]
    assert found.wall == 49 * HOUR + 60


def test_rounds_that_stand_still_are_stopped(tmp_path: Path) -> None:
    """From 09:00 on each round takes nothing, and ten hours never pass."""
    graph = graph_of(
        tmp_path, {**MORNING, "steps": [{"loop": {"within": "10h"}, "do": [until("09:00")]}]}
    )
    with pytest.raises(EngineFault, match="its rounds take no time"):
        simulate(graph, 0, 0)


def test_in_the_life_of_an_agent(tmp_path: Path) -> None:
    """A call of 10 s, until 09:00, a call of 10 s."""
    call = {"call": "self", "input": 0, "output": 1000}
    agents = {"lead": {"turns": 1, "output": 1, "prompt": 0}}
    steps = [{"agent": "lead", "do": [call, until("09:00"), call]}]
    found = run(tmp_path, {**MORNING, "agents": agents, "steps": steps})
    assert found.wall == HOUR + 10
    assert found.breakdown == {Part.DECODE: 20, Part.WAIT: HOUR - 10}


def test_faster_work_is_lost_in_it(tmp_path: Path) -> None:
    """Whether a tool takes 40 or 20 minutes, it goes on at 09:00."""
    steps = [{"tool": "t"}, until("09:00"), {"tool": "t", "id": "more"}]
    graph = graph_of(tmp_path, {**MORNING, "tools": {"t": {"time": "40m"}}, "steps": steps})
    assert simulate(graph, 0, 0).ended == (HOUR + 2400) * SECOND
    assert simulate(with_tools(graph, 0.5), 0, 0).ended == (HOUR + 1200) * SECOND


def test_no_lever_changes_it_and_it_travels(tmp_path: Path) -> None:
    graph = graph_of(
        tmp_path, {**MORNING, "steps": [until("Mon 09:00"), until("2026-12-24T18:00")]}
    )
    assert with_tools(graph, 0.5) == with_people(graph, 0.5) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert hash(graph) == hash(pickle.loads(pickle.dumps(graph)))
    assert graph.exact
