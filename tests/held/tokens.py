"""What holds of calls, sessions, tokens and money in every run. Each raises AssertionError."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise

from agentsim.graph import Agent, Attempts, Call, Fork, Life, Node, walk
from agentsim.records import CallFacts, Outcome, Part, Span, Trace, Visit, WorkFacts
from tests.held.times import Seen, lies_in


def calls_of(trace: Trace) -> Iterator[tuple[Span, CallFacts]]:
    for span in trace.spans:
        if isinstance(span.facts, CallFacts):
            yield span, span.facts


def sessions_of(trace: Trace) -> Iterable[list[tuple[Span, CallFacts]]]:
    """The calls of each session, in the order in which they were written."""
    sessions: dict[int, list[tuple[Span, CallFacts]]] = defaultdict(list)
    for span, facts in calls_of(trace):
        sessions[facts.session].append((span, facts))
    return sessions.values()


# --- sessions ---------------------------------------------------------------------------------


def check_sessions(seen: Seen) -> int:
    """Two calls of one session never overlap; it grows by what was answered, or was compacted.

    Between two calls of one run of an agent it grows by the answer and by what the tools and
    subagents of that turn gave back, and by nothing else. Returns how many such pairs there were.
    """
    exact = 0
    shared = {node.label if node.session is None else node.session
              for node in walk(seen.shape.graph.root) if isinstance(node, Life)}  # fmt: skip
    for own in sessions_of(seen.trace):
        for (before, first), (later, second) in pairwise(own):
            assert before.ended <= later.began
            if before.outcome is not Outcome.DONE or later.outcome is not Outcome.DONE:
                continue
            if first.compaction or second.compaction or shortened(seen, before, later):
                continue
            sent, answered = first.fresh + first.cached, first.visible
            grown = second.fresh + second.cached - sent
            assert grown >= answered
            node = seen.shape.nodes[before.step]
            if not _one_run(seen, before, later):
                continue
            if not isinstance(node, Agent) or node.session in shared:
                continue  # others give back to the session of an agent with steps of its own
            back = _given_back(seen, node, before, later)
            if back is not None:
                exact += 1
                assert grown - answered in (back, back + first.thinking)
    return exact


def shortened(seen: Seen, before: Span, later: Span) -> bool:
    """Whether the session was compacted between two of its calls, in a time and not by a call."""
    return any(
        span.marks[0][0] is Part.COMPACTION and before.ended <= span.began <= later.began
        for span in seen.spans[later.step, later.place]
        if span.marks
    )


def _one_run(seen: Seen, before: Span, later: Span) -> bool:
    """Whether both are of one passage through a step: a further try loses what was under way."""
    step, place = before.step, before.place
    runs = seen.visits[step, place] if (step, place) == (later.step, later.place) else []
    tries = seen.shape.nodes[step].guard.tries
    return tries == 1 and any(
        run.began <= before.began and later.ended <= run.ended for run in runs
    )


def _given_back(seen: Seen, node: Agent, before: Span, later: Span) -> int | None:
    """Tokens that came back between two calls of a run; None where that cannot be told or none."""
    place = before.place
    # the last try counts; tools with tries return the same each time
    back = [
        span.facts.returned
        for span in seen.spans[before.step, place]
        if isinstance(span.facts, WorkFacts)
        and span.facts.attempt == 0
        and before.ended <= span.began
        and span.ended <= later.began
    ]
    for sub in node.subs:
        for visit in seen.trace.visits:
            inside = before.ended <= visit.began and visit.ended <= later.began
            if visit.step == sub.rank and visit.place[:-1] == place and inside:
                said = _handed_back(seen, sub, visit)
                if said is None:
                    return None
                back.append(said)
    return sum(back) if back else None


def _handed_back(seen: Seen, sub: Agent, visit: Visit) -> int | None:
    """What a subagent hands to the agent that called it: its last answer, if nothing is said."""
    if visit.outcome is not Outcome.DONE:
        return 0
    returns = sub.plan.returns
    if returns is not None:
        return round(returns.low) if returns.low == returns.high else None
    said = [span.facts for span in seen.own(visit) if isinstance(span.facts, CallFacts)]
    return said[-1].visible


# --- calls ------------------------------------------------------------------------------------


def check_calls(seen: Seen, decodes: bool) -> None:
    """Tokens and money of each call, and that it came to an end that is told."""
    servers = {server.name: server for server in seen.shape.graph.servers}
    for span, facts in calls_of(seen.trace):
        server = servers[span.resource]
        tokens = facts.thinking + facts.visible
        assert min(facts.fresh, facts.cached, facts.thinking, facts.visible, facts.cut) >= 0
        if span.outcome is Outcome.REJECTED:  # sent back at once, with nothing done
            assert any(limit.rejects for limit in server.limits)
            assert not facts.fresh + facts.cached + tokens
        if span.outcome is Outcome.FAILED:
            assert server.faults is not None or not facts.again
        assert not facts.again or span.outcome in (Outcome.REJECTED, Outcome.FAILED)
        assert -1 <= facts.shown <= span.ended
        assert facts.shown == -1 or (facts.visible and facts.shown >= span.began)
        price = server.price
        if price is None:
            assert facts.money == 0
        else:  # at least its output, at most all input as what is new and kept
            dear = max(price.input, price.cache_write or 0.0)
            least = price.output * tokens
            most = least + dear * (facts.fresh + facts.cached)
            assert least * (1 - 1e-12) <= 1e6 * facts.money <= most * (1 + 1e-12)
        if server.cache.kind == "none":
            assert facts.cached == 0
        if server.context is not None:
            assert facts.fresh + facts.cached + tokens <= server.context
        if server.max_output is not None and not facts.compaction:
            assert tokens <= server.max_output
        # one token may come with a first-token time of 0 s
        if decodes and tokens > 1 and span.outcome is Outcome.DONE:
            assert any(part in (Part.DECODE, Part.LATENCY) for part, _ in span.marks)


def check_ends(seen: Seen) -> None:
    """What happened is told: a run that failed says why, a step that is done did its calls."""
    trace = seen.trace
    if trace.outcome is Outcome.DONE:
        assert trace.reason == ""
    else:
        assert trace.reason
        assert trace.outcome in (Outcome.FAILED, Outcome.REJECTED)
    for node, visit in seen.of(Call, Agent):
        if visit.outcome is Outcome.DONE:
            own = seen.spans[node.rank, visit.place]
            ended = [span for span in own if visit.began <= span.began <= visit.ended]
            done = [
                span
                for span in ended
                if isinstance(span.facts, CallFacts) and span.outcome is Outcome.DONE
            ]
            assert done, f"{node.path} is done, and made no call"


# --- what counts for nothing ------------------------------------------------------------------


def check_wasted(seen: Seen) -> None:
    """Of a call all is wasted or nothing: where it was cut short, lost its race or was not picked.

    No token is both useful and wasted.
    """
    for span, facts in calls_of(seen.trace):
        whole = facts.thinking + facts.visible + facts.fresh + facts.cached
        assert facts.wasted in (0, whole)
        if span.outcome is not Outcome.DONE:
            assert facts.wasted == whole
        elif facts.wasted:
            assert _may_be_lost(seen, span), f"step {span.step}: wasted, and in no branch that lost"
    for node, visit in seen.of(Fork):
        if isinstance(node, Fork) and node.join and _once(node, visit):
            for branch in _branches(seen, node, visit):
                if branch.outcome is Outcome.CANCELLED:
                    assert not any(_useful(seen, branch)), f"{node.path}: what lost is not wasted"
    for node, visit in seen.of(Attempts):
        if _once(node, visit):
            kept = [one for one in _branches(seen, node, visit) if any(_useful(seen, one))]
            assert len(kept) <= 1, f"{node.path}: more than one attempt counts"


def _once(node: Node, visit: Visit) -> bool:
    """It came to its own end, and was not tried again."""
    return visit.outcome is Outcome.DONE and node.guard.tries == 1


def _branches(seen: Seen, node: Fork | Attempts | Node, visit: Visit) -> list[Visit]:
    """The passages through the branches or items of one passage through a fork."""
    fork = node.fork if isinstance(node, Attempts) else node
    assert isinstance(fork, Fork)
    if fork.items is not None:
        return seen.items(visit)
    ranks = {branch.rank for branch in fork.branches}
    return [one for one in seen.trace.visits
            if one.step in ranks and one.place == visit.place and lies_in(one, visit)]  # fmt: skip


def _useful(seen: Seen, branch: Visit) -> Iterator[Span]:
    """Calls of a branch that count."""
    for span, facts in calls_of(seen.trace):
        if not facts.wasted and facts.fresh + facts.cached and _inside(seen, span, branch):
            yield span


def _inside(seen: Seen, span: Span, visit: Visit) -> bool:
    """Whether a span belongs to a passage, by step, place and time."""
    if span.place[: len(visit.place)] != visit.place or not lies_in(span, visit):
        return False
    return visit.step in (span.step, *seen.shape.above(span.step))


def _may_be_lost(seen: Seen, span: Span) -> bool:
    for rank in (span.step, *seen.shape.above(span.step)):
        node = seen.shape.nodes[rank]
        if isinstance(node, Attempts):
            return True
        if isinstance(node, Fork) and node.join:
            ends = [one for one in seen.trace.visits if one.outcome is Outcome.CANCELLED]
            ranks = {branch.rank for branch in node.branches} | {rank}
            if any(one.step in ranks and _inside(seen, span, one) for one in ends):
                return True
    return False
