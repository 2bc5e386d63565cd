"""Sessions at work: opening them, fitting a request into the context, compacting."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from simpy.events import Event

from agentsim.engine.caps import speak
from agentsim.engine.draws import Counter
from agentsim.engine.frame import Frame, Stop
from agentsim.engine.server import Fit, Line, Server, sent
from agentsim.engine.tasks import Session
from agentsim.graph import Agent, AgentPlan, Node, ServerPlan
from agentsim.laws.prefix import Prefix
from agentsim.records import Outcome, Part, Verdict

COMPACT_AT = 0.8
"""Share of the context at which an agent without `compact` compacts (DESIGN section 4)."""

COMPACT_KEEPS = 20_000
COMPACT_OUTPUT = 2_000


def open_session(
    frame: Frame, name: str | None, label: str, prompt: tuple[tuple[str, int], ...]
) -> Session:
    """Go on in the newest session of that name, or open one in the innermost item or attempt."""
    if name is not None:
        found = frame.task.find(name)
        if found is not None:
            return found
    stage = frame.stage
    session = Session(stage.sessions, name or label, prompt)
    stage.sessions += 1
    frame.task.sessions[session.name] = session
    return session


def fork_session(
    frame: Frame, name: str | None, label: str, prompt: tuple[tuple[str, int], ...]
) -> Session:
    """A copy of the newest session of that name, as it stands now; it goes its own way then.

    A further try of the step goes on in its copy. What a cache holds of the original it holds of
    the copy too: its history is one more block.
    """
    if frame.tried and (own := frame.task.find(label)) is not None:
        return own
    found = None if name is None else frame.task.find(name)
    if found is None:
        return open_session(frame, None, label, prompt)
    stage = frame.stage
    history = found.tokens - found.prompt
    block = (f"history {found.number} {found.epoch} {history}", history)
    session = Session(stage.sessions, label, (*found.blocks, block))
    stage.sessions += 1
    session.forked = found.blocks
    session.asked = found.asked
    frame.task.sessions[label] = session
    now = frame.world.now
    for number, prefix in found.prefixes.items():
        cache = stage.servers[number].cache
        prefix.total = found.tokens
        held = cache.lookup(prefix, now)
        if held:
            cache.use(Prefix(session.blocks, f"fork {session.number}", 0, held), now, now, now)
    return session


def enter(session: Session, path: str) -> None:
    """Mark a session as in use; two branches in one session at once are a failure."""
    if session.busy:
        raise Stop(Verdict.FAILED, f"{path}: session {session.name} is in use by another branch")
    session.busy = True


def fit(
    node: Node, server: ServerPlan, session: Session, thinking: int, visible: int, most: int | None
) -> Fit:
    """What the context and `max_output` still hold of an answer.

    Thinking comes first, so it is what is said that is cut first.
    """
    wanted = thinking + visible
    context, longest = server.context, server.max_output
    if longest is not None and (most is None or most > longest):
        most = longest
    if context is not None:
        left = context - session.tokens
        if left < 0 or (left == 0 and wanted > 0):
            raise Stop(
                Verdict.FAILED,
                f"{node.path}: {session.tokens:,} tokens do not fit the context of "
                f"{context:,} of {server.profile}",
            )
        if most is None or most > left:
            most = left
    if most is None:
        most = wanted
    if wanted <= most:
        return _new(Fit, (thinking, visible, most, 0))
    thinking = min(thinking, most)
    return Fit(thinking, most - thinking, most, wanted - most)


def threshold(plan: AgentPlan, server: ServerPlan) -> tuple[int, int] | None:
    """(session tokens at which to compact, tokens left afterwards); None: never."""
    if plan.compact is not None:
        at = plan.compact.at
        # a session that fills its context is compacted whatever was asked for
        return (at if server.context is None else min(at, server.context)), plan.compact.to
    if server.context is None:
        return None
    at = int(COMPACT_AT * server.context)
    prompt = sum(size for _, size in plan.prompt)
    # where prompt + 20k would not be below the mark, half of what is left keeps the agent going
    return at, min(prompt + COMPACT_KEEPS, (prompt + at) // 2)


def compact(
    node: Agent,
    pause: Counter | None,
    server: Server,
    line: Line,
    session: Session,
    to: int,
    frame: Frame,
) -> Generator[Event | int, Any, None]:
    """Rewrite a session's history, by a call or in the time that `pause` draws.

    A turn may have added more than the context holds: what does not fit is dropped before.
    """
    plan = node.plan
    rule = plan.compact
    if pause is not None:
        world = frame.world
        began = world.now
        outcome = Outcome.CANCELLED
        try:
            yield pause()
            outcome = Outcome.DONE
        finally:
            marks = ((Part.COMPACTION, world.now),)
            frame.record(node.rank, plan.name, "", began, marks, outcome, None)
    else:
        output = COMPACT_OUTPUT if rule is None else rule.output
        whole, context = session.tokens, server.plan.context
        if context is not None and session.asked and whole + output > context > output:
            session.tokens = context - output
            frame.world.note("compaction_cut")
        done = False
        try:
            held = fit(node, server.plan, session, 0, output, None)
            if held.cut:
                frame.world.note("output_cut")
            yield from speak(server, sent(line, session, held, 0, compaction=True), frame, node)
            done = True
        finally:
            if not done:
                session.tokens = whole
    frame.world.note("compactions")
    session.rewrite(to)


_new = tuple.__new__
