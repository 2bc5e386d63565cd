"""No prefix cache: every request reads all its input."""

from __future__ import annotations

from agentsim.laws.prefix import Prefix


class NoCache:
    """Holds nothing. Takes the parameters of every kind and needs none."""

    def __init__(self, ttl: int = 0, block: int = 1, answers: bool = False) -> None:
        """Without effect."""

    def lookup(self, prefix: Prefix, now: int) -> int:
        return 0

    def begin(self, prefix: Prefix, now: int, ready: int) -> None:
        """Nothing to note."""

    def keep(self, prefix: Prefix, ready: int, end: int, answered: int = 0) -> None:
        """Nothing to note."""

    def use(self, prefix: Prefix, now: int, ready: int, end: int, answered: int = 0) -> None:
        """Nothing to note."""

    def cut(self, prefix: Prefix, ready: int, planned: int, end: int) -> None:
        """Nothing to note."""
