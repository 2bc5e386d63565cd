"""Warnings in brief: the weightiest few, a line a kind; none that is about validity is lost."""

from __future__ import annotations

import pytest

from agentsim.report import document, markdown, terminal
from agentsim.report.blocks import Notes
from agentsim.report.brief import SHOWN, brief, notes
from agentsim.report.json_ import answer
from tests.unit.report.made import findings

TOOLS = "tool results are cut: 0.14 times a run, in 13 % of the runs"
OUTPUT = (
    "output is cut to what the model or its context allows: 0.02 times a run, in 2 % of the runs"
)
RAISED = "answers are lengthened to hold the lines that they write: once a run, in 14 % of the runs"
PACKED = "sessions are compacted: 0.72 times a run, in 48 % of the runs"
ALWAYS = "taken as there at all times, nights and weekends too: you"


def beyond(runs: str, most: str, box: str = "box") -> str:
    return (
        f"{box}: contexts of over 185,000 tokens in {runs} % of the runs (up to {most}); "
        "it was not measured so far, and its speed there is extrapolated"
    )


def grade(box: str, of: str) -> str:
    return f"{box}: figures of grade C (older or second-hand), as of {of}"


def lines(*texts: str) -> list[str]:
    return [it.text for it in brief([(text, None) for text in texts], lambda *_: "")]


def test_those_of_one_kind_are_one_line() -> None:
    assert lines(OUTPUT, TOOLS, RAISED) == [
        "answers lengthened in 14 % of the runs, tool results cut in 13 %, output cut in 2 %"
    ]
    assert lines(grade("one", "2026-06"), grade("other", "2026-10")) == [
        "figures of grade C (older or second-hand): one 2026-06, other 2026-10"
    ]
    assert lines(PACKED) == ["sessions are compacted: in 48 % of the runs"]


def test_the_weightiest_is_first() -> None:
    found = lines(ALWAYS, grade("box", "2026-06"), TOOLS, PACKED, beyond("11", "531,951"))
    assert [text.split()[0] for text in found] == ["box:", "sessions", "tool", "box:", "taken"]
    assert found[0] == beyond("11", "531,951")


def test_of_several_answers_the_range_is_told_and_the_most() -> None:
    texts = [(beyond("<1", "190,000"), "a"), (beyond("11", "531,951"), "b")]
    (line,) = brief(texts, lambda *_: "")
    assert "in <1 to 11 % of the runs (up to 531,951)" in line.text
    (some,) = brief([(TOOLS, "a")], lambda places, _: f"in {places[0]}")
    assert some.text == "tool results are cut: in 13 % of the runs (in a)"


def test_other_figures_than_shares_are_told_with_their_places() -> None:
    texts = [
        (f"box: too quick without `latency` ({n} calls)", place)
        for n, place in ((2, "a"), (3, "b"))
    ]
    (line,) = brief(texts, lambda places, _: " and ".join(places) if len(places) < 2 else "")
    assert line.text == (
        "box: too quick without `latency` (2 calls) (a; elsewhere with other figures)"
    )


def shown(*texts: str) -> Notes:
    found = notes(brief([(text, None) for text in texts], lambda *_: ""))
    assert found is not None
    return found


def test_beyond_a_few_the_rest_is_counted_with_the_option_that_shows_it() -> None:
    odd = [f"step{i}: odd" for i in "abcde"]
    found = shown(*odd, ALWAYS)
    assert found.title == "Warnings (6), the weightiest first"
    assert found.items == (*odd[:SHOWN], "2 more, and all with their figures: add `--full`")
    assert len(shown(*odd).items) == SHOWN + 1  # one more is shown rather than counted
    assert shown(ALWAYS) == Notes("Warning", (ALWAYS,))


def test_no_warning_is_lost_that_says_what_the_number_does_not_stand_for() -> None:
    """Seven machines beyond what was measured: each is told, whatever the number of lines."""
    odd = [beyond("11", "531,951", f"box{i}") for i in "abcdefg"]
    found = shown(ALWAYS, TOOLS, *odd)
    assert found.items[:-1] == tuple(odd)
    assert found.items[-1].startswith("2 more")


@pytest.mark.parametrize("draw", [terminal.draw, markdown.draw])
def test_full_has_each_as_it_is_and_so_has_json(draw: object) -> None:
    texts = [beyond("11", "531,951"), *[f"step{i}: odd" for i in "abcde"], TOOLS, RAISED, ALWAYS]
    made = findings(warnings=texts)
    assert callable(draw)
    few, whole = (" ".join(draw(document.answer(made, full)).split()) for full in (False, True))
    assert "4 more" in few
    assert "0.14 times a run" not in few
    assert "the weightiest first" in few
    assert all(" ".join(text.split()) in whole for text in texts)
    assert "--full" not in whole.split("Warnings")[1]
    assert answer(made)["warnings"] == texts


def test_a_figure_and_its_sign_stay_on_one_line() -> None:
    """Of every width: no line begins with `%`, in warnings and in sentences."""
    made = findings(warnings=[TOOLS, OUTPUT, RAISED, PACKED])
    for width in range(40, 100):
        for full in (False, True):
            drawn = terminal.draw(document.answer(made, full), width=width).splitlines()
            assert not [line for line in drawn if line.strip().startswith("%")]
