"""Warnings in the order of what they may do to the answer: each maker says it, by no word of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import agentsim
from agentsim.analysis.notices import HAPPENED
from agentsim.analysis.weights import by_weight, is_about_validity, rank
from agentsim.errors import InRuns, Notice, Weight
from agentsim.graph import About
from agentsim.laws.decode import Decode
from agentsim.records import Part
from tests.unit.analysis.hand import ask, call, called, graph, person, read, server, span, trace
from tests.unit.analysis.test_notices import notices

ROOT = Path(agentsim.__file__).parent
DAY = 86_400


def of(weight: Weight, share: float | None = None) -> Notice:
    return Notice(f"{weight.name} {share}", weight, None if share is None else InRuns("x", share))


def test_the_weightiest_is_first_and_of_the_same_weight_what_is_so_more_often() -> None:
    wanted = [
        of(Weight.RANGE),
        of(Weight.FILE),
        of(Weight.CUT),  # nothing is said of runs: so in all of them
        of(Weight.CUT, 0.14),
        of(Weight.CUT, 0.13),
        of(Weight.GRADE),
        of(Weight.TAKEN),
    ]
    assert by_weight(reversed(wanted)) == wanted


@pytest.mark.parametrize(
    ("share", "wanted"),
    # as `percent` tells them: <1 %, 13 %, 13 % (halves go up), 99 %, >99 %, 100 %
    [(0.004, 0.005), (0.13, 0.13), (0.125, 0.13), (0.99, 0.99), (0.996, 0.995), (1.0, 1.0)],
)
def test_shares_that_read_the_same_are_of_the_same_rank(share: float, wanted: float) -> None:
    assert rank(of(Weight.CUT, share)) == (Weight.CUT, -wanted)


def test_of_the_same_rank_the_order_is_that_in_which_they_came() -> None:
    first, second = of(Weight.CUT, 0.131), of(Weight.CUT, 0.134)  # both read 13 %
    assert by_weight([first, second]) == [first, second]
    assert by_weight([second, first]) == [second, first]


def test_what_says_that_the_number_stands_for_something_else() -> None:
    """A file's own and what follows are of the number as it was asked for."""
    valid = {weight for weight in Weight if is_about_validity([of(weight)])}
    assert valid == {Weight.ASKED, Weight.RANGE, Weight.LACKS}
    assert is_about_validity([of(Weight.TAKEN), of(Weight.LACKS)])


def test_words_weigh_nothing() -> None:
    """A step may be called like anything that the program says."""
    text = "no --hw was given: in 1 % of the runs: counts for nothing"
    (found,) = notices(replace(graph(), notices=(Notice(text, Weight.FILE),)), trace([], 0))
    assert (found.weight, found.share) == (Weight.FILE, 1.0)


def test_an_answer_is_in_that_order() -> None:
    """A note that is usual stands behind what was counted in the run, though it was found first."""
    plan = replace(graph(), notices=(of(Weight.TAKEN),))
    found = notices(plan, trace([], 0, notes={"tool_cut": 1}))
    assert [it.weight for it in found] == [Weight.CUT, Weight.TAKEN]


# --- what each maker says -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("codes", "wanted"),
    [
        ({"none_picked", "subagent_failed", "until_past"}, Weight.LOST),
        (
            {"compaction_cut", "compactions", "output_cut", "output_raised", "tool_cut"},
            Weight.CUT,
        ),
    ],
)
def test_the_weight_of_what_is_counted_in_runs(codes: set[str], wanted: Weight) -> None:
    assert {code for code, own in HAPPENED.items() if own.weight is wanted} == codes
    for code in codes:
        (found,) = notices(graph(), trace([], 0, notes={code: 1}), trace([], 0))
        assert (found.weight, found.share) == (wanted, 0.5)


def test_a_code_that_nothing_knows_is_told_early() -> None:
    (found,) = notices(graph(), trace([], 0, notes={"odd_thing": 1}))
    assert found.weight is Weight.FILE


def test_the_weight_of_what_an_answer_finds_out() -> None:
    plan = graph(ask(1, "review", 2 * DAY), people=(person(),))
    spans = [span(1, "you", 0, (Part.PERSON_WORK, 2 * DAY), facts=read(48 * 501.0))]
    found = notices(plan, trace(spans, 2 * DAY))
    assert [it.weight for it in found] == [Weight.FOUND] * 2  # over a day, and 501 lines an hour


def test_the_weight_of_what_is_known_of_a_server() -> None:
    """1,201 tokens where 1,000 were measured; three streams where two were, which were slow."""
    about = About("box", grade="C", as_of="2025-10", deepest=1000, left_out=("latency",))
    decode = Decode(knots=((1, 1 / 190), (2, 1 / 59)))
    box = replace(server(shared=True), about=about, decode=decode)
    own = called(1, fresh=1200)
    spans = [span(1, "x", 0, (Part.DECODE, 1), resource="box", facts=own)] * 3
    found = notices(graph(call(1, "a"), servers=(box,)), trace(spans, 1))
    weights = [*[Weight.RANGE] * 3, Weight.LACKS, Weight.GRADE]
    assert [it.weight for it in found] == weights


def made() -> Iterator[tuple[str, str]]:
    """(file, weight as written) of every warning that the program makes."""
    for file in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Notice":
                yield file.relative_to(ROOT).as_posix(), ast.unparse(node.args[1])


def test_every_maker_says_a_weight_and_only_a_file_s_own_is_usual() -> None:
    """The list is all of them: a new one is added here on purpose, with the weight it is to have.

    What is not written out is that of `HAPPENED`, whose rows are tested above.
    """
    beside = {(file, weight) for file, weight in made() if weight != "Weight.FILE"}
    assert beside == {
        ("analysis/left_out.py", "Weight.LACKS"),
        ("analysis/notices.py", "Weight.FOUND"),
        ("analysis/notices.py", "Weight.GRADE"),
        ("analysis/notices.py", "Weight.RANGE"),
        ("analysis/notices.py", "own.weight"),
        ("cli/sweep.py", "Weight.ASKED"),
        ("experiment/answer.py", "Weight.ASKED"),
        ("report/comparing.py", "Weight.ASKED"),
        ("spec/compile.py", "Weight.ASKED"),
        ("spec/players.py", "Weight.TAKEN"),
        ("spec/timed.py", "Weight.LACKS"),
    }
    of_files = {file for file, weight in made() if weight == "Weight.FILE"}
    assert of_files
    assert all(file.startswith("spec/") for file in of_files)
