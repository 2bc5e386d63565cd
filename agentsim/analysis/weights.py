"""The order in which warnings are told: how much each may change the answer, then how often."""

from __future__ import annotations

from collections.abc import Iterable

from agentsim.analysis.words import as_told
from agentsim.errors import Notice, Weight


def rank(notice: Notice) -> tuple[Weight, float]:
    """What to sort by: the weightiest first, of the same weight what is in more of the runs.

    Shares that read the same are the same here, so that lines that look alike keep their order.
    """
    return notice.weight, -as_told(notice.share)


def by_weight(notices: Iterable[Notice]) -> list[Notice]:
    """In the order of `rank`; those of the same rank as they came."""
    return sorted(notices, key=rank)


def is_about_validity(notices: Iterable[Notice]) -> bool:
    """Whether the number stands for something else, or beyond what is known: always told."""
    return any(it.weight <= Weight.LACKS for it in notices)
