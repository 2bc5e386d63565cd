"""How much oftener one workflow ends with the right thing than another, run by run."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.experiment import Grid, Options, compare
from tests.runs import HUNDRED, File, write

RIGHT: File = {
    "attempts": 2,
    "do": [{"wait": {"exponential": "1s"}}],
    "succeeds": "100%",
    "pick": "first",
}


def test_a_run_that_failed_before_its_attempts_did_not_succeed(tmp_path: Path) -> None:
    """`a` always succeeds. In `b` a tool fails half of the runs first, and the rest succeed.

    So b is less than a by its share of failed runs: 1 in each of these, 0 in all others.
    """
    test = {"tool": "tests", "fails": "50%"}
    files: dict[str, File] = {
        "a": {"steps": [RIGHT]},
        "b": {"tools": {"tests": {"time": "1s"}}, "steps": [test, RIGHT]},
    }
    paths = tuple(str(write(tmp_path, f"{name}.yaml", it)) for name, it in files.items())
    bound = (str(write(tmp_path, "box.yaml", HUNDRED)),)
    found = compare(Grid(paths, (bound,)), Options(runs=40))
    first, second = found.machines[0].rows
    failed = second.findings.failed
    assert 0 < failed < 1
    assert first.findings.quality is not None
    assert second.findings.quality is not None
    assert first.findings.quality.success == 1
    assert second.findings.quality.success == pytest.approx(1 - failed)
    own = second.others["success"]
    assert own.runs == 40
    assert own.mean == pytest.approx(-failed)
