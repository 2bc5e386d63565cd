"""What is told of a file: a sentence, and what of the file makes it true.

What a person asked for by an option (`--set rounds=1`, `--vary rounds=0:6`) is not told: they know.
The one place that sees to that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from agentsim.errors import Notice, Weight
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
    Work,
    walk,
)
from agentsim.spec.cast import PARTED
from agentsim.spec.problems import quoted
from agentsim.spec.tree import Path

if TYPE_CHECKING:
    from agentsim.spec.scope import Program


MOST_ALIKE = 200
"""Sentences of one kind: a drawing shows few of them, and nobody reads more."""


class Told(NamedTuple):
    """A sentence, the key that it is of, and what it is true by.

    `by`: the paths of these values; `also`: keys, wherever in the file they stand.
    """

    text: str
    at: Path = ()
    by: tuple[Path, ...] = ()
    also: frozenset[str] = frozenset()

    @property
    def kind(self) -> tuple[str, str]:
        """By which sentences are alike: a part of the file (`steps`), and a key (`retry`)."""
        keys = [part for part in self.at if isinstance(part, str)]
        return (keys[0], keys[-1]) if keys else ("", "")


def few(told: Iterable[Told]) -> list[Notice]:
    """As warnings, each sentence once: of those alike the first, and how many more there are."""
    alike: dict[tuple[str, str], list[str]] = {}
    kinds: dict[str, tuple[str, str]] = {}
    for one in told:
        if one.text not in kinds:
            kinds[one.text] = one.kind
            alike.setdefault(one.kind, []).append(one.text)
    hidden = {text for texts in alike.values() for text in texts[MOST_ALIKE:]}
    found: list[str] = []
    for text, kind in kinds.items():
        if text in hidden:
            continue
        found.append(text)
        more = len(alike[kind]) - MOST_ALIKE
        if more > 0 and text == alike[kind][MOST_ALIKE - 1]:
            on = f" on {quoted(kind[1])}" if kind[1] else ""
            found.append(f"and {more} more{on} like these")
    return [Notice(text, Weight.FILE) for text in found]


def unchosen(told: Iterable[Told], chosen: frozenset[Path]) -> list[Told]:
    """Those that no value of `chosen`, which an option decides, has brought about."""
    keys = {key for path in chosen for key in path if isinstance(key, str)} if chosen else set()
    return [
        one
        for one in told
        if not (one.also & keys or any(_decides(own, path) for path in one.by for own in chosen))
    ]


def _decides(chosen: Path, path: Path) -> bool:
    """Whether a chosen value is the one at `path` or a part of it; not where it is of a step in it.

    A value in a list of steps, or of what an `each` goes through, decides nothing about the list.
    """
    if chosen[: len(path)] != path:
        return False
    rest = chosen[len(path) :]
    return len(rest) < 2 or not isinstance(rest[0], int)


# --- where what a step goes by is written ---------------------------------------------------------


def written(program: Program, rank: int) -> Mapping[Any, Any]:
    """A step as it was written; nothing of a subagent and who is asked, which are none."""
    at = program.by_rank[rank].at
    raw = program.tree.sub(at).value if program.rows[at].rank == rank else None
    return raw if isinstance(raw, dict) else {}


def of_definition(program: Program, kind: str, name: str, *keys: str) -> Iterator[Path]:
    """Where fields of a definition are written: in itself, or in what it is like."""
    left, seen = set(keys), set[str]()
    section = program.cast.file[kind]
    while isinstance(row := section.get(name), dict) and name not in seen:
        seen.add(name)
        for key in sorted(left & row.keys()):
            yield kind, name, key
            left -= set() if key in PARTED else {key}
        like = row.get("like")
        if not isinstance(like, str):
            return
        name = like


def of_step(program: Program, node: Node, *keys: str) -> Iterator[Path]:
    """Where fields that a step goes by are written: in itself, or in whom and what it names."""
    raw = written(program, node.rank)
    for key in keys:
        if raw.get(key) is not None:
            yield program.path_of(node.rank, key)
    left = [key for key in keys if raw.get(key) is None or key in PARTED]
    for kind, name in _named(node, program):
        yield from of_definition(program, kind, name, *left)


def _named(node: Node, program: Program) -> Iterator[tuple[str, str]]:
    """The definitions that a step goes by."""
    match node:
        case Work(tool=tool):
            yield "tools", tool.name
        case Agent(plan=plan):
            yield "agents", plan.name
        case Life(who=who):
            yield "agents", who
        case Call(voice=voice) if voice is not None:
            yield "agents", voice.who
        case Ask(person=person):
            yield "people", program.players.people[person].name
        case Merge(queue=queue):
            yield "queues", tuple(program.players.queues)[queue]
        case Call() | Block() | Fork() | Choose() | Attempts() | Loop():
            pass
        case _:
            raise TypeError(f"{type(node).__name__} does not say whom it names")


RISKS = (
    *("fails", "timeout", "approves", "rejects", "conflict", "ci_fails", "caps", "when"),
    *("loop", "each", "attempts", "or", "retry"),
)
"""Keys by which a step may fail, or leave a verdict that fails what is around it."""


def risks(program: Program, node: Node) -> tuple[Path, ...]:
    """Where it is written that a step, or one in it, may fail."""
    found: dict[Path, None] = {}
    for inner in walk(node):
        keys: tuple[str, ...] = RISKS
        if isinstance(inner, Work) and inner.tool.timeout is not None:
            keys += ("time",)
        if inner.guard.timeout is not None:
            keys += ("time", "wait", "uses")
        if inner is node:  # of its own these are what is told of
            keys = tuple(key for key in keys if key not in ("or", "retry"))
        found.update(dict.fromkeys(of_step(program, inner, *keys)))
    return (*found, ("caps",))
