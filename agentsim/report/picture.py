"""A workflow as boxes: what each step does, what stands in it, what it waits for.

Made from the compiled graph by `inner_of`, so a node of a new kind is drawn without a line here; a
row of `graph_words` lets it say more of itself.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from agentsim.errors import Problem, Problems
from agentsim.graph import Block, Fork, Graph, Node, inner_of
from agentsim.report import graph_words, show
from agentsim.report.text import name, safe

LARGE = 30  # boxes in a body that is repeated for items: beyond that it is one box with a count


@dataclass(frozen=True, slots=True)
class Group:
    """Boxes in one part of a step: one after another, or side by side. `title`: which part."""

    title: str
    boxes: tuple[Box, ...]
    side_by_side: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """One step. `after`: positions in its group that it waits for; None: for the one before it.

    `back`: after its last group comes its first again. `folded`: how many boxes stand in it that
    are not shown.
    """

    path: str
    kind: str
    title: str
    facts: tuple[str, ...] = ()
    after: tuple[int, ...] | None = None
    groups: tuple[Group, ...] = ()
    back: bool = False
    folded: int = 0


def picture(graph: Graph) -> Box:
    """The whole workflow as one box, its steps inside."""
    root = _Boxes(graph).box(graph.root)
    return replace(root, title=safe(graph.name))


class _Boxes:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def box(self, node: Node, after: tuple[int, ...] | None = None) -> Box:
        step = self._graph.steps[node.rank]
        words = graph_words.of(node, step, self._graph)
        return Box(
            path=step.path,
            kind=step.kind,
            title=words.title,
            facts=words.facts,
            after=after,
            groups=tuple(self._groups(node, words.parts)),
            back=words.back,
        )

    def _groups(self, node: Node, titles: tuple[str, ...]) -> Iterator[Group]:
        """What stands in a node under its own name is a part of its step; the rest are steps."""
        if isinstance(node, Block):
            yield self._list(node)
            return
        inner = inner_of(node)
        own = [part for part in inner if part.rank == node.rank]
        if isinstance(node, Fork) and node.items is not None:
            own = own[:1]  # bodies of items are alike but for the item: the first stands for all
        groups = [group for part in own for group in self._groups(part, ())]
        if others := tuple(self.box(part) for part in inner if part.rank != node.rank):
            groups.append(Group("", others, side_by_side=len(others) > 1))
        for i, group in enumerate(groups):
            yield replace(group, title=titles[i] if i < len(titles) else "")

    def _list(self, block: Block) -> Group:
        needs = block.needs or (None,) * len(block.steps)
        boxes = (self.box(step, after) for step, after in zip(block.steps, needs, strict=True))
        return Group("", tuple(boxes))


def count(box: Box) -> int:
    """How many boxes stand in a box."""
    return sum(1 + count(inner) for group in box.groups for inner in group.boxes)


def cut(box: Box, depth: int) -> Box:
    """The box with so many levels of steps; what lies deeper is only counted."""
    if not depth:
        inside = count(box) + box.folded
        return replace(box, groups=(), folded=inside) if inside else box
    return _each_inner(box, lambda inner: cut(inner, depth - 1))


def without_large(box: Box) -> Box:
    """The box with large bodies of items counted only: of each of them all are alike."""
    if box.kind == "each" and count(box) > LARGE:
        return cut(box, 0)
    return _each_inner(box, without_large)


def _each_inner(box: Box, change: Callable[[Box], Box]) -> Box:
    groups = (
        replace(group, boxes=tuple(change(inner) for inner in group.boxes)) for group in box.groups
    )
    return replace(box, groups=tuple(groups))


def part_of(box: Box, path: str) -> Box:
    """The step at a path. Raises `Problems` with the nearest path where there is none."""
    known: dict[str, Box] = {}
    for inner in _all(box):
        known.setdefault(inner.path, inner)
    if path in known:
        return known[path]
    near = difflib.get_close_matches(path, known, n=1)
    paths = ", ".join(name(one) for one in list(known)[:8])
    hint = f"did you mean {name(near[0])!r}?" if near else f"there are: {paths}"
    raise Problems([Problem("unknown-name", f"there is no step {name(path)!r}", hint=hint)])


def _all(box: Box) -> Iterator[Box]:
    for group in box.groups:
        for inner in group.boxes:
            yield inner
            yield from _all(inner)


def too_large(box: Box, most: int, form: str) -> str:
    """Why a picture is larger than anybody reads, or a tool draws, and how to see a part of it.

    Empty where it is not.
    """
    boxes = count(box)
    if boxes <= most:
        return ""
    depth = next((n for n in range(20, 0, -1) if count(cut(box, n)) <= most), 0)
    shown = show.plural(count(cut(box, depth)), "box", "boxes")
    fits = f"`--depth {depth}` shows {shown}, " if depth else ""
    return (
        f"the picture would have {boxes:,} boxes; as {form} at most {most} are drawn: "
        f"{fits}`--step PATH` one step and what is in it, `-f json` holds all"
    )
