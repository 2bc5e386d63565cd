"""Which of several answers fail too often to be called the quickest: a run that fails is short."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.analysis.findings import Findings

FAILS_MORE = 0.05
"""A share of failed runs so much above the least of all rows is no way of doing the work sooner.

Judgement: five points are beyond the chance of a thousand runs (3 points at the most)."""


def fail_more(found: Sequence[Findings]) -> list[bool]:
    """For each of them, whether it fails in clearly more of its runs than the one that does least.

    At least one answer; of them at least one does not.
    """
    least = min(it.failed for it in found)
    return [round(it.failed - least, 9) >= FAILS_MORE for it in found]
