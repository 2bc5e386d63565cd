"""Sweeps: where there is nothing to sweep, and what counts as decoding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.cli import main
from agentsim.experiment.options import Options
from agentsim.experiment.sweep import sweep
from agentsim.report.blocks import Table
from agentsim.report.sweeping import sweep as told
from agentsim.spec import Source
from tests.runs import HUNDRED, File, write

NO_MODEL = """agentsim: 1
name: A person and a tool
steps:
  - tool: tests
  - {person: you, time: 5m}
"""


def test_without_a_model_there_is_no_rate_to_outrun(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "none.yaml"
    file.write_text(NO_MODEL, encoding="utf-8")
    assert main(["sweep", str(file), "--runs", "8", "--json"]) == 0
    told = capsys.readouterr()
    rows = json.loads(told.out)["rows"]
    assert [row["outrun"] for row in rows] == [None] * 4
    assert len({row["answer"]["wall"]["mean"] for row in rows}) == 1
    assert json.loads(told.out)["crossings"] == []
    assert "tok/s" not in json.loads(told.out)["closing"]  # no speed made any difference
    # no profile was taken, so none is said to be
    assert "--hw" not in told.err + told.out


def test_with_a_model_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    """238 words a minute, 0.75 a token, are 5.29 tok/s; of 100 that is 18.91 times."""
    assert main(["sweep", "first", "--runs", "2", "--rates", "100", "--json"]) == 0
    told = capsys.readouterr()
    (row,) = json.loads(told.out)["rows"]
    assert row["outrun"] == pytest.approx(100 / (238 / 60 / 0.75))
    assert "no --hw was given: cerebras" in told.err + told.out


COMPACTS: File = {
    "tools": {"t": {"time": "50s", "returns": 0}},
    "people": {"you": {"count": 1}},
    "agents": {
        "x": {
            "model": "main",
            "prompt": {"harness": "10k"},
            "turns": 3,
            "output": "10k",
            "thinking": 0,
            "tools": {"t": "100%"},
            "compact": {"at": "25k", "to": "15k", "output": "20k"},
        }
    },
    "steps": [{"agent": "x"}, {"person": "you", "time": "250s"}],
}


def test_decoding_by_a_call_that_compacts_is_decoding(tmp_path: Path) -> None:
    """Three turns of 10k tokens, and a compaction of 20k before the third: 50,000 tokens.

    Beside them two tool runs of 50 s and a person's 250 s: these cost more from 50000 / 250 = 200
    tok/s on, the tools from 50000 / 100 = 500 on, and twice the speed saves less than 5 % from
    9 * 50000 / 350 = 1285.7 on. At 100 tok/s decoding is 500 s of 850.
    """
    hardware = str(write(tmp_path, "hardware.yaml", HUNDRED))
    source = Source(str(write(tmp_path, "workflow.yaml", COMPACTS)), (hardware,))
    found = sweep(source, (100.0, 800.0), Options(levers=False))
    assert {own.kind: own.rate for own in found.crossings} == pytest.approx(
        {"people": 200, "tools": 500, "speed": 1285.7}, rel=1e-4
    )
    row = found.rows[0]
    assert row.decode == pytest.approx(500 / 850)
    # the breakdown keeps what compaction costs apart: 300 s of turns, 200 s of compaction
    times = row.findings.breakdown
    assert (times["decode"], times["compaction"]) == (300, 200)
    table = next(it for it in told(found).blocks if isinstance(it, Table))
    heads = [column.head for column in table.columns]
    assert table.rows[0][heads.index("decode")] == "59 %"
    assert "prompt" not in heads  # nothing of the 850 s is left for it


BESIDE: File = {
    "tools": {"build": {"time": "40s"}},
    "steps": [
        {"parallel": [{"call": "main", "input": 0, "output": 3000}, {"tool": "build"}]},
        {"tool": "build", "id": "last", "time": "5s"},
    ],
}


@pytest.mark.parametrize("rates", [(10.0, 40.0, 60.0, 200.0, 2000.0), (5.0,), (90.0, 1e5)])
def test_a_crossing_is_told_whichever_speeds_were_asked_for(
    tmp_path: Path, rates: tuple[float, ...]
) -> None:
    """The build of 40 s takes over from 3000 / 40 = 75 tok/s on, so do the tools; twice the speed
    saves 5 % of 45 / 0.95 = 47.368 s where 3,000 tokens take 42.368 s, at 70.807 tok/s."""
    hardware = str(write(tmp_path, "hardware.yaml", HUNDRED))
    source = Source(str(write(tmp_path, "workflow.yaml", BESIDE)), (hardware,))
    found = sweep(source, rates, Options(levers=False)).crossings
    assert [own.kind for own in found] == ["speed", "tools"]
    assert [own.rate for own in found] == pytest.approx([70.807, 75], rel=1e-3)


@pytest.mark.parametrize("rates", ["5,15000", "5,100,800,15000", "20,80,320,1280"])
def test_a_crossing_does_not_hang_on_the_rates_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rates: str
) -> None:
    """Decoding is 5,000 / r s in every run, all else O on average: twice the speed saves 5 % where
    decoding is O / 9 (x / 2 / (1 + x) = 5 %), so at r = 45,000 / O. Closed to 1 %.
    """
    steps = [{"agent": "a"}, {"tool": "y"}, {"person": "me"}]
    file = {
        "tools": {"y": {"time": {"p50": "20s", "p90": "400s"}}},
        "agents": {"a": {"prompt": "1k", "turns": 10, "output": 500}},
        "people": {"me": {"decides": "60s"}},
        "steps": steps,
    }
    w = write(tmp_path, "w.yaml", file)
    hw = write(tmp_path, "hw.yaml", {"decode": {"rate": "100 tok/s", "shared": "no"}})
    asked = ["--hw", str(hw), "--rates", rates, "--runs", "1000", "--seed", "2", "--json"]
    assert main(["sweep", str(w), *asked]) == 0
    found = json.loads(capsys.readouterr().out)
    first = found["rows"][0]
    rest = first["answer"]["wall"]["mean"] - 5000 / first["rate"]
    (rate,) = [it["rate"] for it in found["crossings"] if it["kind"] == "speed"]
    assert rate == pytest.approx(45_000 / rest, rel=0.01)
