"""The average beside the typical run: a note, a column, a line; errors of rows; what was tried."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from agentsim.analysis.findings import Findings, Lever, Sway, TokenFindings
from agentsim.report import document, markdown, terminal
from agentsim.report.text import columns
from tests.unit.report.made import MINUTE, at, constant, findings, stat, sweep

SKEWED = stat(47 * MINUTE, 82 * MINUTE, 118 * MINUTE, 64 * MINUTE)  # 64 / 47 = 1.36


def drawn(found: Findings, width: int = 80) -> str:
    return terminal.draw(document.answer(found), width=width)


def test_a_few_long_runs_are_said_to_make_the_average() -> None:
    text = drawn(findings(wall=SKEWED, longest=0.314))
    assert (
        "goes                        # work  : waiting\n"
        "  a few long runs make the average: the longest 5 % hold 31 % of all time\n"
        "  you, reading"
    ) in text


def test_where_both_are_near_nothing_is_said() -> None:
    # 61 / 47 = 1.298
    near = stat(47 * MINUTE, 82 * MINUTE, 118 * MINUTE, 61 * MINUTE)
    assert "few long runs" not in drawn(findings(wall=near, longest=0.314))
    assert "few long runs" not in drawn(findings(wall=SKEWED, longest=None))


def with_errors(*halves: float, **changes: Any) -> Findings:
    """The rows of the made findings with half intervals of so many minutes, then of none."""
    base = findings(**changes)
    known = [*halves, *[0.0] * (len(base.where) - len(halves))]
    rows = [
        replace(row, ci95=(row.seconds - MINUTE * half, row.seconds + MINUTE * half))
        for row, half in zip(base.where, known, strict=True)
    ]
    return replace(base, where=rows)


def test_rows_tell_their_error_where_one_is_vague() -> None:
    text = drawn(with_errors(4.2, 0.3))
    assert "\n  you, reading   38.2m  +-4.2m  60 %  ####" in text
    assert "\n  decode         11.0m  +-0.3m  17 %  ####" in text
    assert "\n  tests           5.2m           8 %  ###" in text  # less than a tenth of a minute
    assert max(map(columns, text.splitlines())) == 80


def test_rows_that_are_all_known_to_a_tenth_tell_none() -> None:
    # 3.8 of 38.2 and 1.1 of 11.0 minutes are a tenth at most
    assert "+-" not in drawn(with_errors(3.8, 1.1)).split("goes")[1].split("What would")[0]
    few = drawn(with_errors(4.2, 0.3, replications=5))
    assert "+-" not in few.split("goes")[1].split("What would")[0]


def test_rows_in_markdown() -> None:
    text = markdown.draw(document.answer(with_errors(4.2, wall=SKEWED, longest=0.3)))
    assert "| you, reading | 38.2m | +-4.2m | 60 % | " in text
    assert "| --- | --: | --: | --: | --- | --- |" in text
    assert "\n\na few long runs make the average: the longest 5 % hold 30 % of all time\n" in text
    assert "| What would help, on average | saves | leaves | typical |  |" in text


def lever(what: str, saves: float, left: float, **more: Any) -> Lever:
    """Minutes saved of the mean of 64, and left of the typical 47; known to half a minute."""
    of_typical = ((46.5 - left) * MINUTE, (47.5 - left) * MINUTE)
    return Lever(what, "2x", saves * MINUTE, (saves * MINUTE, saves * MINUTE),
                 (64 - saves) * MINUTE, typical=left * MINUTE, typical_saves_ci95=of_typical,
                 **more)  # fmt: skip


def test_the_lever_that_is_best_for_the_typical_run_is_named() -> None:
    text = drawn(findings(levers=[lever("shell", 14.6, 44), lever("decode", 9, 34)]))
    assert "  2x shell                   -14.6m     49m      44m\n" in text
    assert "  2x decode                   -9.0m     55m      34m\n" in text
    assert "\n  For the typical run 2x decode saves most: 47 -> 34 min.\n" in text


def test_below_the_first_both_are_named() -> None:
    own = [lever("you", 20, 30), lever("shell", 14.6, 44), lever("decode", 9, 36)]
    told = " ".join(drawn(findings(levers=own)).split())
    wanted = "For the typical run 2x decode saves more than 2x shell: 47 -> 36 min, not 44 min."
    assert wanted in told


def test_the_best_for_the_typical_run_has_a_row_behind_six_others_too() -> None:
    own = [lever(f"t{i}", 14.6 - i, 44) for i in range(7)] + [lever("decode", 0.5, 34)]
    text = drawn(findings(levers=own))
    assert re.search(r"^  2x decode +-0\.5m ", text, re.MULTILINE)
    assert "2x decode saves most" in text
    assert "  less: 2x t6\n" in text


def test_what_was_not_looked_at_has_no_column() -> None:
    bare = [replace(it, typical=None) for it in findings().levers]
    assert "  typical\n" not in drawn(findings(levers=bare))
    alone = findings(exact=True, wall=constant(3840.0), replications=1)
    assert "leaves  typical" not in drawn(alone)


def test_a_max_output_that_gives_nothing_has_no_row() -> None:
    note = "the most a smaller one gives"
    useless = replace(lever("max_output", 0.001, 47), note=note, kind="max_output")
    endless = replace(lever("decode", 0.0, 47), note="the most tok/s can give", kind="decode")
    text = drawn(findings(levers=[lever("shell", 14.6, 44), useless, endless]))
    assert note not in text
    assert "less than 1 % each: 2x max_output" in text
    # that no model helps, however fast, is an answer
    assert "the most tok/s can give" in text
    helps = replace(useless, saves=600.0, ci95=(590.0, 610.0))
    assert note in drawn(findings(levers=[helps]))


def test_the_last_line_has_the_input() -> None:
    text = drawn(findings(tokens=TokenFindings(4.4e6, 4.136e6, 17_940, 39_000, 0), cost_total=2.84))
    line = "mean: 61 calls, 4.4M tokens in (94 % cached), 39k out (46 % thinking), $2.84"
    assert f"\n{line}\n" in text
    bare = drawn(findings(tokens=TokenFindings(4.4e6, 0, 0, 39_000, 0), cost_total=None))
    assert "\nmean: 61 calls, 4.4M tokens in, 39k out\n" in bare
    none = drawn(findings(tokens=TokenFindings(0, 0, 0, 39_000, 0), cost_total=None))
    assert "\nmean: 61 calls, 39k tokens out\n" in none


def test_a_long_last_line_is_broken_at_a_comma() -> None:
    base = findings()
    calls = replace(base.calls, attempts=12_345.0, rejected=1_234.0, failed=567.0)
    text = drawn(replace(base, calls=calls))
    assert (
        "\nmean: 12,345 calls (1,234 rejected, 567 failed), 1.2M tokens in (92 % cached),"
        "\n  37k out (31 % thinking), $0.42\n"
    ) in text
    assert max(map(columns, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("tried", "told"),
    [
        (("5s", "2m"), ", tried 5s to 2m"),
        (("20 loc", "80 loc"), ", tried 20 to 80 loc"),
        (({"p50": "20 loc", "p90": "9 loc"}, {"p50": "120 loc", "p90": "600 loc"}),
         ", tried p50 20 to 120 loc"),
        (({"fixed": "3m", "code": "1000 loc/h"}, {"fixed": "3m", "code": "200 loc/h"}),
         ", tried code 1000 to 200 loc/h"),
        (("0s", {"p50": "5m", "p90": "30m"}), ", tried 0s to 5m"),
        ((1, {"values": [1, 2], "weights": [40, 30]}), ""),  # too much for a line
        (({"a": "1k", "b": "2k"}, {"a": "3k", "b": "4k"}), ", tried a 1k to 3k, b 2k to 4k"),
        (None, ""),
    ],
)  # fmt: skip
def test_the_range_that_was_tried(tried: tuple[object, object] | None, told: str) -> None:
    sway = Sway("x: time", 38 * MINUTE, 55 * MINUTE, "k", tried)
    made = findings(assumed=[{"what": "x: time", "value": "9s", "key": "k"}], sensitivity=[sway])
    assert f"\n  - 38m..55m by x: time = 9s{told}\n" in drawn(made)


def test_who_reads_no_lines_reads_prose() -> None:
    base = sweep()
    text = " ".join(terminal.draw(document.sweep(base)).split())
    assert "than you read prose, 5.2 tok/s; code is read more slowly" in text
    row = at(100, 40, 0.11, 0.73, 19)
    you = replace(row.findings.people["you"], lines=0.0)
    prose = replace(row, findings=replace(row.findings, people={"you": you}))
    text = " ".join(terminal.draw(document.sweep(replace(base, rows=(prose,)))).split())
    assert "than you read prose, 5.2 tok/s" in text
    assert "code is read" not in text


def test_an_even_spread_is_not_a_few_long_runs() -> None:
    """Half of the runs take twice as long: of them the longest 5 % hold 7 % of all time."""
    even = stat(60, 120, 120, 90)  # a mean of 1.5 times the typical run
    assert "few long runs" not in drawn(findings(wall=even, longest=0.067))
    assert "few long runs" in drawn(findings(wall=even, longest=0.12))
