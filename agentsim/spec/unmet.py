"""Steps that wait for what nothing before them gives: told before the run, each at its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from agentsim.errors import Problem
from agentsim.graph import (
    Agent,
    Attempts,
    Block,
    Call,
    Fork,
    Loop,
    Merge,
    Node,
    Work,
    inner_of,
    walk,
)
from agentsim.records import Verdict
from agentsim.spec.before import Asking, missing
from agentsim.spec.problems import nearest, quoted
from agentsim.spec.sessions import InSession, copies
from agentsim.spec.told import Told

if TYPE_CHECKING:
    from agentsim.spec.scope import Program

_HINTS = {
    Verdict.REJECTED: "`rejected` ends the run, so no step can follow it",
}
_NO_REVIEW = "give a step before it `approves:`, or a tool `fails:`"


def check_unmet(root: Block, program: Program, told: set[int]) -> list[Told]:
    """Reports what can never be; returns what a person should know besides.

    `told`: ranks of steps whose session is a problem already.
    """
    found = missing(root)
    for rank, node in found.whens.items():
        verdicts = node.guard.when
        what = " or ".join(quoted(verdict.label) for verdict in verdicts)
        message = f"{quoted(node.path)} never runs: no step before it can leave {what} to it"
        hint = next((_HINTS[one] for one in verdicts if one in _HINTS), _NO_REVIEW)
        if Verdict.FAILED in verdicts:
            hint = _failed_hint(root, node, program)
        program.report(Problem("never-runs", message, program.place_of(rank, "when"), hint))
    return [*_sessions(root, found, program, told), *_readers(root, found, program)]


def _failed_hint(root: Block, node: Node, program: Program) -> str:
    """Names the step before it that would have to go on after a failure: the nearest that can fail.

    A tool that fails or a timeout is meant rather than a request that may outgrow its context.
    """
    before = list(_before(root, node))
    meant = next(filter(_declares_failure, before), None)
    tries = next((one for one in before if isinstance(one, Attempts)), None)
    if meant is None and tries is not None:
        return _hint_of_attempts(tries, program)
    meant = meant or next((one for one in before if isinstance(one, Agent | Call)), None)
    if meant is None:
        return "no step before it can fail: give a tool `fails:`, or a step a `timeout`"
    line = program.line(program.path_of(meant.rank))
    return f"a step that fails ends its list: add `or: go on` to {quoted(meant.path)} ({line})"


def _hint_of_attempts(tries: Attempts, program: Program) -> str:
    """Attempts fail no list; the picked one may hand on what its last step left."""
    why = "attempts never fail, and where each of them did they leave no verdict"
    steps = [one for body in tries.fork.branches for one in reversed(inner_of(body))]
    meant = next(filter(_declares_failure, steps), None)
    if meant is None:
        return f"{why}: end their `do` with a tool that `fails:`, with `or: go on`"
    line = program.line(program.path_of(meant.rank))
    return (
        f"{why}: add `or: go on` to {quoted(meant.path)} ({line}), so that the picked one "
        "hands on `failed`"
    )


def _before(root: Node, node: Node) -> Iterator[Node]:
    """Steps that stand before one, in its own list first, each time from the nearest."""
    if root is node:
        return
    within = inner_of(root)
    for i, inner in enumerate(within):
        if any(one is node for one in walk(inner)):
            yield from _before(inner, node)
            if isinstance(root, Block):
                yield from reversed(within[:i])
            return


def _declares_failure(node: Node) -> bool:
    """Whether a step may fail its list by what is written in it, and does not go on then."""
    if node.guard.go_on:
        return False
    if node.guard.timeout is not None:
        return True
    match node:
        case Work(tool=tool):
            return (tool.says and tool.fails > 0.0) or tool.timeout is not None
        case Loop(failed_fail=False):
            return False
        case Attempts(pick=pick):  # one that fails stops nobody
            return pick is not None and _declares_failure(pick)
        case Merge(rework=None):
            return True
        case _:  # whatever kind: `inner_of` knows them all
            return any(map(_declares_failure, inner_of(node)))


def _sessions(root: Block, found: Asking, program: Program, told: set[int]) -> Iterator[Told]:
    """A session that no other step names is a typing error where a name is near."""
    steps = [node for node in walk(root) if isinstance(node, InSession)]
    opened = {node.label for node in steps if node.session is None or copies(node)}
    pairs = {(node.rank, name): node for node in steps if (name := node.session) is not None}
    names = Counter(name for _, name in pairs)
    ranks = Counter(rank for rank, _ in pairs)
    often = {name for name, count in names.items() if count > 1}
    fixes = _fixes(root)
    for (rank, name), node in pairs.items():
        is_met = name in opened and rank not in found.sessions
        if names[name] > 1 or ranks[rank] > 1 or is_met or rank in told:
            continue
        place, at = program.place_of(rank, "session"), program.path_of(rank, "session")
        alone = f"{node.path} ({program.line(at)}): no other step is in the session {quoted(name)}"
        who = quoted(node.path)
        if name in opened:
            message = f"{who} comes before the session {quoted(name)} is open"
            hint = (
                "the step that opens it comes later, or in an item of an `each`: "
                "go on after it, or leave `session` out"
            )
            program.report(Problem("not-open", message, place, hint))
            continue
        before = {other for one, other in pairs if one < rank}
        near = nearest(name, (opened | often | before) - {name})
        if near is not None:
            message = f"no other step opens or names the session {quoted(name)} of {who}"
            hint = f"did you mean {quoted(near)}? Without `session` a step opens its own"
            program.report(Problem("unknown-name", message, place, hint))
        elif rank in found.sessions:
            yield Told(f"{alone}, so it opens a new one, as it would without `session`", at)
        elif rank in fixes and name != node.label:
            yield Told(f"{alone}, so its first round opens one, in which it goes on", at)


def _fixes(root: Block) -> set[int]:
    """Steps between rounds: these go on in the writer's session, others often in their own."""
    loops = (node for node in walk(root) if isinstance(node, Loop))
    between = (loop.between for loop in loops if loop.between is not None)
    return {node.rank for steps in between for node in walk(steps)}


def _readers(root: Block, found: Asking, program: Program) -> Iterator[Told]:
    """Reading what nobody wrote or said takes no time: right, but hardly meant."""
    for rank, ask in found.answers.items():
        at = program.path_of(rank, "reads")
        text = "`reads: answer` reads nothing, since no agent or call comes before it"
        yield Told(f"{ask.path} ({program.line(at)}): {text}", at)
    in_items = set(_in_items(root.steps, False)) if found.changes else set()
    for rank, node in found.changes.items():
        at = program.path_of(rank, "reads")
        why = "nothing before it writes lines"
        if rank in in_items:
            why = "nothing before it in its item writes lines (those written outside do not count)"
        text = f"`reads: changes` reads nothing, since {why}"
        yield Told(f"{node.path} ({program.line(at)}): {text}", at)


def _in_items(steps: Iterable[Node], inside: bool) -> Iterator[int]:
    for node in steps:
        if inside:
            yield node.rank
        is_each = isinstance(node, Fork) and node.items is not None
        yield from _in_items(inner_of(node), inside or is_each)
