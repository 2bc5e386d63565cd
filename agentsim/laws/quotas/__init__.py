"""Quotas: one file a kind, one row a kind."""

from __future__ import annotations

from typing import Protocol

from agentsim.laws.quotas.bucket import Bucket
from agentsim.laws.quotas.session_window import SessionWindow
from agentsim.laws.quotas.window import Window


class Quota(Protocol):
    """A limit of requests or tokens per time. `now` is whole nanoseconds and never goes back."""

    def ready_at(self, now: int, amount: float) -> int | None:
        """The first nanosecond, now or later, at which `amount` is there; None = never."""

    def take(self, now: int, amount: float) -> None:
        """Take `amount`; ValueError where it is not there."""

    def give_back(self, now: int, amount: float, taken: int) -> None:
        """Put back what was taken at `taken` and not used."""


def quota_of(kind: str, holds: float, refill: float, size: int, anchor: int) -> Quota:
    """A new, untouched quota of a kind (a key of `QUOTAS`); each takes what it has a use for.

    holds: the most that it ever gives at once; refill: per second; size, anchor: nanoseconds.
    """
    return QUOTAS[kind](holds, refill, size, anchor)


QUOTAS: dict[str, type[Bucket] | type[Window] | type[SessionWindow]] = {
    "bucket": Bucket,
    "window": Window,
    "session_window": SessionWindow,
}
