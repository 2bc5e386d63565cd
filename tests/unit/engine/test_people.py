"""People: noticing beside other work, the queue, who takes a piece, when a switch is paid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis import fold
from agentsim.records import SECOND, Part, PersonFacts
from tests.runs import File, Run, run

WORK = Part.PERSON_WORK
CUT: dict[str, Any] = {"timeout": "30s", "or": "go on"}


def piece(id_: str, at: float, work: float, **more: Any) -> dict[str, Any]:
    """A task of its own that asks at `at` and takes `work` seconds."""
    ask = {"person": "dev", "id": "x", "time": f"{work}s", **more}
    return {"id": id_, "each": 1, "do": [{"wait": f"{at}s"}, ask]}


def play(folder: Path, person: dict[str, Any], *steps: dict[str, Any]) -> Run:
    workflow: File = {"people": {"dev": person}, "steps": [{"id": "p", "parallel": list(steps)}]}
    return run(folder, workflow)


def who(found: Run, name: str) -> int:
    facts = found.spans(f"p.{name}.x")[0].facts
    assert isinstance(facts, PersonFacts)
    return facts.person


def test_pickups_run_beside_work_and_beside_each_other(tmp_path: Path) -> None:
    """Noticing takes 10 s. a: 10 to 40. b, asked at 5, is noticed at 15 and begins at 40."""
    found = play(tmp_path, {"pickup": "10s"}, piece("a", 0, 30), piece("b", 5, 30))
    assert found.marks("p.a.x") == [(Part.PICKUP, 10), (WORK, 40)]
    assert found.marks("p.b.x") == [(Part.PICKUP, 15), (Part.PERSON_WAIT, 40), (WORK, 70)]


def test_the_queue_is_in_the_order_of_noticing(tmp_path: Path) -> None:
    """Served by when they stand in the queue: all are noticed after the same time."""
    found = play(
        tmp_path, {"pickup": "10s"}, piece("a", 2, 30), piece("b", 1, 30), piece("c", 0, 30)
    )
    assert [found.ends(f"p.{name}.x") for name in "abc"] == [[100], [70], [40]]


def test_priority(tmp_path: Path) -> None:
    found = play(tmp_path, {}, piece("a", 0, 10), piece("b", 1, 10), piece("c", 2, 10, priority=1))
    assert [found.ends(f"p.{name}.x") for name in "abc"] == [[10], [30], [20]]


def test_who_is_done_at_once_is_taken_before_who_has_not_begun(tmp_path: Path) -> None:
    """The first of three does a in no time, at 0: all are free since then, and c, at 1, is theirs.

    They are busy to 3, so d, at 2, goes to the second. At 9 the first are free since 3 and 4, the
    third since 0: e is theirs.
    """
    steps = [piece("a", 0, 0), piece("c", 1, 2), piece("d", 2, 2), piece("e", 9, 1)]
    found = play(tmp_path, {"count": 3}, *steps)
    assert [who(found, name) for name in "acde"] == [0, 0, 1, 2]


def test_of_several_the_one_free_longest_is_taken(tmp_path: Path) -> None:
    """0 works 0-10, 1 works 0-5. At 20 the one free since 5 is taken, at 21 the other."""
    found = play(
        tmp_path,
        {"count": 2},
        piece("a", 0, 10),
        piece("b", 0, 5),
        piece("c", 20, 3),
        piece("d", 21, 3),
        piece("e", 30, 1),  # free since 23 and 24: number 1 again
    )
    assert [who(found, name) for name in "abcde"] == [0, 1, 1, 0, 1]


def test_of_those_free_equally_long_the_first_named(tmp_path: Path) -> None:
    """Both are free from 10 on."""
    found = play(tmp_path, {"count": 2}, piece("a", 0, 10), piece("b", 0, 10), piece("c", 20, 1))
    assert [who(found, name) for name in "abc"] == [0, 1, 0]


def test_a_piece_goes_to_whoever_is_free_first(tmp_path: Path) -> None:
    found = play(tmp_path, {"count": 2}, piece("a", 0, 10), piece("b", 0, 5), piece("c", 1, 5))
    assert who(found, "c") == 1
    assert found.ends("p.c.x") == [10]


def test_a_switch_is_paid_for_every_other_item_and_from_idle(tmp_path: Path) -> None:
    """a at 0 and, long after, b at 100: both pay, the second from idle too."""
    found = play(tmp_path, {"switch": "4s"}, piece("a", 0, 10), piece("b", 100, 10))
    assert found.marks("p.a.x") == [(Part.SWITCHING, 4), (WORK, 14)]
    assert found.marks("p.b.x") == [(Part.SWITCHING, 104), (WORK, 114)]


def rounds(*between: dict[str, Any]) -> dict[str, Any]:
    ask = {"person": "dev", "id": "x", "time": "10s", "approves": "0%"}
    loop = {"id": "l", "loop": 3, "do": [ask], "between": [{"wait": "5s"}, *between]}
    return {"id": "a", "each": 1, "do": [loop]}


def test_the_same_item_again_costs_none(tmp_path: Path) -> None:
    """Three pieces of one item: 4 + 10, 5, 10, 5, 10."""
    found = play(tmp_path, {"switch": "4s"}, rounds())
    assert found.wall == 44
    assert found.breakdown == {Part.SWITCHING: 4, WORK: 30, Part.WAIT: 10}


def test_but_another_in_between_does(tmp_path: Path) -> None:
    """a: 0-14, asks again at 19; b has asked at 15: 15-25 with its switch; then a pays again."""
    found = play(tmp_path, {"switch": "4s"}, rounds(), piece("b", 15, 6))
    marks = [list(span.marks) for span in found.spans("p.a.l.x")]
    switched = [any(part is Part.SWITCHING for part, _ in row) for row in marks]
    assert switched == [True, True, False]
    assert found.wall == 14 + 5 + 6 + (4 + 10) + 5 + 10


def test_each_of_several_remembers_its_own_item(tmp_path: Path) -> None:
    """Two persons, two items with two rounds each: each stays with its item, one switch each."""
    ask = {"person": "dev", "id": "x", "time": "10s", "approves": "0%"}

    def item(name: str, between: str) -> dict[str, Any]:
        loop = {"id": "l", "loop": 2, "do": [ask], "between": [{"wait": between}]}
        return {"id": name, "each": 1, "do": [loop]}

    found = play(tmp_path, {"count": 2, "switch": "4s"}, item("a", "5s"), item("b", "6s"))
    for name in "ab":
        persons = {facts.person for facts in found.pieces(f"p.{name}.l.x")}
        assert len(persons) == 1
    assert found.breakdown[Part.SWITCHING] == 4


def test_a_person_given_up_while_queueing_takes_the_next(tmp_path: Path) -> None:
    b = piece("b", 1, 10, timeout="5s", **{"or": "go on"})
    found = play(tmp_path, {}, piece("a", 0, 10), b, piece("c", 2, 10))
    assert found.marks("p.b.x") == [(Part.PERSON_WAIT, 6)]
    assert found.ends("p.c.x") == [20]


def test_reading_and_deciding(tmp_path: Path) -> None:
    """5 s fixed, 60 words at 120 a minute 30 s, 40 s to decide; then 100 lines at 3,600 an hour."""
    person = {"reads": {"fixed": "5s", "prose": "120 wpm", "code": "3600 loc/h"}}
    ask = {"person": "dev", "decides": "40s"}
    steps = [
        {**ask, "id": "words", "reads": "60 words"},
        {**ask, "id": "lines", "reads": "100 loc"},
    ]
    found = run(tmp_path, {"people": {"dev": person}, "steps": steps})
    assert found.ends("words") == [75]
    assert found.ends("lines") == [75 + 5 + 100 + 40]
    assert (found.pieces("words")[0].words, found.pieces("lines")[0].lines) == (60, 100)


@pytest.mark.parametrize(
    ("after", "lines", "reading"),
    [
        (3, 0, 0),  # in the 4 s of switching: nothing is read yet
        (8, 0, 4),  # 4 s into the fixed part of 5 s, which is reading
        (29, 20, 25),  # 5 s, then 20 lines at 1 a second
        (120, 100, 105),  # all is read, 11 of 40 s of deciding done
    ],
)
def test_a_reading_that_is_cut_short(
    tmp_path: Path, after: int, lines: float, reading: float
) -> None:
    """Switching 4 s, 5 s fixed, 100 lines at 3,600 an hour, 40 s to decide: cut after so long."""
    dev = {"switch": "4s", "reads": {"fixed": "5s", "code": "3600 loc/h"}}
    step = {"person": "dev", "id": "x", "decides": "40s", "reads": "100 loc"}
    cut = {"timeout": f"{after}s", "or": "go on"}
    found = run(tmp_path, {"people": {"dev": dev}, "steps": [{**step, **cut}]})
    assert found.pieces("x")[0].lines == pytest.approx(lines)
    (own,) = fold(found.trace, found.graph).people
    assert own.work == max(0, after - 4) * SECOND
    assert own.reading == pytest.approx(reading * SECOND, abs=2)
    assert own.pieces == 0
    assert found.wall == after


def test_of_a_time_that_is_cut_short_what_is_read_goes_evenly(tmp_path: Path) -> None:
    """30 of 120 s: a quarter of 100 lines. How much of it was reading is not known."""
    step = {"person": "dev", "id": "x", "time": "2m", "reads": "100 loc"}
    found = run(tmp_path, {"people": {"dev": {}}, "steps": [{**step, **CUT}]})
    assert found.pieces("x")[0].lines == 25
    (own,) = fold(found.trace, found.graph).people
    assert (own.read, own.reading, own.work) == (0, 0, 30 * SECOND)


def test_what_was_cut_short_has_to_be_read_again(tmp_path: Path) -> None:
    """60 lines at 2 a second take 30 s: cut after 10 s at 20 lines, then all 60 are read."""
    dev = {"reads": {"code": "7200 loc/h"}}
    writer = {"person": "w", "id": "w", "time": "1s", "writes": "60 loc"}
    step = {"person": "dev", "reads": "changes"}
    steps = [writer, {**step, "id": "x", "timeout": "10s", "or": "go on"}, {**step, "id": "y"}]
    found = run(tmp_path, {"people": {"dev": dev, "w": {}}, "steps": steps})
    assert (found.pieces("x")[0].lines, found.pieces("y")[0].lines) == (20, 60)
    own = {person.name: i for i, person in enumerate(found.graph.people)}["dev"]
    assert fold(found.trace, found.graph).people[own].reading == 40 * SECOND


def test_writing_takes_its_own_time(tmp_path: Path) -> None:
    """20 lines at 60 an hour are 20 min, beside the 10 s of reading and deciding."""
    step = {"person": "dev", "time": "10s", "writes": "20 loc"}
    slow = {"people": {"dev": {"count": 1, "types": "60 loc/h"}}, "steps": [step]}
    assert run(tmp_path, slow).wall == 1210
    plain = {"people": {"dev": {"count": 1}}, "steps": [step]}
    found = run(tmp_path, plain)
    assert found.wall == 10
    assert "dev: how fast they write" in {one.what for one in found.graph.assumed}
