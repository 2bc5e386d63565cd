"""One measured figure of a benchmark, and how the fields of a file become one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from agentsim.errors import Place
from agentsim.importers.text import Source

Kind = Literal["decode", "prefill", "round"]

MOST_ROWS = 20_000
MOST_STREAMS = 100_000
MOST_TOKENS = 1e8
_SLOWEST, _FASTEST = 1e-6, 1e9  # tok/s: beyond these a figure is no measurement


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured in one line of a file.

    kind: `decode`, output of so many streams at once; `prefill`, prompts read one after another;
      `round`, requests of so many streams from prompt to last token.
    streams: how many sequences at once.
    depth: tokens of each that were in the cache before.
    prompt, output: tokens that each read and made meanwhile.
    rate: tok/s of all together: of output, for a `prefill` of input.
    setup: what was measured (`model`, `backend`, ...), by name, as far as the file says.
    table: which table of the file, so that the first row of each is known; section: under which
      heading it stands.
    shared: whether all streams share one prompt.
    """

    place: Place
    kind: Kind
    streams: int
    depth: float
    prompt: float
    output: float
    rate: float
    setup: Mapping[str, str] = field(default_factory=dict, hash=False)
    table: int = 0
    section: int = 0
    shared: bool = False

    @property
    def seconds(self) -> float:
        """The time that is fitted: of a step, of an input token, or of a whole round."""
        if self.kind == "decode":
            return self.streams / self.rate
        return 1.0 / self.rate if self.kind == "prefill" else self.streams * self.output / self.rate

    @property
    def context(self) -> float:
        """Tokens of context of each stream, in the middle of what was measured."""
        made = self.output if self.kind == "decode" else self.prompt
        return self.depth + 0.5 * made

    @property
    def total(self) -> float:
        """Contexts of all streams, of a decode row."""
        if self.shared:
            return self.depth + 0.5 * self.streams * self.output
        return self.streams * self.context

    def told(self, **settings: str) -> Row:
        """The same with settings that its line does not tell itself."""
        return replace(self, setup={**self.setup, **settings})


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one line or object, read as numbers; what is wrong with one is a `Problem`."""

    source: Source
    line: int
    raw: Mapping[str, Any]

    def number(self, key: str, low: float, high: float, what: str) -> float:
        """A finite number within limits, written as a number or as text."""
        value = self.raw.get(key)
        number = math.nan
        if value is None or value == "":
            raise self.source.bad(self.line, f"`{key}` is missing", code="missing-key")
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            try:
                number = float(value)
            except (ValueError, OverflowError):
                number = math.nan
        if not low <= number <= high:
            shown = str(value)[:40]
            told = f"`{key}`: expected {what} from {low:g} to {high:g}; got {shown!r}"
            raise self.source.bad(self.line, told)
        return number

    def tokens(self, key: str) -> float:
        return self.number(key, 0, MOST_TOKENS, "tokens")

    def rate(self, key: str) -> float:
        return self.number(key, _SLOWEST, _FASTEST, "tok/s")

    def seconds(self, key: str) -> float:
        return self.number(key, 1e-9, 1e9, "seconds")

    def streams(self, key: str) -> int:
        number = self.number(key, 1, MOST_STREAMS, "a number of streams")
        if number != int(number):
            raise self.source.bad(self.line, f"`{key}`: {number:g} is no whole number of streams")
        return int(number)
