"""`vllm bench serve --save-result`: a JSON object a run.

Input and output lengths stand there as totals only. Times are in ms (`median_ttft_ms`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.importers import serving
from agentsim.importers.rows import MOST_TOKENS, Fields, Row
from agentsim.importers.serving import Load
from agentsim.importers.text import Source

NAME = "vllm bench serve"
ENGINE = ""
_MOST = 1e9


def sniff(source: Source) -> bool:
    return bool(source.objects) and is_run(source.objects[0][1]) and "tokenizer_id" in (
        source.objects[0][1]
    )  # fmt: skip


def is_run(raw: Mapping[str, Any]) -> bool:
    return {"max_concurrency", "total_output_tokens", "completed", "duration"} <= raw.keys()


def read(source: Source) -> Iterator[Row]:
    """The rows of each run."""
    for line, raw in source.objects:
        yield from load(Fields(source, line, raw)).rows()


def load(fields: Fields, model: str = "model_id") -> Load:
    """A run of this tool, or of one that writes the same keys; times with `_ms` or in seconds."""
    source, line, raw = fields.source, fields.line, fields.raw
    done = fields.number("completed", 1, _MOST, "a number of requests")
    asked = fields.number("num_prompts", 1, _MOST, "requests") if "num_prompts" in raw else done
    serving.finished(source, line, done, asked)
    if str(raw.get("request_rate", "inf")) != "inf":
        raise serving.open_loop(source, line, f"at {raw['request_rate']} requests a second")
    # without a limit all requests are sent at once
    streams = fields.streams("num_prompts" if raw["max_concurrency"] is None else "max_concurrency")
    made = fields.number("total_output_tokens", 1, MOST_TOKENS * done, "tokens")
    read_ = fields.number("total_input_tokens", 1, MOST_TOKENS * done, "tokens")
    rate = made / fields.seconds("duration")
    first, each = (_middle(fields, key) if streams == 1 else 1.0 for key in ("ttft", "tpot"))
    told = {"model": raw.get(model), "backend": raw.get("backend")}
    setup = {key: str(value) for key, value in told.items() if value}
    few = min(streams, int(asked))
    return Load(source, line, few, read_ / done, made / done, rate, first, each, setup)


def _middle(fields: Fields, what: str) -> float:
    """Seconds; the median, else the mean."""
    for key in (f"median_{what}_ms", f"mean_{what}_ms"):
        if fields.raw.get(key) is not None:
            return fields.seconds(key) / 1000.0
    key = f"median_{what}"
    return fields.seconds(key if fields.raw.get(key) is not None else f"mean_{what}")
