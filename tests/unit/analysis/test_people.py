"""What a person's figures are, from a file to the answer, each second worked by hand."""

from __future__ import annotations

from pathlib import Path

from agentsim.analysis import fold, summarise
from agentsim.analysis.findings import PersonFindings
from agentsim.engine import simulate
from agentsim.report import json_
from tests.runs import File, graph_of

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
