"""Thinking and what is to be seen at tokens a step of their own, by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.runs import File, run

BOTH = {"thinking": 2, "visible": 4}


def box(shared: bool, **more: Any) -> File:
    decode = {"step": {1: "20ms", 2: "30ms"}, "tokens_per_step": BOTH, **more}
    return {"decode": {**decode, "shared": "yes" if shared else "no"}, "prefill": "none"}


def call(thinking: int, output: int, **more: Any) -> dict[str, Any]:
    return {"call": "main", "id": "a", "input": 0, "thinking": thinking, "output": output, **more}


@pytest.mark.parametrize("shared", [False, True])
def test_a_call_that_is_alone(shared: bool, tmp_path: Path) -> None:
    # 300 / 2 + 200 / 4 = 200 steps of 20 ms; the first token is there after half a step, the first
    # to be seen after 150 and a quarter
    found = run(tmp_path, {"steps": [call(300, 200)]}, box(shared))
    assert found.wall == 4.0
    (facts,) = found.calls("a")
    assert facts.shown == 3_005_000_000
    assert facts.decoding == 3_990_000_000


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    ("thinking", "output", "wall"), [(300, 0, 3.0), (0, 200, 1.0), (1, 1, 0.015)]
)
def test_one_kind_alone(
    shared: bool, thinking: int, output: int, wall: float, tmp_path: Path
) -> None:
    assert run(tmp_path, {"steps": [call(thinking, output)]}, box(shared)).wall == wall


@pytest.mark.parametrize("shared", [False, True])
def test_the_first_token_comes_with_its_time(shared: bool, tmp_path: Path) -> None:
    # 1 s, with it the first of 301 of thinking: 300 / 2 + 200 / 4 steps follow
    base = box(shared)
    hardware = {"decode": base["decode"], "first_token": "1s"}
    assert run(tmp_path, {"steps": [call(301, 200)]}, hardware).wall == 5.0
    # it is all the thinking that there is: 200 / 4 steps
    assert run(tmp_path, {"steps": [call(1, 200)]}, hardware).wall == 2.0


def test_two_side_by_side(tmp_path: Path) -> None:
    # a: 100 steps of thinking and 50 to be seen; b: 60 steps of thinking.
    # 60 steps of 30 ms together: 1.8 s; the other 90 of a at 20 ms: 3.6 s
    both = {"parallel": [call(200, 200), {**call(120, 0), "id": "b"}], "id": "p"}
    found = run(tmp_path, {"steps": [both]}, box(True))
    assert found.ends("p.b") == [1.8]
    assert found.ends("p.a") == [3.6]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    ("after", "thinking", "visible"),
    [("1.010s", 101, 0), ("3s", 300, 0), ("3.026s", 300, 5), ("3.991s", 300, 198)],
)
def test_one_that_is_cut(
    shared: bool, after: str, thinking: int, visible: int, tmp_path: Path
) -> None:
    # 10 ms a token of thinking up to 3 s, then 5 ms a token
    steps = [call(300, 200, timeout=after, **{"or": "go on"})]
    (facts,) = run(tmp_path, {"steps": steps}, box(shared)).calls("a")
    assert (facts.thinking, facts.visible) == (thinking, visible)
    if visible:
        assert facts.shown == 3_005_000_000
        # from the first token at 10 ms to the last one that was made
        assert facts.decoding == 2_990_000_000 + visible * 5_000_000


def test_the_context_grows_by_its_own_pace(tmp_path: Path) -> None:
    """Two of one kind each side by side take what the sum over their steps says."""
    # Per step 30 ms and 10 us a token: after k steps a has 2k and b 4k of context. Both make 100
    # steps: 3 s + 10 us * (2 + 4) * 100 * 100 / 2 = 3.3 s
    both = {"parallel": [call(200, 0), {**call(0, 400), "id": "b"}], "id": "p"}
    found = run(tmp_path, {"steps": [both]}, box(True, per_context_token="10us"))
    assert found.wall == 3.3


def test_equal_numbers_are_one_number(tmp_path: Path) -> None:
    steps = {"steps": [call(300, 200)]}
    same = box(True)
    same["decode"]["tokens_per_step"] = {"thinking": 2.5, "visible": 2.5}
    one = {**same, "decode": {**same["decode"], "tokens_per_step": 2.5}}
    assert run(tmp_path, steps, same).trace == run(tmp_path, steps, one).trace
