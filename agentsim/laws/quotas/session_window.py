"""The window that opens at its first use: so much until it is over, then closed until used."""

from __future__ import annotations

from agentsim.laws.checks import finite


class SessionWindow:
    """Open for `size` nanoseconds from the first use after the last one was over.

    At the instant at which it is over it is closed, and the next use opens it again. ValueError
    for an allowance or a size that is not above 0.
    """

    def __init__(self, allow: float, refill: float, size: int, anchor: int = 0) -> None:
        finite(allow, "what a window allows", above_zero=True)
        finite(size, "the size of a window", above_zero=True)
        self._allow = allow
        self._size = size
        self._opened = 0
        self._over = 0
        self._used = 0.0

    def ready_at(self, now: int, amount: float) -> int | None:
        """Now, or when the open window is over; None = more than one window allows."""
        if amount > self._allow:
            return None
        if now < self._opened:
            raise ValueError(f"time went back from {self._opened} to {now}")
        if now >= self._over or self._used + amount <= self._allow:
            return now
        return self._over

    def take(self, now: int, amount: float) -> None:
        """Take `amount`, which opens the window where it is closed; ValueError if it is not there.

        Nothing at all is no use, and opens nothing.
        """
        finite(amount, "an amount")
        if self.ready_at(now, amount) != now:
            raise ValueError(f"{amount:g} is more than the window has left")
        if not amount:
            return
        if now >= self._over:
            self._opened, self._over, self._used = now, now + self._size, 0.0
        self._used += amount

    def give_back(self, now: int, amount: float, taken: int) -> None:
        """Put back `amount`; nothing comes back of a window that is over."""
        finite(amount, "an amount")
        if self._opened <= taken and now < self._over:
            self._used = max(0.0, self._used - amount)
