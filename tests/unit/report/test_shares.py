"""Shares that are told as parts of one whole add up to it: rounded together, never one by one."""

from __future__ import annotations

from typing import Any

from agentsim.report import document, terminal
from tests.unit.report.made import findings


def line_of(start: str, **made: Any) -> str:
    text = " ".join(terminal.draw(document.answer(findings(**made)), width=200).split())
    found = text[text.index(start) :]
    return found[: found.index(".") + 1]


def test_verdicts_add_up_to_a_hundred() -> None:
    # 179 and 21 of 200 runs: 89.5 and 10.5 %, each by itself 90 and 11
    told = line_of("The last verdict", verdicts={"approved": 0.895, "changes": 0.105})
    assert told == "The last verdict: approved 90 %, changes 10 %."


def test_three_verdicts_that_would_make_99() -> None:
    # 33.4, 33.3 and 33.3 %: by largest remainder the first has the hundredth that is left
    verdicts = {"approved": 0.334, "changes": 0.333, "rejected": 0.333}
    told = line_of("The last verdict", verdicts=verdicts)
    assert told == "The last verdict: approved 34 %, changes 33 %, rejected 33 %."


def test_what_is_rare_is_not_nothing() -> None:
    told = line_of("The last verdict", verdicts={"approved": 0.998, "changes": 0.002})
    assert told == "The last verdict: approved >99 %, changes <1 %."


def test_reasons_add_up_to_the_runs_that_fail() -> None:
    # 25 and 25 of 1,000 runs: 5 % in all, each by itself 3
    told = line_of("Fails in", failed=0.05, done=0.95, reasons={"a": 0.025, "b": 0.025})
    assert told == "Fails in 5 % of runs: a (3 %), b (2 %)."
