"""TraceLab's mean request, put together again from its parts (validation case V1 of the facts).

In: 8.83 steps, 523 output tokens a step, 3.1 s to the first token, 61.3 tok/s, 150 s of tools a
request. Out: 102 s of model (within 3 %), about 256 s end to end (within 5 %), tools about 0.6.
Worked by hand: a call takes 3.1 + 522/61.3 = 11.615 s, 8.83 of them 102.6 s; with tools 252.6 s.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.analysis import fold, summarise
from agentsim.engine import simulate
from tests.runs import File, graph_of

RUNS = 2000
STEPS = 8.83
TOOL = 150 / (STEPS - 1)  # seconds a tool run: the last turn calls no tool

HARDWARE: File = {"decode": {"rate": "61.3 tok/s"}, "first_token": "3.1s"}
REQUEST: File = {
    "tools": {"any": {"time": f"{TOOL}s", "returns": 0}},
    "agents": {
        "coder": {
            "model": "main",
            "prompt": "20k",
            "turns": {"values": [8, 9], "weights": [17, 83]},
            "output": 523,
            "tools": {"any": "100%"},
        }
    },
    "steps": [{"agent": "coder", "task": 0}],
}


def test_the_mean_request(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, REQUEST, HARDWARE)
    found = summarise(graph, [fold(simulate(graph, 0, i), graph) for i in range(RUNS)], 0)
    assert found.calls.done == pytest.approx(STEPS, rel=0.01)
    # the pieces as worked above, as exactly as the steps that were drawn
    call = 3.1 + 522 / 61.3
    model = found.breakdown["decode"] + found.breakdown["latency"] + found.breakdown["prefill"]
    assert model == pytest.approx(found.calls.done * call, rel=1e-6)
    assert found.breakdown["tool"] == pytest.approx((found.calls.done - 1) * TOOL, rel=1e-6)
    # and what was measured
    assert model == pytest.approx(102, rel=0.03)
    assert found.wall.mean == pytest.approx(256, rel=0.05)
    assert found.breakdown["tool"] == pytest.approx(150, rel=0.02)
    assert found.breakdown["tool"] / found.wall.mean == pytest.approx(0.598, rel=0.05)


@pytest.mark.parametrize(
    ("rate", "wanted"), [(5, 1077), (40.7, 267), (100, 200), (800, 159), (15_000, 154)]
)
def test_when_faster_tokens_stop_helping(rate: float, wanted: float, tmp_path: Path) -> None:
    """The facts' table, its inputs rounded: 126 s of tools, 27 s to first tokens, 4,617 tokens."""
    workflow: File = {
        "tools": {"rest": {"time": "126s", "returns": 0}},
        "steps": [{"call": "main", "input": 0, "output": 4617}, {"tool": "rest"}],
    }
    hardware: File = {"decode": {"rate": f"{rate} tok/s"}, "latency": "27s", "prefill": "none"}
    graph = graph_of(tmp_path, workflow, hardware)
    assert simulate(graph, 0, 0).ended / 1e9 == pytest.approx(wanted, abs=1)
