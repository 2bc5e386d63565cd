"""Hardware that slows down when it has worked for long, by hand and against twice as slow ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.experiment import Options, answer
from agentsim.records import CallFacts, Outcome, Part
from agentsim.spec import Source
from tests.runs import HUNDRED, File, Run, run, write

SLOTS = [pytest.param(1, id="one slot"), pytest.param(4, id="batch")]


def box(after: str, recover: str = "2s", **more: Any) -> File:
    """100 tok/s in decoding and reading, half of it when it is hot."""
    throttle = {"after": after, "factor": "50%", "recover": recover}
    found = {**HUNDRED, "slots": 4, "prefill": {"rate": "100 tok/s"}, "throttle": throttle}
    return {**found, **more}


def call(output: int, input_: int = 0, **more: Any) -> File:
    return {"call": "main", "input": input_, "output": output, **more}


def ends(found: Run) -> list[float]:
    spans = [span for span in found.trace.spans if isinstance(span.facts, CallFacts)]
    return [span.ended / 1e9 for span in spans]


@pytest.mark.parametrize("slots", SLOTS)
def test_decoding_is_slow_from_that_instant_on(tmp_path: Path, slots: int) -> None:
    """300 tokens in 3 s, and 200 at 50 tok/s in 4 s more."""
    found = run(tmp_path, {"steps": [call(500)]}, box("3s", slots=slots))
    assert found.wall == 7
    assert found.trace.notes == {"throttled": 1}
    assert found.breakdown == {Part.DECODE: 7}


@pytest.mark.parametrize("slots", SLOTS)
def test_reading_is_slow_too(tmp_path: Path, slots: int) -> None:
    """100 tokens read in 1 s, 100 in 2 s; then 300 made in 6 s."""
    found = run(tmp_path, {"steps": [call(300, 200)]}, box("1s", slots=slots))
    assert found.breakdown == {Part.PREFILL: 3, Part.DECODE: 6}


@pytest.mark.parametrize("slots", SLOTS)
@pytest.mark.parametrize(
    ("waits", "last"),
    # after 3 s at work: idle for less than 2 s it is as hot as before, and takes 2 s for 100 tokens
    [("1s", 3 + 1 + 2), ("1.999999999s", 3 + 1.999999999 + 2), ("2s", 3 + 2 + 1), ("9s", 13)],
)
def test_it_cools_when_it_has_been_idle_for_long_enough(
    tmp_path: Path, slots: int, waits: str, last: float
) -> None:
    steps = [call(300, id="a"), {"wait": waits}, call(100, id="b")]
    found = run(tmp_path, {"steps": steps}, box("3s", slots=slots))
    assert ends(found) == [3, last]


@pytest.mark.parametrize("slots", SLOTS)
def test_short_pauses_add_no_heat_and_take_none(tmp_path: Path, slots: int) -> None:
    """2 s at work, 1 s idle, 1 s at work: hot; what is left, 100 tokens, takes 2 s."""
    steps = [call(200, id="a"), {"wait": "1s"}, call(200, id="b")]
    found = run(tmp_path, {"steps": steps}, box("3s", slots=slots))
    assert ends(found) == [2, 6]


def test_a_batch_is_slow_as_a_whole(tmp_path: Path) -> None:
    """Two streams at 20 ms a step: 50 steps in 1 s, and 50 of 40 ms in 2 s."""
    hardware = box("1s", prefill="none", decode={"step": {1: "10ms", 2: "20ms"}})
    found = run(tmp_path, {"steps": [{"each": 2, "do": [call(100, id="x")]}]}, hardware)
    assert ends(found) == [3, 3]


def test_it_becomes_hot_while_a_prompt_is_read_and_another_call_stands_still(
    tmp_path: Path,
) -> None:
    """A makes 50 of 200 tokens up to 0.5 s. B's prompt of 100 is half read at 1 s, done at 2 s.

    Then both make 50 tok/s each: B's 100 up to 4 s, the other 150 of A up to 5 s.
    """
    late = [{"wait": "500ms"}, call(100, 100, id="b")]
    steps = [{"parallel": [{"do": [call(200, id="a")]}, {"do": late}]}]
    found = run(tmp_path, {"steps": steps}, box("1s"))
    assert ends(found) == [4, 5]
    span = max(found.trace.spans, key=lambda span: span.ended)
    # it stood still for 1.5 s in all, which is told first
    assert span.marks == ((Part.PREFILL, 1_500_000_000), (Part.DECODE, 5_000_000_000))


def test_what_was_read_by_a_call_that_is_cut(tmp_path: Path) -> None:
    """100 tokens in the first second, 50 in the next; a cut while it decodes: 150 made at 8 s."""
    found = run(tmp_path, {"steps": [call(9, 200, id="x", timeout="2s")]}, box("1s"))
    assert [facts.fresh for facts in found.calls("x")] == [150]
    found = run(tmp_path, {"steps": [call(900, 200, id="x", timeout="6s")]}, box("1s"))
    assert [(it.fresh, it.visible) for it in found.calls("x")] == [(200, 150)]


def test_the_latency_is_no_work(tmp_path: Path) -> None:
    """3 s of latency, 1 s of reading, 2 s of decoding; hot after 3 s at work: never."""
    found = run(tmp_path, {"steps": [call(200, 100)]}, box("3s", latency="3s"))
    assert found.wall == 6
    assert not found.trace.notes


@pytest.mark.parametrize("schedule", ["exclusive", "separate"])
@pytest.mark.parametrize("seed", range(6))
def test_hot_from_the_start_is_half_as_fast(tmp_path: Path, schedule: str, seed: int) -> None:
    """Whatever comes and goes: as hardware of half the speed, but for the first microsecond."""
    decode = {"step": {1: "10ms", 4: "16ms", 9: "40ms"}, "per_context_token": "2us"}
    slow = {"step": {1: "20ms", 4: "32ms", 9: "80ms"}, "per_context_token": "4us"}
    reads = {"rate": "2000 tok/s", "per_context_token": "20ns", "schedule": schedule}
    slowly = {"rate": "1000 tok/s", "per_context_token": "40ns", "schedule": schedule}
    cache = {"kind": "ttl", "ttl": "1h"}
    agent = {"turns": 4, "output": {"p50": 200, "p90": 700}, "prompt": 900, "tools": {"t": 1}}
    tools = {"t": {"time": {"exponential": "4s"}, "returns": 500}}
    timeout = {"timeout": "70s", "or": "go on"}
    steps = [{"each": 12, "limit": 8, "do": [{"agent": "a", "task": 300, **timeout}]}]
    workflow = {"agents": {"a": agent}, "tools": tools, "steps": steps}
    hot = {"throttle": {"after": "1us", "factor": "50%", "recover": "9h"}}
    both = [
        run(tmp_path, workflow, {"slots": 6, "cache": cache, **it}, seed)
        for it in (
            {"decode": decode, "prefill": reads, **hot},
            {"decode": slow, "prefill": slowly},
        )
    ]
    one, other = (sorted(ends(found)) for found in both)
    assert len(one) > 25
    assert one == pytest.approx(other, abs=1e-4)
    for own, same in zip(*(found.trace.spans for found in both), strict=True):
        assert own.outcome is same.outcome
        if isinstance(own.facts, CallFacts) and own.outcome is Outcome.CANCELLED:
            assert isinstance(same.facts, CallFacts)
            assert abs(own.facts.wasted - same.facts.wasted) <= 1


def test_it_is_told_and_a_lever_says_what_it_costs(tmp_path: Path) -> None:
    workflow = write(tmp_path, "w.yaml", {"steps": [call(500, id="x")]})
    source = Source(str(workflow), (str(write(tmp_path, "h.yaml", box("3s"))),))
    found = answer(source, Options(seed=0, runs=1))
    assert any("it slows down (`throttle`): once a run" in text for text in found.warnings)
    lever = next(lever for lever in found.levers if lever.kind == "throttle")
    assert (lever.what, lever.change, lever.saves, lever.leaves) == (
        "throttling by heat",
        "no",
        2,
        5,
    )
