"""With how many at once a quota binds, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Binding:
    """From how many at once on something waits for a quota, in the `each` of that path.

    `most`: how many there are at once as it is. Tried by simulation in the first runs.
    """

    each: str
    at_once: int
    most: int
