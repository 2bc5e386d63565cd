"""What a person's figures are, from a file to the answer, each second worked by hand."""

from __future__ import annotations

from pathlib import Path

from agentsim.analysis import fold, summarise
from agentsim.analysis.findings import PersonFindings
from agentsim.engine import simulate
from agentsim.records import Part
from agentsim.report import json_
from tests.runs import File, graph_of
from tests.unit.analysis import hand

DEV: File = {
    "dev": {"switch": "90s", "decides": "60s", "reads": {"fixed": "30s", "code": "400 loc/h"}}
}


def people(folder: Path, *steps: File) -> tuple[dict[str, PersonFindings], File]:
    graph = graph_of(folder, {"people": DEV, "steps": list(steps)})
    found = summarise(graph, [fold(simulate(graph, 0, 0), graph)], 0)
    return found.people, json_.answer(found)["people"]["dev"]


def test_reading_is_a_part_of_the_work_and_switches_are_counted(tmp_path: Path) -> None:
    # 40 lines at 400 an hour are 360 s, with the fixed part 390 s, and 60 s of deciding. The second
    # piece is of the same item: no switch, and it gives a `time`, which says nothing of reading.
    found, told = people(
        tmp_path, {"person": "dev", "reads": "40 loc"}, {"person": "dev", "time": "100s"}
    )
    dev = found["dev"]
    assert (dev.switches, dev.switching) == (1, 90)
    assert (dev.reading, dev.work) == (390, 390 + 60 + 100)
    assert (dev.lines, dev.times_needed) == (40, 2)
    assert (told["switches"], told["switching"]) == (1, 90)
    assert (told["reading"], told["work"]) == (390, 550)


def test_each_item_of_an_each_is_a_switch(tmp_path: Path) -> None:
    found, _ = people(tmp_path, {"each": 3, "do": [{"person": "dev", "time": "10s"}]})
    assert (found["dev"].switches, found["dev"].switching) == (3, 270)
    # no piece goes by what there is to read: unknown, not nothing
    assert found["dev"].reading is None


def test_reading_that_was_cut_short_is_no_more_than_the_work(tmp_path: Path) -> None:
    """Cut at 110 s: 90 s of switching and 20 of the 30 s that any piece takes; no line was read."""
    piece = {"person": "dev", "reads": "40 loc", "timeout": "110s", "or": "go on"}
    dev = people(tmp_path, piece)[0]["dev"]
    assert (dev.switching, dev.work, dev.reading, dev.lines) == (90, 20, 20, 0)


def test_who_is_asked_twice_in_a_run_is_asked_in_one_run() -> None:
    """Two pieces in one run, none in the other: asked in half of the runs, once a run in all."""
    plan = hand.graph(hand.ask(1, "look", 5), people=(hand.person(),))
    piece = (Part.PERSON_WORK, 5.0), (Part.PERSON_WORK, 10.0)
    spans = [
        hand.span(1, "you", 0, piece[0], facts=hand.read()),
        hand.span(1, "you", 5, piece[1], cause=0, facts=hand.read()),
    ]
    runs = [hand.trace(spans, 10), hand.trace([], 0)]
    you = summarise(plan, [fold(run, plan) for run in runs], 0).people["you"]
    assert (you.asked, you.times_needed) == (0.5, 1)
