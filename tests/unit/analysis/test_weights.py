"""Warnings in the order of what they may do to the answer; what they say is told by their words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsim.analysis.weights import Weight, by_weight, share, weight
from tests.unit.analysis.hand import graph, trace
from tests.unit.analysis.test_notices import warnings

CUT = "tool results are cut: 0.14 times a run, in 13 % of the runs"
BEYOND = (
    "box: contexts of over 185,000 tokens in 11 % of the runs (up to 531,951); "
    "it was not measured so far, and its speed there is extrapolated"
)
GRADE = "box: figures of grade C (older or second-hand), as of 2026-06"
ALWAYS = "taken as there at all times, nights and weekends too: you"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("no --hw was given: claude-opus is taken, a hosted model of today", Weight.ASKED),
        ("taalas is left out: `ask` needs more than it holds", Weight.ASKED),
        (BEYOND, Weight.RANGE),
        ("box: 4 streams together make 20 % fewer tok/s than 2 do: is that right?", Weight.RANGE),
        ("box: too quick without `prefill` (4.4M tokens read in no time)", Weight.LACKS),
        ("review: nothing reads its verdict", Weight.FILE),
        ("nothing is picked, since no attempt succeeds; the run goes on without", Weight.LOST),
        ("you are busy 80 % of the time, and work queues up", Weight.FOUND),
        ("the typical run takes 2.6 days, more than a day; what would help: x", Weight.FOUND),
        (CUT, Weight.CUT),
        (GRADE, Weight.GRADE),
        (ALWAYS, Weight.TAKEN),
    ],
)
def test_what_a_warning_is_about(text: str, wanted: Weight) -> None:
    """The sentences are those of `notices`, `left_out`, `crowd` and the file's own."""
    assert weight(text) is wanted


def test_the_weightiest_is_first_and_none_is_lost() -> None:
    """Of the same weight, what is so in more of the runs."""
    more = CUT.replace("13 %", "14 %").replace("tool results", "answers are lengthened, that")
    odd = "a sentence that nothing here knows"
    given = [ALWAYS, GRADE, CUT, more, odd, BEYOND]
    assert by_weight(given) == [BEYOND, odd, more, CUT, GRADE, ALWAYS]


@pytest.mark.parametrize(
    ("told", "wanted"), [("<1 %", 0.005), ("13 %", 0.13), (">99 %", 0.995), ("100 %", 1.0)]
)
def test_the_share_of_the_runs(told: str, wanted: float) -> None:
    assert share(f"x is cut: once a run, in {told} of the runs") == pytest.approx(wanted)
    assert share("a file's own") == 1.0


def test_an_answer_is_in_that_order() -> None:
    """A note that is usual stands behind what was counted in the run, though it was found first."""
    plan = replace(graph(), notes=(ALWAYS,))
    found = warnings(plan, trace([], 0, notes={"tool_cut": 1}))
    assert [weight(text) for text in found] == [Weight.CUT, Weight.TAKEN]
