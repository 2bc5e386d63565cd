"""A document as Markdown for a pull request or an issue.

Names come from files: what Markdown or HTML would read as markup is escaped, so that `<script>`,
a pipe or a backtick is shown and does nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from agentsim.report import blocks
from agentsim.report.blocks import Document, Run

_MARKUP = re.compile(r"([\\`*_\[\]|~$])")
_HTML = MappingProxyType({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_SPOTS = re.compile(r"(@|://|(?<=www)\.|#(?=\d))", re.IGNORECASE)
_BLOCK = re.compile(r"^(\d*)([-+#.)])(?=\s)")  # a list or a heading, at the start of a line
_COMMAND = re.compile(r"`([^`]*)`")
_CELLS = 20  # steps of a bar


def draw(document: Document) -> str:
    """The whole document; blocks are set apart by blank lines."""
    parts = [_DRAWERS[type(block)](block) for block in document.blocks]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str) -> str:
    """`text` so that it is shown as it is: no markup, no HTML, no link, no mention of anybody."""
    plain = "".join(_HTML.get(letter, letter) for letter in text)
    quiet = _SPOTS.sub(lambda found: f"{found[0]}<!-- -->", _MARKUP.sub(r"\\\1", plain))
    return _BLOCK.sub(r"\1\\\2", quiet)


def _headline(block: blocks.Headline) -> str:
    lines = [f"### {escape(block.title)}"]
    if block.right:
        lines += ["", "<br>".join(escape(text) for text in block.right)]
    return "\n".join(lines)


def _lines(block: blocks.Lines) -> str:
    told = []
    for line in block.lines:
        fields = " · ".join("".join(_run(run) for run in runs) for runs in line.fields)
        told.append(f"{fields} **{escape(line.end)}**" if line.end else fields)
    return "<br>\n".join(told)


def _run(run: Run) -> str:
    inner = run.text.strip()
    if run.tone not in {"strong", "accent"} or not inner:
        return escape(run.text)
    before, _, after = run.text.partition(inner)
    return f"{before}**{escape(inner)}**{after}"


def _bars(block: blocks.Bars) -> str:
    largest = max((row.part for row in block.rows), default=0.0)
    errors = any(row.error for row in block.rows)
    rows = [
        (
            *(row.label, row.value, *([row.error] if errors else []), row.share),
            *(_bar(row, largest), "waiting" if row.waiting else ""),
        )
        for row in block.rows
    ]
    heads = (blocks.Column(block.title), *[blocks.Column("", True)] * (2 + errors))
    columns = (*heads, blocks.Column(""), blocks.Column(""))
    if not any(row.waiting for row in block.rows):
        columns, rows = columns[:-1], [cells[:-1] for cells in rows]
    grid = _grid(columns, rows)
    return f"{grid}\n\n{escape(block.note)}" if block.note else grid


def _bar(row: blocks.Bar, largest: float) -> str:
    length = max(1, round(row.part / largest * _CELLS)) if row.part > 0 and largest > 0 else 0
    return ("░" if row.waiting else "█") * length


def _table(block: blocks.Table) -> str:
    parts = [f"**{escape(block.title)}**"] if block.title else []
    parts.append(_grid(block.columns, block.rows))
    parts += [escape(note) for note in block.notes]
    return "\n\n".join(parts)


def _grid(columns: tuple[blocks.Column, ...], rows: Any) -> str:
    lines = [
        _row([escape(column.head) for column in columns]),
        _row(["--:" if column.right else "---" for column in columns]),
        *(_row([escape(cell) for cell in cells]) for cells in rows),
    ]
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _notes(block: blocks.Notes) -> str:
    items = "\n".join(f"- {_commands(item.removeprefix('- '))}" for item in block.items)
    return f"**{_commands(block.title)}**\n\n{items}"


def _commands(text: str) -> str:
    """Our own sentences put commands in backticks; whatever else has one is escaped."""
    pieces = []
    at = 0
    for found in _COMMAND.finditer(text):
        pieces += [escape(text[at : found.start()]), f"`{found[1]}`"]
        at = found.end()
    return "".join([*pieces, escape(text[at:])])


def _code(block: blocks.Code) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", block.text)), default=0))
    return f"{fence}text\n{block.text}\n{fence}"


def _foot(block: blocks.Foot) -> str:
    return f"<sub>{' · '.join(escape(', '.join(group)) for group in block.groups)}</sub>"


_DRAWERS: MappingProxyType[type, Callable[[Any], str]] = MappingProxyType(
    {
        blocks.Headline: _headline,
        blocks.Lines: _lines,
        blocks.Bars: _bars,
        blocks.Table: _table,
        blocks.Notes: _notes,
        blocks.Code: _code,
        blocks.Foot: _foot,
    }
)
