"""Prefix caches: one file a kind, one row a kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from agentsim.laws.caches.lru import LruCache
from agentsim.laws.caches.none import NoCache
from agentsim.laws.caches.slot import SlotCache
from agentsim.laws.caches.ttl import TtlCache
from agentsim.laws.prefix import Prefix, State, Use
from agentsim.records import Loss


class Cache(Protocol):
    """What a server remembers of the prompts that it has read. Times are whole nanoseconds.

    A request is told by `use` when it starts, where its times are known then, or when its prompt
    has been read, to end at `FOREVER`; `cut` tells the end where it was not the one told.
    """

    def lookup(self, prefix: Prefix, now: int) -> int:
        """How many of the prefix's first tokens need not be read by a request that starts now."""

    def use(self, prefix: Prefix, now: int, ready: int, end: int, answered: int = 0) -> None:
        """A request uses the prefix from now to `end`, and has read it at `ready`.

        answered: tokens of its answer that stay in the session and stand before the first thing
        dropped (0 where it thought first and thinking is not kept).
        """

    def cut(self, prefix: Prefix, ready: int, planned: int, end: int, answered: int = 0) -> None:
        """A request told by `use` to end at `planned` ended at `end`, having answered so much.

        Where that is before `ready` nothing of its prompt is kept.
        """

    def lost(self, prefix: Prefix, now: int, hit: int) -> Loss | None:
        """What beyond the `hit` that `lookup` has just found was held before; None: nothing."""

    def clear(self, now: int) -> None:
        """The model has left memory, and with it all that was held. No request is at work."""

    def fork(self, old: Prefix, new: Prefix, now: int) -> None:
        """`new` is a copy of the session of `old`, as long as that is now."""

    def ahead(self, prefix: Prefix, now: int) -> int:
        """`lookup` at an instant yet to come; -1 where what others do until then may change it."""

    def lead(self, prefix: Prefix, now: int) -> State:
        """Uses of the prefix from the last one on are told ahead of their time."""

    def land(self, prefix: Prefix, now: int) -> None:
        """The time has come up with them."""

    def back(self, prefix: Prefix, now: int, state: State, uses: Sequence[Use]) -> None:
        """Not all that was told ahead came to pass: from `lead` on only these uses did."""


FOREVER = 1 << 62
"""The end of a use that is not known yet (nanoseconds)."""


class Keeps(NamedTuple):
    """What a cache keeps; each kind takes what it has a use for.

    ttl: nanoseconds. block: hits are whole multiples of so many tokens. answers: answers are kept
    too. capacity: tokens. tails: only so much of an entry goes as has to. slots: of the server.
    """

    ttl: int
    block: int
    answers: bool
    capacity: int
    tails: bool
    slots: int


def cache_of(
    kind: str,
    ttl: int,
    block: int,
    answers: bool,
    capacity: int = 1,
    tails: bool = False,
    slots: int = 1,
) -> Cache:
    """A new, empty cache of a kind (a key of `CACHES`): see `Keeps`."""
    return CACHES[kind](Keeps(ttl, block, answers, capacity, tails, slots))


CACHES: dict[str, Callable[[Keeps], Cache]] = {
    "none": lambda keeps: NoCache(),
    "ttl": lambda keeps: TtlCache(keeps.ttl, keeps.block, keeps.answers),
    "lru": lambda keeps: LruCache(keeps.capacity, keeps.block, keeps.answers, keeps.tails),
    "slot": lambda keeps: SlotCache(keeps.slots, keeps.block),
}
