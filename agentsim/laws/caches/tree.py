"""Contexts as paths in a tree: what two of them share is the path that they have in common.

A node is one named prompt block after those before it, or a session's own history behind them.
"""

from __future__ import annotations

from agentsim.laws.prefix import Name, Prefix
from agentsim.records import Loss, Why


class Node:
    """Tokens `start` to `upto` of all contexts that pass through it; 0 = a history, which grows.

    held: tokens from the front of the context up to which the node is held (`start`: none of it).
    past: up to where it has been held at any time; why: for what reason what is missing was lost.
    users: requests at work whose context passes through it.
    """

    __slots__ = ("held", "parent", "past", "start", "upto", "users", "why")

    def __init__(self, parent: Node | None, upto: int) -> None:
        start: int = 0 if parent is None else parent.upto
        self.parent = parent
        self.start: int = start
        self.upto: int = upto
        self.held: int = start
        self.past: int = start
        self.why = Why.EVICTED
        self.users = 0


class Tree:
    """The nodes of one cache. Histories belong to their prefixes, blocks to all that send them."""

    def __init__(self) -> None:
        self._blocks: dict[Name, Node] = {}
        self._mark = object()

    def leaf(self, prefix: Prefix) -> Node:
        """The history of a prefix, at the end of its blocks; looked up once."""
        held = prefix.held
        if held is not None and held[0] is self._mark:
            found: Node = held[1]
            return found
        node: Node | None = None
        for name, upto in prefix.names():
            if upto:
                node = self._block(name, node, upto)
        leaf = Node(node, 0)
        prefix.held = (self._mark, leaf)
        return leaf

    def _block(self, name: Name, parent: Node | None, upto: int) -> Node:
        node = self._blocks.get(name)
        if node is None:
            node = self._blocks[name] = Node(parent, upto)
        return node

    def split(self, old: Prefix, new: Prefix) -> Node | None:
        """`new` is a copy of the session of `old`: the history so far becomes a block of both.

        The block, or None where there is nothing to split: no history yet, or split here before.
        """
        leaf, at = self.leaf(old), old.total
        name, upto = new.names()[-2] if len(new.names()) > 1 else ("", 0)
        if upto != at or at <= leaf.start or name in self._blocks:
            return None
        block = self._blocks[name] = Node(leaf.parent, at)
        block.held, block.past = min(leaf.held, at), min(leaf.past, at)
        block.users, block.why = leaf.users, leaf.why
        leaf.parent, leaf.start = block, at
        leaf.held, leaf.past = max(leaf.held, at), max(leaf.past, at)
        return block


def lost(leaf: Node, total: int, block: int, hit: int) -> Loss | None:
    """What of a context of so many tokens has been held at any time, beyond `hit`."""
    past, why = max(leaf.held, leaf.past), leaf.why
    node = leaf.parent
    while node is not None:
        own = max(node.held, node.past)
        if own < node.upto:
            past, why = own, node.why
        elif node.held < node.upto:
            why = node.why
        node = node.parent
    past = min(past, total)
    past -= past % block
    return Loss(past - hit, -1, why) if past > hit else None


def shared(one: Node, length: int, other: Node, total: int) -> int:
    """Tokens that two contexts of those lengths, the ends of two paths, begin with alike."""
    least = min(length, total)
    here: Node | None = one
    there: Node | None = other
    while here is not there:
        # on a path from the root each node starts later than the one before
        if here is None or there is None:
            return 0
        if here.start > there.start:
            here = here.parent
        elif there.start > here.start:
            there = there.parent
        else:
            here, there = here.parent, there.parent
    if here is None:
        return 0
    return min(least, here.upto) if here.upto else least
