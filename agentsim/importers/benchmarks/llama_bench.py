"""`llama-bench` of llama.cpp: Markdown (its default), JSON, JSON lines or CSV.

A row is a test: `pp2048 @ d4096` reads 2,048 tokens after 4,096, `tg32` makes 32, `pp512+tg128`
does both. Columns of the Markdown appear only where they are not the default, so all but the last
two say how the machine was set up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from agentsim.importers.rows import Fields, Row
from agentsim.importers.text import Source

NAME = "llama-bench"
ENGINE = "llama.cpp"
_TEST = re.compile(r"(?:pp(?P<pp>\d+))?\+?(?:tg(?P<tg>\d+))?(?: @ d(?P<depth>\d+))?")
_BUILD = re.compile(r"build: \S+ \((\d+)\)")
_MEASURED = frozenset(
    (
        *("n_prompt", "n_gen", "n_depth", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts"),
        *("samples_ns", "samples_ts", "test_time", "build_commit", "model_filename"),
        *("test", "t/s", "size", "params", "cpu_mask", "cpu_strict", "poll", "embeddings"),
    )
)
"""Fields that do not say how the machine was set up."""
_ALIKE = MappingProxyType(
    {
        "build_number": "build",
        "model_type": "model",
        "backends": "backend",
        "gpu_info": "gpu",
        "cpu_info": "cpu",
        "n_gpu_layers": "ngl",
        "flash_attn": "fa",
        "use_mmap": "mmap",
        "n_threads": "threads",
    }
)
"""Names of one setting: in JSON, and as a column of the Markdown."""


def sniff(source: Source) -> bool:
    if source.objects:
        return "avg_ts" in source.objects[0][1] and "n_gen" in source.objects[0][1]
    return source.text.startswith("build_commit,") or any(
        _is_ours(grid.heads) for grid in source.tables()
    )


def read(source: Source) -> Iterator[Row]:
    """Its rows, in the order of the file."""
    if source.objects or source.text.startswith("build_commit,"):
        for line, raw in source.objects or source.csv():
            yield from _plain(Fields(source, line, raw))
        return
    for number, grid in enumerate(source.tables()):
        if not _is_ours(grid.heads):
            continue
        build = _build(source, grid.start + len(grid.rows))
        for line, raw in grid.whole(source):
            made = {**raw, "avg_ts": re.split(r"±|\+-", raw["t/s"])[0].strip()}
            found = _TEST.fullmatch(raw["test"])
            if found is None or not (found["pp"] or found["tg"]):
                told = f"{raw['test'][:40]!r} is no test such as pp512, tg128 or tg32 @ d4096"
                raise source.bad(line, told)
            made |= {"n_prompt": found["pp"] or 0, "n_gen": found["tg"] or 0}
            made |= {"n_depth": found["depth"] or 0}
            told_by = setup(raw) | build
            yield _row(Fields(source, line, made), told_by, number, grid.section)


def _is_ours(heads: list[str]) -> bool:
    return heads[-2:] == ["test", "t/s"]


def _build(source: Source, after: int) -> dict[str, str]:
    """What the line below a table says of llama.cpp's version."""
    for line in source.lines[after : after + 6]:
        if found := _BUILD.match(line):
            return {"build": found[1]}
    return {}


def _plain(fields: Fields) -> Iterator[Row]:
    """A row of JSON or CSV; files from before there was a depth have none."""
    raw = {"n_depth": 0, **fields.raw}
    yield _row(Fields(fields.source, fields.line, raw), setup(raw), 0, 0)


def _row(fields: Fields, told: Mapping[str, str], table: int, section: int) -> Row:
    prompt, output = fields.tokens("n_prompt"), fields.tokens("n_gen")
    depth, rate = fields.tokens("n_depth"), fields.rate("avg_ts")
    place = fields.source.place(fields.line)
    if not prompt and not output:
        raise fields.source.bad(fields.line, "a test that neither reads nor makes tokens")
    if prompt and output:  # its rate counts both
        rate *= output / (prompt + output)
        return Row(place, "round", 1, depth, prompt, output, rate, told, table, section)
    kind = "prefill" if prompt else "decode"
    return Row(place, kind, 1, depth, prompt, output, rate, told, table, section)  # type: ignore[arg-type]


def setup(raw: Mapping[str, Any]) -> dict[str, str]:
    """How the machine was set up, each setting under one name and in one way of writing."""
    found: dict[str, str] = {}
    for key, value in raw.items():
        name = _ALIKE.get(key, key)
        if key in _MEASURED or isinstance(value, list | dict) or value is None or value == "":
            continue
        text = str(int(value)) if isinstance(value, bool) else str(value)
        if name == "ngl" and re.fullmatch(r"-\d+|\d{2,}", text) and not 0 <= int(text) < 99:
            text = "all"
        found[name] = text
    return found
