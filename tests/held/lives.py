"""What holds of the session of an agent with steps of its own: nothing that is put in gets lost.

Between two of its calls it grows by the first one's answer, by what the second one sends, and by
all that tools and agents in its steps handed back meanwhile: by nothing else.
"""

from __future__ import annotations

from itertools import pairwise

from agentsim.graph import Agent, Call, Life, Work
from agentsim.records import CallFacts, Outcome, Part, Span, Visit, WorkFacts
from tests.held.times import Seen, lies_in
from tests.held.tokens import sessions_of, shortened

Given = tuple[int, int | None, Span | None]
"""When something was handed back, how many tokens (None: it cannot be told from outside), and the
last span of what handed it back."""


def check_lives(seen: Seen) -> int:
    """Returns how many pairs of calls were looked at between which something was handed back."""
    looked = 0
    sessions = [[span for span, _ in own] for own in sessions_of(seen.trace)]
    for node, visit in seen.of(Life):
        given = _handed_back(seen, node.rank, visit)
        for own in sessions:
            for before, later in pairwise(own):
                grown = _grown(seen, node.rank, visit, before, later)
                if grown is None:
                    continue
                sent, until, more = grown
                meanwhile = _meanwhile(seen, given, (sent, before), (until, later))
                if meanwhile is not None:
                    assert more == sum(meanwhile), node.path
                    looked += bool(meanwhile)
    return looked


def _meanwhile(
    seen: Seen, given: list[Given], first: tuple[int, Span], second: tuple[int, Span]
) -> list[int] | None:
    """What was handed back after one call was sent and before the next; None: it cannot be told.

    What comes at the very instant at which a call is sent was there before, if the call follows it.
    """
    spans, found = seen.trace.spans, list[int]()
    for at, tokens, span in given:
        if not first[0] <= at <= second[0]:
            continue
        is_cause = [
            at == sent and call.cause >= 0 and span is spans[call.cause]
            for sent, call in (first, second)
        ]
        if tokens is None or (at in (first[0], second[0]) and not any(is_cause)):
            return None
        if not is_cause[0]:
            found.append(tokens)
    return found


def _grown(
    seen: Seen, rank: int, visit: Visit, before: Span, later: Span
) -> tuple[int, int, int] | None:
    """(when each was sent, what came in between beside what both say); None: not of this life."""
    first, second = seen.shape.nodes[before.step], seen.shape.nodes[later.step]
    if not isinstance(first, Call) or not isinstance(second, Call):
        return None
    if any(node.guard.tries > 1 or node.voice is None for node in (first, second)):
        return None
    if second.input.low != second.input.high or _around(seen, second.rank) != rank:
        return None
    if before.outcome is not Outcome.DONE or later.outcome is not Outcome.DONE:
        return None
    sent, until = (_sent(seen, span, visit) for span in (before, later))
    if sent is None or until is None or _others(seen, rank, sent, until):
        return None
    one, two = before.facts, later.facts
    assert isinstance(one, CallFacts)
    assert isinstance(two, CallFacts)
    if one.compaction or two.compaction or shortened(seen, before, later):
        return None
    grown = two.fresh + two.cached - one.fresh - one.cached
    return sent, until, grown - one.visible - round(second.input.low)


def _sent(seen: Seen, span: Span, life: Visit) -> int | None:
    """When a call was sent: its step begins then, or the time of its harness is over."""
    if span.place[: len(life.place)] != life.place:
        return None
    for visit in seen.visits[span.step, span.place]:
        if lies_in(visit, life) and lies_in(span, visit):
            ready = [one.ended for one in seen.own(visit) if one.ended <= span.began
                     and one.marks and one.marks[0][0] is Part.OTHER]  # fmt: skip
            return max(ready, default=visit.began)
    return None


def _others(seen: Seen, rank: int, sent: int, until: int) -> bool:
    """Whether an agent was in the session by its name meanwhile: it may have left its task."""
    life = seen.shape.nodes[rank]
    assert isinstance(life, Life)
    name = life.label if life.session is None else life.session
    return any(
        isinstance(node, Agent | Life) and node.session == name
        and visit.began <= until and sent <= visit.ended
        for node, visit in seen.of(Agent, Life)
    )  # fmt: skip


def _around(seen: Seen, rank: int) -> int:
    """The agent with steps of its own to which a step gives back; -1: none."""
    for above in seen.shape.above(rank):
        node = seen.shape.nodes[above]
        if isinstance(node, Agent | Life):
            return above if isinstance(node, Life) else -1
    return -1


def _handed_back(seen: Seen, rank: int, life: Visit) -> list[Given]:
    found: list[Given] = []
    for node, visit in seen.of(Agent, Life, Work):
        if not lies_in(visit, life) or visit.place[: len(life.place)] != life.place:
            continue
        if _around(seen, node.rank) != rank:
            continue
        own = seen.own(visit)
        if isinstance(node, Work):
            found += _of_tool(node, own)
        elif isinstance(node, Agent):
            found += _of_agent(node, visit, own)
        elif isinstance(node, Life) and node.returns is not None:
            known = visit.outcome is Outcome.DONE and node.returns.low == node.returns.high
            found.append((visit.ended, round(node.returns.low) if known else None, None))
    return found


def _of_tool(node: Work, own: list[Span]) -> list[Given]:
    """The last try of each run, whether it ended well or not."""
    return [
        (span.ended, span.facts.returned, span)
        for span in own
        if isinstance(span.facts, WorkFacts)
        and span.outcome is not Outcome.CANCELLED
        and (span.outcome is Outcome.DONE or span.facts.attempt + 1 == node.tool.tries)
    ]


def _of_agent(node: Agent, visit: Visit, own: list[Span]) -> list[Given]:
    if visit.outcome is not Outcome.DONE:
        return []
    returns = node.plan.returns
    if returns is not None:
        known = returns.low == returns.high
        return [(visit.ended, round(returns.low) if known else None, own[-1])]
    said = [span.facts.visible for span in own if isinstance(span.facts, CallFacts)]
    return [(visit.ended, said[-1], own[-1])]
