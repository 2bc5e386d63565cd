"""The token bucket: holds up to `capacity`, fills at a steady rate, starts full."""

from __future__ import annotations

from fractions import Fraction

from agentsim.laws.checks import finite

_SECOND = 10**9  # nanoseconds
_FINEST = 10**9  # the largest denominator of a refill: 100 a minute is 5/3 a second, exactly


class Bucket:
    """A token bucket, as in docs/model.md under "A call".

    It counts in whole grains, so that a million takes leave no rounding.
    With a refill of n/d a second, one nanosecond brings n grains and a unit is d * 10^9 grains.
    ValueError for a capacity or refill that is not above 0.
    """

    def __init__(
        self, capacity: float, refill_per_second: float, size: int = 0, anchor: int = 0
    ) -> None:
        finite(capacity, "the capacity of a bucket", above_zero=True)
        finite(refill_per_second, "the refill of a bucket", above_zero=True)
        refill = Fraction(refill_per_second).limit_denominator(_FINEST)
        if not refill:
            raise ValueError(f"a refill of {refill_per_second:g} a second is too slow")
        self._per_nano = refill.numerator
        self._unit = refill.denominator * _SECOND
        self._capacity = self._grains(capacity)
        self._level = self._capacity
        self._now = 0

    def ready_at(self, now: int, amount: float) -> int | None:
        """The first nanosecond, now or later, at which `amount` is there; None = more than fits."""
        wanted = self._grains(amount)
        if wanted > self._capacity:
            return None
        short = wanted - self._level_at(now)
        return now if short <= 0 else now - (-short // self._per_nano)

    def take(self, now: int, amount: float) -> None:
        """Take `amount`; ValueError where it is not there yet (ask `ready_at` first)."""
        level = self._level_at(now)
        wanted = self._grains(amount)
        if wanted > level:
            raise ValueError(f"{amount:g} is more than the bucket holds")
        self._level, self._now = level - wanted, now

    def give_back(self, now: int, amount: float, taken: int = 0) -> None:
        """Put back `amount`, up to the capacity, whenever it was taken."""
        level = self._level_at(now) + self._grains(amount)
        self._level, self._now = min(self._capacity, level), now

    def _level_at(self, now: int) -> int:
        if now < self._now:
            raise ValueError(f"time went back from {self._now} to {now}")
        level = self._level + (now - self._now) * self._per_nano
        return level if level < self._capacity else self._capacity

    def _grains(self, amount: float) -> int:
        """`amount` in grains, a part of a grain counted as a whole one."""
        if isinstance(amount, int) and amount >= 0:
            return amount * self._unit
        finite(amount, "an amount")
        return -int(-Fraction(amount) * self._unit // 1)
