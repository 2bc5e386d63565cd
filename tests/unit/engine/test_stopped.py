"""A run that cannot go on is stopped soon: it names the step, its place and what to change."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from agentsim.engine import simulate
from agentsim.engine import world as module
from agentsim.errors import EngineFault, Place
from agentsim.experiment import Grid, Options, answer, compare
from agentsim.spec import Source
from agentsim.spec.steps.loop import ROUNDS_IN_TIME
from tests.runs import File, graph_of, run, write

QUICK = Options(runs=2, levers=False, sensitivity=False)
TINY: File = {"steps": [{"wait": "1s"}, {"loop": {"within": "10w"}, "do": [{"wait": "1ns"}]}]}
ENDLESS: File = {"steps": [{"loop": 200, "do": [{"wait": "1s"}]}]}
HELD: File = {
    "caps": {"agents": 1},
    "agents": {"lead": {"turns": 1, "output": 1}, "hand": {"turns": 1, "output": 1}},
    "steps": [{"agent": "lead", "do": [{"agent": "hand"}]}],
}


def stopped(folder: Path, workflow: File) -> EngineFault:
    with pytest.raises(EngineFault) as caught:
        run(folder, workflow)
    return caught.value


def test_rounds_that_take_hardly_any_time(tmp_path: Path) -> None:
    """200,000 rounds of 1 ns are 0.2 ms of ten weeks, which would be 6e15 rounds.

    It ended before, after 5 ms and five million rounds, as if the ten weeks were over.
    """
    fault = stopped(tmp_path, TINY)
    assert ROUNDS_IN_TIME == 200_000
    assert str(fault).startswith("loop: more than 200,000 rounds begin within its time, of which ")
    assert "0.0002 s have passed" in str(fault)
    assert "a number of rounds" in fault.hint
    assert fault.step == "loop"


def test_as_many_rounds_as_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten rounds fill the time of ten, of which an eleventh would be one too many."""
    monkeypatch.setattr("agentsim.spec.steps.loop.ROUNDS_IN_TIME", 10)
    loop = {"loop": {"within": "10s"}, "do": [{"wait": "1s"}]}
    assert run(tmp_path, {"steps": [loop]}).wall == 10.0
    longer = {**loop, "loop": {"within": "11s"}}
    assert "more than 10 rounds" in str(stopped(tmp_path, {"steps": [longer]}))
    # one that is approved in its last round is left, whatever time there is
    says = {**longer, "do": [{"wait": "1s", "approves": [*["0%"] * 9, "100%"]}]}
    assert run(tmp_path, {"steps": [says]}).wall == 10.0


def test_too_many_spans_name_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SPANS", 100)
    fault = stopped(tmp_path, ENDLESS)
    assert "more than 100 calls and tool runs in one run, the last in loop.wait" in str(fault)
    assert (fault.step, fault.hint) == ("loop.wait", "fewer rounds, items, tries or turns")


def test_too_many_rounds_name_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STEPS", 100)
    fault = stopped(tmp_path, ENDLESS)
    assert "more than 100 rounds in one run, the last in loop:" in str(fault)
    assert fault.step == "loop"


@pytest.mark.parametrize(("most", "step"), [(1000, "a"), (1001, "b"), (1002, "b")])
def test_no_progress_names_the_step(
    most: int, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round is three events at 5 s: `a` ends, `b` ends, both are joined.

    The last to end is named: after 1,000 events, which are 333 rounds and one, it is `a`.
    """
    monkeypatch.setattr(module, "SAME_INSTANT", most)
    both = {"parallel": [{"wait": "0s", "id": "a"}, {"wait": "0s", "id": "b"}]}
    still = {"loop": 100, "do": [{"loop": 100, "do": [both]}]}
    fault = stopped(tmp_path, {"steps": [{"wait": "5s"}, still]})
    assert fault.step == f"loop.loop.parallel.{step}"
    assert str(fault).startswith(f"{fault.step}: no progress: {most:,} events at 5 s")
    assert "some time" in fault.hint


def test_too_many_years_name_the_longest(tmp_path: Path) -> None:
    """One in a million takes 1 s, else 98 years: four of them are beyond 285."""
    long = {"values": ["1s", "3.1e9s"], "weights": [1, 1e6]}
    steps = [{"wait": "1s"}, *[{"wait": long}] * 4, {"wait": "2s"}]
    fault = stopped(tmp_path, {"steps": steps})
    assert fault.step == "wait-2"  # the first of the four, which take the same
    assert "at_most" in fault.hint


def test_a_deadlock_has_a_hint(tmp_path: Path) -> None:
    fault = stopped(tmp_path, HELD)
    assert str(fault).startswith("deadlock: circle lead.hand -> lead -> lead.hand: ")
    assert fault.step == "lead.hand"
    assert fault.hint.startswith("raise what they wait for: agents at once; or `held: call`")


def test_a_fault_comes_whole_out_of_a_process() -> None:
    fault = EngineFault("stuck", "change it", "a.b")
    fault.place = Place("w.yaml", 3, 5)
    copy = pickle.loads(pickle.dumps(fault))
    assert (str(copy), copy.hint, copy.step, copy.place) == (
        "stuck", "change it", "a.b", Place("w.yaml", 3, 5)
    )  # fmt: skip


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_place_is_that_of_the_step(tmp_path: Path, jobs: int) -> None:
    """Out of a worker process too; the wait is drawn, so that there are several runs."""
    path = tmp_path / "w.yaml"
    path.write_text(
        "agentsim: 1\ncaps: {agents: 1}\nsteps:\n  - wait: {exponential: 1s}\n"
        "  - agent: planner\n    do:\n      - {agent: coder}\n"
    )
    with pytest.raises(EngineFault) as caught:
        answer(Source(str(path)), Options(runs=60, jobs=jobs, levers=False, sensitivity=False))
    assert caught.value.place == Place(str(path), 7, 9)
    assert caught.value.hint


def test_a_comparison_names_the_variant_and_the_place(tmp_path: Path) -> None:
    path = write(tmp_path, "w.yaml", HELD)
    with pytest.raises(EngineFault, match=r"^w: deadlock: circle lead\.hand") as caught:
        compare(Grid((str(path),), (("cerebras",),)), QUICK)
    assert caught.value.place is not None
    assert caught.value.place.file == str(path)


def test_items_cost_as_much_each_however_many_there_are(tmp_path: Path) -> None:
    """Twice the items make twice the calls of functions; each looked at all others before, which
    made it 3.5 times as many from 500 to 1,000."""

    def calls(items: int) -> int:
        graph = graph_of(
            tmp_path, {"steps": [{"each": items, "do": [{"wait": {"exponential": "1s"}}]}]}
        )
        count = 0

        def told(frame: object, event: str, arg: object) -> None:
            nonlocal count
            count += event == "call"

        before = sys.getprofile()
        sys.setprofile(told)
        try:
            simulate(graph, 0, 0)
        finally:
            sys.setprofile(before)
        return count

    calls(10)  # what is made at the first run only
    assert calls(1000) < 2.2 * calls(500)
