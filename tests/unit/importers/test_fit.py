"""Profiles fitted to rows whose laws are known, and what is told of the others."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from agentsim.errors import Problems
from agentsim.importers.fit import filled, fit
from agentsim.importers.machine import gather
from agentsim.importers.profile import fitted
from agentsim.importers.rows import Row
from agentsim.importers.text import Source
from agentsim.spec.hardware import profile_of
from agentsim.spec.reader import read

MEASURED = Path(__file__).resolve().parents[2] / "measured"
DS4 = "ctx_tokens,prefill_tokens,prefill_tps,gen_tokens,gen_tps\n"
PLACE = Source("made", "").place(1)


def decode(streams: int, depth: float, seconds: float, output: float = 32) -> Row:
    """A row that took so many seconds a step."""
    return Row(PLACE, "decode", streams, depth, 0, output, streams / seconds)


def ds4(folder: Path, *rows: tuple[int, float, float], name: str = "a.csv") -> str:
    """A file with a context, seconds of reading a token and of making one in each row."""
    told = [f"{c},2000,{1 / read},100,{1 / made}" for c, read, made in rows]
    (folder / name).write_text(DS4 + "\n".join(told) + "\n", "utf-8")
    return str(folder / name)


def test_one_stream_is_a_line_over_context(tmp_path: Path) -> None:
    # reading: 1 ms + 10 ns * middle of the 2,000 tokens; making: 20 ms + 100 ns * (context + 50)
    rows = [
        (c, 1e-3 + 1e-8 * (c - 1000), 0.02 + 1e-7 * (c + 50)) for c in (2000, 4000, 8000, 16000)
    ]
    found = fitted([ds4(tmp_path, *rows)])
    plan = profile_of(read(found.text, "it"), "it").plan
    assert plan.decode.step(1) == pytest.approx(0.02, rel=1e-4)
    assert plan.decode.slope == pytest.approx(1e-7, rel=1e-4)
    assert plan.prefill is not None
    # 3,000 tokens on an empty cache: 3 s + 10 ns * 3000**2 / 2 = 3.045 s
    assert plan.prefill.seconds(3000, 0) == pytest.approx(3.045, rel=1e-4)
    assert plan.slots == 1
    assert plan.about.deepest == 16100
    assert max(found.errors("decode") + found.errors("prefill")) < 1e-4


def test_a_cold_first_row_is_left_out_and_named(tmp_path: Path) -> None:
    rows = [(c, 1e-3, 0.02 + 1e-7 * (c + 50)) for c in (2000, 4000, 6000, 8000, 10000, 12000)]
    cold = [(2000, 2e-3, 0.03), *rows[1:]]
    found = fitted([ds4(tmp_path, *cold)])
    assert [(row.what, row.line) for row in found.rows if row.left_out] == [
        ("prefill", 2), ("decode", 2),
    ]  # fmt: skip
    assert sum("a.csv:2, the first" in it for it in found.warnings) == 2
    assert max(found.errors("decode")) < 1e-4
    # the same row in the middle is no cold start: it stays, and its error is shown
    later = fitted([ds4(tmp_path, *rows[:3], (7000, 2e-3, 0.03), *rows[3:])])
    assert not any(row.left_out for row in later.rows)
    assert max(later.errors("decode")) > 0.2


def test_a_first_row_that_fits_stays(tmp_path: Path) -> None:
    rows = [(c, 1e-3, 0.02 * (1.02 if c == 2000 else 1)) for c in (2000, 4000, 8000, 16000)]
    assert not any(row.left_out for row in fitted([ds4(tmp_path, *rows)]).rows)


def test_streams_are_a_table_and_contexts_a_slope() -> None:
    # s(1) = 10 ms, s(2) = 16, s(4) = 17, s(8) = 40 ms; 200 ns for each token of context
    s = {1: 0.010, 2: 0.016, 4: 0.017, 8: 0.040}
    rows = [decode(b, d, s[b] + 2e-7 * b * (d + 16)) for b in s for d in (500, 4000)]
    laws, left_out = fit(rows)
    assert not left_out
    assert laws.decode is not None
    assert dict(laws.decode.knots or ()) == pytest.approx(s)
    assert laws.decode.slope == pytest.approx(2e-7)


def test_smooth_streams_are_the_root_law() -> None:
    # 5 ms + 1 ms * B + 8 ms * sqrt(B): what lies between is told by it, not by straight lines
    rows = [decode(b, d, 0.005 + 0.001 * b + 0.008 * b**0.5 + 1e-7 * b * (d + 16))
            for b in (1, 2, 4, 8, 16) for d in (500, 4000)]  # fmt: skip
    laws, _ = fit(rows)
    assert laws.decode is not None
    assert laws.decode.fit == pytest.approx((0.005, 0.001, 0.008))


def test_one_context_gives_no_slope_and_says_so(tmp_path: Path) -> None:
    found = fitted([str(MEASURED / "llama-bench.csv")])
    assert "per_context_token" not in found.text
    assert sum("at about one" in it for it in found.warnings) == 2


def test_a_file_without_reading_says_that_prompts_cost_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("| model | test | t/s |\n|---|---|---|\n| m | tg32 | 50 |\n")
    found = fitted([str(tmp_path / "a")])
    assert any("prompts cost no time" in it for it in found.warnings)
    assert "prefill" not in found.text.split("agentsim: 1")[1].split("# Not")[0]


def test_without_decoding_there_is_no_profile(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("| model | test | t/s |\n|---|---|---|\n| m | pp512 | 50 |\n")
    with pytest.raises(Problems, match="no row measures decoding"):
        fitted([str(tmp_path / "a")])


def test_two_machines_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Problems, match="two machines or models") as told:
        fitted([str(MEASURED / "m4_max.csv"), str(MEASURED / "m3_ultra.csv")])
    assert told.value.problems[0].code == "two-machines"


def test_two_engines_are_refused() -> None:
    with pytest.raises(Problems, match=r"engine is 'ds4' here, and 'llama\.cpp'"):
        fitted([str(MEASURED / "llama-batched-bench.jsonl"), str(MEASURED / "m4_max.csv")])


def test_files_that_fit_alone_and_not_together_are_refused(tmp_path: Path) -> None:
    # no point twice, but one machine takes 20 ms a token and the other 40
    one = ds4(tmp_path, *((c, 1e-3, 0.020) for c in (2000, 4000, 6000)))
    two = ds4(tmp_path, *((c, 1e-3, 0.040) for c in (3000, 5000, 7000)), name="b.csv")
    with pytest.raises(Problems, match=r"decode: each file fits to 0\.0 % alone, and together"):
        fitted([one, two])


def test_two_models_are_refused_and_one_can_be_chosen(tmp_path: Path) -> None:
    head = "| model | test | t/s |\n|---|---|---|\n"
    (tmp_path / "a").write_text(head + "| one | tg32 | 50 |\n| two | tg32 | 70 |\n")
    file = str(tmp_path / "a")
    with pytest.raises(Problems, match="model is 'two' here, and 'one'") as told:
        fitted([file])
    assert told.value.problems[0].place is not None
    assert told.value.problems[0].place.line == 4
    assert "rate" not in fitted([file], [("model", "two")]).text.split("agentsim: 1")[0]
    assert fitted([file], [("model", "TWO")]).rows[0].measured == 70
    with pytest.raises(Problems, match="no row has a 'model' of 'three'"):
        fitted([file], [("model", "three")])


def test_a_batched_table_takes_the_model_beside_it() -> None:
    machine = gather([str(MEASURED / "gb10_gpt-oss-120b.txt")])
    assert {row.setup["model"] for row in machine.rows} == {"gpt-oss 120B MXFP4 MoE"}


def test_several_files_of_one_machine_are_one_fit(tmp_path: Path) -> None:
    one = ds4(tmp_path, (2000, 1e-3, 0.0202), (4000, 1e-3, 0.0204))
    two = ds4(tmp_path, (8000, 1e-3, 0.0208), name="b.csv")
    assert [row.file for row in fitted([one, two]).rows] == [one] * 4 + [two] * 2


def test_what_comes_from_a_file_is_only_text_in_the_profile(tmp_path: Path) -> None:
    evil = 'x"\\u0007 ${a}: {b} # c'
    head = "| model | test | t/s |\n|---|---|---|\n"
    (tmp_path / "a").write_text(head + f"| {evil} | tg32 | 50 |\n")
    found = fitted([str(tmp_path / "a")])
    model = profile_of(read(found.text, "it"), "it").plan.about.model
    assert model == evil.replace("$", "")


def test_settings_that_differ_may_be_ignored(tmp_path: Path) -> None:
    head = "| model | test | t/s |\n|---|---|---|\n"
    (tmp_path / "a").write_text(head + "| one | tg32 | 50 |\n")
    (tmp_path / "b").write_text(head + "| One, q4 | tg32 @ d4096 | 48 |\n")
    files = [str(tmp_path / name) for name in "ab"]
    with pytest.raises(Problems, match="--ignore model"):
        fitted(files)
    assert 'model: "one"' in fitted(files, ignore=["model"]).text


def test_wide_gaps_are_filled_by_the_root() -> None:
    # 1, 4, 32: from 4 on 8 and 16 by the root, (sqrt(8) - 2) / (sqrt(32) - 2) = 0.22654 of the way
    # and (4 - 2) / 3.65685 = 0.54692; 2 at 0.41421 between 1 and 2
    table, guessed = filled(((1.0, 0.010), (4.0, 0.020), (32.0, 0.060)))
    assert guessed == (2.0, 8.0, 16.0)
    assert dict(table) == pytest.approx(
        {1: 0.010, 2: 0.0141421, 4: 0.020, 8: 0.0290616, 16: 0.0418768, 32: 0.060}, rel=1e-4
    )
    assert filled(((1.0, 1.0), (2.0, 1.0), (3.0, 1.0)))[1] == ()


def test_one_stream_is_drawn_from_more_and_named(tmp_path: Path) -> None:
    # 2 streams 20 ms, 8 streams 30 ms: 5 ms each time they double, so 15 ms for one
    rows = [decode(2, 0, 0.020), decode(8, 0, 0.030)]
    law = fit(rows)[0].decode
    assert law is not None
    assert law.step(1) == pytest.approx(0.015)
    # 16 and 32 of 10 and 30 ms would be below 0: a step of one is no shorter than a share of it
    assert filled(((16.0, 0.010), (32.0, 0.030)))[0][0] == (1.0, 0.010 / 16)
    (tmp_path / "a").write_text(
        '{"pp": 9, "tg": 9, "pl": 2, "speed_pp": 9, "speed_tg": 100}\n'
        '{"pp": 9, "tg": 9, "pl": 8, "speed_pp": 9, "speed_tg": 267}\n'
    )
    found = fitted([str(tmp_path / "a")])
    assert "Steps of 1, 4 streams at once are not measured" in found.text
    assert any("one alone is a guess" in it for it in found.warnings)


def test_context_alone_explains_no_time() -> None:
    # times that rise faster than the context would put a step at none below 0: no slope then
    rows = [decode(1, 1000, 0.001), decode(1, 10000, 0.1)]
    law = fit(rows)[0].decode
    assert law is not None
    assert law.step(1) > 0.0
    reads = [Row(PLACE, "prefill", 1, d, 100, 0, 1 / s) for d, s in ((0, 1e-4), (900, 0.1))]
    prefill = fit([*rows, *reads])[0].prefill
    assert prefill is not None
    assert prefill.per_token > 0.0


def test_many_rows_take_no_longer_than_a_few_seconds() -> None:
    rows = [
        decode(b, 50.0 * d, 0.01 + 0.002 * b + 1e-8 * b * d)
        for b in range(1, 41)
        for d in range(50)
    ]
    assert fit(rows)[0].decode is not None


def test_what_no_profile_can_be_is_told_with_its_row(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('{"pp": 9, "tg": 9, "pl": 9000, "speed_pp": 9, "speed_tg": 1e-6}')
    with pytest.raises(Problems, match="no possible profile") as told:
        fitted([str(tmp_path / "a")])
    assert told.value.problems[0].place is not None
    assert told.value.problems[0].place.line == 1


@pytest.mark.parametrize("seed", range(60))
def test_a_spoilt_file_is_a_problem_and_never_a_fault(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    files = sorted(file for file in MEASURED.iterdir() if file.name != "SOURCES.md")
    data = bytearray(chance.choice(files).read_bytes())
    for _ in range(chance.randrange(1, 12)):
        at = chance.randrange(len(data))
        match chance.randrange(3):
            case 0:
                data[at] = chance.randrange(256)
            case 1:
                del data[at : at + chance.randrange(60)]
            case _:
                data[at:at] = chance.choice([b"9" * 400, b"-", b"null", b"|", b'"', b"{", b"\n"])
    (tmp_path / "a").write_bytes(data)
    try:
        text = fitted([str(tmp_path / "a")]).text
    except Problems:
        return
    profile_of(read(text, "it"), "it")
