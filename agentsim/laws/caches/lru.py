"""A cache by size: so many tokens of all sessions; what was used longest ago goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from heapq import heappop, heappush

from agentsim.laws.caches.tree import Node, Tree, lost
from agentsim.laws.prefix import Prefix, State, Use
from agentsim.records import Loss, Why

_FOREVER = 1 << 62


class _Told:
    """A request at work, as it was told."""

    __slots__ = ("answered", "cut", "leaf", "over", "read", "total")

    def __init__(self, leaf: Node, total: int, answered: int) -> None:
        self.leaf = leaf
        self.total = total
        self.answered = answered
        self.read = self.cut = self.over = False


class LruCache:
    """docs/model.md, "A call": a budget in tokens; shared blocks count once.

    An entry is a block, or a session's own history. It is used when a request that sends it starts
    (as the cache is told), has been read and ends. What is used by a request at work goes last; of
    one context what stands further back goes first. An entry of which not all fits into the budget
    is not taken up; `tails`: as much of it as fits, and of what goes only so much as has to.
    """

    def __init__(self, capacity: int, block: int, answers: bool, tails: bool) -> None:
        if capacity < 1 or block < 1:
            raise ValueError("a cache needs a capacity and a block of 1 token or more")
        self._capacity = capacity
        self._block = block
        self._answers = answers
        self._tails = tails
        self._tree = Tree()
        self._size = 0
        self._idle: OrderedDict[Node, None] = OrderedDict()
        """What is held and in use by nobody, that of the oldest use first."""
        self._busy: OrderedDict[Node, None] = OrderedDict()
        self._told: dict[Node, _Told] = {}
        self._coming: list[tuple[int, int, bool, _Told]] = []
        self._seq = 0

    def lookup(self, prefix: Prefix, now: int) -> int:
        """What is held from the front on without a gap."""
        self._come(now)
        leaf = self._tree.leaf(prefix)
        hit, node = leaf.held, leaf.parent
        while node is not None:
            if node.held < node.upto:
                hit = node.held
            node = node.parent
        hit = min(hit, prefix.total)
        return hit - hit % self._block

    def use(self, prefix: Prefix, now: int, ready: int, end: int, answered: int = 0) -> None:
        """A request sends it from now on; what is told of later happens when its time has come."""
        self._come(now)
        leaf = self._tree.leaf(prefix)
        told = self._told[leaf] = _Told(leaf, prefix.total, answered)
        node: Node | None = leaf
        while node is not None:
            node.users += 1
            self._idle.pop(node, None)
            self._touch(node)
            node = node.parent
        if ready <= now:
            self._read(told)
        else:
            self._await(ready, False, told)
        if end < _FOREVER:
            self._await(end, True, told)

    def cut(self, prefix: Prefix, ready: int, planned: int, end: int, answered: int = 0) -> None:
        """It ended now: neither what was not read nor what was to be answered is taken up."""
        told = self._told.get(self._tree.leaf(prefix))
        if told is None or told.over:
            return  # it came to its end at this instant
        told.cut = True  # what happens up to now does, save its end as it was planned
        self._come(end)
        told.answered = answered
        self._end(told)

    def lost(self, prefix: Prefix, now: int, hit: int) -> Loss | None:
        return lost(self._tree.leaf(prefix), prefix.total, self._block, hit)

    def clear(self, now: int) -> None:
        self._come(now)
        while self._idle:
            node, _ = self._idle.popitem()
            node.past, node.why = max(node.past, node.held), Why.UNLOADED
            node.held = node.start
        self._size = 0

    def fork(self, old: Prefix, new: Prefix, now: int) -> None:
        """Both go on from the same entry, which counts once; a fork is a use of it."""
        self._come(now)
        node: Node | None = self._tree.split(old, new)
        if node is not None:
            leaf = self._tree.leaf(old)
            if leaf.held == leaf.start:
                self._idle.pop(leaf, None)
                self._busy.pop(leaf, None)
        while node is not None:
            self._touch(node)
            node = node.parent

    def ahead(self, prefix: Prefix, now: int) -> int:
        """Whoever else sends a prompt until then may push it out."""
        return -1

    def lead(self, prefix: Prefix, now: int) -> State:
        """No second use is told ahead of its time: see `ahead`."""
        return ()

    def land(self, prefix: Prefix, now: int) -> None:
        """Nothing was told ahead."""

    def back(self, prefix: Prefix, now: int, state: State, uses: Sequence[Use]) -> None:
        """Nothing was told ahead."""

    def _await(self, when: int, ends: bool, told: _Told) -> None:
        self._seq += 1
        heappush(self._coming, (when, self._seq, ends, told))

    def _come(self, now: int) -> None:
        """What was told of times up to now has happened."""
        coming = self._coming
        while coming and coming[0][0] <= now:
            _, _, ends, told = heappop(coming)
            if told.over or (ends and told.cut):
                continue
            if ends:
                self._end(told)
            else:
                self._read(told)

    def _read(self, told: _Told) -> None:
        """The prompt has been read: it is held, and what no longer fits is not."""
        told.read = True
        self._hold(told.leaf, told.total)

    def _end(self, told: _Told) -> None:
        """The request is over: its context is in use by one less, and was used now."""
        told.over = True
        leaf: Node = told.leaf
        if self._told.get(leaf) is told:
            del self._told[leaf]
        if told.read:
            self._grow(leaf, told.total + (told.answered if self._answers else 0))
        node: Node | None = leaf
        while node is not None:
            node.users -= 1
            if not node.users:
                self._busy.pop(node, None)
            self._touch(node)
            node = node.parent
        self._drop()

    def _hold(self, leaf: Node, total: int) -> None:
        self._grow(leaf, total)
        node: Node | None = leaf
        while node is not None:
            self._touch(node)
            node = node.parent
        self._drop()

    def _grow(self, leaf: Node, total: int) -> None:
        """Take up so many tokens of a context, as far as they fit into the budget at all."""
        node: Node | None = leaf
        while node is not None:
            upto = min(node.upto, total) if node.upto else total
            if upto > self._capacity:
                node.past, node.why = max(node.past, upto), Why.TOO_LARGE
                upto = self._capacity if self._tails else node.held
            if upto > node.held:
                self._size += upto - node.held
                node.held = upto
            node = node.parent

    def _touch(self, node: Node) -> None:
        """It was used last of all. A context is walked from its end, so that this goes first."""
        order = self._busy if node.users else self._idle
        if node in order:
            order.move_to_end(node)
        elif node.held > node.start:
            order[node] = None

    def _drop(self) -> None:
        """Until what is held fits."""
        over = self._size - self._capacity
        while over > 0:
            order = self._idle or self._busy
            node: Node = next(iter(order))
            size = node.held - node.start
            node.past, node.why = max(node.past, node.held), Why.EVICTED
            if self._tails and size > over:
                size = over
            else:
                del order[node]
            node.held -= size
            self._size -= size
            over -= size
