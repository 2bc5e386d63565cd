"""A document as text for a terminal: 80 columns, ASCII only but for what names hold.

Without colour there is not one escape in it. With colour there are few: the answer is bold, what
was assumed is dim, and one accent marks what bound the run.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType
from typing import Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from agentsim.report import blocks
from agentsim.report.blocks import Document, Line, Run
from agentsim.report.text import columns, name

WIDTH = 80
LONGEST_BAR = 40  # columns of a bar that is the whole
SHORTEST = 8  # columns that a text of a table keeps in a narrow terminal
WORK, WAIT = "#", ":"
STYLES = MappingProxyType({"plain": "", "strong": "bold", "dim": "dim", "accent": "cyan"})

_HELD = "\ue000"  # a blank at which no line ends
_TRAILING = re.compile(r"[ ]+(?=\n|$)")


def draw(document: Document, width: int = WIDTH, colour: bool = False) -> str:
    """The whole document as text that ends with a line feed; no line has blanks at its end."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=max(width, 40),
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
    for number, block in enumerate(document.blocks):
        if number and not _joined(block):
            console.print()
        for part in _DRAWERS[type(block)](block, console.width):
            console.print(part, soft_wrap=_is_whole(block))
    return _TRAILING.sub("", out.getvalue())


def _is_whole(block: blocks.Block) -> bool:
    """Lines that are never broken: an excerpt, a table that is not cut."""
    return isinstance(block, blocks.Code) or (isinstance(block, blocks.Table) and block.whole)


def _joined(block: blocks.Block) -> bool:
    """An excerpt stands close below what it shows."""
    return isinstance(block, blocks.Code)


def _headline(block: blocks.Headline, width: int) -> Iterator[RenderableType]:
    title = Text(block.title, "bold")
    first, rest = block.right[:1], block.right[1:]
    used = columns(block.title) + sum(map(columns, first)) + 2
    if first and used <= width:
        gap = " " * (width - used + 2)
        yield Text.assemble(title, gap, first[0])
    else:
        yield title
        rest = block.right
    for text in rest:  # set by hand: a console that prints one text forgets where it stands
        yield Text(" " * max(0, width - columns(text)) + text)


def _lines(block: blocks.Lines, width: int) -> Iterator[RenderableType]:
    for each in block.lines:
        if len(each.fields) == 1 or columns(each.text) <= width - 2:
            yield from _fields(each, width)
        else:
            for field in each.fields:
                yield from _fields(Line((field,)), width)


def _fields(each: Line, width: int) -> Iterator[RenderableType]:
    text = Text()
    for i, runs in enumerate(each.fields):
        text.append("    " if i else "")
        for run in runs:
            text.append_text(_run(run))
    if each.end:
        room = width - 2 - columns(each.text) - columns(each.end)
        text.append(" " * max(2, room)).append(each.end, "bold")
    if columns(text.plain) <= width - 2:
        yield Padding(text, (0, 0, 0, 2))
        return
    # set in, so that what goes on is not taken for a line of its own
    for i, part in enumerate(_wrapped(text, width - 4)):
        yield Padding(part, (0, 0, 0, 4 if i else 2))


def _wrapped(text: Text, width: int) -> list[Text]:
    """In lines of so many columns; a figure and its ` %` stay together."""
    text.plain = text.plain.replace(" %", f"{_HELD}%")
    lines = list(text.wrap(Console(width=width, _environ={}), width))
    for line in lines:
        line.plain = line.plain.replace(_HELD, " ")
        line.rstrip()
    return lines


def _run(run: Run) -> Text:
    return Text(run.text, STYLES[run.tone])


def _bars(block: blocks.Bars, width: int) -> Iterator[RenderableType]:
    key = f"{WORK} work  {WAIT} waiting" if any(row.waiting for row in block.rows) else ""
    title = block.title
    if block.brief and columns(title) + (columns(key) + 2 if key else 0) > width:
        title = block.brief
    gap = width - columns(title) - columns(key)
    if key and gap >= 2:
        yield Text.assemble((title, "bold"), " " * gap, (key, "dim"))
    else:
        yield Text(title, "bold")
    if block.note:
        yield from _paragraph(block.note, width, "dim")
    cells = [_bar_cells(row, any(it.error for it in block.rows)) for row in block.rows]
    grid = _grid()
    for right in (False, *[True] * (len(cells[0]) - 1)):
        grid.add_column(justify="right" if right else "left", no_wrap=True, overflow="ellipsis")
    grid.add_column(no_wrap=True, overflow="crop")
    taken = sum(max(map(columns, column)) + 2 for column in zip(*cells, strict=True))
    largest = max(row.part for row in block.rows)
    scale = min(LONGEST_BAR, max(0, width - 2 - taken) / largest if largest > 0 else 0)
    for row, texts in zip(block.rows, cells, strict=True):
        length = max(1, round(row.part * scale)) if row.part > 0 else 0
        bar = _styled((WAIT if row.waiting else WORK) * length, STYLES[row.tone])
        grid.add_row(*map(Text, texts), bar)
    yield Padding(grid, (0, 0, 0, 2), expand=False)


def _bar_cells(row: blocks.Bar, errors: bool) -> tuple[str, ...]:
    return (row.label, row.value, *([row.error] if errors else []), row.share)


def _styled(text: str, style: str) -> Text:
    """A cell whose style ends with its text: a base style would colour the blanks behind it."""
    return Text.assemble((text, style))


def _grid() -> Grid:
    return Grid.grid(padding=(0, 2, 0, 0), pad_edge=False)


def _table(block: blocks.Table, width: int) -> Iterator[RenderableType]:
    """Rows drawn by hand, since no figure may be cut: names give way first, with `...`."""
    if block.title:
        yield Text(block.title, "bold")
    heads = block.columns
    hang = bool(heads[0].head) and not heads[0].right
    indent = "" if hang else "  "
    rows = [("  " * hang + cells[0], *cells[1:]) for cells in block.rows]
    remarks = _remarks(heads, rows, width - len(indent))
    if remarks:
        heads, rows = heads[:-1], [cells[:-1] for cells in rows]
    widths = _natural(heads, rows) if block.whole else _widths(heads, rows, width - len(indent))
    if any(column.head for column in heads):
        yield _cells([column.head for column in heads], heads, widths, indent, "bold")
    for i, cells in enumerate(rows):
        style = STYLES["accent"] if i in block.marked else ""
        yield _cells(cells, heads, widths, indent, style)
        if remarks and remarks[i]:
            yield from _paragraph(f"  {remarks[i]}", width, style)
    for note in block.notes:
        yield from _paragraph(note, width, "dim")


def _remarks(heads: Sequence[blocks.Column], rows: Sequence[Sequence[str]], room: int) -> list[str]:
    """What stands in a last column without a head, if it must go below the rows to be read."""
    if heads[-1].head or heads[-1].right or _fits(_natural(heads, rows), room):
        return []
    return [cells[-1] for cells in rows]


def _fits(widths: Sequence[int], room: int) -> bool:
    return sum(widths) + 2 * (len(widths) - 1) <= room


def _natural(heads: Sequence[blocks.Column], rows: Sequence[Sequence[str]]) -> list[int]:
    cells = [[column.head for column in heads], *rows]
    return [max(map(columns, column)) for column in zip(*cells, strict=True)]


def _widths(heads: Sequence[blocks.Column], rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Columns of each column, two blanks between them; texts are narrowed until all have room."""
    widths = _natural(heads, rows)
    texts = [i for i, column in enumerate(heads) if not column.right]
    while not _fits(widths, room):
        widest = max(texts, key=lambda i: widths[i], default=None)
        if widest is None or widths[widest] <= SHORTEST:
            break
        widths[widest] -= 1
    return widths


def _cells(
    cells: Sequence[str],
    heads: Sequence[blocks.Column],
    widths: Sequence[int],
    indent: str,
    style: str,
) -> Text:
    """One line of a table. The style ends with each text: it would colour the blanks behind it."""
    text = Text(indent)
    for i, (cell, column, width) in enumerate(zip(cells, heads, widths, strict=True)):
        lead = cell[: len(cell) - len(cell.lstrip())]
        shown = cell if columns(cell) <= width else lead + name(cell, width - len(lead))
        blanks = " " * (width - columns(shown))
        text.append("  " if i else "").append(blanks if column.right else "")
        text.append(shown, style).append("" if column.right else blanks)
    return text


def _notes(block: blocks.Notes, width: int) -> Iterator[RenderableType]:
    style = STYLES[block.tone]
    if block.title:
        yield Text(block.title, style or "bold")
    for item in block.items:
        yield from _paragraph(item, width, style)


def _paragraph(text: str, width: int, style: str) -> Iterator[RenderableType]:
    """Wrapped with the lines that follow set in, so that one item is seen as one."""
    first, *more = _wrapped(Text(text), width - 4) or [Text(text)]
    yield Text("  " + first.plain, style)
    for line in more:
        yield Text("    " + line.plain.strip(), style)


def _code(block: blocks.Code, width: int) -> Iterator[RenderableType]:
    yield Text(textwrap.indent(block.text, "  "))


def _foot(block: blocks.Foot, width: int) -> Iterator[RenderableType]:
    groups = [", ".join(group) for group in block.groups]
    whole = " | ".join(groups)
    for text in [whole] if columns(whole) <= width else groups:
        yield from _packed(text, width)


def _packed(text: str, width: int) -> Iterator[Text]:
    """On one line, or more that are set in; none is broken before a comma where that can be."""
    if columns(text) <= width:
        yield Text(text, "dim")
        return
    shown = ""
    for piece in text.split(", "):
        if shown and columns(f"{shown}, {piece},") > width:
            yield Text(f"{shown},", "dim")
            shown = f"  {piece}"
        else:
            shown = f"{shown}, {piece}" if shown else piece
    yield Text(shown, "dim")


_DRAWERS: MappingProxyType[type, Callable[[Any, int], Iterator[RenderableType]]] = MappingProxyType(
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
