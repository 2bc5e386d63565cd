"""The answer in a terminal, against texts that were read and found good (`golden/`)."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis.findings import Bottleneck, Findings, Lever
from agentsim.analysis.gate import BudgetFindings
from agentsim.errors import Notice, Weight
from agentsim.report import document, terminal
from agentsim.report.text import columns
from tests.unit.report.made import constant, findings, odd, share, stat, sweep

GOLDEN = Path(__file__).parent / "golden"
HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07bell",
    "<script>alert(1)</script>",
    "\u202egnp.exe",
    "🙂" * 40,
    "x" * 300,
    "a|b`c`*d*[e](f)",
    "[bold]markup[/bold] :smile:",
    "two\nlines\r\tand a tab",
    "",
)


def drawn(made: Findings, **how: Any) -> str:
    return terminal.draw(document.answer(made), **how)


def exact_one() -> Findings:
    return findings(
        exact=True,
        replications=1,
        wall=constant(770.0),
        without_people=constant(770.0),
        people={},
        budget=None,
        where=[share("tool", "tests", 10.0, 770 / 60), share("decode", "", 170 / 60, 770 / 60)],
        bottleneck=replace(findings().bottleneck, kind="tool", what="tests", sentence="Tools."),
        assumed=[],
        levers=[],
        sensitivity=[],
    )


def failing() -> Findings:
    return findings(
        failed=0.12,
        done=0.88,
        reasons={"tests failed": 0.08, "rejected": 0.04},
        wall_done=stat(50 * 60.0, 85 * 60.0, 120 * 60.0, 66 * 60.0),
        budget=BudgetFindings({"wall": 1800.0, "money": 5.0}, 0.5, 0.2),
        verdicts={"approved": 0.88, "changes": 0.12},
        notices=odd("tokens of `x` are counted at a price of 2025", "a second one"),
    )


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("answer.txt", lambda: drawn(findings())),
        ("exact.txt", lambda: drawn(exact_one())),
        ("failing.txt", lambda: drawn(failing())),
        ("narrow.txt", lambda: drawn(findings(), width=60)),
        ("sweep.txt", lambda: terminal.draw(document.sweep(sweep()))),
    ],
)
def test_golden(file: str, text: Any) -> None:
    assert text() == (GOLDEN / file).read_text("utf-8")


def test_without_colour_there_is_no_escape_and_80_columns_hold() -> None:
    text = drawn(findings())
    assert "\x1b" not in text
    assert max(map(columns, text.splitlines())) <= 80
    assert not re.search(r" +$", text, re.MULTILINE)
    assert text.isascii()


def test_colour_changes_no_letter() -> None:
    plain, coloured = drawn(findings()), drawn(findings(), colour=True)
    assert "\x1b[1m47 min typical\x1b[0m" in coloured
    without = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in without.splitlines()] == plain.splitlines()


def test_colour_keeps_to_bold_dim_and_one_accent() -> None:
    used = set(re.findall(r"\x1b\[([0-9;]*)m", drawn(findings(), colour=True)))
    assert used == {"0", "1", "2", "36"}


def test_the_width_is_used() -> None:
    wide = drawn(findings(), width=120)
    assert max(map(columns, wide.splitlines())) == 120


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_do_nothing(text: str, width: int) -> None:
    base = findings()
    made = replace(
        base,
        workflow=text,
        reasons={text: 0.5},
        failed=0.5,
        notices=odd(text),
        where=[replace(row, what=text) if row.what else row for row in base.where],
        people={text: base.people["you"]},
        assumed=[{"what": text, "value": text, "key": text}],
        sensitivity=[replace(base.sensitivity[0], value=text, key=text)],
        bottleneck=replace(base.bottleneck, sentence=text or "Nothing."),
        servers={"main": replace(base.servers["main"], profile=text, roles=(text,), grade=text)},
        levers=[Lever(text, "2x", 600.0, (1.0, 1200.0), 3000.0, text)],
    )
    shown = drawn(made, width=width)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)
    too_wide = [line for line in shown.splitlines() if columns(line) > width]
    assert not too_wide or width < 80, too_wide
    if text.startswith("[bold]"):
        assert "[bold]markup[/bold]" in shown


def test_rows_below_a_hundredth_are_folded_and_the_rest_adds_up() -> None:
    text = drawn(findings())
    rows = re.findall(r"^  .*?\s([\d.]+)m\s+(\d+) %  [#:]+$", text, re.MULTILINE)
    assert "other (2)" in text
    assert "edit" not in text.split("What would help")[0]
    assert round(sum(float(minutes) for minutes, _ in rows), 1) == 64.0
    assert sum(int(percent) for _, percent in rows) == 100


def test_a_single_sliver_keeps_its_name() -> None:
    made = findings()
    text = drawn(replace(made, where=made.where[:-1]))
    assert "edit" in text
    assert "other" not in text.split("What would help")[0]


def test_a_run_that_takes_no_time_has_an_answer() -> None:
    nothing = constant(0.0)
    made = replace(exact_one(), wall=nothing, without_people=nothing, where=[])
    assert "always 0 s" in drawn(made)


def test_people_by_their_names() -> None:
    base = findings()
    dev = replace(base.people["you"], times_needed=2.3, work=3600.0, switching=0.0)
    text = flat(drawn(replace(base, people={"dev": dev, "you": base.people["you"]})))
    assert "Without people 20 min typical. dev is needed 2.3 times a run, for 1 h in all" in text
    assert "You are needed once, for 38 min on average." in text


def flat(text: str) -> str:
    """Without the breaks between lines."""
    return " ".join(text.split())


def test_failed_runs_are_said_to_count() -> None:
    text = flat(drawn(failing()))
    assert "Fails in 12 % of runs: tests failed (8 %), rejected (4 %)." in text
    assert (
        "Times are of all runs, failed ones too. Those that do not fail: 50 min typical, "
        "4 in 5 within 1 h 25 m." in text
    )
    assert "failed ones" not in drawn(findings())


def test_where_every_run_fails_the_times_are_said_to_be_of_failing() -> None:
    made = findings(failed=1.0, done=0.0, reasons={"t: t failed": 1.0}, wall_done=None)
    assert "Every run fails: t: t failed. The times are those until it fails." in flat(drawn(made))


def test_more_reasons_than_are_named_are_counted() -> None:
    reasons = {f"r{i}: failed": 0.1 for i in range(5)}
    text = flat(drawn(replace(failing(), failed=0.5, reasons=reasons)))
    assert "r0: failed (10 %), r1: failed (10 %), r2: failed (10 %), 2 more." in text


def test_half_a_percent_is_not_nothing() -> None:
    made = findings(failed=0.005, done=0.995, reasons={"t": 0.005}, wall_done=constant(9.0))
    assert "Fails in 1 % of runs: t (1 %)." in drawn(made)


def test_a_budget_that_is_nearly_met_does_not_look_met() -> None:
    budget = BudgetFindings({"wall": 5400.0}, 0.8, 0.7996)
    assert "met in just under 80 % of runs (wanted 80 %)" in drawn(findings(budget=budget))
    budget = replace(budget, met=0.8)
    assert "met in 80 % of runs (wanted 80 %)" in drawn(findings(budget=budget))


def test_means_and_medians_are_called_so() -> None:
    text = drawn(findings())
    assert "47 min typical" in text
    assert "Without people 20 min typical." in text
    assert "for 38 min on average." in text
    # made with an interval of 3 % to each side: 0.03 x 64 min = 1.92 min
    assert "Where the average 1 h 04 m +-1.9 m goes" in text
    assert "\nmean: 61 calls" in text
    alone = drawn(exact_one())
    assert "average" not in alone.split("What would help")[0]
    assert "typical" not in alone


def test_the_rows_of_the_sentence_add_up_to_its_share() -> None:
    # 32.5 + 32.5 + 35: one by one they would round to 33 + 33 (or 32 + 32), and the share is 65
    rows = [
        share("tool", "a", 32.5, 100),
        share("tool", "b", 32.5, 100),
        share("decode", "", 35, 100),
    ]
    bound = Bottleneck("tool", "a", 0.65, "65 %", (("tool", "a"), ("tool", "b")))
    text = drawn(findings(where=rows, bottleneck=bound, wall=constant(6000.0)))
    found = re.findall(r"^  (a|b|decode) +\S+ +(\d+) %", text, re.MULTILINE)
    assert sorted(found) == [("a", "33"), ("b", "32"), ("decode", "35")]


def test_only_the_rows_of_the_sentence_are_coloured() -> None:
    text = drawn(findings(), colour=True)
    coloured = re.findall(r"^  (.+?)  .*\x1b\[36m[#:]", text, re.MULTILINE)
    assert [row.strip() for row in coloured] == ["you, reading", "you, noticing"]


def test_levers_say_how_sure_they_are_where_that_matters() -> None:
    lever = Lever("decode", "2x", 300.0, (200.0, 400.0), 3540.0)
    assert "+-1.7m" in drawn(findings(levers=[lever]))
    assert "+-" not in drawn(findings()).split("Assumed")[0].split("What would")[1]


def test_a_lever_that_harms_says_so() -> None:
    assert "+5.0m" in drawn(findings(levers=[Lever("tools", "2x", -300.0, (-310, -290), 4140.0)]))


def test_more_levers_than_rows_are_named() -> None:
    many = [Lever(f"tool{i}", "2x", 600.0 - i, (600.0 - i, 600.0 - i), 3000.0) for i in range(9)]
    text = drawn(findings(levers=many))
    assert "  less: 2x tool6, 2x tool7 and 2x tool8" in text


def test_a_lever_that_cannot_be_told_from_nothing_says_so() -> None:
    unsure = Lever("shell", "2x", 480.0, (-180.0, 1140.0), 3360.0)
    text = drawn(findings(levers=[unsure]))
    assert re.search(r"2x shell +-8\.0m +\+-11\.0m +56m +may be chance", text)


def test_what_a_lever_of_seconds_leaves_can_be_added_to_what_it_saves() -> None:
    """121.8 s, of which 59.2 s go, leaves 62.6 s; it used to be told as `1m`."""
    lever = Lever("prefill", "2x", 59.2, (59.2, 59.2), 62.6)
    text = drawn(findings(levers=[lever], wall=constant(121.8)))
    assert re.search(r"2x prefill +-59\.2s +62\.6s$", text, re.MULTILINE)


def test_a_long_assumed_value_is_whole_and_comes_after_its_span() -> None:
    value = "{fixed: 3m, code: 400 loc/h, prose: 238 wpm}"
    sway = replace(findings().sensitivity[0], value="you: reading speed", key="k")
    given = [{"what": "you: reading speed", "value": value, "key": "k"}]
    text = drawn(findings(assumed=given, sensitivity=[sway]))
    told = " ".join(text.split())
    assert f"- 38m..55m by you: reading speed = {value}" in told


def test_levers_over_a_part_of_the_runs_say_so() -> None:
    part = Lever("decode", "2x", 300.0, (200.0, 400.0), 3540.0, kind="decode", runs=510)
    assert "levers over the first 510 runs\n" in drawn(findings(levers=[part]))
    assert "levers over" not in drawn(findings(levers=[replace(part, runs=1000)]))


def test_a_tool_at_work_is_no_person() -> None:
    tool = Lever("cat at work", "2x", 600.0, (590.0, 610.0), 3240.0, kind="tool")
    assert "  2x cat at work  " in drawn(findings(levers=[tool]))


def test_people_are_not_doubled() -> None:
    work = Lever("you at work", "2x", 600.0, (590.0, 610.0), 3240.0, kind="people")
    assert "  you twice as fast  " in drawn(findings(levers=[work]))


def test_assumed_values_are_counted_with_the_command_that_lists_them() -> None:
    names = [f"{owner}: {what}" for owner in ("shell", "tests") for what in ("time", "tokens")]
    values = [{"what": what, "value": "1", "key": what} for what in [*names, "you: pickup"]]
    text = drawn(findings(assumed=values, sensitivity=[]))
    assert "\nAssumed (5 values)\n" in text
    assert "\n  All, with values and sources: `agentsim validate FILE --full`\n" in text
    # seven values, of which the two that matter are named
    assert "  The 5 others, with values and sources: `agentsim validate FILE" in drawn(findings())


def test_values_that_move_nothing_are_not_said_to_matter() -> None:
    still = replace(findings().sensitivity[0], low=2820.0, high=2821.0)
    text = drawn(findings(sensitivity=[still]))
    assert "None of those that were tried moves the typical run by 1 %." in text
    assert "matter" not in text


def test_a_sweep_says_each_warning_once() -> None:
    made = sweep()
    rows = []
    for i, row in enumerate(made.rows):
        cut = Notice(f"cut {i}.5 times a run", Weight.CUT, about=("cut",))
        rows.append(replace(row, findings=replace(row.findings, notices=[*odd("thin"), cut])))
    made = replace(made, rows=tuple(rows))
    text = terminal.draw(document.sweep(made))
    assert text.count("thin") == 1
    assert "  cut 0.5 times a run (at 5 tok/s; elsewhere with other figures)\n" in text
    assert "cut 1.5" not in text
    full = terminal.draw(document.sweep(made, full=True))
    assert full.count("thin") == 1
    assert "  cut 0.5 times a run (at 5 tok/s)\n" in full
    assert "  cut 1.5 times a run (at 100 tok/s)\n" in full


def test_a_server_that_is_slowed_says_its_speed_in_the_runs() -> None:
    server = replace(findings().servers["main"], rate=100.0, tok_s_stream=40.0, grade="A")
    text = drawn(findings(servers={"main": server}))
    assert "main: claude-opus, 100 tok/s alone, ~40 in the runs (grade A)" in text


def test_several_servers_have_a_line_each() -> None:
    server = findings().servers["main"]
    text = drawn(findings(servers={"main": server, "small": replace(server, roles=("small",))}))
    assert text.splitlines()[1].endswith("small: claude-opus, ~61 tok/s (grade C)")


def test_a_sweep_has_its_answer_first() -> None:
    """What the speed buys and until where, why, what would help; then the table."""
    lines = terminal.draw(document.sweep(sweep()), width=120).splitlines()
    assert lines[2] == (
        "  From 5 to 15,000 tok/s (3,000x): typical 2 h 35 m -> 34 min. "
        "Above 105 tok/s twice the speed saves less than 5 %."
    )
    assert lines[3].startswith("  At 15,000 tok/s: You are the limit: 64 % ")
    assert lines[4] == "  Next lever, on average: half the lines to read."
    assert next(i for i, line in enumerate(lines) if "tok/s  typical" in line) > 5


def test_the_rest_of_a_sweep_has_a_name() -> None:
    """What has no column of its own: here the time to the first token, a fifth of what is left."""
    notes = terminal.draw(document.sweep(sweep()))
    assert "\n  rest: first token\n" in notes
    made = sweep()
    rows = [
        replace(
            row,
            findings=replace(
                it := row.findings,
                breakdown=it.breakdown | {"cap_wait": 0.3 * it.wall.mean, "latency": 0.0},
            ),
        )
        for row in made.rows
    ]
    text = terminal.draw(document.sweep(replace(made, rows=tuple(rows))))
    assert "\n  rest: waiting under a cap\n" in text


def test_a_sweep_of_one_rate_has_no_from_and_to() -> None:
    made = sweep()
    alone = replace(made, rows=made.rows[:1])
    assert "From" not in terminal.draw(document.sweep(alone))


def test_figures_of_a_table_are_never_cut() -> None:
    text = terminal.draw(document.sweep(sweep()), width=40)
    assert "15,000" in text
    assert "..." not in text
    assert "…" not in text


def test_each_further_server_stands_at_the_right_edge() -> None:
    """Two roles, two lines that end in column 80; the second used to begin in column 1."""
    server = findings().servers["main"]
    text = drawn(findings(servers={"main": server, "small": replace(server, roles=("small",))}))
    second = text.splitlines()[1]
    assert (columns(second), second[:20].strip()) == (80, "")


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_remark_without_room_goes_below_its_row_whole(width: int) -> None:
    """`saves` 10,000 s = 166.7 min, half its interval (11,100 - 8,900) / 2 = 1,100 s = 18.3 min."""
    lever = Lever("decode", "infinitely fast", 1e4, (8.9e3, 11.1e3), 3540.0, "x" * 10 + " give" * 8)
    wide = replace(lever, what="you at work")
    lines = drawn(findings(levers=[lever, wide]), width=width).splitlines()
    rows = [line.split("<-")[0].split()[-3:] for line in lines if "-166.7m" in line]
    assert rows == [["-166.7m", "+-18.3m", "59m"]] * 2
    told = " ".join(line.strip() for line in lines)
    assert told.count("<- " + "x" * 10 + " give" * 8) == 2
    assert max(map(columns, lines)) <= width
    assert "…" not in told


MOST = "the most tok/s can give"


def table_of(levers: list[Lever], **more: Any) -> list[str]:
    """The lines of the levers' table below its head."""
    text = drawn(findings(levers=levers, assumed=[], **more))
    return re.split("What w[a-z]+ [a-z]+, on average", text)[1].split("\n\n")[0].splitlines()[1:]


def test_a_lever_that_harms_has_its_row_at_the_end_and_keeps_its_mark() -> None:
    """-300 s saved is +5.0 min; seven that save come before, of which six are told."""
    good = [Lever(f"t{i}", "2x", 600.0 - i, (590.0 - i, 610.0 - i), 3240.0 + i) for i in range(7)]
    endless = Lever("decode", "infinitely fast", -300.0, (-310.0, -290.0), 4140.0, MOST)
    lines = table_of([*good, endless])
    assert [line.split()[1] for line in lines[:6]] == ["t0", "t1", "t2", "t3", "t4", "t5"]
    told = " ".join(" ".join(lines[6:]).split())
    assert told.startswith("infinitely fast decode +5.0m 1h 09m takes longer <- " + MOST)
    assert lines[-1] == "  less: 2x t6"


def test_a_small_harm_is_no_footnote_either() -> None:
    """0.9 s of 64 min: in tenths of minutes it would be `+0.0m`."""
    half = Lever("edit", "2x", -0.9, (-1.0, -0.8), 3840.9)
    lines = table_of([Lever("tests", "2x", 156.0, (150.0, 162.0), 3684.0), half])
    assert re.fullmatch(r"  2x edit +\+900ms +\+-100ms +1h 04m +takes longer", lines[-1])


def test_harm_that_may_be_chance_is_not_called_harm() -> None:
    unsure = Lever("shell", "2x", -60.0, (-180.0, 60.0), 3900.0)
    (line,) = table_of([unsure])
    assert "may be chance" in line
    assert "takes longer" not in line


def test_the_mark_of_decoding_is_told_behind_six_others_too() -> None:
    many = [Lever(f"t{i}", "2x", 600.0 - i, (600.0 - i, 600.0 - i), 3000.0) for i in range(7)]
    endless = Lever("decode", "infinitely fast", 50.0, (49.0, 51.0), 3790.0, MOST)
    lines = table_of([*many, endless])
    assert lines[6].endswith(f"<- {MOST}")
    assert lines[7:] == ["  less: 2x t6"]


def swept(**changes: Any) -> str:
    """A sweep with these changes in each of its answers."""
    made = sweep()
    rows = tuple(replace(it, findings=replace(it.findings, **changes)) for it in made.rows)
    return terminal.draw(document.sweep(replace(made, rows=rows)))


def test_a_sweep_of_too_few_runs_tells_no_error() -> None:
    """The median lies outside of all n runs in 2 / 2^n of cases: 6 % of 5 runs, 3 % of 6."""
    few = swept(replications=5).splitlines()[-1]
    assert few == "5 runs a speed, seed 0, too few to tell the error, in brackets: 95 %"
    assert "typical +-4 % or less" in swept(replications=6).splitlines()[-1]


def test_brackets_are_told_of_only_where_there_are_some() -> None:
    made = sweep()
    alone = tuple(replace(it, runs=1) for it in made.crossings)
    text = terminal.draw(document.sweep(replace(made, crossings=alone)))
    assert "above      15 tok/s  you cost more" in text
    assert "brackets" not in text
    none = tuple(replace(it, ci95=(it.rate, it.rate)) for it in made.crossings)
    assert "brackets" not in terminal.draw(document.sweep(replace(made, crossings=none)))


@pytest.mark.parametrize(
    ("chance", "met", "told"),
    [
        (0.8, 0.7996, "<80 % no"),  # 79.96 %, which rounds to what was wanted
        (0.8, 0.8, "80 % ok"),
        (0.8, 0.79, "79 % no"),
        (0.999, 0.9985, "99.8 % no"),  # both are `>99 %`
    ],
)
def test_a_budget_of_a_sweep_that_is_just_missed_does_not_look_met(
    chance: float, met: float, told: str
) -> None:
    text = swept(budget=BudgetFindings({"wall": 5400.0}, chance, met))
    assert text.count(f"  {told} ") == 4


def test_a_sweep_without_a_model_says_so() -> None:
    made = sweep()
    rows = tuple(
        replace(it, outrun=None, findings=replace(it.findings, hardware={})) for it in made.rows
    )
    text = terminal.draw(document.sweep(replace(made, rows=rows)))
    assert "  No step asks a model: decode speed changes nothing.\n" in text
    assert "the rest is as in" not in text
    assert "outrun" not in text


def test_who_reads_nothing_is_at_work() -> None:
    base = findings()
    idle = replace(base.people["you"], lines=0.0, words=0.0, reading=None)
    assert re.search(r"^  you, at work +38\.2m", drawn(replace(base, people={"you": idle})), re.M)
    # a reading that is cut short may come to no line at all
    for some in (replace(idle, lines=0.5), replace(idle, words=9.0), replace(idle, reading=4.0)):
        text = drawn(replace(base, people={"you": some}))
        assert re.search(r"^  you, reading +38\.2m", text, re.M)


def test_what_a_machine_assumes_is_counted_and_its_place_told() -> None:
    made = findings(granted={"box": ("One slot.", "No overhead.")})
    text = terminal.draw(document.answer(made))
    assert "  Of the machine 2, each a sentence: `agentsim hw show box`\n" in text
    bare = terminal.draw(document.answer(replace(made, assumed=[])))
    assert "Assumed\n  Of the machine 2, each a sentence" in bare
