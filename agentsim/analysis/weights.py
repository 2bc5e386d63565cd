"""How much each warning may change the answer: the order in which they are told.

The sentences come from files, profiles and runs, so the order goes by what they say. One that
nothing here knows weighs as much as what is odd in the file: it is told early rather than lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum


class Weight(IntEnum):
    """What a warning is about, the weightiest first.

    ASKED: something else is simulated than was asked for. RANGE: beyond what was measured, or odd
    as it was measured. LACKS: a profile leaves out what the run needs. FILE: what the file says
    does not count, or otherwise than it reads. LOST: runs go on without what they wait for. FOUND:
    what the answer found out. CUT: what had no room in runs. GRADE: how good figures are. TAKEN:
    what is usual.
    """

    ASKED = 0
    RANGE = 1
    LACKS = 2
    FILE = 3
    LOST = 4
    FOUND = 5
    CUT = 6
    GRADE = 7
    TAKEN = 8


_SAYS = (
    (Weight.ASKED, ("no --hw was given", " is left out: ")),
    (
        Weight.RANGE,
        ("it was not measured so far", "streams together make"),
    ),
    (
        Weight.LACKS,
        (
            "too quick without",
            "too slow without",
            "too cheap without",
            "too dear without",
            "either way without",
        ),
    ),
    (
        Weight.LOST,
        ("nothing is picked", "subagents fail", "waits until a date take no time"),
    ),
    (
        Weight.FOUND,
        ("the typical run takes", "lines an hour; above", "of the time, and work queues up"),
    ),
    (
        Weight.CUT,
        (
            "does not fit the context beside",
            "sessions are compacted",
            "output is cut",
            "answers are lengthened",
            "tool results are cut",
        ),
    ),
    (Weight.GRADE, ("figures of grade",)),
    (Weight.TAKEN, ("taken as there at all times",)),
)

_SHARE = re.compile(r"in ([<>]?)(\d[\d,]*) % of the runs")


def weight(text: str) -> Weight:
    """What a warning is about."""
    return next(
        (own for own, says in _SAYS if any(part in text for part in says)),
        Weight.FILE,
    )


def share(text: str) -> float:
    """In how many of the runs it is so, 0..1; 1 where it does not say."""
    found = _SHARE.search(text)
    if found is None:
        return 1.0
    sign, digits = found.groups()
    whole = float(digits.replace(",", ""))
    return (whole + {"<": -0.5, ">": 0.5}.get(sign, 0.0)) / 100.0


def is_about_validity(texts: Iterable[str]) -> bool:
    """Whether the number stands for something else, or beyond what is known: always told."""
    return any(weight(text) <= Weight.LACKS for text in texts)


def by_weight(texts: Sequence[str]) -> list[str]:
    """The weightiest first, of the same weight what is in more of the runs; each as it is."""
    return sorted(texts, key=lambda text: (weight(text), -share(text)))
