"""A comparison begins with its answer; who fails clearly more often is no winner."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentsim.analysis.failing import fail_more
from agentsim.analysis.findings import QualityFindings
from agentsim.experiment.compare import Compared, Machine, Row
from agentsim.experiment.paired import Apart
from agentsim.report import document, terminal, winner
from tests.unit.report.made import findings
from tests.unit.report.made_compared import at, by, compared, exact


def two(
    behind: Apart, first: dict[str, Any], second: dict[str, Any], *, is_base_best: bool = True
) -> Compared:
    """`a` and `b` on one machine; `b` takes 11 minutes more typically, and fails or not."""
    best, other = (None, behind) if is_base_best else (behind, None)
    rows = (
        Row("a.yaml", (), "a", at("one", 36, **first), None, best is None, behind=best),
        Row("b.yaml", (), "b", at("one", 47, **second), by(11, 1), other is None, behind=other),
    )
    fails = fail_more([row.findings for row in rows])
    told = (replace(row, fails_more=more) for row, more in zip(rows, fails, strict=True))
    return Compared((Machine(("one",), tuple(told)),))


def told(result: Compared) -> str:
    return " ".join(winner.answer(result))


@pytest.mark.parametrize(
    ("failed", "more"),
    [
        ((0.93, 0.05, 0.0), [True, True, False]),  # exactly five points are clearly more
        ((0.93, 0.049, 0.0), [True, False, False]),
        ((0.15, 0.1), [True, False]),  # 0.15 - 0.1 is a little less than 0.05 in binary
        ((1.0, 1.0), [False, False]),
        ((0.5,), [False]),
    ],
)
def test_five_points_above_the_least_are_clearly_more(
    failed: tuple[float, ...], more: list[bool]
) -> None:
    assert fail_more([findings(failed=share) for share in failed]) == more


def test_the_answer_is_first_with_its_interval() -> None:
    """11 +-1 minutes, as made; the mean of each is in the table beside the difference."""
    result = two(by(11, 1), {}, {})
    text = terminal.draw(document.compare(result))
    assert text.splitlines()[2] == "  a is quickest in the mean, 11.0m +-1.0m before b."
    head = next(line for line in text.splitlines() if line.startswith("workflow"))
    assert head.split()[1:7] == ["typical", "4", "in", "5", "mean", "vs"]


def test_who_fails_more_is_not_the_winner() -> None:
    result = two(by(-11, 1), {"failed": 0.93}, {"failed": 0.02}, is_base_best=False)
    assert told(result) == (
        "b is quickest in the mean of those that do not fail clearly more often. "
        "But a takes 11.0m +-1.0m less and fails in 93 % of its runs."
    )
    text = " ".join(terminal.draw(document.compare(result)).split())
    assert (
        "* quickest in the mean, without rows whose share of failed runs is 5 points or more "
        "above the least" in text
    )
    assert "Of the quickest fail: b 2 % of the runs." in text


def test_who_fails_more_and_is_slower_needs_no_word() -> None:
    result = two(by(11, 1), {}, {"failed": 0.5})
    assert told(result) == "a is quickest in the mean, 11.0m +-1.0m before b."
    assert winner.failures(result) == ""


def test_who_fails_more_and_may_be_as_quick_is_told() -> None:
    result = two(by(-1, 2), {"failed": 0.5}, {}, is_base_best=False)
    assert told(result).endswith("But a may be as quick and fails in 50 % of its runs.")


def test_nothing_wins() -> None:
    assert told(two(by(1, 2), {}, {})) == (
        "Nothing is quickest: a and b cannot be told apart in the mean time."
    )
    same = Apart(0.0, (0.0, 0.0), 0.0, 1000)
    assert told(two(same, {}, {})) == "Nothing is quickest: a and b take the same time."


@pytest.mark.parametrize(
    ("first", "second", "but"),
    [
        ({"failed": 0.04}, {}, "But a fails in 4 % of its runs."),
        (
            {"quality": QualityFindings(0.6)},
            {"quality": QualityFindings(0.7)},
            "But a is right in 60 % of its runs, b in 70 %.",
        ),
        (
            {"quality": QualityFindings(0.68)},
            {},
            "But a is right in 68 % of its runs; of the others that is not known.",
        ),
        ({"cost_total": 2.0}, {"cost_total": 1.0}, "But a costs $2.00 a run, b $1.00."),
        # the worst reason only
        ({"failed": 0.04, "cost_total": 2.0}, {}, "But a fails in 4 % of its runs."),
        ({"cost_total": 1.05}, {"cost_total": 1.0}, ""),
        ({"cost_total": None}, {"cost_total": 1.0}, ""),
        # sums that leave out what gives no price are not compared
        ({"cost_total": 2.0}, {"cost_total": 1.0, "unpriced": ("box",)}, ""),
        ({"cost_total": 2.0, "unpriced": ("box",)}, {"cost_total": 1.0}, ""),
    ],
)
def test_the_one_reason_against_it(first: dict[str, Any], second: dict[str, Any], but: str) -> None:
    assert told(two(by(11, 1), first, second)).partition("before b.")[2].strip() == but


def test_a_sure_but_slight_difference_is_called_so() -> None:
    """12 s of 36 minutes are 0.6 %: measured well, and no reason to choose."""
    assert "(practically the same)" in told(two(by(0.2, 0.05), {}, {}))
    assert "(practically the same)" not in told(two(by(11, 1), {}, {}))


def test_several_machines_in_one_sentence() -> None:
    assert told(compared()) == (
        "solo and best3 are quickest in the mean and cannot be told apart on claude-opus "
        "(11.1m +-1.5m before loop) and cerebras (11.1m +-1.5m before loop)."
    )


def test_a_row_a_machine_is_compared_by_machine() -> None:
    own = (
        Machine(("one",), (Row("a.yaml", (), "a", at("one", 36), None, True, behind=by(9, 1)),)),
        Machine(("two",), (Row("a.yaml", (), "a", at("two", 27), None, True),)),
    )
    assert told(Compared(own)) == "two is quickest in the mean, 9.0m +-1.0m before one."


def test_constants_have_no_interval_and_one_row_no_answer() -> None:
    assert told(exact()) == "b n=2 is quickest in the mean, 60.0s before a n=2."
    machine = exact().machines[0]
    assert winner.answer(Compared((replace(machine, rows=machine.rows[:1]),))) == []
