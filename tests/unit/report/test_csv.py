"""CSV for spreadsheets: one row an answer, the same columns for every workflow."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from agentsim.report import csv_
from tests.unit.report.made import findings, sweep


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_row_of_figures() -> None:
    (row,) = rows(csv_.answer(findings()))
    assert row["workflow"] == "One feature, reviewed, then me"
    assert row["hardware"] == "main=claude-opus"
    assert float(row["wall.p50"]) == 47 * 60
    assert float(row["breakdown.decode"]) == 660.0
    assert float(row["calls.per_token.inclusive"]) == 0.02
    assert float(row["budget.met"]) == 0.84


def test_the_columns_do_not_depend_on_what_there_is() -> None:
    bare = findings(budget=None, first_output=None, cost_total=None, people={}, steps={})
    assert csv_.row(bare).keys() == csv_.row(findings()).keys()
    (row,) = rows(csv_.answer(bare))
    assert row["first_output.p50"] == row["cost.total"] == ""


def test_a_name_is_no_formula_and_stays_one_cell() -> None:
    (row,) = rows(csv_.answer(findings(workflow='=HYPERLINK("x")')))
    assert row["workflow"] == '\'=HYPERLINK("x")'
    (row,) = rows(csv_.answer(findings(workflow='a,"b"\nc')))
    assert row["workflow"] == 'a,"b" c'
    # nor does it reach a terminal as an escape, or hide a formula behind a space
    (row,) = rows(csv_.answer(findings(workflow="\x1b[31mred\x07")))
    assert row["workflow"] == "red"
    (row,) = rows(csv_.answer(findings(workflow="\t =1+1")))
    assert row["workflow"] == "'=1+1"


def test_numbers_may_be_negative() -> None:
    made = findings(wall=replace(findings().wall, min=-1.0))
    assert rows(csv_.answer(made))[0]["wall.min"] == "-1.0"


def test_a_sweep_has_a_row_a_rate() -> None:
    assert [float(row["rate"]) for row in rows(csv_.sweep(sweep()))] == [5, 100, 800, 15_000]


def test_no_cell_holds_a_list() -> None:
    """`bottleneck.rows` was Python's own spelling of a list of tables."""
    (row,) = rows(csv_.answer(findings()))
    assert "bottleneck.rows" not in row
    assert row["bottleneck.kind"] == "person_work"
    assert not any(cell.startswith(("[", "{", "(")) for cell in row.values())


def test_one_run_has_empty_cells_for_its_error() -> None:
    (row,) = rows(csv_.answer(findings(replications=1)))
    assert (row["wall.ci95_low"], row["wall.ci95_high"]) == ("", "")
    assert float(row["wall.p50"]) == 47 * 60
