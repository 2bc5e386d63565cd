"""What a load test of a whole server says: rows of requests from prompt to last token.

Under load, a time to the first token is mostly waiting, and a time per token holds other people's
prompts; neither is a law's. So a test with one request at a time gives a row of reading and one of
making, and a test with more gives whole rounds: B requests that read one after another and then
make their output together. A test at a given rate of requests says not how many ran at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agentsim.errors import Problems
from agentsim.importers.rows import Row
from agentsim.importers.text import Source

ALONE = 0.1  # requests in flight on average up to which they hardly ever meet


@dataclass(frozen=True, slots=True)
class Load:
    """One run of a load test. prompt, output: tokens of a request on average; rate: output tok/s.

    first, each: seconds to the first token and for each other one; read only of one stream.
    """

    source: Source
    line: int
    streams: int
    prompt: float
    output: float
    rate: float
    first: float
    each: float
    setup: Mapping[str, str]

    def rows(self) -> Iterator[Row]:
        """Reading and making, of one stream; of several, a round."""
        place = self.source.place(self.line)
        if self.output <= 1 or self.prompt < 1:
            told = f"{self.prompt:g} tokens in and {self.output:g} out: too few to tell a speed"
            raise self.source.bad(self.line, told)
        if self.streams > 1:
            yield Row(
                place, "round", self.streams, 0, self.prompt, self.output, self.rate, self.setup
            )
            return
        speed = self.prompt / self.first
        yield Row(place, "prefill", 1, 0, self.prompt, 0, speed, self.setup)
        yield Row(place, "decode", 1, self.prompt, 0, self.output, 1.0 / self.each, self.setup)


def open_loop(source: Source, line: int, what: str) -> Problems:
    """That a test says not how many requests ran at once."""
    message = f"measured {what}: that says not how many requests ran at once"
    hint = "give a run with a fixed number of requests at once (concurrency)"
    return source.bad(line, message, hint)


def finished(source: Source, line: int, done: float, asked: float) -> None:
    """Raises `Problems` where so many requests failed that the speed is not that of the load."""
    if 20 * done < 19 * asked:
        told = [str(it)[:12].removesuffix(".0") for it in (done, asked)]
        message = f"only {told[0]} of {told[1]} requests were answered"
        raise source.bad(line, message, "give a run in which requests do not fail")
