"""What the answer says of one run and of a few, of other years, of shares and of slow rates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentsim.analysis.estimate import share_interval
from agentsim.analysis.findings import Findings
from agentsim.analysis.gate import BudgetFindings
from agentsim.report import document, terminal
from tests.unit.report.made import constant, findings, stat, sweep
from tests.unit.report.made_compared import compared


def flat(made: Findings) -> str:
    return " ".join(terminal.draw(document.answer(made)).split())


def test_one_run_is_one_run() -> None:
    """No quantile, no typical run, no average of it."""
    one = constant(770.0)
    text = flat(
        findings(
            replications=1, wall=one, without_people=one, levers=[], sensitivity=[], budget=None
        )
    )
    assert "13 min in one run: nothing tells its spread Without people 13 min." in text
    assert "You are needed once, for 38 min." in text
    assert "Where the 13 min of this run go" in text
    for word in ("typical", "average", "9 in 10", "9 of 10", "4 in 5", "mean"):
        assert word not in text, word


@pytest.mark.parametrize(("runs", "few"), [(2, True), (9, True), (10, False)])
def test_of_fewer_than_ten_runs_none_is_one_in_ten(runs: int, few: bool) -> None:
    wall = replace(stat(600, 900, 1200, 700), min=300.0, max=1500.0)
    text = flat(findings(replications=runs, wall=wall))
    assert (f"10 min typical {runs} runs, from 5 min to 25 min" in text) is few
    assert ("1 in 10 over 20 min" in text) is not few


DAY = 86400.0


@pytest.mark.parametrize(
    ("took", "end", "said"),
    [
        # 2026-11-30T10:00 and 400 days: 35 of them to 4 January 2027, 365 more to that of 2028
        (400 * DAY, "2028-01-04T10:00:00+00:00", "Done Tue 4 Jan 2028 10:00."),
        (DAY, "2026-12-01T10:00:00+00:00", "Done Tue 1 Dec 10:00."),
        # begun at midnight of the new year, cut from 09:00:00.6: the same year
        (9 * 3600 + 0.6, "2027-01-01T09:00:00+00:00", "Done Fri 1 Jan 09:00."),
        (9 * 3600 + 1.6, "2027-01-01T09:00:00+00:00", "Done Fri 1 Jan 2027 09:00."),
    ],
)
def test_the_year_where_it_is_another_than_that_of_the_start(
    took: float, end: str, said: str
) -> None:
    made = findings(wall=constant(took), finish=dict.fromkeys(("p50", "p80", "p90"), end))
    assert said in flat(made)


def test_what_fails_has_its_interval() -> None:
    """Wilson's of 220 in 1,000: (0.22 + 1.92/1000 +- 1.96 sqrt(...)) / 1.00384 = 19.5 to 24.7 %."""
    found = share_interval(220, 1000)
    made = findings(failed=0.22, done=0.78, reasons={"t": 0.22}, failed_ci95=found)
    assert "Fails in 22 % (20 to 25 %) of runs: t (22 %)." in flat(made)
    row = replace(compared().machines[0].rows[1], findings=made)
    machine = compared().machines[0]
    rows = (machine.rows[0], row, machine.rows[2])
    table = terminal.draw(
        document.compare(replace(compared(), machines=(replace(machine, rows=rows),)))
    )
    assert "22 % +-3" in table


def needed(**changes: Any) -> str:
    base = findings()
    return flat(replace(base, people={"you": replace(base.people["you"], **changes)}))


def test_needed_in_a_share_of_the_runs() -> None:
    """Once in 780 of 1,000 runs; or twice in 390 of them."""
    assert "You are needed in 78 % of runs, for 38 min a run on average." in needed(
        times_needed=0.78, asked=0.78
    )
    often = needed(times_needed=0.78, asked=0.39)
    assert "You are needed on average 0.78 times a run, and for 38 min in all." in often
    assert "You are needed once, for 38 min on average." in needed(times_needed=1.0, asked=1.0)


def test_the_legend_of_a_budget_says_what_its_cells_mean() -> None:
    budget = BudgetFindings({"wall": 5400.0}, 0.8, 0.7996, ci95=(0.77, 0.82))
    rows = compared().machines[0].rows
    first = replace(rows[0], findings=replace(rows[0].findings, budget=budget))
    machine = replace(compared().machines[0], rows=(first, *rows[1:]))
    text = terminal.draw(document.compare(replace(compared(), machines=(machine,))))
    assert "<80 % no?" in text
    assert (
        "budget: 1 h 30 m; ok where 80 % of the runs keep to it, no where fewer do (< is just "
        "under); ? is too close to call at 95 %" in " ".join(text.split())
    )


def test_a_sweep_whose_speed_does_not_matter_says_so_first() -> None:
    """Twice the speed saves less than 5 % from 3 tok/s on, and the slowest is 5."""
    made = sweep()
    low = tuple(replace(it, rate=3.0) if it.kind == "speed" else it for it in made.crossings)
    text = " ".join(terminal.draw(document.sweep(replace(made, crossings=low))).split())
    said = "Speed does not matter here: at all of these rates twice the speed saves less than 5 %."
    assert text.index(said) < text.index("From 5 to 15,000 tok/s")
    assert "does not matter" not in terminal.draw(document.sweep(made))
    # nothing turns, and all of the speeds together save 2.9 %: 35 to 34 min
    still = replace(made, rows=made.rows[2:], crossings=())
    assert said in " ".join(terminal.draw(document.sweep(still)).split())
    some = replace(made, rows=made.rows[1:3], crossings=())  # 40 to 35 min
    assert "does not matter" not in terminal.draw(document.sweep(some))


def test_the_foot_names_the_row_that_is_least_sure() -> None:
    made = sweep()
    slow = made.rows[0]
    wall = replace(slow.findings.wall, p50_error=slow.findings.wall.p50 / 2)
    rows = (replace(slow, findings=replace(slow.findings, wall=wall)), *made.rows[1:])
    text = terminal.draw(document.sweep(replace(made, rows=rows)))
    assert "typical +-50 % or less, the most at 5 tok/s" in " ".join(text.split())
    assert "the most" not in terminal.draw(document.sweep(made))
