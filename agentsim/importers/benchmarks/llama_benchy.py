"""`llama-benchy --format json`: measures any server with OpenAI's interface.

A run sends `concurrency` requests at once. With prefix caching a depth is read first, as a run of
its own (`is_context_prefill_phase`), and then `prompt_size` behind it; without, both are read
together. Its `tg_throughput` of several requests counts from the first token of any of them, so it
holds the reading of the others: the run is taken as a whole, from its start to its last token.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.importers.rows import Fields, Row
from agentsim.importers.text import Source

NAME = "llama-benchy"
ENGINE = ""
_VALUES = ("ttfr", "pp_throughput", "tg_throughput")


def sniff(source: Source) -> bool:
    return bool(source.objects) and {"latency_mode", "benchmarks"} <= source.objects[0][1].keys()


def read(source: Source) -> Iterator[Row]:
    """The rows of each run."""
    for line, raw in source.objects:
        runs = raw.get("benchmarks")
        if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
            raise source.bad(line, "`benchmarks` is no list of runs")
        setup = {"model": str(raw["model"])} if raw.get("model") else {}
        top = Fields(source, line, raw)
        latency = top.number("latency_ms", 0, 1e7, "ms") / 1e3 if "latency_ms" in raw else 0.0
        for run in runs:
            yield from _rows(source, line, raw, run, latency, setup)


def _rows(
    source: Source, line: int, top: Mapping[str, Any], run: Mapping[str, Any], latency: float,
    setup: Mapping[str, str],
) -> Iterator[Row]:  # fmt: skip
    flat = {**run}
    for key in _VALUES:
        if isinstance(run.get(key), dict):
            flat[key] = run[key].get("mean")
    fields = Fields(source, line, flat)
    streams, place = fields.streams("concurrency"), source.place(line)
    prompt, depth = fields.tokens("prompt_size"), fields.tokens("context_size")
    output = fields.tokens("response_size")
    if run.get("is_context_prefill_phase"):
        prompt, depth = depth, 0.0
    elif not top.get("prefix_caching_enabled"):
        prompt, depth = prompt + depth, 0.0
    if streams == 1:
        if prompt:
            speed = fields.rate("pp_throughput")
            yield Row(place, "prefill", 1, depth, prompt, 0, speed, setup)
        if output > 1 and flat.get("tg_throughput") is not None:
            speed = fields.rate("tg_throughput")
            yield Row(place, "decode", 1, depth + prompt, 0, output, speed, setup)
        return
    if output <= 1 or not prompt:
        return
    told = run.get("ttfr")
    values = told.get("values") if isinstance(told, dict) else None
    if isinstance(values, list) and values and all(isinstance(it, int | float) for it in values):
        first = _first_of_each(values, streams) / 1e3
    else:
        first = fields.seconds("ttfr") / 1e3
    whole = max(0.0, first - latency) + streams * (output - 1) / fields.rate("tg_throughput")
    rate = streams * output / whole
    yield Row(place, "round", streams, depth, prompt, output, rate, setup)


def _first_of_each(values: list[float], streams: int) -> float:
    """The mean over runs of the earliest answer: values stand run by run."""
    runs = [values[at : at + streams] for at in range(0, len(values), streams)]
    return sum(map(min, runs)) / len(runs)
