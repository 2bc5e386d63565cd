"""The critical path: what it holds, that it adds up, and that a broken one is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.analysis.chain import BrokenChain, compaction_decode, links, spent
from agentsim.records import SECOND, Part, Span, Trace
from tests.unit.analysis.hand import called, span, trace

# Two branches from second 2 on: a until 5, b until 7. The join takes b; then one more second.
FORKED = [
    span(1, "first", 0, (Part.TOOL, 2)),
    span(2, "a", 2, (Part.TOOL, 5), cause=0),
    span(3, "b", 2, (Part.SLOT_WAIT, 4), (Part.DECODE, 7), cause=0),
    span(4, "last", 7, (Part.TOOL, 8), cause=2),
]


def test_it_leaves_out_the_branch_that_waits_for_the_other() -> None:
    assert links(trace(FORKED, 8)) == [0, 2, 3]


def test_its_parts_add_up_to_the_wall_time() -> None:
    rows, _ = spent(trace(FORKED, 8))
    by_part = {part: sum(row[part] for row in rows.values()) // SECOND for part in Part}
    # 2 s of `first` and 1 s of `last` are tools; b waits 2 s for its slot and decodes 3 s
    assert {part: time for part, time in by_part.items() if time} == {
        Part.TOOL: 3,
        Part.SLOT_WAIT: 2,
        Part.DECODE: 3,
    }


def test_a_call_that_compacts() -> None:
    # 1 s of waiting, 2 s of prompt, 3 s of decoding: 5 s of compaction, of which 3 are decoding.
    # The call after it decodes 4 s for the answer; the one beside them is not on the path.
    shrinks = called(visible=30)._replace(compaction=True)
    run = trace(
        [
            span(1, "x", 0, (Part.SLOT_WAIT, 1), (Part.PREFILL, 3), (Part.DECODE, 6),
                 resource="box", facts=shrinks),
            span(2, "y", 0, (Part.DECODE, 9), resource="box", facts=shrinks),
            span(1, "x", 6, (Part.DECODE, 10), resource="box", facts=called(visible=40), cause=0),
        ],
        10,
    )  # fmt: skip
    ((key, row),) = spent(run)[0].items()
    assert key == (1, "x", "box")
    assert {part: row[part] // SECOND for part in Part if row[part]} == {
        Part.SLOT_WAIT: 1,
        Part.COMPACTION: 5,
        Part.DECODE: 4,
    }
    assert compaction_decode(run) == 3 * SECOND


def test_nothing_ran() -> None:
    empty = trace([], 0)
    assert links(empty) == []
    assert spent(empty) == ({}, {})


@pytest.mark.parametrize(
    ("spans", "ended", "reason"),
    [
        # a gap of one second before the second span
        ([span(1, "a", 0, (Part.TOOL, 2)), span(2, "b", 3, (Part.TOOL, 4), cause=0)], 4, "ends at"),
        # the path ends before the run does
        ([span(1, "a", 0, (Part.TOOL, 2))], 3, "ends at"),
        # the path begins after the run does
        ([span(1, "a", 1, (Part.TOOL, 2))], 2, "begins|add up"),
        # a span that is its own cause
        ([span(1, "a", 0, (Part.TOOL, 2), cause=0)], 2, "later"),
        # time passed and nothing ran
        ([], 1, "begins|add up"),
    ],
)
def test_a_broken_chain_is_refused(spans: list[Span], ended: float, reason: str) -> None:
    broken = trace(spans, ended)
    for walk in (links, spent):
        with pytest.raises(BrokenChain, match=reason):
            walk(broken)


@given(st.lists(st.lists(st.integers(0, 10**12), min_size=1, max_size=4), max_size=30))
def test_any_chain_adds_up_to_the_nanosecond(chain: list[list[int]]) -> None:
    spans: list[Span] = []
    now = 0
    for index, lengths in enumerate(chain):
        began, own = now, []
        for number, length in enumerate(lengths):
            now += length
            own.append((Part((index + number) % len(Part)), now))
        spans.append(span(1, "x", 0)._replace(began=began, marks=tuple(own), cause=index - 1))
    run: Trace = trace(spans, 0)._replace(ended=now)
    rows, _ = spent(run)
    assert sum(map(sum, rows.values())) == now
    assert links(run) == list(range(len(chain)))
