"""`when` that holds always, or never, by the chances of the steps before it: told, with its line.

What can never hold, whatever the chances, is an error (`unmet`). A chance may be a param, and
another tomorrow: so this is a warning, as of a branch at 0 %.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentsim.graph import Graph, Node, walk
from agentsim.spec.before import missing
from agentsim.spec.problems import quoted
from agentsim.spec.told import Told, written
from agentsim.spec.tree import Path

if TYPE_CHECKING:
    from agentsim.spec.scope import Program

_BY = frozenset({"approves", "rejects", "fails", "timeout", "or", "loop", "each", "attempts"})
"""Keys by which a verdict may come to be, or not."""

_WORD = re.compile(r"[\"']?(yes|no|true|false)\b", re.IGNORECASE)


def vain_whens(graph: Graph, program: Program) -> Iterator[Told]:
    """A sentence each, in the order of the steps; nothing where a step could not be read."""
    yield from _written_out(program)
    if not program.whole or program.unread or not any(it.guard.when for it in walk(graph.root)):
        return
    found = missing(graph.root, by_chance=True)
    for rank, node in sorted({**found.whens, **found.others}.items()):
        what = " or ".join(quoted(verdict.label) for verdict in node.guard.when)
        if rank in found.whens:
            text = f"it never runs, since no step before it has a chance to leave {what}"
        else:
            text = "`when` does nothing, since the steps before it leave nothing else"
        yield _told(node, text, program)


def _told(node: Node, text: str, program: Program) -> Told:
    at = program.path_of(node.rank, "when")
    return Told(f"{node.path} ({program.line(at)}): {text}", at, (at,), _BY)


def _written_out(program: Program) -> Iterator[Told]:
    """`when: yes` and `when: no` as such: what an expression gives is a switch."""
    for row in sorted(program.rows.values(), key=lambda row: row.rank):
        value = written(program, row.rank).get("when")
        at = (*row.at, "when")
        if value not in (True, False, "yes", "no"):
            continue
        if _is_written_out(program, at):
            text = "`when: yes` does nothing: it runs in any case"
            if value in (False, "no"):
                text = "it never runs, since it says `when: no`"
            yield Told(f"{row.path} ({program.line(at)}): {text}", at, (at,))


def _is_written_out(program: Program, at: Path) -> bool:
    """Whether the word stands in the file that is run, not an expression or an alias."""
    place = program.tree.place(at)
    lines = program.tree.lines
    if place.file != program.tree.file or place.line > len(lines):
        return False
    return _WORD.match(lines[place.line - 1][place.column - 1 :]) is not None
