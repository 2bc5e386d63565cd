"""`guidellm benchmark`: `benchmarks.json` of its versions 1 and 2.

A benchmark of the kinds `synchronous` and `concurrent` says how many requests ran at once; one at a
rate only where they hardly ever met.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.importers import serving
from agentsim.importers.rows import Fields, Row
from agentsim.importers.serving import Load
from agentsim.importers.text import Source

NAME = "guidellm"
ENGINE = ""


def sniff(source: Source) -> bool:
    if not source.objects or "benchmarks" not in source.objects[0][1]:
        return False
    about = source.objects[0][1].get("metadata")
    return isinstance(about, dict) and "guidellm_version" in about


def read(source: Source) -> Iterator[Row]:
    """The rows of each benchmark."""
    for line, raw in source.objects:
        found = raw.get("benchmarks")
        if not isinstance(found, list):
            raise source.bad(line, "`benchmarks` is no list")
        for one in found:
            if not isinstance(one, dict) or not isinstance(one.get("metrics"), dict):
                raise source.bad(line, "a benchmark without `metrics`")
            yield from _load(source, line, one).rows()


def _load(source: Source, line: int, raw: Mapping[str, Any]) -> Load:
    config = _part(raw, "config") or _part(raw, "args")
    means = {key: _mean(raw["metrics"], key) for key in raw["metrics"]}
    totals = _part(raw["metrics"], "request_totals") or _part(raw, "request_totals")
    done, failed = totals.get("successful"), totals.get("errored")
    if isinstance(done, int) and isinstance(failed, int):
        serving.finished(source, line, done, done + failed)
    fields = Fields(source, line, means)
    kind = _part(config, "strategy")
    streams = _streams(source, line, kind, fields)
    rate = fields.rate("output_tokens_per_second")
    first, each = 1.0, 1.0
    if streams == 1:
        first = fields.seconds("time_to_first_token_ms") / 1e3
        each = fields.seconds("inter_token_latency_ms") / 1e3
    backend = _part(config, "backend")
    setup = {"model": str(backend["model"])} if backend.get("model") else {}
    prompt, output = fields.tokens("prompt_token_count"), fields.tokens("output_token_count")
    return Load(source, line, streams, prompt, output, rate, first, each, setup)


def _streams(source: Source, line: int, strategy: Mapping[str, Any], fields: Fields) -> int:
    kind = str(strategy.get("type_", ""))
    if kind == "synchronous":
        return 1
    if kind == "concurrent":
        told = "streams" if strategy.get("streams") is not None else "max_concurrency"
        return Fields(source, line, strategy).streams(told)
    mean = fields.number("request_concurrency", 0, 1e6, "requests at once")
    if mean > serving.ALONE:
        raise serving.open_loop(source, line, f"as {kind[:20] or 'a load'!r}")
    return 1


def _part(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = raw.get(key)
    return found if isinstance(found, dict) else {}


def _mean(metrics: Mapping[str, Any], key: str) -> Any:
    """Of the answered requests; times as their medians, so that a cold first one does not count."""
    good = _part(_part(metrics, key), "successful")
    middle = good.get("median") if key.endswith("_ms") else None
    return good.get("mean") if middle is None else middle
