"""Two branches in one session at once: an error that can be seen before the run.

A session has one history, so two agents cannot speak in it at the same time. Items of an `each`
open sessions of their own, save where a session of that name is open around them already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

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
    inner_of,
)

InSession = Agent | Call | Life
"""The steps that are in a session."""

Clash = Callable[[str, int, int], None]
"""Told of a session's name, the rank of the step that goes on in it, and of one that may, too."""


def session_of(node: InSession) -> str:
    """The name of the session that a step is in; a copy (`fork`) is one of its own."""
    return node.label if node.session is None or copies(node) else node.session


def copies(node: InSession) -> bool:
    """Whether it opens a session of its own as a copy of the one that it names."""
    return isinstance(node, Agent) and node.fork


@dataclass(slots=True)
class _Touched:
    """Labels by rank: sessions that steps open, and those that they ask for by name."""

    opens: dict[str, int] = field(default_factory=dict)
    asks: dict[str, int] = field(default_factory=dict)

    def add(self, other: _Touched) -> None:
        self.opens.update(other.opens)
        self.asks.update(other.asks)


def check_sessions(root: Block, clash: Clash) -> None:
    """Reports every pair of steps that may be in one session at once."""
    _Checker(clash).visit(root, {})


class _Checker:
    def __init__(self, clash: Clash) -> None:
        self._clash = clash
        self._seen: dict[int, _Touched] = {}

    def visit(self, node: Node, opened: Mapping[str, int]) -> None:
        """`opened`: the sessions that stand open before this node, with the rank of who opened."""
        match node:
            case Block(steps=steps, needs=needs):
                if needs is not None:
                    self._graph(node)
                before = dict(opened)
                for step in steps:
                    self.visit(step, before)
                    touched = self._touched(step)
                    before |= touched.opens | touched.asks
            case Loop(body=body, between=between):
                rounds = self._touched(body)
                before = {**opened, **rounds.opens, **rounds.asks}
                for part in (body, between):
                    if part is not None:
                        self.visit(part, before)
            case Fork(items=None, branches=branches):
                self._side_by_side(branches)
                for branch in branches:
                    self.visit(branch, opened)
            case Life(body=body):
                self.visit(body, {**opened, session_of(node): node.rank})
            case Attempts() | Merge() | Choose():
                for inner in inner_of(node):
                    self.visit(inner, opened)
            case Fork():
                self._items(node, opened)
                for branch in node.branches:
                    self.visit(branch, opened)
            case Agent() | Call() | Work() | Ask():
                pass
            case _:
                raise TypeError(f"{type(node).__name__} does not say what it has side by side")

    def _side_by_side(self, branches: tuple[Node, ...]) -> None:
        touched = [self._touched(branch) for branch in branches]
        asked = {label for one in touched for label in one.asks}
        for label in sorted(asked):
            by = [t for t in touched if label in t.asks or label in t.opens]
            if len(by) > 1:
                asking = next(t for t in reversed(by) if label in t.asks)
                other = next(t for t in by if t is not asking)
                self._clash(label, asking.asks[label], {**other.asks, **other.opens}[label])

    def _items(self, node: Fork, opened: Mapping[str, int]) -> None:
        if node.items is None or node.items < 2 or node.limit == 1:
            return
        for branch in node.branches:
            touched = self._touched(branch)
            for label, rank in touched.asks.items():
                if label in opened and label not in touched.opens:
                    self._clash(label, rank, opened[label])

    def _graph(self, node: Block) -> None:
        """Steps of a graph of needs that no chain of needs keeps apart."""
        touched = [self._touched(step) for step in node.steps]
        if not any(one.asks for one in touched):
            return
        before = _before(node.needs or ())
        for i, one in enumerate(touched):
            for label, rank in one.asks.items():
                for j, other in enumerate(touched):
                    apart = before[i] >> j & 1 or before[j] >> i & 1 or i == j
                    if not apart and (label in other.asks or label in other.opens):
                        self._clash(label, rank, {**other.asks, **other.opens}[label])

    def _touched(self, node: Node) -> _Touched:
        found = self._seen.get(id(node))
        if found is None:
            found = self._seen[id(node)] = self._look(node)
        return found

    def _look(self, node: Node) -> _Touched:
        if isinstance(node, Agent | Call):
            if node.session is None or copies(node):
                return _Touched(opens={node.label: node.rank})
            return _Touched(asks={node.session: node.rank})
        found = _Touched()
        for inner in inner_of(node):
            found.add(self._touched(inner))
        if isinstance(node, Life):
            name = session_of(node)
            found.asks.pop(name, None)  # of itself
            (found.opens if node.session is None else found.asks)[name] = node.rank
        if isinstance(node, Attempts):
            for branch in node.fork.branches:  # those of the picked one stay
                found.opens.update(self._touched(branch).opens)
        if isinstance(node, Fork) and node.items is not None:
            found.asks = {k: v for k, v in found.asks.items() if k not in found.opens}
            found.opens = {}
        return found


def _before(needs: tuple[tuple[int, ...], ...]) -> list[int]:
    """For each step the steps that are done before it, as bits."""
    found = [0] * len(needs)
    for i in TopologicalSorter(dict(enumerate(needs))).static_order():
        for j in needs[i]:
            found[i] |= found[j] | 1 << j
    return found
