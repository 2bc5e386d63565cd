"""`llama-batched-bench` of llama.cpp: its table, or JSON lines.

A row is so many streams (B) that each read PP tokens and then make TG. The tool does not write
which model it ran: in a collection that is told by the heading, or by another table under it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from agentsim.importers.benchmarks import llama_bench
from agentsim.importers.rows import Fields, Row
from agentsim.importers.text import Grid, Source

NAME = "llama-batched-bench"
ENGINE = "llama.cpp"
_HEADS = ("PP", "TG", "B", "N_KV", "T_PP s", "S_PP t/s", "T_TG s", "S_TG t/s")
_KEYS = ("pp", "tg", "pl", "n_kv", "t_pp", "speed_pp", "t_tg", "speed_tg")
_NOT_SETUP = frozenset((*_KEYS, "n_kv_max", "is_pp_shared", "is_tg_separate", "t", "speed"))
_SETTING = re.compile(r"(\w+) = (-?\d+)")


def sniff(source: Source) -> bool:
    if source.objects:
        return {"pp", "tg", "pl"} <= source.objects[0][1].keys()
    return any(_is_ours(grid.heads) for grid in source.tables())


def read(source: Source) -> Iterator[Row]:
    """Two rows a line: of reading, and of making."""
    for line, raw in source.objects:
        yield from _rows(Fields(source, line, raw), raw, 0, 0)
    for number, grid in enumerate(source.tables() if not source.objects else ()):
        if _is_ours(grid.heads):
            told = _settings(source, grid)
            for line, cells in grid.whole(source):
                raw = {key: cells[head] for key, head in zip(_KEYS, _HEADS, strict=True)}
                yield from _rows(Fields(source, line, raw), told, number, grid.section)


def _is_ours(heads: list[str]) -> bool:
    return tuple(heads[: len(_HEADS)]) == _HEADS


def _settings(source: Source, grid: Grid) -> dict[str, str]:
    """Of the line `main: n_kv_max = 270336, ...` above the table, and `Model: ...`."""
    found: dict[str, str] = {}
    for line in source.lines[grid.after : grid.start]:
        if line.startswith("Model: "):
            found["heading"] = line.removeprefix("Model: ").strip()
        if "n_kv_max" in line:
            found |= dict(_SETTING.findall(line))
    return found


def _rows(fields: Fields, told: Mapping[str, object], table: int, section: int) -> Iterator[Row]:
    streams, prompt, output = fields.streams("pl"), fields.tokens("pp"), fields.tokens("tg")
    shared = str(told.get("is_pp_shared", 0)) in ("1", "True")
    place = fields.source.place(fields.line)
    own = llama_bench.setup({k: v for k, v in told.items() if k not in _NOT_SETUP})
    if prompt:
        rate = fields.rate("speed_pp")
        count = 1 if shared else streams
        yield Row(place, "prefill", count, 0, prompt, 0, rate, own, table, section, shared)
    if output:
        rate = fields.rate("speed_tg")
        yield Row(place, "decode", streams, prompt, 0, output, rate, own, table, section, shared)
