"""Buy, rent, a plan or pay by the token, by hand.

A run is a call of 100,000 tokens at 100 tok/s: 1,000 s, 5/18 h. Of one's own: 5,200 dollars for a
year are 100 a week, and it draws nothing. Rent: 3.6 an hour, 1 a run; 604.8 for a week day and
night. By the token: 100 a million, 10 a run. The plan: 52 a month, 12 a week.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentsim.cli import exits, main
from tests.runs import HUNDRED, write

OWN = {"buy": 5200, "years": 1, "watts": 0, "per_kwh": 0, "hours_per_week": 40}
PRICES: dict[str, dict[str, Any]] = {
    "own": {"price": OWN},
    "rent": {"price": {"per_hour": 3.6}},
    "api": {"price": {"input": 0, "output": 100}},
    "cheap": {"price": {"input": 0, "output": 0.01}},
    "plan": {"price": {"plan": {"per_month": 52}}},
    "free": {},
}
CALL = {"call": "main", "input": 0, "output": "100k"}
HOURS = 1000 / 3600


def told(
    folder: Path, capsys: pytest.CaptureFixture[str], *names: str, steps: Any = (CALL,)
) -> tuple[list[dict[str, Any]], str]:
    """The pairs of the JSON, and the table."""
    file = write(folder, "w.yaml", {"steps": list(steps)})
    hardware = []
    for name in names:
        hardware += ["--hw", str(write(folder, f"{name}.yaml", {**HUNDRED, **PRICES[name]}))]
    command = ["compare", str(file), *hardware, "--runs", "40", "--jobs", "1"]
    assert main(command) == exits.DONE
    table = " ".join(capsys.readouterr().out.split())
    assert main([*command, "--json"]) == exits.DONE
    return json.loads(capsys.readouterr().out).get("paying"), table


def one(found: list[dict[str, Any]], own: str, kept: bool = False) -> dict[str, Any]:
    return next(it for it in found if Path(it["machine"]).stem == own and it["kept"] == kept)


@pytest.mark.parametrize(
    ("own", "other", "runs"),
    [
        ("own", "api", 10),  # 100 / (10 - 0)
        ("own", "rent", 100),  # 100 / (1 - 0)
        ("plan", "api", 1.2),  # 12 / 10
        ("plan", "rent", 12),
    ],
)
def test_from_so_much_use_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], own: str, other: str, runs: float
) -> None:
    for names in ((own, other), (other, own)):
        it = one(told(tmp_path, capsys, *names)[0], own)
        assert it["verdict"] == "from"
        assert it["runs"] == pytest.approx(runs)
        assert it["hours"] == (None if own == "plan" else pytest.approx(runs * HOURS))
        assert (it["ci95"], it["in_a_week"]) == (None, True)


def test_rent_by_the_run_and_day_and_night(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """1 a run is less than 10; 604.8 a week are 60.48 runs of 10: 16.8 h."""
    found, table = told(tmp_path, capsys, "rent", "api")
    assert one(found, "rent")["verdict"] == "always"
    kept = one(found, "rent", kept=True)
    assert (kept["runs"], kept["hours"]) == (pytest.approx(60.48), pytest.approx(16.8))
    assert "however much it is used: $1.00 a run, $10.00 there." in table
    assert "rented day and night, costs less than" in table
    assert "from 17 hours of use a week on (60 runs)." in table


def test_never(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run costs nothing with either, and 100 a week are more than 12, as 604.8 are than 100."""
    found, _ = told(tmp_path, capsys, "own", "plan")
    assert [it["verdict"] for it in found] == ["never"]
    found, _ = told(tmp_path, capsys, "own", "rent")
    assert one(found, "rent", kept=True)["verdict"] == "never"


def test_a_missing_price_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, table = told(tmp_path, capsys, "own", "free")
    assert [it["verdict"] for it in found] == ["unknown"]
    assert "is not known: a price is missing" in table


def test_only_where_something_else_than_tokens_is_paid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(tmp_path, capsys, "api", "free")[0] is None


def test_with_chance_there_is_an_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tokens by the run move what it costs and how long it takes alike: what it saves an hour of
    use is the same in every run, and so is the answer: 10 runs of the mean, 2.78 h."""
    steps = [{**CALL, "output": {"p50": "80k", "p90": "200k"}}]
    it = one(told(tmp_path, capsys, "own", "api", steps=steps)[0], "own")
    assert it["hours"] == pytest.approx(10 * HOURS)
    assert it["ci95"] == [pytest.approx(it["hours"]), pytest.approx(it["hours"])]
    waits = [*steps, {"call": "main", "id": "more", "input": 0, "output": "20k"}]
    assert one(told(tmp_path, capsys, "own", "api", steps=waits)[0], "own")["ci95"] is not None


def test_more_hours_than_a_week_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the token at 0.01 a million a run costs 0.001: 100 / 0.001 runs are 27,778 h."""
    found, table = told(tmp_path, capsys, "own", "cheap")
    it = one(found, "own")
    assert (it["hours"], it["in_a_week"]) == (pytest.approx(100_000 * HOURS), False)
    assert "at no number of hours that a week has" in table
