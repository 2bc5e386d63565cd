"""The spread of single tokens: what is left of it over a call of many."""

from __future__ import annotations

from math import exp, log1p
from pathlib import Path
from statistics import fmean, stdev

import pytest

from agentsim.laws.jitter import over
from tests.runs import File, run

CALLS = 3000


def times(folder: Path, tokens: int, hardware: File, seed: int = 0) -> list[float]:
    """Seconds of each of many calls."""
    steps = [{"each": CALLS, "do": [{"call": "main", "id": "a", "input": 0, "output": tokens}]}]
    found = run(folder, {"steps": steps}, hardware, seed)
    return [(span.ended - span.began) / 1e9 for span in found.trace.spans if span.facts]


def test_by_hand() -> None:
    # 100 tokens of cv 50 %: 5 % together. sigma^2 = ln(1.0025); one sigma above the median
    variance = log1p(0.0025)
    assert over(100, 0.5, exp(1.0)) == pytest.approx(exp(variance**0.5 - variance / 2))
    assert over(0, 0.5, 3.0) == 1.0


@pytest.mark.parametrize(("tokens", "cv"), [(1, 0.5), (4, 0.25), (400, 0.025)])
def test_a_call_of_many_tokens_spreads_less(tokens: int, cv: float, tmp_path: Path) -> None:
    # 10 ms a token, half of it the spread of one: over n tokens 50 % / root of n
    hosted = {"decode": {"rate": "100 tok/s", "jitter": "50%"}, "prefill": "none"}
    took = times(tmp_path, tokens, hosted)
    mean = tokens * 0.01
    assert len(took) == CALLS
    assert fmean(took) == pytest.approx(mean, abs=4 * cv * mean / CALLS**0.5)
    assert stdev(took) == pytest.approx(cv * mean, rel=0.1)


def test_it_comes_on_top_of_the_spread_of_a_call(tmp_path: Path) -> None:
    # 10 % by call and 50 % / 5 = 10 % by 25 tokens: together root(1.01 * 1.01 - 1) = 14.2 %
    hosted = {"decode": {"rate": "100 tok/s", "jitter": "50%", "spread": "10%"}, "prefill": "none"}
    took = times(tmp_path, 25, hosted)
    assert fmean(took) == pytest.approx(0.25, rel=0.01)
    assert stdev(took) == pytest.approx(0.142 * 0.25, rel=0.08)


def test_the_same_draws_in_a_batch_and_with_faults(tmp_path: Path) -> None:
    """A call that is alone takes what it does on a hosted server, to the nanosecond of rounding."""
    decode = {"rate": "100 tok/s", "jitter": "50%"}
    hosted: File = {"decode": decode, "prefill": "none"}
    batch: File = {**hosted, "decode": {**decode, "shared": "yes"}}
    fails: File = {**hosted, "faults": {"error": "0.001%", "retry": {"waits": ["1s"]}}}
    steps = [{"call": "main", "id": f"c{i}", "input": 0, "output": 7} for i in range(20)]
    walls = [run(tmp_path, {"steps": steps}, one, 5).wall for one in (hosted, batch, fails)]
    assert walls[1] == pytest.approx(walls[0], abs=1e-7)
    assert walls[2] == walls[0]
    assert walls[0] != pytest.approx(1.4, abs=0.01)
