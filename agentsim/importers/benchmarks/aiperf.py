"""AIPerf of NVIDIA: `profile_export_aiperf.json`, or `profile_export.jsonl`, a line a request.

Every figure has its `unit`. Lines of warm-up, of cancelled and of failed requests are not counted.
genai-perf, which it replaced, wrote the first under the same names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median
from types import MappingProxyType
from typing import Any

from agentsim.importers import serving
from agentsim.importers.rows import Fields, Row
from agentsim.importers.serving import Load
from agentsim.importers.text import Source

NAME = "AIPerf"
ENGINE = ""
_UNITS = MappingProxyType({"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0})
_FIRST, _EACH = "time_to_first_token", "inter_token_latency"
_IN, _OUT = "input_sequence_length", "output_sequence_length"


def sniff(source: Source) -> bool:
    if not source.objects:
        return False
    raw = source.objects[0][1]
    return {"metadata", "metrics"} <= raw.keys() or {_IN, "request_throughput"} <= raw.keys()


def read(source: Source) -> Iterator[Row]:
    """The rows of the whole run."""
    line, raw = source.objects[0]
    if "metrics" in raw:
        yield from _requests(source).rows()
    else:
        yield from _summary(Fields(source, line, raw)).rows()


def _summary(fields: Fields) -> Load:
    source, line, raw = fields.source, fields.line, fields.raw
    config = raw.get("input_config")
    config = config if isinstance(config, dict) else {}
    spread = [part for part in config.values() if isinstance(part, dict)]
    loads = {key: value for part in (*spread, config) for key, value in part.items()}
    if loads.get("request_rate"):
        raise serving.open_loop(source, line, f"at {loads['request_rate']} requests a second")
    failed = raw.get("error_request_count")
    if isinstance(failed, dict) and failed.get("avg"):
        counts = {key: raw.get(key, {}) for key in ("request_count", "error_request_count")}
        done, lost = (_value(source, line, counts, key, "avg") for key in counts)
        serving.finished(source, line, done, done + lost)
    streams = Fields(source, line, loads).streams("concurrency")
    values = {key: _value(source, line, raw, key, "avg") for key in (_IN, _OUT)}
    rate = _value(source, line, raw, "output_token_throughput", "avg")
    first, each = (_value(source, line, raw, it, "p50") if streams == 1 else 1.0
                   for it in (_FIRST, _EACH))  # fmt: skip
    names = loads.get("model_names")
    setup = {"model": str(names[0])} if isinstance(names, list) and names else {}
    return Load(source, line, streams, values[_IN], values[_OUT], rate, first, each, setup)


def _requests(source: Source) -> Load:
    """From one line a request: how many ran at once is what their times add up to."""
    good = []
    for line, raw in source.objects:
        about, metrics = raw.get("metadata"), raw.get("metrics")
        if not isinstance(about, dict) or not isinstance(metrics, dict):
            raise source.bad(line, "a request without `metadata` and `metrics`")
        phase = about.get("benchmark_phase", "profiling")
        if phase == "profiling" and raw.get("error") is None and not about.get("was_cancelled"):
            good.append((line, about, metrics))
    if not good:
        raise source.bad(1, "no request was answered")
    line = good[0][0]
    spans = []
    for at, about, _ in good:
        fields = Fields(source, at, about)
        ends = ("request_start_ns", "request_end_ns")
        spans.append([fields.number(key, 0, 1e20, "ns") for key in ends])
    whole = max(end for _, end in spans) - min(begun for begun, _ in spans)
    if whole <= 0:
        raise source.bad(line, "the requests take no time")
    at_once = sum(end - begun for begun, end in spans) / whole
    streams = max(1, round(at_once))
    if abs(at_once - streams) > 0.1 * streams:
        raise serving.open_loop(source, line, f"{at_once:.2g} requests at once on average")
    told = {
        key: [_value(source, at, metrics, key, "value") for at, _, metrics in good]
        for key in (_IN, _OUT)
    }
    prompt, output = (sum(told[key]) / len(good) for key in (_IN, _OUT))
    first, each = (
        median(_value(source, at, metrics, key, "value") for at, _, metrics in good)
        if streams == 1 else 1.0 for key in (_FIRST, _EACH)
    )  # fmt: skip
    return Load(source, line, streams, prompt, output, sum(told[_OUT]) / (whole / 1e9), first, each,
                {})  # fmt: skip


def _value(source: Source, line: int, raw: Mapping[str, Any], key: str, which: str) -> float:
    """A figure in its base unit: seconds, tokens, tokens a second."""
    found = raw.get(key)
    if not isinstance(found, dict):
        raise source.bad(line, f"`{key}` is missing", code="missing-key")
    if found.get(which) is None and which == "p50":
        which = "avg"
    number = Fields(source, line, {key: found.get(which)}).number(key, 1e-9, 1e12, "a figure")
    unit = str(found.get("unit", ""))
    if key in (_FIRST, _EACH):
        if unit not in _UNITS:
            raise source.bad(line, f"`{key}` is in {unit[:20]!r}, not in ms or s")
        return number * _UNITS[unit]
    return number
