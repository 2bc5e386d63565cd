"""What is paid by the hour and by the month: by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.cli import exits, main
from agentsim.experiment import Options, answer
from agentsim.report import json_
from agentsim.spec import Source
from tests.runs import HUNDRED, write

RENT = {"price": {"per_hour": 36}}  # a cent a second
STEPS = {
    "steps": [
        {
            "parallel": [
                {"call": "big", "input": 0, "output": 1000},
                {"call": "small", "input": 0, "output": 3000},
            ]
        },
        {"wait": "10s"},
        {"call": "big", "id": "again", "input": 0, "output": 1000},
    ]
}
"""100 tok/s: 10 s of `big` beside 30 s of `small`, a wait of 10 s and 10 s of `big`: 50 s."""


def cost(folder: Path, **bound: dict[str, object]) -> dict[str, object]:
    given = [f"{role}={write(folder, f'{role}.yaml', it)}" for role, it in bound.items()]
    asked = Source(str(write(folder, "w.yaml", STEPS)), tuple(given))
    found = json_.answer(answer(asked, Options(runs=1, levers=False, sensitivity=False)))
    return found["cost"]


def test_a_machine_of_two_servers_is_paid_once(tmp_path: Path) -> None:
    """50 s at a cent; calls of `big` last 20 s, those of `small` 30 s: 2 to 3."""
    box = {**HUNDRED, "machine": "rig", "models_in_memory": 2}
    found = cost(tmp_path, big={**box, **RENT}, small=box)
    assert found["total"] == pytest.approx(0.5)
    assert found["by_role"] == pytest.approx({"big": 0.2, "small": 0.3})
    assert (found["unpriced"], found["plans"]) == ([], {})


def test_use_is_while_any_of_its_servers_has_a_call(tmp_path: Path) -> None:
    """30 s and 10 s, without the wait."""
    box = {**HUNDRED, "machine": "rig", "models_in_memory": 2}
    rent = {"price": {"per_hour": 36, "paid": "use"}}
    assert cost(tmp_path, big={**box, **rent}, small=box)["total"] == pytest.approx(0.4)


def test_all_ways_at_once(tmp_path: Path) -> None:
    """`big` is rented: 50 s; `small` is paid by the month, which is no part of the total."""
    plan = {**HUNDRED, "price": {"plan": {"per_month": 200}}}
    found = cost(tmp_path, big={**HUNDRED, **RENT}, small=plan)
    assert found == {
        "total": pytest.approx(0.5),
        "by_role": {"big": pytest.approx(0.5)},
        "unpriced": ["small"],
        "paid": {"rent": pytest.approx(0.5)},
        "plans": {"small": 200.0},
    }


def test_a_machine_costs_the_same_to_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    box = {**HUNDRED, "machine": "rig"}
    big = write(tmp_path, "big.yaml", {**box, **RENT})
    small = write(tmp_path, "small.yaml", {**box, "price": {"per_hour": 1}})
    file = write(tmp_path, "w.yaml", STEPS)
    assert main(["run", str(file), "--hw", f"big={big}", "--hw", f"small={small}"]) == exits.USAGE
    assert "say differently what it costs by the hour: $36 and $1" in capsys.readouterr().err


def test_a_budget_and_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = write(tmp_path, "max.yaml", {**HUNDRED, "price": {"plan": {"per_month": 200}}})
    file = write(tmp_path, "w.yaml", {"budget": {"money": "$5"}, **STEPS})
    command = ["run", str(file), "--hw", str(plan), "--quick"]
    assert main(command) == exits.MISSED
    told = capsys.readouterr().out
    assert "not known: max is paid by the month" in told
    assert "max $200 a month" in " ".join(told.split())
    assert main([*command, "--json"]) == exits.MISSED
    assert json.loads(capsys.readouterr().out)["cost"]["total"] is None


def test_hours_need_a_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tier = {"hours": "00:00-24:00", "input": 0, "output": 0}
    price = {"price": {"input": 1, "output": 100, "tiers": [tier]}}
    box = write(tmp_path, "box.yaml", {**HUNDRED, **price})
    file = write(tmp_path, "w.yaml", STEPS)
    assert main(["run", str(file), "--hw", str(box), "--quick"]) == exits.DONE
    told = " ".join(capsys.readouterr().out.split())
    assert "the workflow has no `start`: tiers with `hours` count for nothing" in told
    assert "$0.50" in told  # 5,000 tokens
