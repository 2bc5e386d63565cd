"""Prefix caches: one file a kind, one row a kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from agentsim.laws.caches.none import NoCache
from agentsim.laws.caches.ttl import TtlCache
from agentsim.laws.prefix import Prefix, State, Use


class Cache(Protocol):
    """What a server remembers of the prompts that it has read. Times are whole nanoseconds.

    Where a call's times are known when it starts, `use` says all, and `cut` takes back what did
    not come to pass. Where they are not, `begin` when its prompt has been read and `keep` when it
    leaves: in between its prompt is in use. A server does either for all its calls.
    """

    def lookup(self, prefix: Prefix, now: int) -> int:
        """How many of the prefix's first tokens need not be read by a request that starts now."""

    def use(self, prefix: Prefix, now: int, ready: int, end: int, answered: int = 0) -> None:
        """A request starts now, will have read its prompt at `ready` and ends at `end`."""

    def ahead(self, prefix: Prefix, now: int) -> int:
        """`lookup` at an instant yet to come; -1 where what others do until then may change it."""

    def lead(self, prefix: Prefix, now: int) -> State:
        """Uses of the prefix from the last one on are told ahead of their time."""

    def land(self, prefix: Prefix) -> None:
        """The time has come up with them."""

    def back(self, prefix: Prefix, state: State, uses: Sequence[Use]) -> None:
        """Not all that was told ahead came to pass: from `lead` on only these uses did."""

    def cut(self, prefix: Prefix, ready: int, planned: int, end: int) -> None:
        """A request told by `use` to end at `planned` was cut short at `end`."""

    def begin(self, prefix: Prefix, now: int, ready: int) -> None:
        """A request has started; its whole prompt has been read at `ready`."""

    def keep(self, prefix: Prefix, ready: int, end: int, answered: int = 0) -> None:
        """A request's prompt was read at `ready` and last used at `end`.

        answered: tokens of its answer that stay in the session and stand before the first thing
        dropped (0 where it thought first and thinking is not kept). An `end` before `ready` is a
        request that was cut short while its prompt was read: nothing of it is kept.
        """


def cache_of(kind: str, ttl: int, block: int, answers: bool) -> Cache:
    """A new, empty cache of a kind (a key of `CACHES`); `ttl` in nanoseconds."""
    return CACHES[kind](ttl, block, answers)


CACHES: dict[str, type[NoCache] | type[TtlCache]] = {"none": NoCache, "ttl": TtlCache}
