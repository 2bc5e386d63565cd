"""No prefix cache: every request reads all its input."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.laws.prefix import Prefix, State, Use
from agentsim.records import Loss


class NoCache:
    """Holds nothing."""

    def lookup(self, prefix: Prefix, now: int) -> int:
        return 0

    def use(self, prefix: Prefix, now: int, ready: int, end: int, answered: int = 0) -> None:
        """Nothing to note."""

    def cut(self, prefix: Prefix, ready: int, planned: int, end: int, answered: int = 0) -> None:
        """Nothing to note."""

    def lost(self, prefix: Prefix, now: int, hit: int) -> Loss | None:
        return None

    def clear(self, now: int) -> None:
        """Nothing to forget."""

    def fork(self, old: Prefix, new: Prefix, now: int) -> None:
        """Nothing to note."""

    def ahead(self, prefix: Prefix, now: int) -> int:
        return 0

    def lead(self, prefix: Prefix, now: int) -> State:
        return ()

    def land(self, prefix: Prefix, now: int) -> None:
        """Nothing to note."""

    def back(self, prefix: Prefix, now: int, state: State, uses: Sequence[Use]) -> None:
        """Nothing to note."""
