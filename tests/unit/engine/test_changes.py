"""The ledger of changes: who has read which lines, in a task and in those around it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentsim.engine.tasks import Task
from tests.runs import HUNDRED, File, Run, run


def test_what_one_writes_is_unread_by_others() -> None:
    task = Task(1, "each", (), None)
    task.write(100, "session 0")
    assert task.unread("person dev") == 100
    assert task.unread("session 0") == 0
    assert task.look("person dev") == 100
    assert task.unread("person dev") == 0
    task.write(30, "session 0")
    task.write(20, "person dev")
    assert task.look("person dev") == 30
    assert task.look("session 0") == 20
    assert task.look("session 1") == 150  # a fresh one reads all


def test_a_task_sees_its_own_and_those_around_see_all() -> None:
    root = Task(1, "each", (), None)
    root.write(100, "session 0")
    one, two = Task(1, "each", (0,), root), Task(1, "each", (1,), root)
    one.write(40, "session 1")
    two.write(5, "session 2")
    assert one.unread("person dev") == 40
    assert two.unread("person dev") == 5
    assert root.unread("person dev") == 145


def test_what_was_read_inside_need_not_be_read_again_outside() -> None:
    root = Task(1, "each", (), None)
    middle = Task(1, "each", (0,), root)
    inner = Task(1, "each", (0, 0), middle)
    inner.write(40, "session 1")
    middle.write(10, "session 2")
    assert inner.look("person dev") == 40
    assert middle.look("person dev") == 10
    assert root.look("person dev") == 0
    assert root.look("person ann") == 50


def test_who_wrote_inside_knows_it_outside() -> None:
    root = Task(1, "each", (), None)
    inner = Task(1, "each", (0,), root)
    inner.write(40, "session 1")
    assert root.unread("session 1") == 0


# --- through steps ----------------------------------------------------------------------------

CAST: dict[str, Any] = {
    "people": {"dev": {"count": 1, "reads": {"code": "3600 loc/h"}}},  # a line a second
    "agents": {
        "writer": {
            "model": "main", "turns": 1, "output": 0, "writes": "100 loc", "tokens_per_line": 10
        },
        "reader": {"model": "main", "turns": 1, "output": 0, "tokens_per_line": 10},
    },
}  # fmt: skip


def play(folder: Path, *steps: dict[str, Any]) -> Run:
    workflow: File = {**CAST, "steps": list(steps)}
    return run(folder, workflow, HUNDRED)


WRITE = {"agent": "writer"}
READ = {"person": "dev", "id": "read", "reads": "changes"}


def lines(found: Run, path: str) -> list[float]:
    return [facts.lines for facts in found.pieces(path)]


def test_a_person_reads_what_is_new(tmp_path: Path) -> None:
    loop = {"id": "l", "loop": 3, "do": [WRITE, READ]}
    found = play(tmp_path, loop, {**READ, "id": "last"})
    assert lines(found, "l.read") == [100, 100, 100]
    assert lines(found, "last") == [0]


def test_a_fresh_session_reads_all_and_the_same_one_only_what_is_new(tmp_path: Path) -> None:
    """100 lines of 10 tokens each are written in every round."""
    fresh = {"agent": "reader", "id": "fresh", "reads": "changes"}
    same = {"agent": "reader", "id": "same", "session": "same", "reads": "changes"}
    found = play(tmp_path, {"id": "l", "loop": 3, "do": [WRITE, fresh, same]})
    assert [facts.fresh for facts in found.calls("l.fresh")] == [1000, 2000, 3000]
    # each call sends the whole session, to which only the new lines were added
    assert [facts.fresh for facts in found.calls("l.same")] == [1000, 2000, 3000]
    assert len({facts.session for facts in found.calls("l.same")}) == 1


def test_the_writer_does_not_read_its_own(tmp_path: Path) -> None:
    """The writer goes on in its session: of 100 + 100 lines it reads none, of dev's 30 all."""
    first = {"agent": "writer", "id": "impl"}
    asked = {"person": "dev", "time": "1s", "writes": "30 loc"}
    again = {"agent": "reader", "id": "again", "session": "impl", "reads": "changes"}
    found = play(tmp_path, first, {**first, "id": "more", "session": "impl"}, asked, again)
    assert found.calls("again")[0].fresh == 1000 + 1000 + 300  # two answers, and dev's lines


def test_items_read_their_own_and_the_person_reads_the_rest(tmp_path: Path) -> None:
    """100 before, 100 in each of two items; inside they read 100 each, outside what is left."""
    item = {"id": "e", "each": 2, "do": [WRITE, READ]}
    found = play(tmp_path, WRITE, item, {**READ, "id": "last"})
    assert lines(found, "e.read") == [100, 100]
    assert lines(found, "last") == [100]
    # 10 s to write, then both items: 10 s side by side and 100 + 100 s of reading; 100 s more
    assert found.wall == 10 + 10 + 200 + 100


def test_a_reading_that_was_cut_is_not_all_read(tmp_path: Path) -> None:
    """100 lines take 100 s; given up after 40 s, at least 60 of them are still to be read."""
    cut = {**READ, "id": "cut", "timeout": "40s", "or": "go on"}
    found = play(tmp_path, WRITE, cut, READ)
    (left,) = lines(found, "read")
    assert 60 <= left <= 100
    assert found.wall == 10 + 40 + left
