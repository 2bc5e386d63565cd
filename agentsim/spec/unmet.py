"""Steps that wait for what nothing before them gives: told before the run, each at its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from agentsim.errors import Problem
from agentsim.graph import Agent, Block, Call, Fork, Node
from agentsim.records import Verdict
from agentsim.spec.before import Missing, missing
from agentsim.spec.exact import inner_of, walk
from agentsim.spec.problems import nearest, quoted

if TYPE_CHECKING:
    from agentsim.spec.scope import Program

_HINTS = {
    Verdict.REJECTED: "`rejected` ends the run, so no step can follow it",
    Verdict.FAILED: "a step that fails ends its list, save with `or: go on`",
}
_NO_REVIEW = "give a step before it `approves:`, or a tool `fails:`"


def check_unmet(root: Block, program: Program, told: set[int]) -> list[str]:
    """Reports what can never be; returns what a person should know besides.

    `told`: ranks of steps whose session is a problem already.
    """
    found = missing(root)
    for rank, node in found.whens.items():
        verdicts = node.guard.when
        what = " or ".join(quoted(verdict.label) for verdict in verdicts)
        message = f"{quoted(node.path)} never runs: no step before it can leave {what} to it"
        hint = next((_HINTS[one] for one in verdicts if one in _HINTS), _NO_REVIEW)
        program.report(Problem("never-runs", message, program.place_of(rank, "when"), hint))
    return [*_sessions(root, found, program, told), *_changes(root, found, program)]


def _sessions(root: Block, found: Missing, program: Program, told: set[int]) -> Iterator[str]:
    """A session that no other step names is a typing error where a name is near."""
    steps = [node for node in walk(root) if isinstance(node, Agent | Call)]
    opened = {node.label for node in steps if node.session is None}
    pairs = {(node.rank, name): node for node in steps if (name := node.session) is not None}
    names = Counter(name for _, name in pairs)
    ranks = Counter(rank for rank, _ in pairs)
    often = {name for name, count in names.items() if count > 1}
    for (rank, name), node in pairs.items():
        is_met = name in opened and rank not in found.sessions
        if names[name] > 1 or ranks[rank] > 1 or is_met or rank in told:
            continue
        place = program.place_of(rank, "session")
        who = quoted(node.path)
        if name in opened:
            message = f"{who} comes before the session {quoted(name)} is open"
            hint = (
                "the step that opens it comes later, or in an item of an `each`: "
                "go on after it, or leave `session` out"
            )
            program.report(Problem("not-open", message, place, hint))
            continue
        before = {other for at, other in pairs if at < rank}
        near = nearest(name, (opened | often | before) - {name})
        if near is not None:
            message = f"no other step opens or names the session {quoted(name)} of {who}"
            hint = f"did you mean {quoted(near)}? Without `session` a step opens its own"
            program.report(Problem("unknown-name", message, place, hint))
        elif rank in found.sessions:
            yield (
                f"{node.path} (line {place.line}): no other step is in the session "
                f"{quoted(name)}, so it opens a new one, as it would without `session`"
            )


def _changes(root: Block, found: Missing, program: Program) -> Iterator[str]:
    """Reading what nobody wrote takes no time: right, but hardly meant."""
    in_items = set(_in_items(root.steps, False)) if found.changes else set()
    for rank, node in found.changes.items():
        line = program.place_of(rank, "reads").line
        why = "nothing before it writes lines"
        if rank in in_items:
            why = "nothing before it in its item writes lines (those written outside do not count)"
        yield f"{node.path} (line {line}): `reads: changes` reads nothing, since {why}"


def _in_items(steps: Iterable[Node], inside: bool) -> Iterator[int]:
    for node in steps:
        if inside:
            yield node.rank
        is_each = isinstance(node, Fork) and node.items is not None
        yield from _in_items(inner_of(node), inside or is_each)
