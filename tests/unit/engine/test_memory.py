"""Memory for contexts: first come first served, beside slots, and what can never fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis.findings import Findings
from agentsim.errors import Problems
from agentsim.experiment import Options, answer
from agentsim.records import Outcome, Part
from agentsim.report import json_
from agentsim.spec import Source
from tests.runs import HUNDRED, File, Run, graph_of, run, write


def call(id_: str, input_: int, output: int, at: float = 0, **more: Any) -> dict[str, Any]:
    """A call that is asked at `at` seconds; an output token takes 10 ms, input nothing."""
    step = {"call": "main", "id": "x", "input": input_, "output": output, **more}
    return {"id": id_, "do": [{"wait": f"{at}s"}, step]}


def play(folder: Path, hardware: File, *branches: dict[str, Any]) -> Run:
    return run(folder, {"steps": [{"id": "p", "parallel": list(branches)}]}, hardware)


def waits(found: Run, name: str) -> float:
    """Seconds that the call of a branch waited for a slot or memory."""
    span = found.spans(f"p.{name}.x")[0]
    part, until = span.marks[0]
    return (until - span.began) / 1e9 if part is Part.SLOT_WAIT else 0.0


def kept(found: Run) -> tuple[float, int, float]:
    """Token-seconds held, the most tokens held, and seconds waited for memory."""
    (own,) = found.trace.kept
    return own.area / 1e9, own.most, own.waited / 1e9


MEMORY: File = {**HUNDRED, "kv": 225}


def test_who_is_first_and_does_not_fit_holds_back_those_behind(tmp_path: Path) -> None:
    """a holds 150 of 225 from 0 to 1, so b, of 150, waits until 1.

    c, of 10 at 0.5, would fit into the 75 that are left, but stands behind b: both begin at 1. Held
    are 150 for 1 s, 150 for 1 s and 10 for 0.1 s; 160 at most.
    """
    found = play(tmp_path, MEMORY, call("a", 50, 100), call("b", 50, 100), call("c", 0, 10, 0.5))
    assert [waits(found, name) for name in "abc"] == [0, 1, 0.5]
    assert found.wall == 2
    assert kept(found) == (301, 160, 1.5)


def test_priority_goes_first(tmp_path: Path) -> None:
    """c comes before b in the queue, and fits at once."""
    late = call("c", 0, 10, 0.5, priority=1)
    found = play(tmp_path, MEMORY, call("a", 50, 100), call("b", 50, 100), late)
    assert [waits(found, name) for name in "abc"] == [0, 1, 0]


def test_who_leaves_the_queue_holds_nobody_back(tmp_path: Path) -> None:
    """b gives up at 0.5; c, behind it since 0.2, begins then. Waited for memory: 0.5 + 0.3 s."""
    gives_up = {**call("b", 50, 100), "timeout": "0.5s", "or": "go on"}
    found = play(tmp_path, MEMORY, call("a", 50, 100), gives_up, call("c", 0, 10, 0.2))
    assert waits(found, "c") == pytest.approx(0.3)
    assert kept(found) == pytest.approx((151, 160, 0.8))


def test_what_a_call_that_is_cut_short_held_is_free_at_once(tmp_path: Path) -> None:
    """a is cut at 0.4 s: 150 tokens for 0.4 s, and b begins then."""
    cut = {**call("a", 50, 100), "timeout": "0.4s", "or": "go on"}
    found = play(tmp_path, MEMORY, cut, call("b", 50, 100))
    assert waits(found, "b") == pytest.approx(0.4)
    assert kept(found) == pytest.approx((60 + 150, 150, 0.4))


@pytest.mark.parametrize(
    ("slots", "memory", "begin", "waited"),
    [
        # one slot: b and c wait for it, though memory is free
        (1, 1000, [0, 1, 2], 0),
        # two slots: b has one, c waits for a slot until 1
        (2, 1000, [0, 0, 1], 0),
        # two slots and memory for one: b and c wait for memory, 1 s and 2 s
        (2, 225, [0, 1, 2], 3),
        # one slot and memory for one: a slot is what is missing
        (1, 225, [0, 1, 2], 0),
    ],
)
def test_slots_and_memory(
    slots: int, memory: int, begin: list[float], waited: float, tmp_path: Path
) -> None:
    """Three calls of 1 s and 150 tokens at once."""
    hardware = {**HUNDRED, "kv": memory, "slots": slots}
    found = play(tmp_path, hardware, *(call(name, 50, 100) for name in "abc"))
    assert [waits(found, name) for name in "abc"] == begin
    assert kept(found)[2] == waited


def test_all_of_the_memory_is_enough(tmp_path: Path) -> None:
    """150 tokens of 150: one after the other."""
    found = play(tmp_path, {**HUNDRED, "kv": 150}, call("a", 50, 100), call("b", 50, 100))
    assert [waits(found, name) for name in "ab"] == [0, 1]


def test_thinking_takes_memory_too(tmp_path: Path) -> None:
    """50 + 40 + 60 = 150 tokens: two do not fit into 299."""
    two = [call(name, 50, 60, thinking=40) for name in "ab"]
    assert waits(play(tmp_path, {**HUNDRED, "kv": 299}, *two), "b") == 1
    assert waits(play(tmp_path, {**HUNDRED, "kv": 300}, *two), "b") == 0


def test_a_call_that_grew_beyond_it_fails_and_says_why(tmp_path: Path) -> None:
    """The second sends 100 + 50 + 100 tokens and makes 50: 300 of 200. It takes no quota."""
    step = {"call": "main", "input": 100, "output": 50, "session": "s"}
    limit = {"count": "requests", "bucket": 1, "refill": "1/min"}
    hardware = {**HUNDRED, "kv": 200, "limits": [limit]}
    steps = [{**step, "id": "one"}, {**step, "id": "two"}]
    found = run(tmp_path, {"steps": steps}, hardware)
    assert found.trace.outcome is Outcome.FAILED
    assert found.trace.reason == (
        "two: its context of 300 tokens, with 50 to be made, is more than the memory of main "
        "holds: 200 (`kv`)"
    )
    assert found.wall == 0.5
    fits = run(tmp_path, {"steps": steps}, {**HUNDRED, "kv": 300})
    assert fits.trace.outcome is Outcome.DONE


def test_one_call_that_is_larger_than_all_of_it_is_refused_with_place_and_hint(
    tmp_path: Path,
) -> None:
    """An answer is counted up to `max_output`, and where it is certain."""
    step = {"call": "main", "input": 100, "output": 100}
    hardware = {**HUNDRED, "kv": 150}
    with pytest.raises(Problems) as caught:
        graph_of(tmp_path, {"steps": [step]}, hardware)
    (problem,) = caught.value.problems
    assert problem.code == "never-fits"
    assert "200 tokens" in problem.message
    assert "150 (`kv`)" in problem.message
    assert "raise `kv`" in problem.hint
    assert problem.place is not None
    # none of these is refused
    graph_of(tmp_path, {"steps": [step]}, {**hardware, "max_output": 50})
    graph_of(tmp_path, {"steps": [{**step, "max_output": 50}]}, hardware)
    graph_of(tmp_path, {"steps": [{**step, "output": {"uniform": [1, 100]}}]}, hardware)


def told(folder: Path, workflow: File, hardware: File) -> Findings:
    """The whole answer, of one run."""
    given = write(folder, "workflow.yaml", workflow), write(folder, "hardware.yaml", hardware)
    return answer(Source(str(given[0]), (str(given[1]),)), Options(seed=0, runs=1))


def test_what_the_answer_says(tmp_path: Path) -> None:
    """Of 4 calls one at a time is served: 4 s, on the path 3 of waiting. With twice the memory, 450
    tokens, three are: 2 s. A slot more helps nobody."""
    steps = [{"each": 4, "do": [{"call": "main", "input": 50, "output": 100}]}]
    found = told(tmp_path, {"steps": steps}, {**MEMORY, "slots": 8})
    assert found.bottleneck.sentence == (
        "Memory for contexts is the limit: 75 % of the time is waiting for it."
    )
    assert (
        "hardware: 100 % of what calls wait before they are served is for memory (`kv`, 225 "
        "tokens), which more slots do not shorten"
    ) in [it.text for it in found.notices]
    saved = {(lever.what, lever.change): lever.saves for lever in found.levers}
    assert saved["memory for contexts", "2x"] == pytest.approx(2)
    assert ("slot", "one more") not in saved
    own = json_.answer(found)["servers"]["main"]["kv"]
    assert own == {"capacity": 225, "mean": 150, "max": 150, "wait": 6, "wait_share": 1}


def test_memory_that_is_not_modelled_is_told_where_contexts_pass_one(tmp_path: Path) -> None:
    """Two calls of 150 tokens at once on a machine whose context is 299, and of 300."""
    steps = [{"each": 2, "do": [{"call": "main", "input": 50, "output": 100}]}]

    def texts(**more: Any) -> list[str]:
        found = told(tmp_path, {"steps": steps}, {**HUNDRED, "slots": 2, **more})
        return [it.text for it in found.notices]

    lacks = "`kv` (300 of context at once, memory unlimited)"
    assert any(lacks in text for text in texts(context=299))
    assert not any("`kv`" in text for text in texts(context=300))
    assert not any("`kv`" in text for text in texts(context=299, kv=300))
    assert not any("`kv`" in text for text in texts(context=299, slots=1))
