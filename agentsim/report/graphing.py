"""The boxes of a workflow drawn: as text, as a Mermaid flowchart, as data."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from agentsim.report import json_
from agentsim.report.picture import Box, Group
from agentsim.report.text import name, safe

MOST_TEXT = 500
MOST_MERMAID = 200
MOST_ARROWS = 450  # Mermaid draws 500, and 50,000 letters, unless it is told otherwise
MOST_LETTERS = 48_000

# --- text -------------------------------------------------------------------------------------


def text(root: Box, width: int = 80) -> str:
    """An indented list: numbers stand before steps that follow each other, `*` before branches."""
    lines = [root.title, *_fact_lines(root, width, "  ")]
    for group in root.groups:
        lines += ["", *_group(group, width, "")]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _fact_lines(box: Box, width: int, indent: str) -> list[str]:
    told = "; ".join([*box.facts, *_folded(box)])
    room = max(width, len(indent) + 20)
    return textwrap.wrap(told, room, initial_indent=indent, subsequent_indent=indent)


def _group(group: Group, width: int, indent: str) -> Iterator[str]:
    if group.title:
        yield f"{indent}{group.title}:"
        indent += "  "
    names = [_id(box) for box in group.boxes]
    digits = len(str(len(group.boxes)))
    for i, box in enumerate(group.boxes):
        mark = "*" if group.side_by_side else f"{i + 1:>{digits}}."
        yield f"{indent}{mark} {box.title}{_arrow(box, names)}"
        inner = indent + " " * (len(mark) + 1)
        yield from _fact_lines(box, width, inner + "  ")
        for part in box.groups:
            yield from _group(part, width, inner + "  ")


def _arrow(box: Box, names: Sequence[str]) -> str:
    if box.after is None:
        return ""
    return f"  <- {', '.join(names[i] for i in box.after)}" if box.after else "  <- start"


def _id(box: Box) -> str:
    return name(box.path.rpartition(".")[2])


def _folded(box: Box) -> list[str]:
    if not box.folded:
        return []
    return [f"{box.folded:,} steps inside" if box.folded > 1 else "1 step inside"]


def _before(group: Group, i: int) -> tuple[int, ...]:
    """The positions that the box at `i` waits for; without `after` the one before it."""
    after = group.boxes[i].after
    if after is not None:
        return after
    return (i - 1,) if i and not group.side_by_side else ()


# --- Mermaid ----------------------------------------------------------------------------------

# All else is written as a number, so no text from a file is markup, HTML, Markdown or a directive.
_PLAIN = re.compile(r"[^\W_]|[ .,:()+=/-]")


def escaped(words: str, most: int = 120) -> str:
    """A text for a quoted label of Mermaid."""
    shown = name(safe(words), most)
    return "".join(one if _PLAIN.fullmatch(one) else f"#{ord(one)};" for one in shown)


def mermaid(root: Box) -> str:
    """A flowchart; ids are numbers of our own, texts of the file stand in labels only.

    Raises `ValueError` where Mermaid would not draw it with its own limits.
    """
    drawing = _Flowchart()
    lines = ["flowchart TD", f"  %% {escaped(root.title)}", *drawing.steps(root, "  ")]
    found = "\n".join(lines) + "\n"
    if drawing.arrows > MOST_ARROWS or len(found) > MOST_LETTERS:
        raise ValueError(f"{drawing.arrows:,} arrows and {len(found):,} letters")
    return found


class _Flowchart:
    def __init__(self) -> None:
        self._number = 0
        self.arrows = 0

    def steps(self, box: Box, indent: str) -> Iterator[str]:
        """What stands in a box; its groups are joined in their order."""
        drawn: list[str] = []
        for group in box.groups:
            if not group.title and len(box.groups) == 1:
                yield from self._boxes(group, indent)
                continue
            number = self._next()
            inner = list(self._boxes(group, indent + "  "))
            if inner:
                yield f'{indent}subgraph n{number}["{escaped(group.title)}"]'
                yield from inner
                yield f"{indent}end"
                drawn.append(f"n{number}")
        for before, after in pairwise(drawn):
            yield self._line(indent, before, after)
        if box.back and len(drawn) > 1:
            yield self._line(indent, drawn[-1], drawn[0])

    def _boxes(self, group: Group, indent: str) -> Iterator[str]:
        ids: list[str] = []
        for box in group.boxes:
            ids.append(f"n{self._next()}")
            inner = list(self.steps(box, indent + "  "))
            label = f"{escaped(box.title)}{self._facts(box)}"
            if inner:
                yield f'{indent}subgraph {ids[-1]}["{label}"]'
                yield from inner
                yield f"{indent}end"
            else:
                yield f'{indent}{ids[-1]}["{label}"]'
        for i, own in enumerate(ids):
            for j in _before(group, i):
                yield self._line(indent, ids[j], own)

    def _facts(self, box: Box) -> str:
        facts = [*box.facts, *_folded(box)]
        return "".join(f"<br>{escaped(fact)}" for fact in facts)

    def _line(self, indent: str, before: str, after: str) -> str:
        self.arrows += 1
        return f"{indent}{before} --> {after}"

    def _next(self) -> int:
        self._number += 1
        return self._number


# --- data -------------------------------------------------------------------------------------


def data(root: Box) -> dict[str, Any]:
    """The boxes as a JSON document. `after`: paths that a step waits for."""
    return {**json_.head("graph"), "workflow": root.title, **_inside(root)}


def _inside(box: Box) -> dict[str, Any]:
    return {
        "facts": list(box.facts),
        "folded": box.folded,
        "groups": [
            {
                "title": group.title,
                "side_by_side": group.side_by_side,
                "steps": [_step(group, i) for i in range(len(group.boxes))],
            }
            for group in box.groups
        ],
    }


def _step(group: Group, i: int) -> dict[str, Any]:
    box = group.boxes[i]
    return {
        "path": box.path,
        "kind": box.kind,
        "title": box.title,
        "after": [group.boxes[j].path for j in _before(group, i)],
        **_inside(box),
    }
