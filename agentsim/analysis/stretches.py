"""Stretches of time that do not overlap: when somebody waited, when all of something was taken."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping


class Stretches:
    """Such stretches, in their order; nanoseconds."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, times: Mapping[int, int]) -> None:
        """From where each starts to where it ends."""
        self._starts = sorted(times)
        self._ends = [times[start] for start in self._starts]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._starts, self._ends, strict=True)

    def within(self, began: int, until: int) -> list[tuple[int, int]]:
        """What of them lies between two instants. A long run has thousands: they are looked up."""
        first, last = bisect_right(self._ends, began), bisect_left(self._starts, until)
        return [
            (max(began, start), min(until, end))
            for start, end in zip(self._starts[first:last], self._ends[first:last], strict=True)
        ]


def together(starts: list[int], ends: list[int]) -> Stretches:
    """The stretches in which at least one of the intervals lasts."""
    found: dict[int, int] = {}
    since, until = -1, -1
    for start, end in sorted(zip(starts, ends, strict=True)):
        if start > until:
            since, until = start, end
        found[since] = until = max(until, end)
    return Stretches(found)
