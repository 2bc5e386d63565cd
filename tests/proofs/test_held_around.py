"""The checks of harnesses, agents' own caps and defects fail on what is tampered with."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentsim.engine import simulate
from agentsim.graph import Agent, Craft, Graph, Life, Node, walk
from agentsim.records import Defects, Part, Verdict
from tests.held.books import Books, Desk
from tests.held.caps import check_caps
from tests.held.events import addresses
from tests.held.harness import check_turn_times
from tests.held.quality import check_books, check_defects
from tests.held.runs import check
from tests.held.times import looked
from tests.runs import changed, graph_of

CALL: dict[str, Any] = {"prompt": 10, "output": 100}
ONE = {**CALL, "turns": 1}
TWO = {**CALL, "turns": 2, "tools": {"shell": "100%"}}


def other(node: Any, **new: Any) -> Any:
    """The same steps with the caps, or the time of its harness, of all agents otherwise."""

    def change(one: Node) -> Node:
        if isinstance(one, Agent | Life) and one.caps is not None and "turn_time" not in new:
            return replace(one, caps=replace(one.caps, **new))
        if isinstance(one, Agent) and "turn_time" in new:
            return replace(one, plan=replace(one.plan, **new))
        return one

    return changed(node, change)


# --- a harness's time -------------------------------------------------------------------------


def test_times_of_a_harness(tmp_path: Path) -> None:
    """Two turns, each after 2 s."""
    agents = {"a": {**TWO, "turn_time": "2s"}}
    workflow = {
        "agents": agents,
        "tools": {"shell": {"time": "3s"}},
        "steps": [{"agent": "a"}, {"agent": "a", "id": "b"}],
    }
    graph = graph_of(tmp_path, workflow)
    trace = simulate(graph, 0, 0)
    check(trace, graph)
    assert check_turn_times(looked(trace, graph)) == 4
    own = [i for i, span in enumerate(trace.spans) if span.marks[0][0] is Part.OTHER]
    assert len(own) == 4
    without = trace._replace(spans=[span for i, span in enumerate(trace.spans) if i != own[1]])
    with pytest.raises(AssertionError, match="without the time"):
        check_turn_times(looked(without, graph))
    twice = trace._replace(spans=[*trace.spans[: own[0] + 1], *trace.spans[own[0] :]])
    with pytest.raises(AssertionError, match="twice"):
        check_turn_times(looked(twice, graph))
    spans = list(trace.spans)
    span = spans[own[0]]
    spans[own[0]] = span._replace(marks=((Part.OTHER, span.ended - 1),))
    with pytest.raises(AssertionError):
        check_turn_times(looked(trace._replace(spans=spans), graph))
    none = replace(graph, root=other(graph.root, turn_time=None))
    with pytest.raises(AssertionError, match="there is none"):
        check_turn_times(looked(trace, none))


# --- agents' own caps -------------------------------------------------------------------------


def lead(folder: Path, caps: dict[str, Any], *steps: Any) -> Graph:
    workflow = {
        "agents": {"lead": {**ONE, "caps": caps}, "one": ONE, "two": TWO},
        "tools": {"shell": {"time": "3s"}},
        "steps": [{"agent": "lead", "do": list(steps)}],
    }
    return graph_of(folder, workflow)


@pytest.mark.parametrize(
    ("caps", "fewer", "more"),
    [
        ({"agents": 2}, {"agents": 1}, {"agents": 3}),
        ({"agents": 2, "held": "call"}, {"agents": 1}, {"agents": 3}),
        ({"tools": 2}, {"tools": 1}, {"tools": 3}),
        ({"spawns": 3}, {"spawns": 2}, None),
    ],
)
def test_own_caps(
    caps: dict[str, Any], fewer: dict[str, Any], more: dict[str, Any] | None, tmp_path: Path
) -> None:
    """Three agents at once in the lead; with one place less, or more, it would be another run."""
    graph = lead(tmp_path, caps, {"each": 3, "do": [{"agent": "two"}]})
    trace = simulate(graph, 0, 0)
    check(trace, graph)
    with pytest.raises(AssertionError):
        check_caps(looked(trace, replace(graph, root=other(graph.root, **fewer))))
    if more is not None:
        with pytest.raises(AssertionError, match="while there is a place"):
            check_caps(looked(trace, replace(graph, root=other(graph.root, **more))))


def test_one_agent_too_many(tmp_path: Path) -> None:
    graph = lead(tmp_path, {"spawns": 2}, {"each": 3, "limit": 1, "do": [{"agent": "one"}]})
    trace = simulate(graph, 0, 0)
    check(trace, graph)
    assert "has started 2 agents" in trace.reason
    for told in (
        trace.reason.replace("2 agents", "3 agents"),
        trace.reason.replace("lead h", "x h"),
    ):
        with pytest.raises(AssertionError, match="is said to have started"):
            check_caps(looked(trace._replace(reason=told), graph))


# --- defects ----------------------------------------------------------------------------------

WRITE = {"person": "dev", "id": "write", "time": "1s", "writes": "90 loc", "defects": "90 per kloc"}
REVIEW = {"person": "ann", "reads": "changes", "finds": "60%", "approves": "when clean"}
FIX = {"person": "dev", "id": "fix", "time": "1s", "writes": "5 loc", "regressions": "30%"}
ROUNDS = {"loop": 3, "do": [REVIEW], "between": [FIX], "or": "go on"}
TREES = {"attempts": 2, "do": [{"agent": "one"}, WRITE, ROUNDS], "pick": "first"}


def reviewed(folder: Path, *steps: Any) -> Graph:
    workflow = {
        "people": {name: {"reads": {"code": "3600 loc/h"}, "count": 9} for name in ("dev", "ann")},
        "agents": {"one": ONE},
        "steps": list(steps),
    }
    return graph_of(folder, workflow)


@pytest.mark.parametrize("steps", [(WRITE, ROUNDS), ({"each": 3, "do": [WRITE, ROUNDS]},),
                                   (WRITE, TREES, ROUNDS | {"id": "last"})])  # fmt: skip
def test_the_books(steps: Any, tmp_path: Path) -> None:
    """They agree with the run; and not with one that says another number, or another verdict."""
    graph = reviewed(tmp_path, *steps)
    said = same = 0
    for seed in range(6):
        trace = simulate(graph, seed, 0)
        check(trace, graph)
        told = trace.defects
        assert told is not None
        seen = check_books(looked(trace, graph), seed)
        assert seen["books kept"] == 1
        said += seen["said changes when clean"]
        for new in ({"written": told.written + 1}, {"found": told.found - 1},
                    {"mended": told.mended - 1}):  # fmt: skip
            with pytest.raises(AssertionError, match="the books"):
                check_books(looked(trace._replace(defects=told._replace(**new)), graph), seed)
        with suppress(AssertionError):  # of another seed: once in a while they are the same
            check_books(looked(trace, graph), seed + 100)
            same += 1
        visits = list(trace.visits)
        reviews = {i for i, step in enumerate(graph.steps) if step.path.endswith("ann")}
        i = next(i for i, it in enumerate(visits)
                 if it.step in reviews and it.verdict is Verdict.CHANGES)  # fmt: skip
        visits[i] = visits[i]._replace(verdict=Verdict.APPROVED)
        with pytest.raises(AssertionError, match="where it is"):
            check_books(looked(trace._replace(visits=visits), graph), seed)
    assert said > 6
    assert same < 3


def test_bounds(tmp_path: Path) -> None:
    graph = reviewed(tmp_path, WRITE, ROUNDS)
    trace = simulate(graph, 0, 0)
    for wrong in (None, Defects(2, 3, 1), Defects(3, 1, 2), Defects(3, 2, -1)):
        with pytest.raises(AssertionError):
            check_defects(looked(trace._replace(defects=wrong), graph))
    for steps in ((REVIEW,), (WRITE,)):  # nobody writes; nobody looks
        less = reviewed(tmp_path, *steps)
        with pytest.raises(AssertionError):
            check_defects(looked(simulate(less, 0, 0)._replace(defects=Defects(3, 2, 1)), less))


# --- the books themselves, by hand ------------------------------------------------------------

WRITER = Craft(mends=True, defects=1.0)
LOOKS = Craft(finds=1.0)
MENDS = Craft(mends=True)


def put_in(books: Books, desk: Desk, key: int = 1) -> int:
    """Lines of somebody, of which each has a defect in the mean; how many they are."""
    before = len(books.bugs)
    books.end(books.begin(WRITER, desk, key, f"writer {key}", False), 9.0)
    return len(books.bugs) - before


def test_books_of_one_task() -> None:
    """All that is written is found by whoever finds all, and mended by whoever comes next."""
    books = Books(0.5)
    many = put_in(books, books.run)
    assert many > 1
    assert books.total() == Defects(many, 0, 0)
    assert not books.end(books.begin(LOOKS, books.run, 2, "a", True), 0.0)  # not clean
    assert books.total() == Defects(many, many, 0)
    assert not books.end(books.begin(LOOKS, books.run, 3, "b", True), 0.0)  # found, not mended
    assert books.end(books.begin(MENDS, books.run, 4, "c", False), 0.0)
    assert books.total() == Defects(many, many, many)


def test_books_of_what_was_read() -> None:
    """Who read it does not look at it again, unless the reading was cut short."""
    books = Books(0.0)
    put_in(books, books.run)
    cut = books.begin(LOOKS, books.run, 2, "a", True)
    assert not books.begin(LOOKS, books.run, 3, "a", True).saw  # the other has it on the desk
    books.give_up(cut)
    assert len(books.begin(LOOKS, books.run, 3, "a", True).saw) == len(books.bugs)
    assert not books.begin(LOOKS, books.run, 4, "a", True).saw


def test_books_of_items() -> None:
    """An item sees its own lines and those around it; all sees whoever is around."""
    books = Books(0.0)
    outside = put_in(books, books.run, 1)
    one, two = Desk(books.run), Desk(books.run)
    inside = put_in(books, one, 2)
    assert len(books.in_sight(one)) == outside + inside
    assert len(books.in_sight(two)) == outside
    assert len(books.in_sight(books.run)) == outside + inside
    books.join(one)
    assert len(books.in_sight(two)) == outside + inside


def test_books_of_worktrees() -> None:
    """What is done in one counts when it is picked; what is thrown away never was."""
    books = Books(0.0)
    many = put_in(books, books.run, 1)
    kept, lost = books.worktree(books.run), books.worktree(books.run)
    late = put_in(books, books.run, 2)  # after both began
    own = put_in(books, kept, 3)
    put_in(books, lost, 4)
    for desk in (kept, lost):
        books.end(books.begin(LOOKS, desk, 5, "a", False), 0.0)
        books.end(books.begin(MENDS, desk, 6, "b", False), 0.0)
    assert len(books.in_sight(kept)) == 0
    assert books.total() == Defects(many + late, 0, 0)
    books.pick(kept)
    assert books.total() == Defects(many + late + own, many + own, many + own)


def test_a_step_has_a_place_in_all_that_stands_around_it(tmp_path: Path) -> None:
    """So many steps as there are in the graph are found by their address."""
    graph = reviewed(tmp_path, WRITE, TREES, ROUNDS | {"id": "last"})
    assert set(addresses(graph)) == {node.rank for node in walk(graph.root)}
