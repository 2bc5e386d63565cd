"""`sglang.bench_serving --output-file`: a JSON object a run, one on each line.

It has the keys of `vllm bench serve`, written from its documentation. Its rate of requests is the
number Infinity where there is none.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.importers.benchmarks import vllm_bench
from agentsim.importers.rows import Fields, Row
from agentsim.importers.text import Source

NAME = "sglang bench_serving"
ENGINE = ""


def sniff(source: Source) -> bool:
    if not source.objects:
        return False
    raw = source.objects[0][1]
    return vllm_bench.is_run(raw) and "dataset_name" in raw and "tokenizer_id" not in raw


def read(source: Source) -> Iterator[Row]:
    """The rows of each run."""
    for line, raw in source.objects:
        yield from vllm_bench.load(Fields(source, line, raw), "model").rows()
