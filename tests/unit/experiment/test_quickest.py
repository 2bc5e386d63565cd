"""Which row is told to be the quickest: of those that do not fail clearly more often."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.experiment.compare import compare
from agentsim.experiment.grid import Grid
from agentsim.experiment.options import Options

TRIED = """\
agentsim: 1
tools: {{try: {{time: {time}, fails: {fails}, returns: 0}}}}
steps:
  - tool: try
  - wait: 10m
"""


def flags(folder: Path, *tools: tuple[str, str]) -> tuple[list[bool], list[float | None]]:
    """Whether each is starred, and how far it is behind the best, of 40 runs."""
    files = []
    for i, (time, fails) in enumerate(tools):
        file = folder / f"w{i}.yaml"
        file.write_text(TRIED.format(time=time, fails=fails), "utf-8")
        files.append(str(file))
    (machine,) = compare(Grid(tuple(files)), Options(runs=40, jobs=1)).machines
    behind = [None if row.behind is None else row.behind.mean for row in machine.rows]
    return [row.quickest for row in machine.rows], behind


def test_who_fails_soon_is_not_quick(tmp_path: Path) -> None:
    """One that always fails ends after 1 min, the others after 11 and 12."""
    starred, behind = flags(tmp_path, ("1m", "100%"), ("2m", "0%"), ("1m", "0%"))
    assert starred == [False, False, True]
    assert behind == [pytest.approx(-600), pytest.approx(60), None]


def test_where_all_fail_the_first_to_end_is_quickest(tmp_path: Path) -> None:
    assert flags(tmp_path, ("2m", "100%"), ("1m", "100%"))[0] == [False, True]


def test_a_row_a_machine_is_set_beside_the_best_machine(tmp_path: Path) -> None:
    """400 tokens at 40 and at 20 tok/s take 10 s and 20 s: 10 s behind."""
    for rate in (40, 20):
        (tmp_path / f"r{rate}.yaml").write_text(
            f"agentsim: 1\nname: r{rate}\ndecode: {{rate: {rate} tok/s}}\n"
            "prefill: {rate: 1000000 tok/s}\n"
            "latency: 0\ncache: {kind: none}\nslots: 1\nlimits: []\n",
            "utf-8",
        )
    file = tmp_path / "w.yaml"
    file.write_text("agentsim: 1\nsteps: [{call: main, input: 1, output: 400}]\n", "utf-8")
    machines = tuple((str(tmp_path / f"r{rate}.yaml"),) for rate in (20, 40))
    slow, fast = compare(Grid((str(file),), machines), Options(runs=1, jobs=1)).machines
    assert fast.rows[0].behind is None
    assert slow.rows[0].behind is not None
    assert slow.rows[0].behind.mean == pytest.approx(10, rel=0.01)
    assert slow.rows[0].quickest
    assert fast.rows[0].quickest
