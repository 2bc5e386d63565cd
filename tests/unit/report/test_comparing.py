"""A comparison on the terminal, as Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from agentsim.analysis.findings import DefectFindings, QualityFindings
from agentsim.analysis.gate import BudgetFindings
from agentsim.errors import Notice, Weight
from agentsim.experiment.compare import Compared
from agentsim.experiment.paired import Apart
from agentsim.report import csv_, document, json_, json_comparing, markdown, terminal
from agentsim.report.beside import tables
from agentsim.report.comparing import in_brief, warnings
from agentsim.report.text import columns
from tests.unit.report.made import constant, odd
from tests.unit.report.made_compared import at, by, compared, exact


def left(escaped: float) -> DefectFindings:
    """Twice as many are written."""
    return DefectFindings(constant(escaped), 2 * escaped, escaped, escaped, 0.0)


EVERYWHERE = [(i, j) for i in range(2) for j in range(3)]


def drawn(result: Compared, **how: Any) -> str:
    return terminal.draw(document.compare(result), **how)


def row_of(text: str, label: str) -> list[str]:
    """The cells of the first row that holds `label` behind its machine."""
    line = next(it for it in text.splitlines() if re.search(rf"  {label}  ", it))
    return re.split(r"  +", line.strip())


def changed(result: Compared, machine: int, row: int, **changes: Any) -> Compared:
    """The same with another answer, difference or mark in one row."""
    machines = list(result.machines)
    rows = list(machines[machine].rows)
    rows[row] = replace(rows[row], **changes)
    machines[machine] = replace(machines[machine], rows=tuple(rows))
    return replace(result, machines=tuple(machines))


def test_a_row_says_how_long_and_how_far_from_the_first() -> None:
    text = drawn(compared())
    # 36 min typical, 1.3 times that in the mean
    assert row_of(text, "solo") == ["claude-opus", "solo", "36m", "58m", "47m", "18m", "38m", "*"]
    assert row_of(text, "loop")[1:6] == ["47m", "1h 15m", "1h 01m", "+11.1m", "+-1.5m"]
    assert row_of(text, "best3")[-1] == "*"  # 36 s longer by chance
    assert "vs solo" in text


def test_80_columns_hold_and_nothing_is_lost() -> None:
    """What has no room stands in a second table with the names of the rows again."""
    text = drawn(compared())
    assert max(map(columns, text.splitlines())) <= 80
    assert text.isascii()
    heads = [line for line in text.splitlines() if line.startswith("hardware")]
    assert len(heads) == 2
    assert "tokens" in heads[1]
    assert "\x1b" not in text


def test_colour_changes_no_letter() -> None:
    coloured = drawn(compared(), colour=True)
    assert "\x1b" in coloured
    without = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in without.splitlines()] == drawn(compared()).splitlines()


def told(result: Compared) -> str:
    return " ".join(drawn(result).split())


def test_what_cannot_be_told_apart_and_how_many_runs_would_tell() -> None:
    """48,123 to two figures, rounded up."""
    text = told(compared())
    assert "best3 cannot be told apart from solo on cerebras: about 49,000 runs would tell." in text
    assert "loop cannot be told apart from solo" not in text
    never = changed(compared(), 0, 2, difference=by(0.001, 1.2))
    assert "best3 cannot be told apart from solo on claude-opus: not even 1,000,000" in told(never)
    one = changed(compared(), 0, 2, difference=Apart(5.0, None, 0.0, 1))
    assert "on claude-opus: one run tells nothing of that." in told(one)
    assert "+-?" in told(one)


def test_rows_that_never_differ_are_the_same() -> None:
    same = changed(compared(), 0, 2, difference=Apart(0.0, (0.0, 0.0), 0.0, 1000))
    assert row_of(drawn(same), "best3")[4] == "same"
    assert "best3 cannot be told apart from solo on claude-opus" not in told(same)


def test_a_clear_difference_is_not_rounded_to_nothing() -> None:
    small = changed(compared(), 0, 2, difference=by(0.01, 0.005))
    assert row_of(drawn(small), "best3")[4:6] == ["+600ms", "+-300ms"]


def test_differences_of_minutes_stand_in_minutes() -> None:
    """Beside times such as `3.6m` a difference of 464 s would have to be worked out."""
    made = compared()
    for machine, row in EVERYWHERE:
        if row:
            made = changed(made, machine, row, difference=by(-7.74, 4.7))
    assert row_of(drawn(made), "loop")[4:6] == ["-7.7m", "+-4.7m"]


def test_break_evens_in_turns() -> None:
    text = told(compared())
    assert "Same turns and tokens assumed on all hardware." in text
    assert (
        "cerebras beats claude-opus in agent time while its model needs fewer turns than "
        "2.24x [2.01 to 2.49] (solo) and 100x or more (loop)." in text
    )
    assert "claude-opus and cerebras cannot be told apart in agent time (best3)." in text
    why = "not tried: too many, or too long to simulate with more turns."
    assert f"3 more pairs were {why}" in told(compared(untried=3))
    alone = told(compared(untried=1, break_evens=()))
    assert f"1 pair was {why}" in alone
    assert "No agent takes turns" not in alone
    assert "No agent takes turns" in told(compared(break_evens=()))


def test_one_machine_needs_no_column_and_no_break_even() -> None:
    alone = replace(compared(), machines=compared().machines[:1], break_evens=())
    lines = drawn(alone).splitlines()
    assert lines[0].endswith("claude-opus")
    assert next(it for it in lines if "typical" in it).startswith("workflow")
    assert "Same turns" not in told(alone)


def test_exact_rows_have_no_spread() -> None:
    text = drawn(exact())
    assert row_of(f"  {text}", "b n=2")[:3] == ["b n=2", "30s", "-60.0s"]
    assert "4 in 5" not in text
    assert "+-" not in text
    assert "exact: nothing is drawn, seed 0" in text


def test_budgets_have_a_column() -> None:
    """Where only one file has one, the others' cells are empty; where they differ it says so."""
    one = BudgetFindings({"wall": 5400.0}, 0.8, 0.77, ci95=(0.743, 0.795))
    other = BudgetFindings({"wall": 60.0}, 0.5, 0.9, ci95=(0.88, 0.92))
    made = changed(compared(), 0, 0, findings=replace(at("claude-opus", 36), budget=one))
    assert "77 % no" in drawn(made)
    assert "budget: 1 h 30 m; ok where 80 % of the runs keep to it" in told(made)
    both = changed(made, 0, 1, findings=replace(at("claude-opus", 47), budget=other))
    assert "90 % ok" in drawn(both)
    assert "budget: that of each file; ok where as many runs as it wants keep to it" in told(both)


def warning(result: Compared, *places: tuple[int, int, str]) -> Compared:
    for machine, row, text in places:
        result = noticed(result, machine, row, *odd(text))
    return result


def noticed(result: Compared, machine: int, row: int, *more: Notice) -> Compared:
    found = result.machines[machine].rows[row].findings
    own = replace(found, notices=[*found.notices, *more])
    return changed(result, machine, row, findings=own)


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ([(i, j, "tools are cut") for i, j in EVERYWHERE], "tools are cut"),
        ([(0, 1, "tools are cut")], "tools are cut (in loop on claude-opus)"),
        ([(0, 1, "x"), (1, 1, "x"), (0, 2, "x"), (1, 2, "x")], "x (in loop and best3)"),
        ([(1, 0, "x"), (1, 1, "x"), (1, 2, "x")], "x (on cerebras)"),
        ([(0, 1, "x"), (1, 2, "x")], "x (in loop on claude-opus and in best3 on cerebras)"),
        # a step may be named as the hardware is: that tells no machine
        ([(1, j, "cerebras: odd") for j in range(3)], "cerebras: odd (on cerebras)"),
        ([(1, 0, "cerebras (line 3): odd")], "cerebras (line 3): odd (in solo on cerebras)"),
    ],
)
def test_a_warning_is_said_once_with_where_it_holds(
    places: list[tuple[int, int, str]], said: str
) -> None:
    assert warnings(warning(compared(), *places)) == [said]


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ([(1, j) for j in range(3)], "cerebras: grade C"),
        ([(1, 0)], "cerebras: grade C (in solo)"),
    ],
)
def test_hardware_that_is_named_needs_no_place(places: list[tuple[int, int]], said: str) -> None:
    graded = Notice("cerebras: grade C", Weight.GRADE, profile="cerebras")
    result = compared()
    for place in places:
        result = noticed(result, *place, graded)
    assert warnings(result) == [said]


def test_of_other_figures_the_places_are_told_in_brief_and_all_of_them_in_full() -> None:
    few, more = (
        Notice(f"cut: {often} a run", Weight.CUT, about=("cut",)) for often in ("0.4 times", "once")
    )
    result = noticed(noticed(compared(), 0, 1, few), 1, 1, more)
    assert [it.text for it in in_brief(result)] == [
        "cut: 0.4 times a run (in loop on claude-opus; in loop on cerebras with other figures)"
    ]
    assert warnings(result) == [
        "cut: 0.4 times a run (in loop on claude-opus)",
        "cut: once a run (in loop on cerebras)",
    ]


def test_markdown_has_the_same_tables() -> None:
    text = markdown.draw(document.compare(compared()))
    assert text.startswith("### 3 workflows side by side")
    assert "| claude-opus | solo | 36m |" in text


def test_csv_has_a_row_a_variant() -> None:
    found = list(csv.DictReader(io.StringIO(csv_.compare(compared()), newline="")))
    assert [(row["machine"], row["label"]) for row in found[2:4]] == [
        ("claude-opus", "best3"),
        ("cerebras", "solo"),
    ]
    assert float(found[1]["difference.mean"]) == pytest.approx(666)
    assert found[0]["difference.mean"] == found[0]["difference.ci95_low"] == ""
    assert found[2]["difference.needed"] == "48123"
    # 2,292 s of work and 9 of switching
    assert float(found[0]["attention"]) == 2301
    (first, _) = csv.DictReader(io.StringIO(csv_.compare(exact()), newline=""))
    assert first["vary"] == 'n=2; size={"p50": 4}'


def test_csv_has_how_far_a_row_is_behind_and_how_surely_it_fails() -> None:
    """Figures that only the JSON had: a reader of the table could not draw them again."""
    of = replace(compared().machines[0].rows[1].findings, failed=0.2, failed_ci95=(0.1, 0.3))
    behind = Apart(60.0, (30.0, 90.0), 2.0, 1000, 9)
    made = changed(compared(), 0, 1, behind=behind, findings=of)
    first, second = list(csv.DictReader(io.StringIO(csv_.compare(made), newline="")))[:2]
    assert first["behind.mean"] == first["behind.ci95_high"] == ""
    assert (second["behind.mean"], second["behind.ci95_low"]) == ("60.0", "30.0")
    told = second["outcome.failed_ci95_low"], second["outcome.failed_ci95_high"]
    assert told == ("0.1", "0.3")


def test_comparing_says_how_many_values_are_assumed() -> None:
    made = compared()
    findings = made.machines[0].rows[1].findings
    assert len(findings.assumed) == 7  # as the made-up answers have it
    assert "Assumed: 7 values; with sources" in markdown.draw(document.compare(made))
    fewer = changed(made, 0, 1, findings=replace(findings, assumed=findings.assumed[:3]))
    assert "Assumed: 3 to 7 values a file" in markdown.draw(document.compare(fewer))


def test_csv_has_the_differences_of_all_that_is_compared() -> None:
    """The same columns whatever a row has of it, named as in the JSON."""
    cost = Apart(-0.5, (-0.75, -0.25), 1.5, 1000, 77)
    right = Apart(0.125, None, 0.0, 1)
    made = changed(compared(), 0, 1, others={"cost": cost}, above_others={"success": right})
    found = list(csv.DictReader(io.StringIO(csv_.compare(made), newline="")))
    bare = list(csv.DictReader(io.StringIO(csv_.compare(compared()), newline="")))
    assert found[0].keys() == bare[0].keys()
    own = {key: cell for key, cell in found[1].items() if "other_differences." in key and cell}
    assert own == {
        "other_differences.cost.mean": "-0.5",
        "other_differences.cost.ci95_low": "-0.75",
        "other_differences.cost.ci95_high": "-0.25",
        "other_differences.cost.sd": "1.5",
        "other_differences.cost.needed": "77",
        "above_other_differences.success.mean": "0.125",
        "above_other_differences.success.sd": "0.0",
    }
    assert not any(cell for key, cell in found[0].items() if "other_differences." in key)


def test_json_holds_answers_differences_and_break_evens() -> None:
    made = json.loads(json_.text(json_comparing.compare(compared())))
    assert (made["agentsim"], made["base"]) == ("compare", "solo")
    slow = made["machines"][0]
    assert slow["hardware"] == ["claude-opus"]
    solo, loop, _ = slow["rows"]
    assert solo["difference"] is None
    assert loop["difference"]["ci95"] == pytest.approx([576, 756])
    assert loop["difference"]["clear"]
    assert loop["answer"]["wall"]["p50"] == 47 * 60
    assert made["break_even"][0] == {
        "label": "solo",
        "ahead": "cerebras",
        "behind": "claude-opus",
        "clear": True,
        "times": 2.236,
        "ci95": [2.01, 2.49],
        "runs": 400,
        "beyond": False,
    }
    assert not any("escaped" in key or "success" in key for key in loop)


def test_what_is_right_and_what_escapes_has_its_difference() -> None:
    """Beside the share and the number; where chance may be all of it, runs that would tell."""
    others = {
        "success": Apart(-0.125, (-0.155, -0.095), 0.4, 1000),
        "escaped_defects": Apart(0.5, (-0.25, 1.25), 12.0, 1000, 4321),
    }
    found = at("claude-opus", 47, quality=QualityFindings(0.5, (0.47, 0.53), left(2.5)))
    text = drawn(changed(compared(), 0, 1, findings=found, others=others))
    assert "vs solo: how many more points, pair by pair" in text
    assert "-12.5  +-3" in text
    assert "+0.5  +-0.75" in text
    flat = " ".join(text.split())
    assert (
        "loop cannot be told apart from solo on claude-opus in what escapes: about 4,400 runs"
        in flat
    )
    assert "in what is right" not in flat
    made = json_comparing.compare(changed(compared(), 0, 1, others=others))
    row = made["machines"][0]["rows"][1]
    assert row["other_differences"]["escaped_defects"]["needed"] == 4321
    assert row["other_differences"]["success"]["clear"]


def test_a_price_that_is_not_known_is_said() -> None:
    text = drawn(changed(compared(), 0, 0, findings=at("claude-opus", 36, cost_total=None)))
    assert "?: no price is known of what was called" in text
    assert "no price" not in drawn(compared())
    partly = at("claude-opus", 36, cost_total=0.25, unpriced=("box",))
    text = drawn(changed(compared(), 0, 0, findings=partly))
    assert "$0.25+" in text
    assert "+: without box, of no known price" in text


def test_each_row_says_what_bound_it() -> None:
    """People and tools by name, all else by its kind: `main` would be the name of a server."""
    bound = compared().machines[0].rows[1].findings.bottleneck
    made = compared()
    for i, (kind, what) in enumerate([("decode", "main"), ("tool", "ci")]):
        it = made.machines[0].rows[i].findings
        found = replace(it, bottleneck=replace(bound, kind=kind, what=what))
        made = changed(made, 0, i, findings=found)
    (table,) = [one for one in tables(made) if any(head.head == "limit" for head in one.columns)]
    at = [head.head for head in table.columns].index("limit")
    assert [row[at] for row in table.rows][:2] == ["decode", "ci"]


def test_pairs_that_differ_by_chance_in_what_is_right_are_counted() -> None:
    near = Apart(0.01, (-0.02, 0.04), 0.3, 1000, 7000)
    made = compared()
    for i in (1, 2):
        made = changed(made, 0, i, others={"success": near})
    text = drawn(made)
    assert "2 pairs cannot be told apart in what is right." in text
    assert "apart from solo in what is right" not in text


def test_a_machine_that_is_left_out_is_said_first() -> None:
    result = replace(compared(), left_out=((("taalas",), "`ask` needs more than it holds"),))
    assert warnings(result)[0] == "taalas is left out: `ask` needs more than it holds"
    (row,) = json_comparing.compare(result)["left_out"]
    assert row == {"hardware": ["taalas"], "reason": "`ask` needs more than it holds"}
