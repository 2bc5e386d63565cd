"""A limit of money where a server that is called gives no price: nobody knows whether it holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.analysis.gate import BudgetFindings
from agentsim.cli import exits, main

PRICE = "price: {input: 1, output: 10}"
CALL = "{{call: {role}, input: 1000k, output: 100k}}"


def box(folder: Path, name: str, more: str = "") -> str:
    path = folder / f"{name}.yaml"
    path.write_text(f"agentsim: 1\ndecode: {{rate: 100 tok/s}}\n{more}\n")
    return str(path)


def answered(
    capsys: pytest.CaptureFixture[str], folder: Path, budget: str, *roles: str
) -> tuple[int, str, dict[str, object]]:
    """Exit code, table and the budget of the JSON. `main` has a price, `free` has none.

    A call takes 100k / 100 = 1000 s and costs 1 * $1 + 0.1 * $10 = $2 where there is a price.
    """
    file = folder / "w.yaml"
    steps = ", ".join(CALL.format(role=role) for role in roles)
    file.write_text(f"agentsim: 1\nbudget: {budget}\nsteps: [{steps}]\n")
    bound = [f"main={box(folder, 'paid', PRICE)}", f"free={box(folder, 'unpriced')}"]
    hardware = [part for one in bound if one.partition("=")[0] in roles for part in ("--hw", one)]
    command = ["run", str(file), *hardware, "--quick"]
    code = main(command)
    table = capsys.readouterr().out
    assert main([*command, "--json"]) == code
    return code, table, json.loads(capsys.readouterr().out)["budget"]


@pytest.mark.parametrize("roles", [("free",), ("main", "free")])
def test_what_it_costs_is_not_known(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, roles: tuple[str, ...]
) -> None:
    code, table, budget = answered(capsys, tmp_path, "{money: $3}", *roles)
    assert code == exits.MISSED  # a gate that cannot be checked is not passed
    assert "NOT KNOWN" in table
    assert "not known: no `price` in unpriced." in table
    assert "OK" not in table
    assert (budget["met"], budget["met_by"]) == (None, {"money": None})


def test_what_others_cost_is_too_much_already(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """$2 of `main` are more than $1, whatever `free` costs."""
    code, table, budget = answered(capsys, tmp_path, "{money: $1}", "main", "free")
    assert code == exits.MISSED
    assert "MISSED" in table
    assert (budget["met"], budget["met_by"]) == (0.0, {"money": None})


def test_another_limit_is_missed_already(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """1000 s are more than 10 minutes."""
    _, table, budget = answered(capsys, tmp_path, "{money: $3, wall: 10m}", "free")
    assert "MISSED" in table
    assert (budget["met"], budget["met_by"]) == (0.0, {"money": None, "wall": 0.0})


@pytest.mark.parametrize(
    ("budget", "roles"), [("{money: $3}", ("main",)), ("{wall: 1h}", ("free",))]
)
def test_it_is_known(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, budget: str, roles: tuple[str, ...]
) -> None:
    code, table, found = answered(capsys, tmp_path, budget, *roles)
    assert code == exits.DONE
    assert "OK" in table
    assert found["met"] == 1.0


def test_a_verdict_that_is_not_known_is_neither_met_nor_close() -> None:
    found = BudgetFindings({"money": 3.0}, 0.8, 0.8, ci95=(0.7, 0.9), unpriced=("box",))
    assert (found.is_known, found.is_met, found.is_close) == (False, False, False)
