"""Calls that fail: what becomes of them, when they ask again, what they leave and cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from agentsim.experiment import Options, answer
from agentsim.records import CallFacts, Outcome, Part
from agentsim.spec import Source
from tests.runs import HUNDRED, File, Run, run

# 100 tok/s, and reading at 100 tok/s: a call of 200 in and 300 out takes 2 s and 3 s
BOX: File = {**HUNDRED, "prefill": {"rate": "100 tok/s"}}
ALL = [
    pytest.param({}, id="alone"),
    pytest.param({"slots": 1}, id="one slot"),
    pytest.param({"slots": 4}, id="batch"),
]


def play(folder: Path, faults: Any, count: int = 1, **more: Any) -> Run:
    hardware = {**BOX, "faults": faults, **more.pop("hardware", {})}
    call = {"call": "main", "id": "x", "input": 200, "output": 300, **more}
    return run(folder, {"steps": [{"each": count, "id": "e", "do": [call]}]}, hardware)


def tried(found: Run) -> list[tuple[float, float, Outcome, bool, int]]:
    """Of each try: when it was sent, when it was over, how, whether it was sent again; wasted."""
    return [
        (span.began / 1e9, span.ended / 1e9, span.outcome, facts.again, facts.wasted)
        for span in found.trace.spans
        if isinstance(facts := span.facts, CallFacts)
    ]


BAD, GOOD = Outcome.FAILED, Outcome.DONE


@pytest.mark.parametrize("hardware", ALL)
def test_an_outage_breaks_what_is_in_flight_and_refuses_the_rest(
    tmp_path: Path, hardware: File
) -> None:
    """A call from 0 to 5 s; the server is not there from 3 to 6 s.

    At 3 s it has read 200 and made 100: wasted. Tries after 1, 2 and 4 s: at 4 s (refused), at 6 s
    (exactly then it is there again): done at 11 s. No wait of 4 s is needed.
    """
    faults = {"outage": [{"from": "3s", "for": "3s"}], "retry": {"first": "1s", "tries": 4}}
    found = play(tmp_path, faults, hardware=hardware)
    assert tried(found) == [
        (0, 3, BAD, True, 300),
        (4, 4, BAD, True, 0),
        (6, 11, GOOD, False, 0),
    ]
    assert found.breakdown == {Part.RETRY: 3, Part.PREFILL: 4, Part.DECODE: 4}


@pytest.mark.parametrize("hardware", ALL)
@pytest.mark.parametrize(
    ("since", "wall", "wasted"),
    # ends exactly as it begins: done. In the middle of reading: 2 tokens of 1 s at 100 tok/s.
    [("5s", 5, []), ("0s", 7, [0]), ("1s", 8, [100]), ("2s", 9, [200])],
)
def test_the_edges_of_an_outage(
    tmp_path: Path, hardware: File, since: str, wall: float, wasted: list[int]
) -> None:
    """Of 1 s; asked again 2 s after it was cut or refused: the wall is that instant + 2 s + 5 s."""
    faults = {"outage": [{"from": since, "for": "1s"}], "retry": {"waits": ["2s"]}}
    found = play(tmp_path, faults, hardware=hardware)
    assert found.wall == wall
    assert [it[4] for it in tried(found) if it[2] is BAD] == wasted


def test_an_outage_finds_those_that_wait_for_a_slot(tmp_path: Path) -> None:
    """Two on one slot: at 3 s the second has waited 3 s. Both ask at 5 s: one after the other."""
    faults = {"outage": [{"from": "3s", "for": "1s"}], "retry": {"waits": ["2s"]}}
    found = play(tmp_path, faults, 2, hardware={"slots": 1})
    assert tried(found) == [
        (0, 3, BAD, True, 300),
        (0, 3, BAD, True, 0),
        (5, 10, GOOD, False, 0),
        (5, 15, GOOD, False, 0),
    ]
    assert found.breakdown == {
        Part.SLOT_WAIT: 3 + 5, Part.RETRY: 2, Part.PREFILL: 2, Part.DECODE: 3
    }  # fmt: skip


@pytest.mark.parametrize("hardware", ALL)
def test_a_timeout_cuts_and_the_tries_run_out(tmp_path: Path, hardware: File) -> None:
    """5 s are more than 4 s: cut at 4 s with 200 read and 200 made; after 1 s again, at 9 s."""
    faults = {"timeout": "4s", "retry": {"first": "1s", "tries": 2}}
    found = play(tmp_path, faults, hardware=hardware)
    assert tried(found) == [(0, 4, BAD, True, 400), (5, 9, BAD, False, 400)]
    assert found.trace.outcome is Outcome.FAILED
    assert found.trace.reason == (
        "e.x: failed 2 times at main, the last time by its time-out of 4 s"
    )


@pytest.mark.parametrize("hardware", ALL)
def test_a_call_that_takes_as_long_as_its_timeout_is_done(tmp_path: Path, hardware: File) -> None:
    assert tried(play(tmp_path, {"timeout": "5s"}, hardware=hardware)) == [(0, 5, GOOD, False, 0)]


def test_the_wait_for_a_slot_is_not_of_the_timeout(tmp_path: Path) -> None:
    found = play(tmp_path, {"timeout": "5s"}, 3, hardware={"slots": 1})
    assert [it[:3] for it in tried(found)] == [(0, 5, GOOD), (0, 10, GOOD), (0, 15, GOOD)]


SURE = "99.9999999999%"
"""As good as all: a share of 100 % is refused."""


@pytest.mark.parametrize("hardware", ALL)
def test_an_error_comes_after_the_latency_and_wastes_nothing(
    tmp_path: Path, hardware: File
) -> None:
    faults = {"error": SURE, "retry": {"waits": ["2s"]}}
    found = play(tmp_path, faults, hardware={"latency": "1s", **hardware})
    assert tried(found) == [(0, 1, BAD, True, 0), (3, 4, BAD, False, 0)]
    assert found.breakdown == {Part.LATENCY: 2, Part.RETRY: 2}
    assert found.trace.reason.endswith("the last time by an error")


@pytest.mark.parametrize("hardware", ALL)
def test_an_overload_takes_no_time(tmp_path: Path, hardware: File) -> None:
    found = play(tmp_path, {"overload": SURE}, hardware={"latency": "1s", **hardware})
    assert tried(found) == [(0, 0, BAD, False, 0)]
    assert found.trace.reason == "e.x: failed once at main by an overload"


@pytest.mark.parametrize("hardware", ALL)
def test_a_stream_breaks_after_a_whole_token(tmp_path: Path, hardware: File) -> None:
    """Cut after n of 300 tokens: over at 2 s + n / 100, with 200 + n tokens wasted and paid."""
    price = {"price": {"input": 10, "output": 50}}
    found = play(tmp_path, {"dropped": SURE}, 40, hardware={**hardware, **price, "slots": 1})
    began = 0.0
    counts = []
    for span in sorted(found.trace.spans, key=lambda span: span.ended):
        facts = span.facts
        assert isinstance(facts, CallFacts)
        made = facts.visible
        counts.append(made)
        assert span.ended / 1e9 == pytest.approx(began + 2 + made / 100, abs=1e-6)
        assert facts.wasted == 200 + made
        assert facts.money == pytest.approx((200 * 10 + made * 50) / 1e6)
        began = span.ended / 1e9
    assert len(counts) == 40
    assert 0 <= min(counts) < max(counts) < 300
    # evenly from 0 to 299: mean 149.5, sd 86.6; of 40 within 3 sd of the mean, 41
    assert abs(sum(counts) / 40 - 149.5) < 41


def test_broken_streams_free_the_batch(tmp_path: Path) -> None:
    """In a batch a broken stream ends as one that has no more to say: no time is lost to it."""
    alone = play(tmp_path, {"dropped": SURE}, 5, hardware={"prefill": "none"})
    batch = play(tmp_path, {"dropped": SURE}, 5, hardware={"prefill": "none", "slots": 9})
    assert sorted(it[1:] for it in tried(alone)) == sorted(it[1:] for it in tried(batch))


def test_what_comes_with_the_first_token_is_there(tmp_path: Path) -> None:
    hardware = {"decode": {"rate": "100 tok/s"}, "first_token": "1s"}
    call = {"call": "main", "id": "x", "input": 5, "output": 1}
    found = run(
        tmp_path, {"steps": [call]}, {**hardware, "agentsim": 1, "faults": {"dropped": SURE}}
    )
    assert tried(found) == [(0, 1, BAD, False, 6)]


def test_a_failed_call_burns_quota(tmp_path: Path) -> None:
    """Three requests in 10 s: errors at 0, 1 and 3 s; the fourth waits until 10 s."""
    limits = [{"count": "requests", "window": {"size": "10s", "allow": 3}}]
    faults = {"error": SURE, "retry": {"first": "1s", "tries": 4}}
    found = play(tmp_path, faults, hardware={"limits": limits})
    assert [it[:2] for it in tried(found)] == [(0, 0), (1, 1), (3, 3), (7, 10)]


def test_the_first_try_is_as_without_faults_and_others_are_drawn_anew(tmp_path: Path) -> None:
    """Faults change no draw: each call of a session takes as long as it does without them."""
    slow = {"latency": {"p50": "1s", "p90": "3s"}, "prefill": "none"}
    agent = {"agents": {"a": {"turns": 30, "output": 100}}, "steps": [{"agent": "a", "id": "x"}]}
    plain = run(tmp_path, agent, {**BOX, **slow})
    faults = {"overload": "30%", "retry": {"waits": ["1s"] * 20}}
    found = run(tmp_path, agent, {**BOX, **slow, "faults": faults})

    def lasted(one: Run) -> list[float]:
        return [end - began for began, end, how, *_ in tried(one) if how is GOOD]

    assert len(lasted(found)) == len(lasted(plain)) == 30
    same = [a == pytest.approx(b) for a, b in zip(lasted(found), lasted(plain), strict=True)]
    again = [it[2] is BAD for it in tried(found)]
    assert sum(again) > 2
    # a call whose first try went well is the same; one that was tried again has drawn anew
    firsts = [
        not was for was, it in zip([False, *again], tried(found), strict=False) if it[2] is GOOD
    ]
    assert same == firsts


def test_what_failing_takes_of_the_calls_is_told(tmp_path: Path) -> None:
    """Reading from 0 to 1 s in vain, 2 s of waiting, 5 s that went well: 3 / 8."""
    profile = {
        **BOX,
        "faults": {"outage": [{"from": "1s", "for": "1s"}], "retry": {"waits": ["2s"]}},
    }
    call = {"call": "main", "id": "x", "input": 200, "output": 300}
    (tmp_path / "w.yaml").write_text(yaml.safe_dump({"agentsim": 1, "steps": [call]}))
    (tmp_path / "h.yaml").write_text(yaml.safe_dump({"agentsim": 1, **profile}))
    source = Source(str(tmp_path / "w.yaml"), (str(tmp_path / "h.yaml"),))
    found = answer(source, Options(seed=0, runs=1))
    assert found.servers["main"].failing == 3 / 8
    text = "h: 50 % of the tries of its calls fail (`faults`); these and the waits after them"
    assert f"{text} are 38 % of the time of its calls" in found.warnings
    lever = next(lever for lever in found.levers if lever.kind == "faults")
    assert (lever.change, lever.what, lever.saves, lever.leaves) == ("no", "calls that fail", 3, 5)


def test_who_is_turned_away_at_once_is_no_wait_of_nothing(tmp_path: Path) -> None:
    """Two on one slot, the second waits 5 s; both had been refused at 0 s and asked again at 1 s.

    The mean wait is that of the two calls that were served: 2.5 s, not 1.25 s of four tries.
    """
    faults = {"outage": [{"from": "0s", "for": "1s"}], "retry": {"waits": ["1s"]}}
    call = {"call": "main", "id": "x", "input": 200, "output": 300}
    workflow = {"agentsim": 1, "steps": [{"each": 2, "do": [call]}]}
    (tmp_path / "w.yaml").write_text(yaml.safe_dump(workflow))
    hardware = {"agentsim": 1, **BOX, "slots": 1, "faults": faults}
    (tmp_path / "h.yaml").write_text(yaml.safe_dump(hardware))
    source = Source(str(tmp_path / "w.yaml"), (str(tmp_path / "h.yaml"),))
    found = answer(source, Options(seed=0, runs=1))
    assert (found.calls.attempts, found.calls.failed, found.wall.mean) == (4, 2, 11)
    wait = found.servers["main"].wait
    assert wait is not None
    assert wait.mean == 2.5
