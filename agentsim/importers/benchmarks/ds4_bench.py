"""`ds4-bench` of ds4: CSV, a row a context. Its server takes one request at a time.

A row reads the last `prefill_tokens` of a context and then makes `gen_tokens` behind it. The file
names neither model nor machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.importers.rows import Fields, Row
from agentsim.importers.text import Source

NAME = "ds4-bench"
ENGINE = "ds4"


def sniff(source: Source) -> bool:
    return source.text.startswith("ctx_tokens,prefill_tokens,prefill_tps")


def read(source: Source) -> Iterator[Row]:
    """Two rows a line: of reading up to the context, and of making behind it."""
    for line, raw in source.csv():
        fields = Fields(source, line, raw)
        context, prompt = fields.tokens("ctx_tokens"), fields.tokens("prefill_tokens")
        if prompt > context:
            raise source.bad(line, f"reads {prompt:g} tokens of a context of {context:g}")
        place = source.place(line)
        if prompt:
            yield Row(place, "prefill", 1, context - prompt, prompt, 0, fields.rate("prefill_tps"))
        if output := fields.tokens("gen_tokens"):
            yield Row(place, "decode", 1, context, 0, output, fields.rate("gen_tps"))
