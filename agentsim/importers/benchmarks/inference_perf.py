"""`inference-perf` of Kubernetes: the report of a stage, as YAML or JSON. Times are in seconds.

Only a stage with a `concurrency` says how many requests ran at once; one at a rate only where they
hardly ever met.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.importers import serving
from agentsim.importers.rows import Fields, Row
from agentsim.importers.serving import Load
from agentsim.importers.text import Source

NAME = "inference-perf"
ENGINE = ""
_KEYS = frozenset(("load_summary", "successes"))


def sniff(source: Source) -> bool:
    if source.objects:
        return source.objects[0][1].keys() >= _KEYS
    heads = {line[:-1] for line in source.lines if line.rstrip() in ("load_summary:", "successes:")}
    return heads >= _KEYS


def read(source: Source) -> Iterator[Row]:
    """The rows of a stage, or of each on a line."""
    for line, raw in source.objects or ((1, _yaml(source)),):
        yield from _load(source, line, raw).rows()


def _yaml(source: Source) -> dict[str, Any]:
    from agentsim.spec.reader import read as read_yaml

    return read_yaml(source.text, source.file).mapping


def _load(source: Source, line: int, raw: Mapping[str, Any]) -> Load:
    good, load = _part(raw, "successes"), _part(raw, "load_summary")
    times, speed = _part(good, "latency"), _part(good, "throughput")
    done, failed = good.get("count"), _part(raw, "failures").get("count")
    if isinstance(done, int) and isinstance(failed, int):
        serving.finished(source, line, done, done + failed)
    flat = {
        "concurrency": load.get("concurrency"),
        "prompt_len": _part(good, "prompt_len").get("mean"),
        "output_len": _part(good, "output_len").get("mean"),
        "output_tokens_per_sec": speed.get("output_tokens_per_sec"),
        "request_latency": _part(times, "request_latency").get("mean"),
        "requests_per_sec": speed.get("requests_per_sec"),
        **{key: _part(times, key).get("median") for key in ("time_to_first_token",)},
        "inter_token_latency": _part(times, "time_per_output_token").get("median"),
    }
    fields = Fields(source, line, flat)
    streams = _streams(fields)
    first, each = (
        fields.seconds(it) if streams == 1 else 1.0
        for it in ("time_to_first_token", "inter_token_latency")
    )
    rate = fields.rate("output_tokens_per_sec")
    prompt, output = fields.tokens("prompt_len"), fields.tokens("output_len")
    return Load(source, line, streams, prompt, output, rate, first, each, {})


def _streams(fields: Fields) -> int:
    if fields.raw["concurrency"] is not None:
        return fields.streams("concurrency")
    rate = fields.number("requests_per_sec", 1e-9, 1e9, "requests a second")
    mean = rate * fields.seconds("request_latency")
    if mean > serving.ALONE:
        told = f"at a rate of requests, {mean:.2g} at once on average"
        raise serving.open_loop(fields.source, fields.line, told)
    return 1


def _part(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = raw.get(key)
    return found if isinstance(found, dict) else {}
