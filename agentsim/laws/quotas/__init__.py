"""Quotas: one file a kind, one row a kind."""

from __future__ import annotations

from typing import Protocol

from agentsim.laws.quotas.bucket import Bucket


class Quota(Protocol):
    """A limit of requests or tokens per time. `now` is whole nanoseconds and never goes back."""

    def ready_at(self, now: int, amount: float) -> int | None:
        """The first nanosecond, now or later, at which `amount` is there; None = never."""

    def take(self, now: int, amount: float) -> None:
        """Take `amount`; ValueError where it is not there."""

    def give_back(self, now: int, amount: float) -> None:
        """Put back what was taken and not used."""


QUOTAS: dict[str, type[Bucket]] = {"bucket": Bucket}
