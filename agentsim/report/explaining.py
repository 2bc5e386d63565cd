"""What `explain` says: the codes of problems, or one of them with its two examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agentsim.report.blocks import Block, Code, Column, Document, Headline, Notes, Table
from agentsim.report.json_ import head, whole
from agentsim.report.text import safe
from agentsim.spec.explained import Example, Explanation
from agentsim.spec.problems import visible


def listing(all_: Iterable[Explanation]) -> Document:
    """All codes with one line each."""
    rows = tuple((it.code, it.means) for it in all_)
    notes = ("agentsim explain CODE shows one with an example",)
    return Document(
        (Table("", (Column("CODE"), Column("MEANING")), rows, notes=notes, whole=True),)
    )


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
        yield "", example.run
    for name, text in example.files.items():
        yield (f", {safe(name)}" if len(example.files) > 1 else ""), _plain(text)


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
