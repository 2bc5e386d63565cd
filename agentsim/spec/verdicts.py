"""Which steps say a verdict; verdicts that nothing reads, and loops that cannot approve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agentsim.graph import (
    Agent,
    Ask,
    Attempts,
    Block,
    Call,
    Choose,
    Fork,
    Life,
    Loop,
    Merge,
    Node,
    Says,
    Work,
    inner_of,
    walk,
)
from agentsim.spec.problems import quoted


def says_of(node: Node) -> Says | None:
    """What a step says, where it says anything."""
    return node.says if isinstance(node, Call | Agent | Life | Work | Ask) else None


def speaks(node: Node) -> bool:
    """Whether a step itself leaves a verdict."""
    return says_of(node) is not None or (isinstance(node, Work) and node.tool.says)


class Note(NamedTuple):
    """What a person should know of a step; `key`: the one that it is about."""

    node: Node
    key: str
    text: str


def verdict_notes(root: Block) -> list[Note]:
    """What a person should know about the verdicts of a run."""
    return [*_endless(root), *_unheeded(root.steps, is_read=False)]


def _endless(root: Node) -> Iterator[Note]:
    for node in walk(root):
        if not isinstance(node, Loop) or node.rounds < 2 or _can_approve(node.body):
            continue
        if any(_can_say_no(inner) for inner in walk(node.body)):
            runs = f"all {node.rounds} are run" if node.within is None else "they fill its time"
            text = f"its rounds can fail or ask for changes but never approve, so {runs}"
            yield Note(node, "loop", text)


def _can_approve(node: Node) -> bool:
    """Whether a step in here can say `approved`."""
    return any(_approves(inner) for inner in walk(node))


def _approves(node: Node) -> bool:
    says = says_of(node)
    if says is not None:
        return says.can_approve
    return isinstance(node, Work) and node.tool.says and node.tool.fails < 1.0


def _can_say_no(node: Node) -> bool:
    """Asks for changes, rejects or fails by chance."""
    says = says_of(node)
    if says is not None and says.can_ask:
        return True
    return _fails_by_chance(node)


def _fails_by_chance(node: Node) -> bool:
    return isinstance(node, Work) and (node.tool.fails > 0.0 or node.tool.timeout is not None)


def _can_fail(node: Node) -> bool:
    """A tool that fails by chance, or a step that is cut by its time."""
    return node.guard.timeout is not None or _fails_by_chance(node)


def _unheeded(steps: Sequence[Node], is_read: bool) -> Iterator[Note]:
    """Steps whose `changes`, or whose `failed` in a loop, nothing reads.

    `is_read`: whether what stands at the end is read.

    From the end backwards: a `when` reads what stands before it, a verdict hides it.
    """
    found: list[Note] = []
    hides: Node | None = None
    for node in reversed(steps):
        found[:0] = _inside(node, is_read)
        if hides is not None and node.guard.go_on and any(map(_can_fail, walk(node))):
            found.insert(0, _hidden(node, hides))
        if node.guard.when:
            is_read, hides = True, None
        elif any(map(speaks, walk(node))):
            hides = node if is_read else hides
            is_read = False
    yield from found


def _hidden(node: Node, by: Node) -> Note:
    """A failure that the loop would have read, had not a step after it said something else."""
    text = (
        f"after it failed, {quoted(by.path)} gives its own verdict before anything reads `failed`, "
        "so the round may count as approved; without `or: go on` a failure ends the round"
    )
    return Note(node, "or", text)


def _inside(node: Node, is_read: bool) -> Iterator[Note]:
    match node:
        case Loop(body=body, between=between):
            yield from _unheeded(body.steps, is_read=True)
            if between is not None:
                yield from _unheeded(between.steps, is_read=False)
        case Block(steps=steps):
            yield from _unheeded(steps, is_read)
        case Life(body=body):
            yield from _unheeded(body.steps, is_read or node.says is not None)
        case Fork() | Choose() | Attempts() | Merge():
            for inner in inner_of(node):
                yield from _inside(inner, is_read)
        case Call() | Agent() | Work() | Ask():
            says = says_of(node)
            if says is not None and not is_read and says.can_ask:
                what = "review" if isinstance(node, Agent) else "verdict"
                text = (
                    f"nothing reads its {what}, so after `changes` the run goes on as after "
                    "`approved`; a loop or `when: changes` would"
                )
                yield Note(node, "approves", text)
        case _:
            raise TypeError(f"{type(node).__name__} does not say who reads its verdicts")
