"""The critical path: from the span that ended last back along `cause` to the start.

Every span on it begins at the instant at which the one before it ended, so its parts add up to
the wall time to the nanosecond. That is checked on every walk; a path that does not add up is a
fault of ours and never becomes a figure.
"""

from __future__ import annotations

from agentsim.records import CallFacts, Mark, Part, Span, Trace, WorkFacts

PARTS = len(Part)

_WORK = frozenset((Part.LATENCY, Part.PREFILL, Part.DECODE))

Uses = tuple[tuple[int, float], ...]
Key = tuple[int, str, str]
"""A span's step, who and resource."""


class BrokenChain(Exception):
    """A critical path with a gap, a circle or a wrong sum: a fault of the engine."""


def links(trace: Trace) -> list[int]:
    """The indices of the spans on the critical path, in the order in which they ran.

    Raises BrokenChain where a span does not begin when its cause ended.
    """
    spans, index, until = trace.spans, trace.last, trace.ended
    found: list[int] = []
    while index >= 0:
        span = spans[index]
        _check(span, index, until)
        found.append(index)
        until, index = span.began, span.cause
    if until != trace.began:
        raise BrokenChain(f"the critical path begins at {until} ns, the run at {trace.began} ns")
    found.reverse()
    return found


def spent(trace: Trace) -> tuple[dict[Key, list[int]], dict[Key, Uses]]:
    """Nanoseconds on the critical path by step, who and resource, by part; and the pools used.

    The work of a call that compacts counts as compaction, its waits as they are. The sum over all
    of them is exactly the wall time. Raises BrokenChain where it is not.
    """
    rows: dict[Key, list[int]] = {}
    uses: dict[Key, Uses] = {}
    spans, index, until = trace.spans, trace.last, trace.ended
    while index >= 0:
        step, _, who, resource, began, marks, cause, _, facts = spans[index]
        if cause >= index or (marks[-1][1] if marks else began) != until:
            _check(spans[index], index, until)
        key = (step, who, resource)
        row = rows.get(key)
        if row is None:
            row = rows[key] = [0] * PARTS
            if facts.__class__ is WorkFacts:
                uses[key] = facts.uses
        if facts.__class__ is CallFacts and facts.compaction:
            marks = compacting(marks)
        at = began
        for part, end in marks:
            row[part] += end - at
            at = end
        until, index = began, cause
    wall = trace.ended - trace.began
    if sum(map(sum, rows.values())) != wall:
        raise BrokenChain(f"the parts of the critical path do not add up to {wall} ns")
    return rows, uses


def compacting(marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
    """The marks of a call that compacts as the breakdown counts them."""
    return tuple((Part.COMPACTION if part in _WORK else part, until) for part, until in marks)


def compaction_decode(trace: Trace) -> int:
    """Nanoseconds of the critical path that are decoding by calls that compact.

    The breakdown has them within compaction; a faster model makes them shorter all the same.
    """
    total = 0
    for index in links(trace):
        span = trace.spans[index]
        if isinstance(span.facts, CallFacts) and span.facts.compaction:
            at = span.began
            for part, until in span.marks:
                total += until - at if part == Part.DECODE else 0
                at = until
    return total


def _check(span: Span, index: int, until: int) -> None:
    if span.cause >= index:
        raise BrokenChain(f"span {index} names a later one, {span.cause}, as its cause")
    if span.ended != until:
        raise BrokenChain(
            f"span {index} of step {span.step} ends at {span.ended} ns; "
            f"what follows it begins at {until} ns"
        )
