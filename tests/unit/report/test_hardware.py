"""`hw list` and `hw show`: every figure comes from the laws, and all of it fits 80 columns."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from typing import Any

import pytest

from agentsim.analysis import hardware as figures
from agentsim.chance import Constant, LogNormal
from agentsim.graph import About, CachePlan, LimitPlan, ServerPlan
from agentsim.laws.decode import Decode
from agentsim.laws.prefill import Prefill, PrefillTable
from agentsim.laws.price import Price
from agentsim.report import hardware, json_, markdown, terminal

BOX = ServerPlan(
    name="box",
    profile="box",
    roles=(),
    # s(1) = 20 ms, s(8) = 50 ms, c = 625 ns: 50 tok/s at 0, 25 tok/s at 32k (20 + 20 ms)
    decode=Decode(((1, 0.02), (8, 0.05)), slope=625e-9),
    # 1 ms + 31.25 ns a token before it: 1,000 tok/s at 0, 500 tok/s at 32k (1 + 1 ms)
    prefill=Prefill(per_token=1e-3, slope=31.25e-9),
    latency=Constant(0.5),
    first_token=None,
    per_input_token=0.0,
    spread=None,
    slots=8,
    shared=True,
    schedule="exclusive",
    context=131_072,
    max_output=None,
    cache=CachePlan("ttl", 300 * 10**9),
    limits=(),
    price=Price(input=3.0, output=15.0, cache_write=4.0),
    about=About("A box", "some-model", "A", "2026-02", "https://example.org/x", ("No quota.",)),
)
HOSTED = replace(
    BOX,
    profile="hosted",
    decode=Decode(((1, 0.01),)),
    prefill=None,
    latency=None,
    first_token=LogNormal(math.log(1.4), 0.3),
    per_input_token=8e-6,
    slots=None,
    shared=False,
    schedule="separate",
    limits=(LimitPlan("requests", 1000.0, 1000 / 60, True, False, "hosted"),),
)
SMALL = replace(BOX, profile="small", context=6_144, slots=1)


def screen(document: Any) -> str:
    return terminal.draw(document, 80)


def line_of(text: str, start: str) -> list[str]:
    (found,) = [line.split() for line in text.splitlines() if line.strip().startswith(start)]
    return found


def test_a_row_is_computed_from_the_laws() -> None:
    assert line_of(screen(hardware.listing([BOX])), "box") == [
        "box", "some-model", "50/25", "1,000/500", "160", "ok-ish", "A", "26",
    ]  # fmt: skip  # 8 streams: 8 / 50 ms


def test_a_changed_law_changes_the_row() -> None:
    faster = replace(BOX, decode=BOX.decode.scaled(100.0))
    assert line_of(screen(hardware.listing([faster])), "box")[2:6] == [
        "100/50", "1,000/500", "320", "wonderful",
    ]  # fmt: skip


def test_a_measured_first_token_stands_for_prefill() -> None:
    row = line_of(screen(hardware.listing([HOSTED])), "hosted")
    assert row[2:] == ["100/?", "1.4s", "1st", "-", "wonderful!", "A", "26"]


def test_long_figures_are_short_in_the_list() -> None:
    quick = replace(BOX, prefill=Prefill(per_token=1 / 21_898, slope=4.456e-10))
    # at 32k: 1 / (45.666 us + 14.259 us) = 16,687 tok/s
    assert line_of(screen(hardware.listing([quick])), "box")[3] == "22k/17k"
    slow = replace(HOSTED, first_token=Constant(0.9412))
    assert line_of(screen(hardware.listing([slow])), "hosted")[3:5] == ["941ms", "1st"]
    late = replace(HOSTED, first_token=Constant(123.456))
    assert line_of(screen(hardware.listing([late])), "hosted")[3:5] == ["2.1m", "1st"]


def test_a_small_context_has_one_figure_and_a_mark() -> None:
    row = line_of(screen(hardware.listing([SMALL])), "small")
    assert row[2:6] == ["50", "1,000", "-", "tiny"]


@pytest.mark.parametrize(
    ("prefill", "decode", "wanted"),
    [
        # the discussion: acceptable from 100 and 10, ok-ish 200-400 and 15-25, then thousands, 100
        (99, 50, "too slow"),
        (100, 10, "acceptable"),
        (5_000, 9.9, "too slow"),
        (199, 500, "acceptable"),
        (200, 15, "ok-ish"),
        (350, 13, "acceptable"),
        (400, 35, "ok-ish"),
        (5_000, 99, "ok-ish"),
        (1_000, 100, "wonderful"),
    ],
)
def test_the_scale_takes_the_lower_of_both(prefill: float, decode: float, wanted: str) -> None:
    made = replace(BOX, decode=Decode(((1, 1 / decode),)), prefill=Prefill(per_token=1 / prefill))
    assert figures.fit(made) == wanted


def test_no_prefill_has_no_fit() -> None:
    assert figures.fit(replace(BOX, prefill=None)) is None
    row = line_of(screen(hardware.listing([replace(BOX, prefill=None)])), "box")
    assert row[3:6] == ["-", "160", "-"]


def test_speed_over_context_ends_where_the_context_does() -> None:
    assert [row.context for row in figures.depths(BOX)] == [0, 8_000, 32_000, 64_000, 128_000]
    assert [row.context for row in figures.depths(SMALL)] == [0, 6_144]
    deep = figures.depths(BOX)[2]
    assert deep.decode == pytest.approx(25.0)
    assert deep.prefill == pytest.approx(500.0, rel=1e-4)
    # 0.5 + 32000 * (1 ms + 31.25 ns * 16000) = 0.5 + 32 + 16
    assert deep.read == pytest.approx(48.5)
    assert deep.measured is None  # its source does not say how far it was measured
    shallow = replace(BOX, about=replace(BOX.about, deepest=16_000))
    assert [row.measured for row in figures.depths(shallow)] == [True, True, False, False, False]
    assert "? beyond what was measured" in screen(hardware.shown(shallow))


def test_prefill_by_table_is_read_off_its_law() -> None:
    # 1 ms a token at 0 rising to 2 ms at 64,000: 1.5 ms at 32,000
    table = replace(BOX, prefill=PrefillTable(((0, 1e-3), (64_000, 2e-3))))
    assert figures.prefill_rate(table, 32_000) == pytest.approx(1 / 1.5e-3, rel=1e-4)


def test_streams_up_to_the_slots() -> None:
    rows = figures.crowds(replace(BOX, slots=16))
    assert [(row.streams, row.measured) for row in rows] == [
        (1, True), (2, True), (4, True), (8, True), (16, False),
    ]  # fmt: skip
    # 16 streams: 50 + 8 * 30/7 ms a step, by the last slope
    assert rows[-1].total == pytest.approx(16 / (0.05 + 8 * 0.03 / 7))
    assert figures.crowds(SMALL) == figures.crowds(HOSTED) == ()


def test_streams_at_32k_and_below_the_table() -> None:
    # 8 streams at 32k: 50 ms + 625 ns x 256,000 = 210 ms: 4.76 each, 38.1 together
    (*_, last) = figures.crowds(BOX)
    assert (last.streams, last.each_deep, last.total_deep) == pytest.approx((8, 1 / 0.21, 8 / 0.21))
    # memory for 100k tokens holds three of them: of four and eight nothing is said
    rows = figures.crowds(replace(BOX, kv=100_000))
    assert [row.each_deep is None for row in rows] == [False, False, True, True]
    assert all(row.each_deep is None for row in figures.crowds(replace(BOX, context=30_000)))
    # a table that begins at four streams does not say what one does; slots end a list of doubles
    late = replace(BOX, decode=Decode(((4, 0.02), (8, 0.05))), slots=12)
    assert [(row.streams, row.measured) for row in figures.crowds(late)] == [
        (1, False), (2, False), (4, True), (8, True), (12, False),
    ]  # fmt: skip
    assert [row.streams for row in figures.crowds(replace(BOX, slots=None))][-1] == 32


def test_what_fits_at_once() -> None:
    # 500k of memory: 62 of 8k, 15 of 32k, 7 of 64k, 3 of 128k; eight slots bind up to 32k
    rows = figures.rooms(replace(BOX, kv=500_000))
    assert [(row.context, row.calls, row.limit) for row in rows] == [
        (8_000, 8, "slots"), (32_000, 8, "slots"), (64_000, 7, "kv"), (128_000, 3, "kv"),
    ]  # fmt: skip
    text = screen(hardware.shown(replace(BOX, kv=500_000)))
    assert "7  memory for contexts" in text
    assert "do not fit" not in text
    assert "- so many of 32k do not fit" in screen(hardware.shown(replace(BOX, kv=100_000)))
    assert figures.rooms(HOSTED) == ()
    # 8 x 128,000
    assert "8 calls of 128k of context each, if its memory holds 1M tokens" in " ".join(
        screen(hardware.shown(BOX)).split()
    )


def test_bars_are_by_share_of_the_largest() -> None:
    # 50, 1 / 25 ms = 40, 25, 16.7, 10 tok/s of 14 columns: 14, 11.2, 7, 4.7, 2.8
    rows = screen(hardware.shown(BOX)).splitlines()
    at = next(i for i, row in enumerate(rows) if row.startswith("One stream alone"))
    bars = [row.split()[2] for row in rows[at + 2 : at + 7]]
    assert [len(bar) for bar in bars] == [14, 11, 7, 5, 3]
    assert set("".join(bars)) == {"#"}


def test_contexts_far_beyond_an_agents() -> None:
    far = [row.context for row in figures.depths(replace(BOX, context=922_000))]
    assert far[-4:] == [128_000, 256_000, 512_000, 922_000]
    assert [row.context for row in figures.depths(replace(BOX, context=65_536))][-1] == 64_000


def test_a_figure_that_nobody_measured_is_a_question() -> None:
    shallow = replace(BOX, about=replace(BOX.about, deepest=8_100))
    row = line_of(screen(hardware.listing([shallow])), "box")
    assert row[2:4] == ["50/?", "1,000/?"]
    told = hardware.list_data([shallow])["profiles"][0]
    assert (told["decode_deep"], told["decode_deep_known"]) == (25.0, False)
    flat = replace(BOX, decode=Decode(((1, 0.02), (8, 0.05))), prefill=Prefill(per_token=1e-3))
    # the source measured so far, and it is flat; or nobody says anything
    measured = replace(flat, about=replace(BOX.about, deepest=64_000))
    assert line_of(screen(hardware.listing([measured])), "box")[2:4] == ["50", "1,000"]
    assert line_of(screen(hardware.listing([flat])), "box")[2:4] == ["50/?", "1,000/?"]
    # prompts were measured so far, a slope of decoding was not
    left = replace(measured.about, left_out=("per_context_token",))
    row = line_of(screen(hardware.listing([replace(measured, about=left)])), "box")
    assert row[2:4] == ["50/?", "1,000"]


def test_doubts_assumptions_and_notes_stand_apart() -> None:
    about = replace(
        BOX.about, notes=("odd", "One.", "Two.", "See."), assumed=("One.", "Two."), note="See."
    )
    text = screen(hardware.shown(replace(BOX, about=about)))
    assert "To beware of\n  odd\n" in text
    assert "Assumed, not measured (2)\n  One.\n  Two.\n" in text
    assert text.endswith("To know\n  See.\n")


def test_examples_add_up() -> None:
    found = figures.example(BOX, 25_000, 500)
    # 0.5 + 25000 ms + 31.25 ns * 25000^2 / 2 = 35.265625 s before decoding;
    # 500 * 20 ms + 625 ns * (25000 * 500 + 500^2 / 2) = 10 + 7.890625 s
    assert found.total == pytest.approx(35.265625 + 17.890625)
    assert found.first == pytest.approx(35.265625 + 0.02 + 625e-9 * 25_000.5)
    # nothing cached: 25000 tokens at the write price and 500 of output
    assert found.money == pytest.approx((25_000 * 4 + 500 * 15) / 1e6)
    hosted = figures.example(HOSTED, 25_000, 500)
    # 1.4 + 25000 * 8 us to the first token, then 499 steps of 10 ms
    assert (hosted.first, hosted.total) == pytest.approx((1.6, 6.59))
    assert not figures.example(SMALL, 25_000, 500).fits
    assert "too long" in screen(hardware.shown(SMALL))


@pytest.mark.parametrize("plan", [BOX, HOSTED, SMALL], ids=lambda plan: plan.profile)
def test_all_of_it_fits_80_columns(plan: ServerPlan) -> None:
    for document in (hardware.listing([BOX, HOSTED, SMALL]), hardware.shown(plan)):
        text = screen(document)
        assert max(map(len, text.splitlines())) <= 80
        assert "\x1b" not in text


def test_the_model_gives_way_before_the_figures() -> None:
    long = replace(
        BOX, profile="a-name-of-twenty-eight-chars", about=replace(BOX.about, model="m" * 60)
    )
    text = screen(hardware.listing([long]))
    assert max(map(len, text.splitlines())) <= 80
    row = line_of(text, "a-name")
    assert row[0] == "a-name-of-twenty-eight-chars"
    assert row[1].endswith("...")
    assert row[2:] == ["50/25", "1,000/500", "160", "ok-ish", "A", "26"]
    assert "MODEL: ... is cut" in text


def test_a_wider_terminal_shows_more_of_the_model() -> None:
    # indent 2, NAME 4, DECODE 6, PREFILL 9, x8 3, FIT 6, SRC 4 and six times two blanks between:
    # 46 columns, so 34 of 80, 54 of 100 and 60 of 106 are left
    model = "m" * 60
    long = replace(BOX, about=replace(BOX.about, model=model))
    for width, room in ((80, 34), (100, 54), (106, 60)):
        text = terminal.draw(hardware.listing([long], width), width)
        shown = line_of(text, "box")[1]
        assert shown == (model if room == 60 else "m" * (room - 3) + "...")
        assert ("MODEL: ... is cut" in text) == (room < 60)


def test_what_nobody_sits_before_is_not_cut() -> None:
    long = replace(BOX, profile="n" * 50, about=replace(BOX.about, model="m" * 60))
    document = hardware.listing([long], None)
    assert line_of(terminal.draw(document, 80), "nnn")[:3] == ["n" * 50, "m" * 60, "50/25"]
    assert f"| {'n' * 50} | {'m' * 60} | 50/25 |" in markdown.draw(document)
    assert "is cut" not in terminal.draw(document, 80)


def test_what_a_file_says_cannot_move_the_cursor() -> None:
    evil = replace(
        BOX,
        about=About("x\x1b[2J", "m\x1b[31m", "A", "2026\n", "https://x/\x1b]0;t\x07", ("a\nb",)),
    )
    for text in (screen(hardware.shown(evil)), screen(hardware.listing([evil]))):
        assert "\x1b" not in text
        assert "\x07" not in text


def test_a_profile_without_a_source_says_so() -> None:
    bare = replace(BOX, about=About("Mine"))
    assert line_of(screen(hardware.listing([bare])), "box")[1:] == [
        "-", "50/25", "1,000/500", "160", "ok-ish", "-",
    ]  # fmt: skip
    assert "not given" in screen(hardware.shown(bare))


def test_show_says_every_part_with_its_unit() -> None:
    text = " ".join(screen(hardware.shown(replace(HOSTED, spread=LogNormal(0.0, 0.2)))).split())
    for part in (
        "100 tok/s, 10 ms a step",
        "1.4 s typical",
        "+ 8 us a token of input",
        "131,072 tokens",
        "until 5 min after the last use",
        "requests: 1,000, refilled 1,000 a minute",
        "the longest answer is reserved, not given back",
        "input $3.00",
        "0.77 to 1.29 times",  # exp(+-0.2 * 1.28155)
        "No quota.",
    ):
        assert part in text


def test_json_csv_and_markdown() -> None:
    told = json.loads(json_.text(hardware.list_data([BOX, HOSTED])))
    assert told["agentsim"] == "hardware"
    first = told["profiles"][0]
    assert (first["name"], first["decode"], first["decode_deep"]) == ("box", 50.0, 25.0)
    one = json.loads(json_.text(hardware.show_data(BOX)))
    assert [row["streams"] for row in one["by_streams"]] == [1, 2, 4, 8]
    assert one["examples"][0]["total"] == pytest.approx(53.15625)
    rows = list(csv.DictReader(io.StringIO(hardware.list_csv([BOX, HOSTED]))))
    assert [row["name"] for row in rows] == ["box", "hosted"]
    assert float(rows[0]["total8"]) == pytest.approx(160.0)
    assert rows[1]["total8"] == ""
    depths = list(csv.DictReader(io.StringIO(hardware.show_csv(BOX))))
    assert [int(row["context"]) for row in depths] == [0, 8_000, 32_000, 64_000, 128_000]
    assert "| box | some-model | 50/25 |" in markdown.draw(hardware.listing([BOX]))
