"""Defects in the answer: the figures by hand, the line, the columns, the names in JSON and CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

from agentsim.analysis.findings import DefectFindings, QualityFindings
from agentsim.analysis.fold import fold
from agentsim.analysis.summary import summarise
from agentsim.records import Defects, Outcome, Part
from agentsim.report import csv_, document, json_, markdown, terminal
from tests.unit.analysis.hand import graph, span, trace, work, worked
from tests.unit.report.made import constant, findings, stat
from tests.unit.report.made_compared import compared
from tests.unit.report.test_comparing import changed, drawn, row_of

SHELL = graph(work(1, "shell", 1))
LEFT = DefectFindings(replace(stat(2, 3, 4, 2.0), ci95=(1.9, 2.1)), 6.4, 4.8, 4.4, 0.18)


def of(*ends: tuple[Defects | None, Outcome]) -> QualityFindings | None:
    """The quality of runs of one tool run that end so."""
    spans = [span(1, "shell", 0, (Part.TOOL, 1), facts=worked())]
    runs = [trace(spans, 1)._replace(defects=it, outcome=end) for it, end in ends]
    return summarise(SHELL, [fold(run, SHELL) for run in runs], seed=7).quality


def test_escaped_is_written_less_mended_of_the_runs_that_end() -> None:
    """7 - 4 = 3, 5 - 5 = 0 and 3 - 0 = 3: 2 in the mean, none in 1 of 3; the failed one's 9 not."""
    done, failed = Outcome.DONE, Outcome.FAILED
    runs = [(Defects(7, 5, 4), done), (Defects(9, 0, 0), failed)]
    runs += [(Defects(5, 5, 5), done), (Defects(3, 1, 0), done)]
    found = of(*runs)
    assert found is not None
    assert (found.success, found.ci95) == (None, None)
    it = found.defects
    assert it is not None
    assert (it.escaped.mean, it.escaped.min, it.escaped.max, it.escaped.n) == (2, 0, 3, 3)
    assert (it.written, it.found, it.mended, it.none) == (5, 11 / 3, 3, 1 / 3)


def test_where_every_run_fails_nothing_is_handed_over() -> None:
    assert of((Defects(9, 0, 0), Outcome.FAILED)) == QualityFindings(None)
    assert of((None, Outcome.DONE)) is None


def text(quality: QualityFindings | None, **changes: Any) -> str:
    return terminal.draw(document.answer(findings(quality=quality, **changes)))


def test_the_line_of_an_answer() -> None:
    quality = QualityFindings(None, defects=LEFT)
    wanted = "Defects: 2 of 6.4 escape, on average (+-0.1); none in 18 % of the runs."
    assert wanted in text(quality)
    assert wanted in markdown.draw(document.answer(findings(quality=quality)))
    assert "right in" not in text(quality)
    assert "Defects of a run that does not fail: 2 of" in text(quality, failed=0.2, done=0.8)
    sure = DefectFindings(constant(0.0), 3.0, 3.0, 3.0, 1.0)
    assert "Defects: 0 of 3 escape." in text(QualityFindings(None, defects=sure), exact=True)
    both = text(QualityFindings(0.8, (0.75, 0.84), LEFT))
    assert "right in 80 %" in both
    assert "Defects: 2 of 6.4" in both
    assert "Defects" not in text(None)


def test_the_names_in_json() -> None:
    found = json_.answer(findings(quality=QualityFindings(None, defects=LEFT)))["quality"]
    assert list(found) == ["success", "ci95", "unpicked", "escaped_defects", "defects"]
    assert found["success"] is None
    assert found["escaped_defects"]["mean"] == 2.0
    assert found["escaped_defects"]["ci95"] == [1.9, 2.1]
    assert found["defects"] == {"written": 6.4, "found": 4.8, "mended": 4.4, "none": 0.18}
    only = json_.answer(findings(quality=QualityFindings(0.8, (0.7, 0.9))))["quality"]
    assert only["success"] == 0.8
    assert only["escaped_defects"] is only["defects"] is None
    assert json_.answer(findings())["quality"] is None
    one = json_.answer(findings(quality=QualityFindings(None, defects=LEFT), replications=1))
    assert one["quality"]["escaped_defects"]["ci95"] is None


def test_a_spreadsheet_has_the_columns_in_any_case() -> None:
    """Rows of one table: those without attempts or defects must not be shorter than the others."""
    kinds = [None, QualityFindings(None, defects=LEFT), QualityFindings(0.8, (0.7, 0.9))]
    made = [csv_.row(findings(quality=it)) for it in kinds]
    assert made[0].keys() == made[1].keys() == made[2].keys()
    rows = list(csv.DictReader(io.StringIO(csv_.table(made))))
    assert [row["quality.success"] for row in rows] == ["", "", "0.8"]
    assert [row["quality.escaped_defects"] for row in rows] == ["", "2.0", ""]


def test_a_column_of_a_comparison() -> None:
    """Beside a row that models none, and one of which nothing spreads."""
    result = compared()
    solo, loop, _ = result.machines[0].rows
    left = replace(solo.findings, quality=QualityFindings(None, defects=LEFT))
    none = DefectFindings(constant(0.0), 3.0, 3.0, 3.0, 1.0)
    sure = replace(loop.findings, quality=QualityFindings(None, defects=none))
    result = changed(changed(result, 0, 0, findings=left), 0, 1, findings=sure)
    told = drawn(result)
    assert "escaped: defects left in the mean run that does not fail" in told
    assert "right: share" not in told
    second = told[told.index("escaped") - 200 :]
    assert row_of(second, "solo")[-1] == "2 +-0.1"
    assert row_of(second, "loop")[-1] == "0"
    assert row_of(second, "best3")[-1] == "-"
    assert "escaped" not in drawn(compared())
