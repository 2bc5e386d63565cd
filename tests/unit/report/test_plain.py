"""What a reader would stumble over: verdicts of few runs, figures said twice, bare numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from agentsim.analysis.findings import DefectFindings, Lever, QualityFindings, Stat
from agentsim.analysis.gate import BudgetFindings
from agentsim.errors import Place, Problem
from agentsim.experiment.compare import Compared
from agentsim.report import document, explaining, hardware, show, telling, terminal
from agentsim.report.text import columns
from agentsim.spec.explained import explanation, explanations
from agentsim.spec.hardware import load_profile
from tests.unit.report.made import Row, constant, findings, stat, sweep
from tests.unit.report.made_compared import at, by, compared


def drawn(colour: bool = False, **changes: Any) -> str:
    return terminal.draw(document.answer(findings(**changes)), colour=colour)


def left(escaped: float) -> DefectFindings:
    return DefectFindings(constant(escaped), escaped, 0.0, 0.0, 0.0)


def flat(text: str) -> str:
    return " ".join(text.split())


FEW = BudgetFindings({"wall": 5400.0}, 0.8, 1.0)


@pytest.mark.parametrize(
    ("met", "runs", "said"),
    [(1.0, 3, "3 of 3 runs"), (0.4, 5, "2 of 5 runs"), (0.0, 1, "0 of 1 run")],
)
def test_few_runs_have_no_verdict(met: float, runs: int, said: str) -> None:
    text = drawn(colour=True, budget=replace(FEW, met=met), replications=runs)
    line = next(it for it in text.splitlines() if "Budget" in it)
    assert line == f"  Budget 1 h 30 m: met in {said} (wanted 80 %)"  # nothing of it is bold
    assert not re.search(r"\bOK\b|MISSED", text)
    assert "Too few runs for a verdict: it takes 6, and more --runs tell more." in text


def test_from_six_runs_on_there_is_a_verdict() -> None:
    assert "(wanted 80 %)" in drawn(budget=FEW, replications=6)
    assert re.search(r"Budget .* OK$", drawn(budget=FEW, replications=6), re.MULTILINE)
    # an exact run needs no others
    assert re.search(r"Budget .* met +OK$", drawn(budget=FEW, exact=True, replications=1), re.M)


def test_few_runs_have_no_verdict_in_tables_either() -> None:
    """2 of 4 is a half."""
    budget = replace(FEW, met=0.5)
    rows = [
        Row(it.rate, replace(it.findings, budget=budget, replications=4), it.outrun)
        for it in sweep().rows
    ]
    text = terminal.draw(document.sweep(replace(sweep(), rows=tuple(rows))))
    assert text.count("2 of 4") == 4
    assert "50 %" not in text
    wanted = "budget: 1 h 30 m; in how many of the runs it is met, too few for a verdict"
    assert wanted in flat(text)
    assert " ok" not in text


def lasting(*times: float) -> Stat:
    """p5, p50, p80, p90 and p95 in seconds."""
    low, typical, most, long, high = times
    return replace(stat(typical, most, long, typical), p5=low, p95=high)


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ((335, 336, 337, 338, 338), "5.6 min in 9 of 10 runs"),
        ((300, 336, 337, 338, 360), "5.6 min typical    9 in 10 runs take no longer"),
        ((300, 336, 337, 360, 360), "5.6 min typical    4 in 5 runs take no longer    1 in 10 ove"),
        ((300, 330, 336, 337, 360), "5.5 min typical    9 in 10 runs within 5.6 min"),
        ((200, 240, 300, 360, 400), "4 min typical    4 in 5 runs within 5 min    1 in 10 over 6 "),
    ],
)
def test_what_reads_the_same_is_said_once(times: tuple[float, ...], said: str) -> None:
    lines = drawn(wall=lasting(*times)).splitlines()
    assert lines[2].startswith(f"  {said}")


def test_a_wait_under_a_cap_is_not_called_a_limit() -> None:
    """The sentence calls what binds "the limit": the row's name must not."""
    row = replace(findings().where[0], kind="cap_wait", what="files")
    text = drawn(where=[row, *findings().where[1:]])
    assert "\n  waiting, cap on files " in text
    assert "waiting for the limit" not in text


def harms(what: str, saves: float, half: float = 1.0) -> Lever:
    return Lever(what, "2x", saves, (saves - half, saves + half), 3840.0 - saves)


def test_where_nothing_helps_that_is_said_first() -> None:
    text = drawn(levers=[harms("a", -300.0), harms("b", -60.0), harms("c", 0.5)])
    told = text.split("\n\nNothing that was tried would help\n")[1]
    assert told.startswith("What was tried, on average")
    assert "What would help" not in text


def test_what_may_be_chance_is_not_said_to_be_no_help() -> None:
    unsure = [harms("a", 300.0, 400.0), harms("b", -60.0)]
    assert "\nNothing that was tried is sure to help\nWhat was tried" in drawn(levers=unsure)


def test_one_that_helps_is_enough() -> None:
    # 19.2 s are half a hundredth of 64 min
    for saves, head in ((19.3, "What would help"), (19.1, "Nothing that was tried")):
        text = drawn(levers=[harms("a", saves), harms("b", -60.0)])
        assert f"\n{head}" in text


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1.0, "once"),
        (3.0, "3 times"),
        (0.97, "about once a run"),
        (1.04, "about once a run"),
        (1.94, "about twice a run"),
        (2.3, "2.3 times a run"),
        (0.4, "0.4 times a run"),
        (0.001, "0.001 times a run"),
    ],
)
def test_how_often(count: float, said: str) -> None:
    assert show.often(count) == said


def test_about_once_is_not_in_all() -> None:
    you = replace(findings().people["you"], times_needed=0.97)
    told = "You are needed about once a run, for 38 min on average."
    assert told in flat(drawn(people={"you": you}))


def test_what_is_wasted_are_tokens() -> None:
    tokens = replace(findings().tokens, wasted=1.1e6)
    assert "1.1M tokens wasted" in drawn(tokens=tokens)


def test_the_head_of_the_difference_stands_above_its_figures() -> None:
    lines = terminal.draw(document.compare(compared())).splitlines()
    head = next(it for it in lines if "vs solo" in it)
    row = next(it for it in lines if "+11.1m" in it)
    end = head.index("vs solo") + len("vs solo")
    assert row[:end].endswith("+11.1m  +-1.5m")


def tied(result: Compared, *machines: int) -> Compared:
    """On these machines every row may be the quickest."""
    made = list(result.machines)
    for i in machines:
        first, *others = made[i].rows
        near = by(0.5, 1.2)
        rows = (first, *(replace(row, quickest=True, behind=near) for row in others))
        made[i] = replace(made[i], rows=rows)
    return replace(result, machines=tuple(made))


def test_a_mark_on_all_rows_is_none() -> None:
    whole = terminal.draw(document.compare(tied(compared(), 0, 1)))
    assert "*" not in whole
    assert "* quickest" not in whole
    one = terminal.draw(document.compare(tied(compared(), 0)))
    assert len(re.findall(r"\*$", one, re.MULTILINE)) == 2  # solo and best3 on the other machine
    assert "; several where their difference may be chance; none where that holds for all" in flat(
        one
    )


def test_a_mark_of_one_machine_needs_no_machine() -> None:
    clear = replace(compared().machines[0].rows[2], quickest=False, difference=by(5.0, 1.0))
    machine = replace(compared().machines[0], rows=(*compared().machines[0].rows[:2], clear))
    alone = replace(compared(), machines=(machine,), break_evens=())
    assert "\n  * quickest in the mean\n" in terminal.draw(document.compare(alone))


def test_a_dash_is_explained() -> None:
    right = replace(at("claude-opus", 36), quality=QualityFindings(0.68, (0.65, 0.71)))
    machine = compared().machines[0]
    rows = (replace(machine.rows[0], findings=right), *machine.rows[1:])
    made = replace(compared(), machines=(replace(machine, rows=rows),), break_evens=())
    text = terminal.draw(document.compare(made))
    assert "right: share of the runs that pick a right attempt; - where none are made" in text
    every = tuple(replace(row, findings=right) for row in machine.rows)
    made = replace(made, machines=(replace(machine, rows=every),))
    assert "where none are made" not in terminal.draw(document.compare(made))


def test_figures_beyond_what_was_measured_are_all_marked() -> None:
    """m2-ultra is measured to 32,768 tokens; the prompt that is read from 0 to 64k goes beyond."""
    text = terminal.draw(hardware.shown(load_profile("m2-ultra").plan))
    rows = {it.split()[0]: it for it in text.splitlines() if re.match(r" +\d+k? +\d", it)}
    assert [rows[at].count("?") for at in ("8k", "32k", "64k", "128k")] == [0, 0, 3, 3]
    ends = [[it.end() for it in re.finditer(r"[^\s?#]+", rows[at])] for at in ("32k", "64k")]
    assert ends[0] == ends[1]  # the figures stand below each other


def test_a_long_address_is_broken_in_a_terminal_only() -> None:
    plan = load_profile("m2-ultra").plan
    text = terminal.draw(hardware.shown(plan))
    assert max(map(columns, text.splitlines())) <= 80
    assert plan.about.url in re.sub(r"/\n +", "/", text)
    assert f"\n  {plan.about.url}\n" in terminal.draw(hardware.shown(plan, None))


LONG = Problem(
    "bad-value",
    "the step 'implement' asks for a tool that is not there, and so do the two that follow it",
    Place("workflows/first.yaml", 7, 5),
    "write the name of one that is defined, such as `shell`, `tests`, `edit`, `read` or `web`",
)


def test_messages_and_hints_are_wrapped_and_excerpts_are_not() -> None:
    assert LONG.place is not None
    excerpt = "    7 | " + "x" * 90 + "\n      | " + " " * 80 + "^"
    text = telling.problems([LONG], {LONG.place: excerpt}, width=60)
    lines = text.splitlines()
    assert lines[0].startswith("workflows/first.yaml:7:5: the step")
    assert lines[1].startswith("    ")
    assert excerpt in text
    rest = [it for it in lines if it not in excerpt.splitlines()]
    assert max(map(columns, rest)) <= 60
    assert flat(text) == flat(telling.problems([LONG], {LONG.place: excerpt}))
    (hint,) = (it for it in lines if "hint" in it)
    assert lines[lines.index(hint) + 1].startswith("        ")


def test_for_editors_and_scripts_nothing_is_wrapped() -> None:
    assert len(telling.problems([LONG], {}).splitlines()) == 2


def test_a_long_word_stays_whole() -> None:
    path = "/".join(["folder"] * 20)
    assert telling.wrapped(f"no file {path} here", 40) == f"no file\n    {path}\n    here"


@pytest.mark.parametrize("code", list(explanations()))
def test_each_explanation_fits(code: str) -> None:
    text = terminal.draw(explaining.shown(explanation(code)))
    assert max(map(columns, text.splitlines())) <= 80


def test_the_list_of_codes_fits_and_loses_nothing() -> None:
    text = terminal.draw(explaining.listing(explanations().values(), 80))
    assert max(map(columns, text.splitlines())) <= 80
    assert all(it.means in flat(text) for it in explanations().values())
    whole = terminal.draw(explaining.listing(explanations().values()))
    assert len(whole.splitlines()) == len(explanations()) + 2  # the head and the last line


def test_a_long_command_is_broken_as_a_shell_reads_it() -> None:
    text = terminal.draw(explaining.shown(explanation("shared-rate")))
    joined = re.sub(r" \\\n +", " ", text)
    assert explanation("shared-rate").right.run in joined
    assert text != joined


@pytest.mark.parametrize(
    ("p50", "p80", "p90", "said"),
    [
        (
            "2026-12-01T09:09:34+01:00",
            "2026-12-01T10:12:00+01:00",
            "2026-12-02T17:30:59+01:00",
            "Done typically Tue 1 Dec 09:09, 4 in 5 by 10:12, 9 in 10 by Wed 2 Dec 17:30.",
        ),
        (*["2027-01-03T00:00:10+00:00"] * 3, "Done Sun 3 Jan 00:00."),
    ],
)
def test_the_clock_time_at_which_it_is_done(p50: str, p80: str, p90: str, said: str) -> None:
    """1 December 2026 is a Tuesday, 3 January 2027 a Sunday."""
    assert said in flat(drawn(finish={"p50": p50, "p80": p80, "p90": p90}))
    assert "Done" not in drawn()


def test_files_are_not_known_to_do_the_same_work() -> None:
    text = flat(terminal.draw(document.compare(compared())))
    assert "Whether the files do the same work is not checked" in text


def test_right_and_escaped_are_two_things() -> None:
    both = QualityFindings(0.66, (0.6, 0.72), left(7.2), unpicked=0.016)
    text = flat(drawn(quality=both))
    assert "What is picked is right in 66 % (60.0 to 72.0 %) of runs; in 2 % no attempt" in text
    assert "They say nothing of which attempt is right" in text
    assert "They say" not in flat(drawn(quality=QualityFindings(None, defects=left(7.2))))
