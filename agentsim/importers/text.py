"""Files of other tools as text: read within limits, and cut into JSON, CSV or Markdown tables.

Nothing in such a file is trusted: it may be huge, cut off, or no text at all. All that is wrong is
a `Problem` with the file and the line.
"""

from __future__ import annotations

import csv
import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from agentsim.errors import Place, Problem, Problems

MOST_BYTES = 64 << 20  # a detailed result of some 10,000 requests; longer ones hold texts
MOST_LINES = 400_000
_HINT = "give the file that the benchmark tool wrote, as it is"
_SPACE = re.compile(r"[\s,\[\]]*")


@dataclass(frozen=True)
class Source:
    """A file as it was named, and its text."""

    file: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def place(self, line: int) -> Place:
        """Of a line, counted from 1."""
        return Place(self.file, line, 1)

    def bad(self, line: int, message: str, hint: str = _HINT, code: str = "bad-value") -> Problems:
        """One problem, to be raised."""
        return Problems([Problem(code, message, self.place(line), hint)])

    @cached_property
    def objects(self) -> list[tuple[int, dict[str, Any]]]:
        """(line, object) of JSON: one object, a list of them, or one a line. Empty if it is none.

        Raises `Problems` where it begins as JSON and is not.
        """
        if not self.text.lstrip().startswith(("{", "[{", "[\n", "[ ", "[\r")):
            return []
        return list(self._objects())

    def _objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        text, at, line, counted = self.text, 0, 1, 0
        decoder = json.JSONDecoder()  # NaN and Infinity are no figures to any reader
        while True:
            found = _SPACE.match(text, at)
            at = found.end() if found else at
            if at >= len(text):
                return
            line += text.count("\n", counted, at)
            counted = at
            try:
                value, at = decoder.raw_decode(text, at)
            except json.JSONDecodeError as fault:
                raise self.bad(fault.lineno, f"this is no JSON: {fault.msg}") from None
            except (ValueError, RecursionError) as fault:
                why = "nested too deep" if isinstance(fault, RecursionError) else str(fault)
                raise self.bad(line, f"this JSON cannot be read: {why}") from None
            if not isinstance(value, dict):
                raise self.bad(line, "expected objects, as a benchmark tool writes them")
            yield line, value

    def csv(self) -> Iterator[tuple[int, dict[str, str]]]:
        """(line, row by head) of a file of values with commas whose first line names them."""
        reader = csv.reader(self.lines, strict=True)
        try:
            heads = [head.strip() for head in next(reader)]
            for cells in reader:
                if not any(cells):
                    continue
                if len(cells) != len(heads):
                    told = f"{len(cells)} values under {len(heads)} names"
                    raise self.bad(reader.line_num, f"{told}: is the line cut off?")
                yield reader.line_num, dict(zip(heads, map(str.strip, cells), strict=True))
        except csv.Error as fault:
            raise self.bad(reader.line_num, f"this line cannot be read: {fault}") from None

    def tables(self) -> Iterator[Grid]:
        """The Markdown tables, in order."""
        section, above, fenced = 0, 0, False
        at = 0
        while at < len(self.lines):
            line = self.lines[at]
            if line.lstrip().startswith("```"):
                fenced = not fenced
            if not fenced and re.match(r"#{1,6}\s+\S", line):
                section = at + 1
            if not _is_row(line):
                at += 1
                continue
            first = at
            while at < len(self.lines) and _is_row(self.lines[at]):
                at += 1
            heads = _cells(line)
            rows = [(n + 1, _cells(self.lines[n])) for n in range(first + 1, at)]
            rows = [row for row in rows if set("".join(row[1])) - set("-: ")]
            yield Grid(heads, rows, section, above, first)
            above = at


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: its heads, its rows by line, the line of the heading above it (0: none).

    Between the indices `after` and `start` stand the lines between the table above and this one.
    """

    heads: list[str]
    rows: list[tuple[int, list[str]]]
    section: int
    after: int
    start: int

    def whole(self, source: Source) -> Iterator[tuple[int, dict[str, str]]]:
        """Its rows by head; raises `Problems` for one that is cut off."""
        for line, cells in self.rows:
            if len(cells) != len(self.heads):
                told = f"{len(cells)} cells under {len(self.heads)} heads"
                raise source.bad(line, f"{told}: is the row cut off?")
            yield line, dict(zip(self.heads, cells, strict=True))


def _is_row(line: str) -> bool:
    text = line.strip()
    return len(text) > 1 and text.startswith("|") and not text.startswith("||")


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def read(path: str) -> Source:
    """The text of a file, within limits; raises `Problems`."""
    shown = path if path.isprintable() else ascii(path)
    place = Place(shown, 0, 0)

    def stopped(code: str, message: str, hint: str = _HINT) -> Problems:
        return Problems([Problem(code, message, place, hint)])

    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            what = "a folder" if os.path.isdir(path) else "no regular file"
            raise stopped("file-unreadable", f"{shown!r} is {what}")
        with Path(path).open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise stopped("file-missing", f"no file {shown!r}") from None
    except (OSError, ValueError) as fault:
        why = (fault.strerror if isinstance(fault, OSError) else "") or str(fault)
        raise stopped("file-unreadable", f"cannot read {shown!r}: {why}") from None
    if len(data) > MOST_BYTES:
        told = f"a file of results has at most {MOST_BYTES >> 20} MiB"
        raise stopped("file-too-large", told, "leave out the texts: write it without details")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as fault:
        line = data[: fault.start].count(b"\n") + 1
        place = Place(shown, line, 1)
        raise stopped("bad-encoding", f"not UTF-8 text: byte {data[fault.start]:#04x}") from None
    if text.count("\n") >= MOST_LINES:
        raise stopped("file-too-large", f"a file of results has at most {MOST_LINES:,} lines")
    return Source(shown, text)
