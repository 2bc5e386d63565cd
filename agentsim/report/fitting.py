"""What `hw fit` says: each measured row beside what the fitted profile makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from agentsim.analysis.fitted import Fitted, FittedRow
from agentsim.report import csv_, json_, show
from agentsim.report.blocks import Block, Column, Document, Headline, Notes, Table
from agentsim.report.text import safe

KINDS = {"decode": "Decoding", "prefill": "Reading prompts", "round": "Requests from end to end"}
_HEADS = ("row", "streams", "depth", "read", "made", "measured tok/s", "fitted", "error")


def document(found: Fitted, target: str | None) -> Document:
    """A table for each kind of row, then what to beware of."""
    where = f"written: {safe(target)}" if target else "not written: -o FILE writes it"
    blocks: list[Block] = [Headline(f"Fitted from {', '.join(found.tools)}", (where,))]
    blocks += _tables(found)
    if found.warnings:
        blocks.append(Notes("beware", tuple(safe(it) for it in found.warnings)))
    return Document(tuple(blocks))


def _tables(found: Fitted) -> Iterator[Table]:
    names = _names({row.file for row in found.rows})
    for what, title in KINDS.items():
        rows = [row for row in found.rows if row.what == what]
        if not rows:
            continue
        errors = found.errors(what)
        told = f"{title}: mean error {_share(sum(errors) / len(errors))}" if errors else title
        told += f", at most {_share(max(errors))}" if errors else ""
        marked = frozenset(i for i, row in enumerate(rows) if row.left_out)
        columns = tuple(Column(head, head != "row") for head in _HEADS)
        cells = tuple(_cells(row, names[row.file]) for row in rows)
        notes = ("* left out of the fit",) if marked else ()
        yield Table(told, columns, cells, marked, notes)


def _names(files: set[str]) -> dict[str, str]:
    """What stands before a line: its file, by the last part of its path if that tells it."""
    if len(files) == 1:
        return dict.fromkeys(files, "line ")
    last = {file: safe(file.replace("\\", "/").rpartition("/")[2]) for file in files}
    alike = len(set(last.values())) < len(last)
    return {file: f"{safe(file) if alike else name}:" for file, name in last.items()}


def _cells(row: FittedRow, name: str) -> tuple[str, ...]:
    where = f"{name}{row.line}"
    error = f"{100.0 * row.error:+.1f} %" + (" *" if row.left_out else "")
    tokens = (show.tokens(it) if it else "-" for it in (row.depth, row.prompt, row.output))
    rates = (_rate(row.measured), _rate(row.predicted))
    return (where, str(row.streams), *tokens, *rates, error)


def _rate(value: float) -> str:
    """Four digits: the error that stands behind it is told to a tenth of a percent."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _share(value: float) -> str:
    return f"{100.0 * value:.1f} %"


def data(found: Fitted) -> dict[str, Any]:
    """For JSON: the profile's text, every row, and the mean and largest error of each kind."""
    kinds = {what: found.errors(what) for what in KINDS}
    return json_.whole(
        {
            **json_.head("fit"),
            "tools": found.tools,
            "errors": {
                what: {"rows": len(it), "mean": sum(it) / len(it), "most": max(it)}
                for what, it in kinds.items()
                if it
            },
            "rows": [asdict(row) for row in found.rows],
            "warnings": found.warnings,
            "profile": found.text,
        }
    )


def csv(found: Fitted) -> str:
    """A row a measured row."""
    return csv_.table(asdict(row) for row in found.rows)
