"""The report as data: what stands where, without a word about how it is drawn.

Texts in blocks are ready to show: numbers carry their units, names are `safe`. A drawer decides
on spaces, colour and escapes of its own format, and on nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tone = Literal["plain", "strong", "dim", "accent"]


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one tone."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Line:
    """Fields side by side, each a row of runs; `end` stands at the right edge (`OK`, `MISSED`)."""

    fields: tuple[tuple[Run, ...], ...]
    end: str = ""

    @property
    def text(self) -> str:
        return "    ".join("".join(run.text for run in runs) for runs in self.fields)


@dataclass(frozen=True, slots=True)
class Headline:
    """What was asked, and what it ran on: one line of `right` a server."""

    title: str
    right: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lines:
    """A paragraph of lines that stay apart."""

    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a whole: `part` is its share, 0..1. `waiting`: nobody worked meanwhile.

    `error`: half of the interval of `value`; in all rows empty where it is small, or not known.
    """

    label: str
    value: str
    share: str
    part: float
    waiting: bool = False
    tone: Tone = "plain"
    error: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Parts of one whole; `title` says of what, and of how much, `brief` where there is no room.

    `note`: a sentence on the whole, below the title.
    """

    title: str
    rows: tuple[Bar, ...]
    brief: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column's head; figures stand at its right."""

    head: str
    right: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under heads. `marked` rows (by index) are drawn in the accent.

    `whole`: no text gives way where the room is short.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Notes:
    """A title and sentences below it: what was assumed, what to beware of."""

    title: str
    items: tuple[str, ...]
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Code:
    """Lines to keep as they are: an excerpt of a file with a caret."""

    text: str


@dataclass(frozen=True, slots=True)
class Foot:
    """Small figures at the end, in groups."""

    groups: tuple[tuple[str, ...], ...]


Block = Headline | Lines | Bars | Table | Notes | Code | Foot


@dataclass(frozen=True, slots=True)
class Document:
    """Blocks in reading order."""

    blocks: tuple[Block, ...]


def line(*texts: str | Run, end: str = "") -> Line:
    """One field made of plain texts and runs."""
    runs = tuple(text if isinstance(text, Run) else Run(text) for text in texts)
    return Line((runs,), end)
