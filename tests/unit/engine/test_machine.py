"""Models in a machine's memory: who is loaded when, who must leave, and who waits for whom."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis.findings import Findings
from agentsim.engine import simulate
from agentsim.errors import Problems
from agentsim.experiment import Options, answer
from agentsim.records import Loads, Part
from agentsim.report import json_
from agentsim.spec import Source, load
from tests.runs import HUNDRED, READS, File, Run, write

BOX: File = {**HUNDRED, "machine": "box", "load": "10s"}
"""10 s to load; then 10 ms a token."""

GO_ON: dict[str, Any] = {"or": "go on"}


def source(folder: Path, steps: Sequence[Any], numbered: str = "", **bound: Any) -> Source:
    """Each role with its own profile; `numbered`: the role whose server has the number 2."""
    given = [
        f"{role}={write(folder, f'{role}.yaml', it)}{'#2' if role == numbered else ''}"
        for role, it in bound.items()
    ]
    path = write(folder, "workflow.yaml", {"steps": list(steps)})
    return Source(str(path), tuple(given))


def play(folder: Path, steps: Sequence[Any], numbered: str = "", **bound: Any) -> Run:
    graph = load(source(folder, steps, numbered, **bound))
    return Run(graph, simulate(graph, 0, 0))


def told(folder: Path, steps: Sequence[Any], **bound: Any) -> Findings:
    return answer(source(folder, steps, **bound), Options(seed=0, runs=1))


def calls(roles: str, output: int = 100) -> list[dict[str, Any]]:
    """A call of 1 s of each role in turn."""
    step = {"input": 0, "output": output}
    return [{"call": role, "id": f"{role}{i}", **step} for i, role in enumerate(roles)]


def late(role: str, at: float, output: int = 100, **more: Any) -> dict[str, Any]:
    """A call that is asked at `at` seconds."""
    step = {"call": role, "id": "x", "input": 0, "output": output}
    return {"do": [{"wait": f"{at}s"}, step], **more}


def beside(*branches: dict[str, Any]) -> list[dict[str, Any]]:
    named = [{"id": f"b{i}", **it} for i, it in enumerate(branches)]
    return [{"id": "p", "parallel": named}]


def loads(found: Run) -> dict[str, int]:
    """How often each model was loaded, by role."""
    return {found.graph.servers[it.server].known_as: it.loads for it in found.trace.loads}


def test_two_models_in_turn_swap_each_time(tmp_path: Path) -> None:
    """Four calls, each 10 s of loading and 1 s: 44 s. With room for both, two loads: 24 s."""
    found = play(tmp_path, calls("abab"), a=BOX, b=BOX)
    assert found.wall == 44
    assert found.breakdown == {Part.MODEL_LOAD: 40, Part.DECODE: 4}
    assert loads(found) == {"a": 2, "b": 2}
    assert [it.time for it in found.trace.loads] == [20e9, 20e9]
    # it is enough that one of them says so
    both = play(tmp_path, calls("abab"), a={**BOX, "models_in_memory": 2}, b=BOX)
    assert both.wall == 24
    assert loads(both) == {"a": 1, "b": 1}


def test_a_model_that_stays_is_loaded_once(tmp_path: Path) -> None:
    """A profile that names no machine has one of its own: 10 + 1 + 1, and 10 + 1 of the other."""
    own = {**HUNDRED, "load": "10s"}
    assert play(tmp_path, calls("aa"), a=own).wall == 12
    assert play(tmp_path, calls("aba"), a=own, b=own).wall == 23


@pytest.mark.parametrize(
    ("keep", "wall"),
    [
        ("60s", 10 + 1 + 60 + 1),  # just reached: it is still there
        ("59.999999999s", 10 + 1 + 60 + 10 + 1),  # just passed
        (0, 10 + 1 + 60 + 10 + 1),
        ("1h", 72),
    ],
)
def test_a_model_leaves_after_so_long_without_a_call(
    keep: str | int, wall: float, tmp_path: Path
) -> None:
    """Two calls, 60 s from the end of the first to the start of the second."""
    first, second = calls("aa")
    found = play(tmp_path, [first, {"wait": "60s"}, second], a={**BOX, "keep_alive": keep})
    assert found.wall == wall


def test_a_call_keeps_its_model_there_and_so_does_the_next_at_once(tmp_path: Path) -> None:
    """A call of 100 s with a `keep_alive` of 5 s, and one that begins as it ends: one load."""
    steps = [*calls("a", 10_000), {"call": "a", "id": "next", "input": 0, "output": 100}]
    assert play(tmp_path, steps, a={**BOX, "keep_alive": "5s"}).wall == 111
    assert play(tmp_path, steps, a={**BOX, "keep_alive": 0}).wall == 111


def test_of_three_models_in_two_places_the_least_lately_used_leaves(tmp_path: Path) -> None:
    """a and b are loaded, a used again; so c takes the place of b, and b that of a: 4 loads.

    Then a comes for c, which was used before b: 5 loads, and b is still there.
    """
    three = {role: {**BOX, "models_in_memory": 2} for role in "abc"}
    found = play(tmp_path, calls("abacb"), "", **three)
    assert loads(found) == {"a": 1, "b": 2, "c": 1}
    assert found.wall == 40 + 5
    found = play(tmp_path, calls("abacbab"), "", **three)
    assert loads(found) == {"a": 2, "b": 2, "c": 1}
    assert found.wall == 50 + 7


def test_a_model_in_use_stays_until_its_call_is_over(tmp_path: Path) -> None:
    """Both ask at 0. a loads until 10 and serves until 11; b waits for that and loads until 21."""
    found = play(tmp_path, beside(*calls("ab")), a=BOX, b=BOX)
    assert found.marks("p.a0") == [(Part.MODEL_LOAD, 10), (Part.DECODE, 11)]
    assert found.marks("p.b1") == [(Part.SLOT_WAIT, 11), (Part.MODEL_LOAD, 21), (Part.DECODE, 22)]
    assert found.trace.loads[1].waited == 11e9


def test_one_is_loaded_at_a_time(tmp_path: Path) -> None:
    """With room for both b still waits until a is loaded, at 10; it serves from 20 to 21."""
    both = {**BOX, "models_in_memory": 2}
    found = play(tmp_path, beside(*calls("ab")), a=both, b=both)
    assert found.ends("p.a0") == [11]
    assert found.marks("p.b1") == [(Part.SLOT_WAIT, 10), (Part.MODEL_LOAD, 20), (Part.DECODE, 21)]
    assert found.trace.loads[0].beside == 0


def test_calls_of_one_model_wait_for_one_load(tmp_path: Path) -> None:
    """One asks at 0, one at 4: both begin at 10."""
    found = play(tmp_path, beside(late("a", 0), late("a", 4)), a=BOX)
    assert found.marks("p.b0.x") == [(Part.MODEL_LOAD, 10), (Part.DECODE, 11)]
    assert found.marks("p.b1.x") == [(Part.MODEL_LOAD, 10), (Part.DECODE, 11)]
    assert found.trace.loads == (Loads(0, 1, 10_000_000_000, 0, 0),)


def test_who_waits_for_another_model_holds_back_those_behind(tmp_path: Path) -> None:
    """a serves from 10 to 20. b asks at 12, another a at 13, which is behind it: b loads from 20 to
    30 and serves until 31, then a is loaded again until 41 and serves until 42."""
    steps = beside(late("a", 0, 1000), late("b", 12), late("a", 13))
    found = play(tmp_path, steps, a=BOX, b=BOX)
    assert [found.ends(f"p.b{i}.x") for i in range(3)] == [[20], [31], [42]]
    assert found.marks("p.b2.x") == [(Part.SLOT_WAIT, 31), (Part.MODEL_LOAD, 41), (Part.DECODE, 42)]


def test_who_gives_up_leaves_the_queue_and_a_load_that_is_begun_goes_on(tmp_path: Path) -> None:
    """b gives up at 12: the a behind it, at 11.5, goes on at once. And a call that is cut at 4 s
    leaves the model to the next, which asks at 6 and begins at 10."""
    gives_up = late("b", 11, timeout="12s", **GO_ON)
    found = play(tmp_path, beside(late("a", 0, 300), gives_up, late("a", 11.5)), a=BOX, b=BOX)
    assert found.marks("p.b1.x") == [(Part.SLOT_WAIT, 12)]
    assert found.ends("p.b2.x") == [13]
    cut = late("a", 0, timeout="4s", **GO_ON)
    found = play(tmp_path, beside(cut, late("a", 6)), a=BOX)
    assert found.marks("p.b0.x") == [(Part.MODEL_LOAD, 4)]
    assert found.marks("p.b1.x") == [(Part.MODEL_LOAD, 10), (Part.DECODE, 11)]
    assert loads(found) == {"a": 1}
    # where nobody else came meanwhile, it is there from 10 on
    found = play(tmp_path, beside(cut, late("a", 15)), a={**BOX, "keep_alive": "5s"})
    assert found.ends("p.b1.x") == [16]


def test_what_is_left_of_a_load_at_the_end_is_not_counted(tmp_path: Path) -> None:
    cut = late("a", 0, timeout="4s", **GO_ON)
    found = play(tmp_path, [{"id": "p", **cut}], a=BOX)
    assert found.trace.loads[0].time == 4e9


def test_a_slot_is_held_while_a_model_is_loaded(tmp_path: Path) -> None:
    """One slot: the second call of a waits for it until 11, then the model is there."""
    found = play(tmp_path, beside(*calls("aa")), a={**BOX, "slots": 1})
    assert found.marks("p.a1") == [(Part.SLOT_WAIT, 11), (Part.DECODE, 12)]


def test_a_number_stands_for_a_second_machine(tmp_path: Path) -> None:
    """b on the second machine need not wait for a."""
    found = play(tmp_path, beside(*calls("ab")), "b", a=BOX, b=BOX)
    assert found.wall == 11
    assert [it.machine.name for it in found.graph.servers if it.machine] == ["box", "box#2"]


@pytest.mark.parametrize("kind", [{"kind": "ttl", "ttl": "1h"}, {"kind": "slot"}, {"kind": "lru"}])
def test_a_model_that_is_loaded_anew_knows_no_prompt(kind: File, tmp_path: Path) -> None:
    """1,000 tokens are read in 1 s. After b, a reads them again, with 100 more; where it stayed in
    memory only these."""
    cache = {**kind, "capacity": "1M"} if kind["kind"] == "lru" else kind
    keeps = {**READS, "machine": "box", "load": "10s", "slots": 1, "cache": cache}
    step = {"call": "a", "session": "s", "output": 0}
    steps = [{**step, "id": "one", "input": 1000}, *calls("b"), {**step, "id": "two", "input": 100}]
    found = play(tmp_path, steps, a=keeps, b=keeps)
    assert found.calls("two")[0].cached == 0
    assert found.wall == 10 + 1 + 11 + 10 + 1.1
    both = {**keeps, "models_in_memory": 2}
    found = play(tmp_path, steps, a=both, b=both)
    assert found.calls("two")[0].cached == 1000
    assert found.wall == 10 + 1 + 11 + 0.1


@pytest.mark.parametrize(
    ("profile", "other", "message"),
    [
        ({"models_in_memory": 2}, {"models_in_memory": 3}, "differently: 2 and 3"),
        ({"models_in_memory": 0}, {}, "expected a whole number from 1"),
        ({"load": "-1s"}, {}, "-1s"),
    ],
)
def test_what_cannot_be_is_refused(
    profile: File, other: File, message: str, tmp_path: Path
) -> None:
    with pytest.raises(Problems) as caught:
        play(tmp_path, calls("ab"), a={**BOX, **profile}, b={**BOX, **other})
    (problem,) = caught.value.problems
    assert problem.code == "bad-value"
    assert message in problem.message
    assert problem.place is not None


@pytest.mark.parametrize(
    ("more", "hint"),
    [
        ({"load": "10s", "models_in_memory": 2}, "add `machine: NAME`"),
        ({"machine": "box", "keep_alive": "5m"}, "such as `load: 20s`"),
    ],
)
def test_what_would_change_nothing_is_refused(more: File, hint: str, tmp_path: Path) -> None:
    with pytest.raises(Problems) as caught:
        play(tmp_path, calls("a"), a={**HUNDRED, **more})
    (problem,) = caught.value.problems
    assert hint in problem.hint
    assert problem.place is not None


def test_the_time_of_a_load_is_drawn(tmp_path: Path) -> None:
    spread = {**BOX, "load": {"uniform": ["10s", "20s"]}}
    graph = load(source(tmp_path, calls("aba"), a=spread, b=BOX))
    assert not graph.exact
    one, two = simulate(graph, 0, 0), simulate(graph, 0, 1)
    assert one.ended != two.ended
    first, again = (it for it in one.spans if it.who.startswith("a"))
    times = [first.marks[0][1] - first.began, again.marks[0][1] - again.began]
    assert times[0] != times[1]
    assert all(10e9 <= time <= 20e9 for time in times)


def test_what_the_answer_says_of_swapping(tmp_path: Path) -> None:
    """44 s, 40 of them loading. With both in memory 24 s; infinitely fast 4 s."""
    found = told(tmp_path, calls("abab"), a=BOX, b=BOX)
    assert found.bottleneck.sentence == "Loading models is the limit: 91 % of the time (a and b)."
    saved = {lever.kind: lever.saves for lever in found.levers}
    assert saved["load"] == pytest.approx(40)
    assert saved["model_room"] == pytest.approx(20)
    texts = [it.text for it in found.notices]
    assert "a: its model is loaded 2 times a run, 20 s of loading" in texts
    own = json_.answer(found)["servers"]["a"]["loads"]
    assert own == {"count": 2, "seconds": 20, "wait": 0, "wait_share": 0, "beside": 0}


def test_what_the_answer_says_of_waiting_for_another_model(tmp_path: Path) -> None:
    """b, which takes no time to load here, waits for the 100 s of a. Models in memory side by side
    serve as quickly as alone, which is told."""
    quick = {**BOX, "load": 0}
    steps = beside(*calls("a", 10_000), late("b", 0, 5_000))
    found = told(tmp_path, steps, a=quick, b=quick)
    assert found.wall.mean == 150
    assert found.bottleneck.sentence == (
        "Memory for models is the limit: 67 % of the time is waiting for another model to leave it."
    )
    assert {lever.kind: lever.saves for lever in found.levers}["model_room"] == pytest.approx(50)
    both = {**quick, "models_in_memory": 2}
    texts = [it.text for it in told(tmp_path, steps, a=both, b=both).notices]
    side = "box: its models serve side by side for 50 % of the time, each as quick as alone"
    assert sum(text.startswith(side) for text in texts) == 1


def test_a_machine_without_a_time_to_load_says_so(tmp_path: Path) -> None:
    found = told(tmp_path, calls("abab"), a={**HUNDRED, "machine": "box"}, b=BOX)
    assert any("`load` (2 loads in no time)" in it.text for it in found.notices)
