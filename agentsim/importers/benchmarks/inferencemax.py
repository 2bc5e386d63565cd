"""InferenceMAX (InferenceX): `agg_<name>.json`, or a list of such runs in `agg_bmk.json`.

Times are in seconds, and throughput is per GPU, input and output together; `output_tput_per_gpu` is
output alone. Its plain results, before they are gathered, are those of `vllm bench serve`.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.importers.rows import Fields, Row
from agentsim.importers.serving import Load
from agentsim.importers.text import Source

NAME = "InferenceMAX"
ENGINE = ""


def sniff(source: Source) -> bool:
    return bool(source.objects) and {"conc", "tput_per_gpu"} <= source.objects[0][1].keys()


def read(source: Source) -> Iterator[Row]:
    """The rows of each run."""
    for line, raw in source.objects:
        yield from _load(Fields(source, line, raw)).rows()


def _load(fields: Fields) -> Load:
    source, line, raw = fields.source, fields.line, fields.raw
    if raw.get("is_multinode") or raw.get("disagg"):
        message = "prompts are read on other GPUs than output is made on"
        raise source.bad(line, message, "such a server is no single profile")
    if "isl" not in raw or "osl" not in raw:
        message = "`isl` and `osl`, the lengths of prompt and output, are missing"
        hint = "give the result that it was gathered from"
        raise source.bad(line, message, hint, "missing-key")
    streams = fields.streams("conc")
    rate = fields.rate("output_tput_per_gpu") * fields.number("tp", 1, 4096, "a number of GPUs")
    alone = streams == 1
    first, each = (fields.seconds(f"median_{it}") if alone else 1.0 for it in ("ttft", "tpot"))
    names = {"model": "model", "hw": "gpu", "framework": "backend", "precision": "precision"}
    setup = {to: str(raw[key]) for key, to in names.items() if raw.get(key)}
    setup["tp"] = str(raw["tp"])
    prompt, output = fields.tokens("isl"), fields.tokens("osl")
    return Load(source, line, streams, prompt, output, rate, first, each, setup)
