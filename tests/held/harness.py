"""What holds of a harness's own time: once before each call of an agent that has some, else never.

Each of the functions raises AssertionError.
"""

from __future__ import annotations

from agentsim.graph import Agent, Call, Node, TurnTime
from agentsim.records import SECOND, CallFacts, Outcome, Part, Span, Visit
from tests.held.times import Seen


def check_turn_times(seen: Seen) -> int:
    """Returns how many calls of an agent came after a time of its harness."""
    for span in seen.trace.spans:
        if any(part is Part.OTHER for part, _ in span.marks):
            took = _turn_time(seen.shape.nodes[span.step])
            assert took is not None, "a time of a harness, and there is none"
            _as_long_as_it_should(span, took)
    turns = 0
    for (rank, place), visits in seen.visits.items():
        node = seen.shape.nodes[rank]
        if _turn_time(node) is not None:
            turns += _each_call(node, seen.spans.get((rank, place), []), visits)
    return turns


def _turn_time(node: Node) -> TurnTime | None:
    if isinstance(node, Agent):
        return node.plan.turn_time
    return node.voice.turn_time if isinstance(node, Call) and node.voice is not None else None


def _as_long_as_it_should(span: Span, took: TurnTime) -> None:
    """A stretch of nothing else, as long as is written; a shorter one was cut short."""
    assert [part for part, _ in span.marks] == [Part.OTHER]
    assert (span.who, span.resource, span.facts) == (took.name, "", None)
    length, low, high = span.ended - span.began, took.time.low, took.time.high
    assert length <= round(high * SECOND) if high < float("inf") else length >= 0
    if span.outcome is Outcome.DONE:
        assert length >= round(low * SECOND)
    else:
        assert span.outcome is Outcome.CANCELLED


def _each_call(node: Node, spans: list[Span], visits: list[Visit]) -> int:
    """Before each call, save one that compacts, there is one such time, which came to its end."""
    ready: Span | None = None
    once = node.guard.tries == 1 and len(visits) == 1
    turns = times = 0
    for span in spans:
        if span.marks[:1] and span.marks[0][0] is Part.OTHER:
            assert ready is None or not once, f"{node.path}: twice in one turn"
            ready = span
            times += 1
        elif isinstance(span.facts, CallFacts) and not (span.facts.compaction or span.facts.again):
            assert ready is not None, f"{node.path}: a turn without the time of its harness"
            assert ready.outcome is Outcome.DONE
            assert ready.ended <= span.began
            ready = None
            turns += 1
    if once and visits[0].outcome is Outcome.DONE:  # else it may have failed between the two
        assert times == turns
    return turns
