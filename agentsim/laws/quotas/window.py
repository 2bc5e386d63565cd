"""The fixed window: so much in each stretch of time, all of it there again when the next begins."""

from __future__ import annotations

from agentsim.laws.checks import finite


class Window:
    """Windows of `size` nanoseconds, one of which begins `anchor` nanoseconds after the start.

    An instant at which a window begins is of that window. ValueError for an allowance or a size
    that is not above 0.
    """

    def __init__(self, allow: float, refill: float, size: int, anchor: int = 0) -> None:
        finite(allow, "what a window allows", above_zero=True)
        finite(size, "the size of a window", above_zero=True)
        self._allow = allow
        self._size = size
        self._anchor = anchor
        self._index = self._index_at(0)
        self._used = 0.0

    def ready_at(self, now: int, amount: float) -> int | None:
        """Now, or when the next window begins; None = more than one window allows."""
        if amount > self._allow:
            return None
        index = self._index_at(now)
        if self._used_in(index) + amount <= self._allow:
            return now
        return self._anchor + (index + 1) * self._size

    def take(self, now: int, amount: float) -> None:
        """Take `amount` of the window of `now`; ValueError where it is not there."""
        finite(amount, "an amount")
        index = self._index_at(now)
        used = self._used_in(index) + amount
        if used > self._allow:
            raise ValueError(f"{amount:g} is more than the window has left")
        self._index, self._used = index, used

    def give_back(self, now: int, amount: float, taken: int) -> None:
        """Put back `amount`; nothing comes back of a window that is over."""
        finite(amount, "an amount")
        index = self._index_at(now)
        if index == self._index and index == self._index_at(taken):
            self._used = max(0.0, self._used - amount)

    def _used_in(self, index: int) -> float:
        if index < self._index:
            raise ValueError(f"time went back from window {self._index} to {index}")
        return self._used if index == self._index else 0.0

    def _index_at(self, now: int) -> int:
        return (now - self._anchor) // self._size
