"""Who sees which defects: attempts and what was there before them, what is cut, what waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.engine.quality import MOST_LOOKS, Pass
from agentsim.engine.tasks import Defect, Task
from agentsim.errors import EngineFault
from agentsim.graph import Craft
from tests.proofs.defects import MEND, WRITE, ends, escaped, look, made, near, reads, traces

PICK = {"person": "ann", "id": "pick", "time": "1s"}
ALL = look("100%", "all")


def attempts(*steps: Any, **more: Any) -> dict[str, Any]:
    return {"attempts": 2, "do": list(steps), "pick": PICK, **more}


# --- attempts ---------------------------------------------------------------------------------


def test_a_fix_in_attempts_mends_what_was_found_before(tmp_path: Path) -> None:
    """All 10 are found; the picked fix mends them all, as one outside attempts does."""
    found = ends(tmp_path, [WRITE, ALL, attempts(MEND)])
    assert all(it.escaped == 0 and it.mended == it.found == it.written for it in found)
    assert near([it.written for it in found], 10)
    assert not any(escaped(tmp_path, [WRITE, ALL, attempts(MEND, pick="first")]))


def test_attempts_of_which_none_is_picked_mend_nothing(tmp_path: Path) -> None:
    """None succeeds, so that none of the two is taken over: all 10 escape; nobody found any."""
    none = attempts(look("100%"), MEND, succeeds="0%", pick="first")
    found = ends(tmp_path, [WRITE, none])
    assert all(it.found == it.mended == 0 for it in found)
    assert near([it.escaped for it in found], 10)


def test_only_the_picked_attempt_finds_and_mends(tmp_path: Path) -> None:
    """Three look with 50 % each: the picked one found 5 of 10, not the 8.75 of all three. Mending
    these puts in 5 * 20 % = 1 in each of them, of which one counts: 5 + 1 escape."""
    three = attempts(look("50%"), {**MEND, "regressions": "20%"}, attempts=3)
    found = ends(tmp_path, [WRITE, three])
    assert near([it.found for it in found], 5)
    assert near([it.written for it in found], 11)
    assert near([it.escaped for it in found], 6)


def test_attempts_begin_with_what_was_found(tmp_path: Path) -> None:
    """Half of 10 is found before, half of the rest in the picked attempt: 7.5 mended there."""
    assert near(escaped(tmp_path, [WRITE, look("50%"), attempts(look("50%", "b"), MEND)]), 2.5)


def test_who_picks_mends_what_the_picked_one_has_left(tmp_path: Path) -> None:
    fixes = {**MEND, "person": "ann", "id": "pick"}
    assert not any(escaped(tmp_path, [WRITE, ALL, attempts({"wait": "1s"}, pick=fixes)]))


def test_attempts_in_items_and_in_attempts(tmp_path: Path) -> None:
    """What the innermost picked one mends is mended all the way out; in each of two items, too,
    of which the first mends what was there before both."""
    inside = attempts(MEND, id="inner")
    assert not any(escaped(tmp_path, [WRITE, ALL, attempts(inside, id="outer")]))
    assert not any(escaped(tmp_path, [WRITE, ALL, {"each": 2, "do": [inside]}]))
    items = attempts({"each": 2, "do": [MEND]})
    assert not any(escaped(tmp_path, [WRITE, ALL, items]))
    lost = attempts(inside, id="outer", succeeds="0%", pick="first")
    assert all(it.mended == 0 for it in ends(tmp_path, [WRITE, ALL, lost]))


def test_an_attempt_does_not_see_what_comes_after_it_began(tmp_path: Path) -> None:
    """The lines come after 1 s, the attempts began at 0 s and look at 5 s: nothing is there."""
    tries = attempts({"wait": "5s"}, look("100%"))
    found = ends(tmp_path, [{"parallel": [tries, WRITE]}])
    assert all(it.found == 0 for it in found)
    assert near([it.written for it in found], 10)


# --- what is cut ------------------------------------------------------------------------------


@pytest.mark.parametrize("around", [False, True])
def test_what_a_cut_each_wrote_can_be_mended_later(tmp_path: Path, around: bool) -> None:
    """Two items of 10 are written after 1 s and cut at 100 s: 20, which whoever reads the changes
    sees; an item later finds and mends all of them, as where nothing is cut."""
    items: dict[str, Any] = {"each": 2, "do": [WRITE, {"wait": "200s"}]}
    cut = {"timeout": "100s", "or": "go on"}
    first = {"do": [items], **cut} if around else {**items, **cut}
    later = {"each": 1, "id": "later", "do": [ALL, {**MEND, "id": "fix"}]}
    found = ends(tmp_path, [first, later])
    assert near([it.written for it in found], 20)
    assert all(it.found == it.written and it.escaped == 0 for it in found)
    read = ends(tmp_path, [first, reads("bob", "r", "100%")])
    assert all(it.found == it.written for it in read)
    assert found[0].written == read[0].written > 0


def test_a_cut_each_in_an_item(tmp_path: Path) -> None:
    """Cut two levels down, at the outer timeout: both levels hand over what was written."""
    inner = {"each": 2, "id": "inner", "do": [WRITE, {"wait": "200s"}]}
    outer = {"each": 2, "do": [inner], "timeout": "100s", "or": "go on"}
    later = {"each": 1, "id": "later", "do": [ALL, {**MEND, "id": "fix"}]}
    found = ends(tmp_path, [outer, later])
    assert near([it.written for it in found], 40)
    assert all(it.escaped == 0 for it in found)


# --- when a step looks ------------------------------------------------------------------------


def test_a_tool_looks_when_it_has_its_pool(tmp_path: Path) -> None:
    """It asks for the pool at 1 s and has it at 100 s; the lines came at 11 s: it finds all."""
    uses = {"uses": {"ci": 1}, "time": "1s"}
    tools = {"hold": {**uses, "time": "100s"}, "tests": uses}
    lines = {"do": [{"wait": "10s"}, WRITE]}
    both = {"parallel": [{"tool": "hold"}, {"do": [{"wait": "1s"}, ALL]}, lines]}
    found = ends(tmp_path, [both], pools={"ci": {"capacity": 1}}, tools=tools)
    assert all(it.found == it.written for it in found)
    assert near([it.found for it in found], 10)


@pytest.mark.parametrize("held", ["pool", "cap"])
def test_a_tool_does_not_see_what_comes_while_it_works(tmp_path: Path, held: str) -> None:
    """It has its place from 10 s to 110 s; the lines come at 20 s (none found), or at 5 s (all)."""
    uses: dict[str, Any] = {"uses": {"ci": 1}} if held == "pool" else {}
    more: dict[str, Any] = {"pools": {"ci": {"capacity": 1}}} if held == "pool" else {}
    tools = {"hold": {"time": "10s", **uses}, "tests": {"time": "100s", **uses}}
    for wait, share in (("19s", 0), ("4s", 1)):
        looks: Any = {"parallel": [{"tool": "hold"}, {"do": [{"wait": "1s"}, ALL]}]}
        if held == "cap":
            looks = {"agent": "lead", "caps": {"tools": 1}, "do": [looks]}
            more = {"agents": {"lead": {"turns": 1, "output": 1}}}
        lines = {"do": [{"wait": wait}, WRITE]}
        found = ends(tmp_path, [{"parallel": [looks, lines]}], tools=tools, **more)
        assert all(it.found == share * it.written for it in found)
        assert near([it.written for it in found], 10)


def test_each_try_of_a_tool_looks_anew(tmp_path: Path) -> None:
    """A first try at 0 s sees no lines, which come at 1 s; further tries from 60 s on see all. Half
    of the first ones fail: 10 * 50 % = 5."""
    tools = {"tests": {"time": "1s", "fails": "50%", "retry": {"tries": 60, "wait": "60s"}}}
    found = ends(tmp_path, [{"parallel": [ALL, WRITE]}], tools=tools)
    assert near([it.found for it in found], 5)
    assert all(it.found in (0, it.written) for it in found)


LEAD = {"lead": {"turns": 1, "output": 1, "finds": "100%"}}
SAY = {"call": "self", "input": 1, "output": 1}


def lead(*steps: Any, **more: Any) -> dict[str, Any]:
    return {"agent": "lead", "approves": "when clean", "do": [*steps, SAY], **more}


def test_an_agent_with_steps_looks_at_their_end(tmp_path: Path) -> None:
    """It lets somebody write 10 and finds them all, so it asks for a further round: in its second
    round they are mended, 10 more written and found. Two rounds: 20, of which 10 escape."""
    found = ends(tmp_path, [{"loop": 2, "do": [lead(WRITE)]}], agents=LEAD)
    assert all(it.found == it.written for it in found)
    assert near([it.written for it in found], 20)
    assert near([it.escaped for it in found], 10)


def test_its_verdict_is_that_of_what_its_steps_left(tmp_path: Path) -> None:
    """Round 1 finds what was there (unless nothing was), round 2 mends it first and is clean."""
    steps = [{**WRITE, "writes": "100 loc"}, {"loop": 5, "do": [lead(MEND)]}]
    rank = next(
        i for i, it in enumerate(made(tmp_path, steps, agents=LEAD).steps) if it.path == "loop.lead"
    )
    for trace in traces(tmp_path, steps, agents=LEAD):
        assert trace.defects is not None
        assert trace.defects.escaped == 0
        rounds = sum(visit.step == rank for visit in trace.visits)
        assert rounds == (2 if trace.defects.written else 1)


def test_an_agent_with_steps_that_reads_looks_at_what_it_read(tmp_path: Path) -> None:
    """It reads 10 at its start and finds them; 10 more come in its steps: 10 of 20."""
    steps = [WRITE, lead({**WRITE, "id": "more"}, reads="changes")]
    found = ends(tmp_path, steps, agents=LEAD)
    assert near([it.written for it in found], 20)
    assert near([it.found for it in found], 10)


# --- how much may be looked at ----------------------------------------------------------------


def test_too_many_looks_have_a_limit_of_their_own() -> None:
    """The last look that is allowed, then one too many: said with the number, and what it is."""
    task = Task(1, "run", (), None)
    task.put_in(Defect(2, 0.5, 0.5, task, "person dev"))
    assert task.looks(MOST_LOOKS - 1) == MOST_LOOKS - 1
    craft = Craft(False, 0.0, 0.0, 0.0)
    item = Task(1, "item", (0,), task)
    Pass(craft, item, 3, "tests", False, 0.0).end(0.0)
    with pytest.raises(EngineFault, match="more than 20,000,000 looks at defects in one run"):
        Pass(craft, item, 4, "tests", False, 0.0).end(0.0)
