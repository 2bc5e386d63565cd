"""A cache by slot: each slot of a server keeps the last context that it worked on."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.laws.caches.tree import Node, Tree, lost, shared
from agentsim.laws.prefix import Prefix, State, Use
from agentsim.records import Loss, Why


class SlotCache:
    """docs/model.md, "A call": one context a slot.

    A request takes the free slot whose context begins like its own for longest, of equal ones the
    one that was used longest ago; where none does, an unused one, else that used longest ago.
    What the slot kept beyond the common beginning is gone.
    """

    def __init__(self, slots: int, block: int) -> None:
        if slots < 1 or block < 1:
            raise ValueError("a cache by slot needs 1 slot and a block of 1 token or more")
        self._block = block
        self._tree = Tree()
        self._unused = slots
        """Slots that have not served yet."""
        self._free: dict[int, tuple[Node, int]] = {}
        """What each of the others keeps that is free: a context and how much of it. The one used
        longest ago is first."""
        self._next = 0
        self._busy: dict[int, tuple[Node, int]] = {}
        """What the slots at work have begun with."""

    def lookup(self, prefix: Prefix, now: int) -> int:
        """What the slot holds that a request which gets a slot now would take."""
        return self._best(prefix)[1]

    def take(self, prefix: Prefix) -> int:
        """A request gets its slot: the number of that slot. There is one that is free."""
        slot, hit = self._best(prefix)
        if slot < 0:
            self._unused -= 1
            slot = self._next
            self._next += 1
        else:
            _drop(*self._free.pop(slot), hit, Why.EVICTED)
        self._busy[slot] = (self._tree.leaf(prefix), prefix.total)
        return slot

    def leave(self, slot: int, prefix: Prefix, kept: int) -> None:
        """It gives its slot back, which keeps so much of its context."""
        del self._busy[slot]
        self._free[slot] = (self._tree.leaf(prefix), kept)

    def lost(self, prefix: Prefix, now: int, hit: int) -> Loss | None:
        """What a slot at work holds is not lost: it cannot be had now."""
        leaf, total = self._tree.leaf(prefix), prefix.total
        for own, length in self._busy.values():
            hit = max(hit, shared(own, length, leaf, total))
        return lost(leaf, total, self._block, hit)

    def clear(self, now: int) -> None:
        for own, length in self._free.values():
            _drop(own, length, 0, Why.UNLOADED)
        self._unused += len(self._free)
        self._free.clear()
        self._next = 0

    def _best(self, prefix: Prefix) -> tuple[int, int]:
        """The slot to take (-1: an unused one), and how much of the prompt it holds."""
        leaf, total, block = self._tree.leaf(prefix), prefix.total, self._block
        best, most = -1, 0
        for slot, (own, length) in self._free.items():
            hit = shared(own, length, leaf, total)
            if hit > most:
                best, most = slot, hit
        if best < 0 and not self._unused and self._free:
            best = next(iter(self._free))
        return best, most - most % block

    def use(self, prefix: Prefix, now: int, ready: int, end: int, answered: int = 0) -> None:
        """Its slot is its own until it gives it back."""

    def cut(self, prefix: Prefix, ready: int, planned: int, end: int, answered: int = 0) -> None:
        """See `leave`."""

    def fork(self, old: Prefix, new: Prefix, now: int) -> None:
        """Both begin with the history so far."""
        self._tree.split(old, new)

    def ahead(self, prefix: Prefix, now: int) -> int:
        return -1

    def lead(self, prefix: Prefix, now: int) -> State:
        return ()

    def land(self, prefix: Prefix, now: int) -> None:
        """Nothing is told ahead: whoever has slots is waited for."""

    def back(self, prefix: Prefix, now: int, state: State, uses: Sequence[Use]) -> None:
        """Nothing is told ahead."""


def _drop(leaf: Node, length: int, kept: int, why: Why) -> None:
    """Of a context of so many tokens only the beginning is kept; the rest is gone, and why."""
    node: Node | None = leaf
    while node is not None:
        upto = min(node.upto, length) if node.upto else length
        if upto > node.start:
            node.past = max(node.past, upto)
            if upto > kept:
                node.why = why
        node = node.parent
