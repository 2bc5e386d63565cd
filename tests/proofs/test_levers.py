"""The levers of design case A1, by arithmetic, from the file to the answer.

100 turns of 500 tokens and 0.5 s of overhead, tools of 727 s in all: wall = 50,000/rate + 777 s.
So infinitely fast decode leaves 777 s at any rate, twice as fast saves 25,000/rate, tools twice as
fast save 363.5 s; with a review of 1,800 s, two times faster people save 900 s.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.experiment import Options, answer
from agentsim.spec import Source
from tests.runs import write

TURNS: dict[str, Any] = {
    "loop": 100,
    "do": [{"call": "main", "input": 0, "output": 500}, {"tool": "work"}],
}
TOOLS: dict[str, Any] = {"work": {"time": "7.27s", "returns": 0}}


def levers(folder: Path, workflow: dict[str, Any], rate: float) -> dict[str, tuple[float, float]]:
    """(saves, leaves) by `change what`."""
    profile = {"decode": {"rate": "100 tok/s"}, "prefill": "none", "latency": "0.5s"}
    hardware = write(folder, "hardware.yaml", profile)
    path = write(folder, "workflow.yaml", {"tools": TOOLS, **workflow})
    source = Source(str(path), (str(hardware),), rates=(f"{rate:g}",))
    found = answer(source, Options(sensitivity=False))
    return {f"{own.change} {own.what}": (own.saves, own.leaves) for own in found.levers}


@pytest.mark.parametrize("rate", [5, 100, 800, 15_000])
def test_of_turns_alone(rate: float, tmp_path: Path) -> None:
    found = levers(tmp_path, {"steps": [TURNS]}, rate)
    decode = 50_000 / rate
    wall = decode + 777
    assert found["infinitely fast decode"] == pytest.approx((decode, 777))
    assert found["2x decode"] == pytest.approx((decode / 2, wall - decode / 2))
    assert found["2x work"] == pytest.approx((363.5, wall - 363.5))


@pytest.mark.parametrize("rate", [5, 15_000])
def test_with_a_person_who_reviews(rate: float, tmp_path: Path) -> None:
    workflow = {
        "people": {"dev": {"count": 1}},
        "steps": [TURNS, {"person": "dev", "time": "30m"}],
    }
    found = levers(tmp_path, workflow, rate)
    wall = 50_000 / rate + 777 + 1800
    assert found["infinitely fast decode"][1] == pytest.approx(2577)
    assert found["2x dev at work"] == pytest.approx((900, wall - 900))
    assert found["2x work"] == pytest.approx((363.5, wall - 363.5))


def test_infinitely_fast_is_the_limit_of_fast(tmp_path: Path) -> None:
    """A box that reads one prompt at a time, while decoding stands still: 12 s are left, not 11.

    Two calls of 1,000 tokens at 1,000 tok/s: the prompts end at 1 s and 2 s. However fast it
    decodes, the first call stands still from 1 s to 2 s, and 10 s of waiting follow on it.
    """
    steps = [
        {
            "parallel": [
                {"do": [{"call": "main", "input": "1k", "output": 100}, {"wait": "10s"}]},
                {"call": "main", "id": "other", "input": "1k", "output": 100},
            ]
        }
    ]
    box = {
        "decode": {"step": {1: "10ms", 2: "10ms"}},
        "prefill": {"rate": "1000 tok/s", "schedule": "exclusive"},
        "slots": 2,
    }
    hardware = str(write(tmp_path, "box.yaml", box))
    path = str(write(tmp_path, "w.yaml", {"steps": steps}))
    quick = Options(sensitivity=False)
    found = answer(Source(path, (hardware,)), quick)
    left = {lever.change: lever.leaves for lever in found.levers if lever.kind == "decode"}
    assert left["infinitely fast"] == pytest.approx(12, abs=1e-6)
    fast = answer(Source(path, (hardware,), rates=("1000000",)), quick)
    assert fast.wall.mean == pytest.approx(12 + 100e-6, abs=1e-6)
