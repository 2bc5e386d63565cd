"""Results of benchmark tools, one file a format, and the table of them.

A reader has a `NAME`, the `ENGINE` that its tool is a part of ("" where it measures any), and
`sniff(source)`, whether a file is (or holds) its own; `read(source)` gives the rows or raises
`Problems`. A file may hold results of several tools.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from agentsim.importers import text
from agentsim.importers.benchmarks import (
    aiperf,
    ds4_bench,
    guidellm,
    inference_perf,
    inferencemax,
    llama_batched_bench,
    llama_bench,
    llama_benchy,
    sglang_bench,
    vllm_bench,
)
from agentsim.importers.rows import MOST_ROWS, Row


class Reader(Protocol):
    """A module of this room."""

    NAME: str
    ENGINE: str

    def sniff(self, source: text.Source) -> bool: ...
    def read(self, source: text.Source) -> Iterator[Row]: ...


READERS: tuple[Reader, ...] = (
    llama_bench,
    llama_batched_bench,
    ds4_bench,
    llama_benchy,
    vllm_bench,
    sglang_bench,
    inferencemax,
    aiperf,
    guidellm,
    inference_perf,
)
NAMES = tuple(reader.NAME for reader in READERS)


def read(path: str) -> tuple[list[Row], list[str]]:
    """The rows of a file, and which tools wrote it; raises `Problems`."""
    source = text.read(path)
    readers = [reader for reader in READERS if reader.sniff(source)]
    if not readers:
        message = "no result of a benchmark tool that is known here"
        hint = f"known are: {', '.join(NAMES)}"
        raise source.bad(1, message, hint, "other-kind")
    rows = [
        row.told(tool=it.NAME, **({"engine": it.ENGINE} if it.ENGINE else {}))
        for it in readers
        for row in islice(it.read(source), MOST_ROWS + 1)
    ]
    if not rows:
        raise source.bad(1, "there is no measured row in it")
    if len(rows) > MOST_ROWS:
        raise source.bad(1, f"more than {MOST_ROWS:,} rows", code="file-too-large")
    return rows, [it.NAME for it in readers]
