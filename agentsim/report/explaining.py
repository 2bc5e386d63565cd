"""What `explain` says: the codes of problems, or one of them with its two examples."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from agentsim.report.blocks import Block, Code, Column, Document, Headline, Notes, Table
from agentsim.report.json_ import head, whole
from agentsim.report.terminal import WIDTH
from agentsim.report.text import safe
from agentsim.spec.explained import Example, Explanation
from agentsim.spec.problems import visible


def listing(all_: Iterable[Explanation], width: int | None = None) -> Document:
    """All codes with what they mean: a line each, or as many as it takes in so many columns."""
    every = list(all_)
    room = None if width is None else width - 4 - max((len(it.code) for it in every), default=0)
    rows: list[tuple[str, str]] = []
    for it in every:
        lines = [it.means] if room is None else textwrap.wrap(it.means, max(20, room))
        rows += zip((it.code, *[""] * (len(lines) - 1)), lines, strict=True)
    notes = ("agentsim explain CODE shows one with an example",)
    heads = (Column("CODE"), Column("MEANING"))
    return Document((Table("", heads, tuple(rows), notes=notes, whole=True),))


def shown(it: Explanation) -> Document:
    """One code: what it means, why it is refused, a wrong file and the right one."""
    blocks: list[Block] = [Headline(it.code), Notes("", (it.means, it.why))]
    for title, example in (("Wrong", it.wrong), ("Right", it.right)):
        for what, text in _parts(example):
            blocks += [Notes(f"{title}{what}", ()), Code(text)]
    return Document(tuple(blocks))


def _parts(example: Example) -> Iterator[tuple[str, str]]:
    """(what it is, text): the command alone, one file alone, or several by name."""
    if len(example.files) != 1:
        yield "", _command(example.run)
    for name, text in example.files.items():
        yield (f", {safe(name)}" if len(example.files) > 1 else ""), _plain(text)


def _command(text: str) -> str:
    """A command in lines that a shell reads as one, broken before an option."""
    first, *options = text.split(" --")
    lines = [first]
    for option in options:
        if len(lines[-1]) + len(option) + 5 > WIDTH - 4:
            lines[-1] += " \\"
            lines.append(f"  --{option}")
        else:
            lines[-1] += f" --{option}"
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Lines as they are, with an escape for what a terminal would not show."""
    return "\n".join(visible(row) for row in text.rstrip("\n").split("\n"))


def list_data(all_: Iterable[Explanation]) -> dict[str, Any]:
    """All codes as JSON."""
    return {**head("codes"), "codes": {it.code: it.means for it in all_}}


def data(it: Explanation) -> dict[str, Any]:
    """One code as JSON."""
    examples = {
        name: {"run": example.run, "files": dict(example.files)}
        for name, example in (("wrong", it.wrong), ("right", it.right))
    }
    told = {**head("code"), "code": it.code, "means": it.means, "why": it.why, **examples}
    return whole(told)
