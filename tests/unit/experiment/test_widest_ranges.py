"""Which of many assumed ranges are tried further: those whose typical pair lies furthest apart."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentsim.experiment import sensitivity
from agentsim.experiment.executors import executor_for
from agentsim.experiment.sensitivity import KEPT, Range
from agentsim.graph import Assumed
from tests.unit.analysis.hand import graph


def test_the_widest_in_the_typical_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five ranges, three runs each, whose medians are 4, 3, 2, 1 and 10 s: that of 1 s goes.

    The last is 0 s apart in one run, so by the least pair it would go; the second is 50 s apart in
    one, so by the largest, or by the mean of 18.7 s, it would come first.
    """
    pairs = [(4, 0, 4), (3, 3, 50), (2, 2, 2), (1, 1, 1), (0, 10, 10)]
    ranges = [Range(Assumed(f"v{i}", "", "", ""), graph(), graph()) for i in range(len(pairs))]

    def walls(*_: object) -> Iterator[tuple[Range, list[float], list[float]]]:
        for own, apart in zip(ranges, pairs, strict=True):
            yield own, [100.0] * 3, [100.0 + more for more in apart]

    monkeypatch.setattr(sensitivity, "_walls", walls)
    with executor_for(1) as executor:
        kept = sensitivity._widest(executor, ranges, [], 0, None)
    assert KEPT == 4
    assert [own.assumed.what for own in kept] == ["v4", "v0", "v1", "v2"]
