"""What a quota makes of the speed, and how many at once it lets through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis.binds import Binding
from agentsim.analysis.findings import Findings
from agentsim.experiment import Options, answer
from agentsim.report import json_
from agentsim.spec import Source
from tests.runs import HUNDRED, write


def found(folder: Path, limit: Any, count: int = 6, **more: Any) -> Findings:
    """`count` agents at once: twice 1 s of 100 tokens and 9 s of something else."""
    window = {"count": "requests", "window": {"size": "10s", **limit}, **more.pop("of", {})}
    call = {"call": "main", "id": "x", "input": 0, "output": 100}
    each = {"each": count, "id": "agents", "do": [{"loop": 2, "do": [call, {"wait": "9s"}]}]}
    flow = write(folder, "flow.yaml", {"steps": [each]})
    box = write(folder, "box.yaml", {**HUNDRED, "limits": [window], **more})
    return answer(Source(str(flow), (str(box),)), Options(runs=1, sensitivity=False))


def test_three_a_window_let_three_agents_through(tmp_path: Path) -> None:
    """Three pass at 0, 10, 20 and 30 s, in turn: 40 s. Three at once never wait, in 2 x 20 s.

    Nine calls wait 10 s: 12 calls of 99 gaps in 0.99 s each, and 90 s of waiting.
    """
    answered = found(tmp_path, {"allow": 3})
    assert answered.wall.mean == 40
    assert answered.binding == Binding("agents", 4, 6)
    server = answered.servers["main"]
    assert server.tok_s_stream == pytest.approx(100)
    assert server.tok_s_effective == pytest.approx(12 * 99 / (12 * 0.99 + 90))
    levers = {f"{it.change} {it.what}": it for it in answered.levers}
    fewer = levers["start at most 3 at once in agents"]
    assert (fewer.saves, fewer.leaves, fewer.kind) == (0, 40, "fewer")
    assert fewer.note == "no call waits for a quota then"
    # the second half needs not wait: all six ask at 0 and at 10 s
    assert levers["2x quota"].leaves == 20
    told = json_.answer(answered)
    assert told["servers"]["main"]["tok_s_effective"] == server.tok_s_effective
    assert told["quota_binds"] == {"each": "agents", "at_once": 4, "most": 6}


def test_a_quota_that_never_binds_is_not_told(tmp_path: Path) -> None:
    answered = found(tmp_path, {"allow": 6})
    assert answered.binding is None
    server = answered.servers["main"]
    assert server.tok_s_effective == server.tok_s_stream
    assert "quota_binds" not in json_.answer(answered)


def test_waits_between_rejected_tries_count_as_waits_for_the_quota(tmp_path: Path) -> None:
    """Two at once, one a window: the second asks again at 10 s, as the first does (0 + 1 + 9 s).

    Of those who ask at one instant the first declared passes: the second asks again at 20 s, alone.
    Two waits of 10 s.
    """
    reject = {"of": {"on_limit": "reject"}, "on_reject": {"waits": ["10s"] * 9}}
    answered = found(tmp_path, {"allow": 1}, 2, **reject)
    calls = answered.calls
    assert (calls.done, calls.rejected, calls.failed) == (4, 2, 0)
    assert answered.servers["main"].quota_wait == 0
    effective = answered.servers["main"].tok_s_effective
    assert effective == pytest.approx(4 * 99 / (4 * 0.99 + 20))


def test_fewer_at_once_may_be_what_keeps_a_run_from_failing(tmp_path: Path) -> None:
    """Nobody asks again: more than one at once fails, and one after the other does not."""
    answered = found(tmp_path, {"allow": 1}, 4, of={"on_limit": "reject"})
    assert answered.failed == 1
    levers = {f"{it.change} {it.what}": it for it in answered.levers}
    assert levers["start at most 1 at once in agents"].note == "no run fails then"
