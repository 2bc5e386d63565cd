"""What each reader of a benchmark makes of its files, and how a broken one is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentsim.errors import Problems
from agentsim.importers import benchmarks
from agentsim.importers.rows import Row

MEASURED = Path(__file__).resolve().parents[2] / "measured"
# of each format a sample, how many rows it has and what its first decode row says
SAMPLES = {
    "llama-bench": {
        "llama-bench.csv": (2, 1, 0, 128, 119.915244),
        "llama-bench.json": (2, 1, 0, 128, 118.881588),
        "llama-bench.jsonl": (2, 1, 0, 128, 119.844681),
    },
    "llama-batched-bench": {"llama-batched-bench.jsonl": (4, 1, 128, 128, 36.532974)},
    "ds4-bench": {
        "m4_max.csv": (64, 1, 2048, 128, 26.76),
        "m3_ultra.csv": (64, 1, 2048, 128, 44.28),
    },
}


SERVED = {"llama-benchy", "vllm bench serve", "sglang bench_serving", "InferenceMAX", "AIPerf"}
SERVED |= {"guidellm", "inference-perf"}
"""Formats of load tests: `test_serving` has samples of each."""


def test_each_format_has_a_sample() -> None:
    assert set(SAMPLES) | SERVED == set(benchmarks.NAMES)


@pytest.mark.parametrize(
    ("tool", "file"), [(tool, file) for tool, files in SAMPLES.items() for file in files]
)
def test_a_sample_is_read(tool: str, file: str) -> None:
    rows, tools = benchmarks.read(str(MEASURED / file))
    count, streams, depth, output, rate = SAMPLES[tool][file]
    first = next(row for row in rows if row.kind == "decode")
    assert tools == [tool]
    assert len(rows) == count
    assert (first.streams, first.depth, first.output) == (streams, depth, output)
    assert first.rate == pytest.approx(rate)


def test_a_collection_holds_tables_of_two_tools() -> None:
    rows, tools = benchmarks.read(str(MEASURED / "gb10_gpt-oss-120b.txt"))
    assert tools == ["llama-bench", "llama-batched-bench"]
    assert len(rows) == 10 + 2 * 18
    bench = next(row for row in rows if row.place.line == 36)
    assert (bench.kind, bench.depth, bench.output, bench.rate) == ("decode", 16384, 32, 49.45)
    assert bench.setup["model"] == "gpt-oss 120B MXFP4 MoE"
    assert bench.setup["build"] == "7941"
    batch = next(row for row in rows if row.place.line == 14 and row.kind == "decode")
    # 8 streams behind 4096 tokens that make 32 each: a step of 8/139.07 s, at 8 * (4096 + 16)
    assert (batch.streams, batch.depth, batch.total) == (8, 4096, 32896)
    assert batch.seconds == pytest.approx(8 / 139.07)


def read(folder: Path, text: str) -> list[Row]:
    (folder / "it").write_text(text, "utf-8")
    return benchmarks.read(str(folder / "it"))[0]


HEAD = "| model | test | t/s |\n|---|---|---|\n"


def test_a_test_that_reads_and_makes_is_a_round(tmp_path: Path) -> None:
    # 512 + 128 tokens at 640 tok/s take 1 s: the 128 come at 128 tok/s
    (row,) = read(tmp_path, HEAD + "| m | pp512+tg128 @ d1024 | 640.00 ± 1.00 |\n")
    assert (row.kind, row.depth, row.prompt, row.output, row.rate) == (
        "round", 1024, 512, 128, 128.0,
    )  # fmt: skip
    assert row.seconds == pytest.approx(1.0)


def test_a_shared_prompt_counts_once(tmp_path: Path) -> None:
    given = {"pp": 1000, "tg": 100, "pl": 4, "speed_pp": 500, "speed_tg": 40, "is_pp_shared": 1}
    prefill, decode = read(tmp_path, json.dumps(given))
    assert prefill.seconds == pytest.approx(1 / 500)
    assert decode.total == 1000 + 4 * 50


BATCHED = '{"pp": 8, "tg": 8, "pl": 1, "speed_pp": 9, "speed_tg": 9}\n'
DS4 = "ctx_tokens,prefill_tokens,prefill_tps,gen_tokens,gen_tps\n"
BROKEN = {
    "no result": ("hello\n", "other-kind", 1),
    "empty": ("", "other-kind", 1),
    "cut off JSON": (BATCHED + '{"pp": 8, "tg"', "bad-value", 2),
    "no object": (BATCHED + "7\n", "bad-value", 2),
    "NaN": (BATCHED + BATCHED.replace("9", "NaN"), "bad-value", 2),
    "deep": ('{"pp": ' + "[" * 200_000, "bad-value", 1),
    "missing": (BATCHED + '{"pp": 8, "tg": 8, "pl": 1, "speed_pp": 9}', "missing-key", 2),
    "zero rate": (BATCHED.replace("9}", "0}"), "bad-value", 1),
    "below zero": (BATCHED.replace('"pp": 8', '"pp": -8'), "bad-value", 1),
    "half a stream": (BATCHED.replace('"pl": 1', '"pl": 1.5'), "bad-value", 1),
    "a word": (BATCHED.replace('"pl": 1', '"pl": "many"'), "bad-value", 1),
    "yes": (BATCHED.replace('"pl": 1', '"pl": true'), "bad-value", 1),
    "long number": (BATCHED.replace('"pl": 1', '"pl": ' + "9" * 9000), "bad-value", 1),
    "short row": (HEAD + "| m | tg128 |\n", "bad-value", 3),
    "no test": (HEAD + "| m | hello | 12.00 ± 1 |\n", "bad-value", 3),
    "no rate": (HEAD + "| m | tg128 | fast |\n", "bad-value", 3),
    "short CSV": (DS4 + "2048,2048,344,128,27\n4096,2048\n", "bad-value", 3),
    "an open quote": (DS4 + '"2048,2048\n', "bad-value", 3),
    "more read than there": (DS4 + "1024,2048,344,128,27\n", "bad-value", 2),
    "only a head": (DS4, "bad-value", 1),
}


@pytest.mark.parametrize("which", BROKEN)
def test_a_broken_file_is_told_with_its_line(which: str, tmp_path: Path) -> None:
    text, code, line = BROKEN[which]
    with pytest.raises(Problems) as told:
        read(tmp_path, text)
    (problem,) = told.value.problems
    assert problem.code == code, problem
    assert problem.place is not None
    assert problem.place.line == line


def test_what_is_no_file_of_text_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bytes").write_bytes(b"a\nb\xff")
    monkeypatch.setattr("agentsim.importers.text.MOST_BYTES", 100)
    (tmp_path / "large").write_bytes(b"x" * 101)
    codes = {"": "file-unreadable", "bytes": "bad-encoding", "large": "file-too-large"}
    codes |= {"none": "file-missing", "nul\0": "file-unreadable"}
    for name, code in codes.items():
        with pytest.raises(Problems) as told:
            benchmarks.read(str(tmp_path / name))
        assert told.value.problems[0].code == code
