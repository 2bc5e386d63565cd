"""Warnings in brief: the weightiest few, a line a kind; none that is about validity is lost."""

from __future__ import annotations

import pytest

from agentsim.analysis.notices import HAPPENED
from agentsim.errors import Graded, InRuns, Notice, Weight
from agentsim.report import document, markdown, terminal
from agentsim.report.blocks import Notes
from agentsim.report.brief import SHOWN, brief, notes
from agentsim.report.json_ import answer
from agentsim.report.merging import each
from tests.unit.report.made import findings, odd

STEPS = [f"step{i}: odd" for i in "abcde"]
ALWAYS = Notice("taken as there at all times, nights and weekends too: you", Weight.TAKEN)


def happened(code: str, often: str, share: float, told: str) -> Notice:
    own = HAPPENED[code]
    text = f"{own.words}: {often} a run, in {told} % of the runs"
    runs = InRuns(f"{own.words}:", share, kind=own.kind, short=own.short)
    return Notice(text, own.weight, runs, about=("happened", code))


TOOLS = happened("tool_cut", "0.14 times", 0.13, "13")
OUTPUT = happened("output_cut", "0.02 times", 0.02, "2")
RAISED = happened("output_raised", "once", 0.14, "14")
PACKED = happened("compactions", "0.72 times", 0.48, "48")


def beyond(told: str, share: float | None, most: int, box: str = "box") -> Notice:
    what = f"{box}: contexts of over 185,000 tokens"
    after = "; it was not measured so far, and its speed there is extrapolated"
    text = f"{what}{told} (up to {most:,}){after}"
    own = InRuns(what, share, most, after)
    return Notice(text, Weight.RANGE, own, about=("contexts", box), profile=box)


BEYOND = beyond(" in 11 % of the runs", 0.11, 531_951)


def grade(box: str, of: str = "") -> Notice:
    own = Graded(box, "C (older or second-hand)", of)
    when = f", as of {of}" if of else ""
    text = f"{box}: figures of grade C (older or second-hand){when}"
    return Notice(text, Weight.GRADE, graded=own, profile=box)


def lines(*notices: Notice) -> list[str]:
    return [it.text for it in brief([(notice, None) for notice in notices], lambda *_: "")]


def test_those_of_one_kind_are_one_line() -> None:
    assert lines(OUTPUT, TOOLS, RAISED) == [
        "answers lengthened in 14 % of the runs, tool results cut in 13 %, output cut in 2 %"
    ]
    assert lines(grade("one", "2026-06"), grade("other", "2026-10"), grade("third")) == [
        "figures of grade C (older or second-hand): one 2026-06, other 2026-10, third"
    ]
    assert lines(grade("one", "2026-06")) == [grade("one", "2026-06").text]
    assert lines(PACKED) == ["sessions are compacted: in 48 % of the runs"]
    cut = happened("compaction_cut", "0.01 times", 0.01, "1")
    assert lines(cut, PACKED) == [
        "sessions compacted in 48 % of the runs, cut before it to fit in 1 %"
    ]


def test_the_weightiest_is_first() -> None:
    found = lines(ALWAYS, grade("box", "2026-06"), TOOLS, PACKED, BEYOND)
    assert [text.split()[0] for text in found] == ["box:", "sessions", "tool", "box:", "taken"]
    assert found[0] == BEYOND.text


def test_of_several_answers_the_range_is_told_and_the_most() -> None:
    few = beyond(" in <1 % of the runs", 0.004, 190_000)
    for found in ([few, BEYOND], [BEYOND, few]):
        (line,) = brief([(notice, notice.text) for notice in found], lambda *_: "")
        assert line.text == BEYOND.text.replace("in 11 %", "in <1 to 11 %")
    alike = beyond(" in 11 % of the runs", 0.109, 190_000)  # 10.9 % reads 11 % too
    assert lines(alike, BEYOND) == [BEYOND.text]
    (some,) = brief([(TOOLS, "a")], lambda places, _: f"in {places[0]}")
    assert some.text == "tool results are cut: in 13 % of the runs (in a)"


def test_of_one_run_each_no_share_is_told() -> None:
    found = lines(beyond("", None, 190_000), beyond("", None, 531_951))
    assert found == [beyond("", None, 531_951).text]


def test_a_machine_measured_otherwise_is_told_with_its_places() -> None:
    """Same name, other file: what the share is a share of differs, so that there is no range."""
    assert BEYOND.runs is not None
    what = "box: contexts of over 90,000 tokens"
    other = BEYOND._replace(
        text=BEYOND.text.replace("185", "90"), runs=BEYOND.runs._replace(what=what)
    )
    (line,) = brief([(BEYOND, "a"), (other, "b")], lambda at, _: at[0] if len(at) == 1 else "")
    assert line.text == f"{BEYOND.text} (a; elsewhere with other figures)"


def lacks(calls: int) -> Notice:
    text = f"box: too quick without `latency` ({calls} calls)"
    return Notice(text, Weight.LACKS, about=("lacks", "box"), profile="box")


def test_other_figures_than_shares_are_told_with_their_places() -> None:
    texts = [(lacks(2), "a"), (lacks(3), "b")]
    (line,) = brief(texts, lambda places, _: " and ".join(places) if len(places) < 2 else "")
    assert line.text == (
        "box: too quick without `latency` (2 calls) (a; elsewhere with other figures)"
    )


@pytest.mark.parametrize(
    ("places", "where"),
    [
        (("a", "a", "b"), "with other figures too"),  # the first figures hold in both
        (("a", "a"), "with other figures too"),  # two of them in the only answer there is
        (("ac", "bc"), "a, c; b, c with other figures"),
    ],
)
def test_figures_that_hold_in_one_place_are_told_with_no_empty_words(
    places: tuple[str, ...], where: str
) -> None:
    """Of three answers at most, the first figures hold in those of the first text's letters."""
    whole = {letter for place in places for letter in place}
    told = [(lacks(2), letter) for letter in places[0]] + [(lacks(3), it) for it in places[1]]
    told += [(lacks(2), it) for it in "".join(places[2:])]
    (line,) = brief(told, lambda at, _: ", ".join(sorted(set(at))) if set(at) < whole else "")
    if places[2:]:
        where = f"a {where}"
    assert line.text == f"{lacks(2).text} ({where})"


def test_what_a_file_is_told_of_is_one_only_where_its_words_are() -> None:
    """A line and a name with a figure are no figures: neither is lost, in brief or in full."""
    texts = [f"part {i} (line {i}): odd" for i in (1, 2)]
    told = [(notice, "a") for notice in odd(*texts, *texts)]
    assert [it.text for it in brief(told, lambda *_: "")] == texts
    assert each(told, lambda *_: "") == texts
    # and one with the words of what happens in runs is not taken for that
    own = TOOLS.text.partition(" in ")[0]
    assert len(lines(TOOLS, *odd(TOOLS.text, own))) == 3


def shown(*notices: Notice) -> Notes:
    found = notes(brief([(notice, None) for notice in notices], lambda *_: ""))
    assert found is not None
    return found


def test_beyond_a_few_the_rest_is_counted_with_the_option_that_shows_it() -> None:
    five = odd(*STEPS)
    found = shown(*five, ALWAYS)
    assert found.title == "Warnings (6), the weightiest first"
    assert found.items == (*STEPS[:SHOWN], "2 more, and all with their figures: add `--full`")
    assert len(shown(*five).items) == SHOWN + 1  # one more is shown rather than counted
    assert shown(ALWAYS) == Notes("Warning", (ALWAYS.text,))


def test_no_warning_is_lost_that_says_what_the_number_does_not_stand_for() -> None:
    """Seven machines beyond what was measured: each is told, whatever the number of lines."""
    far = [beyond(" in 11 % of the runs", 0.11, 531_951, f"box{i}") for i in "abcdefg"]
    found = shown(ALWAYS, TOOLS, *far)
    assert found.items[:-1] == tuple(it.text for it in far)
    assert found.items[-1].startswith("2 more")


@pytest.mark.parametrize("draw", [terminal.draw, markdown.draw])
def test_full_has_each_as_it_is_and_so_has_json(draw: object) -> None:
    told = [BEYOND, *odd(*STEPS), TOOLS, RAISED, ALWAYS]
    texts = [it.text for it in told]
    made = findings(notices=told)
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
    made = findings(notices=[TOOLS, OUTPUT, RAISED, PACKED])
    for width in range(40, 100):
        for full in (False, True):
            drawn = terminal.draw(document.answer(made, full), width=width).splitlines()
            assert not [line for line in drawn if line.strip().startswith("%")]
