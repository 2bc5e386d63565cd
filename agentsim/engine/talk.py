"""Sessions at work: opening them, fitting a request into the context, compacting."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from agentsim.engine.caps import Places, speak
from agentsim.engine.draws import Counter, Purpose, timer
from agentsim.engine.frame import Frame, Stop
from agentsim.engine.server import Fit, Line, Server, sent
from agentsim.engine.tasks import Session
from agentsim.engine.world import Event
from agentsim.graph import (
    COMPACT_OUTPUT,
    Call,
    CompactPlan,
    Node,
    ServerPlan,
    TurnTime,
    Voice,
    marks_of,
)
from agentsim.records import Part, Verdict


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

    A further try of the step goes on in its copy, unless there is another session to copy by now.
    What a cache holds of the original it holds of the copy too.
    """
    found = None if name is None else frame.task.find(name)
    if found is None:
        return open_session(frame, None, label, prompt)
    if frame.tried:
        own = frame.task.find(label)
        if own is not None and own.source == found.number:
            return own
    stage = frame.stage
    history = found.tokens - found.prompt
    block = (f"history {found.number} {found.epoch} {history}", history)
    session = Session(stage.sessions, label, (*found.blocks, block))
    stage.sessions += 1
    session.forked, session.source = found.blocks, found.number
    session.asked = found.asked
    frame.task.sessions[label] = session
    now = frame.world.now
    for number, prefix in found.prefixes.items():
        cache = stage.servers[number].cache
        sends = prefix.total  # a request may be on its way
        prefix.total = found.tokens
        cache.fork(prefix, session.prefix(number), now)
        prefix.total = sends
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


def compact(
    node: Node,
    who: str,
    rule: CompactPlan | None,
    pause: Counter | None,
    server: Server,
    line: Line,
    session: Session,
    to: int,
    frame: Frame,
    places: Places,
) -> Generator[Event | int, Any, None]:
    """Rewrite a session's history, by a call or in the time that `pause` draws.

    A turn may have added more than the context holds: what does not fit is dropped before. What
    is returned to the session meanwhile stands after what was rewritten.
    """
    world = frame.world
    before = session.tokens
    if pause is not None:
        yield from frame.spend(node, who, Part.COMPACTION, pause())
    else:
        output = COMPACT_OUTPUT if rule is None else rule.output
        whole, context = before, server.plan.context
        if context is not None and session.asked and whole + output > context > output:
            session.tokens = before = context - output
            world.note("compaction_cut")
        done = False
        try:
            held = fit(node, server.plan, session, 0, output, None)
            if held.cut:
                world.note("output_cut")
            request = sent(line, session, held, 0, compaction=True)
            yield from speak(server, request, frame, node, places)
            done = True
        finally:
            if not done:
                session.tokens += whole - before
    world.note("compactions")
    session.rewrite(to + session.tokens - before)


def prepare(
    node: Call,
    voice: Voice,
    key: int,
    server: Server,
    line: Line,
    session: Session,
    more: int,
    frame: Frame,
    places: Places,
) -> Generator[Event | int, Any, None]:
    """What comes before an agent's call in its own steps, as before each of its turns.

    `more`: tokens that the call will add. They count for the mark, and are not cut themselves.
    """
    rule, who = voice.compact, voice.who
    limits = marks_of(rule, session.start, server.plan.context)
    if limits is not None and session.tokens + more >= limits[0] and session.tokens > limits[1]:
        pause, to = pause_of(rule, key, who, frame), limits[1]
        yield from compact(node, who, rule, pause, server, line, session, to, frame, places)
    own = own_time(voice.turn_time, node, key, frame)
    if own is not None:
        yield from own()


def pause_of(rule: CompactPlan | None, key: int, who: str, frame: Frame) -> Counter | None:
    """The times of a step's compactions, where they are no calls."""
    if rule is None or rule.time is None:
        return None
    return timer(rule.time, key, Purpose.COMPACTION, frame.task, who)


Passing = Generator[Event | int, Any, None]


def own_time(
    took: TurnTime | None, node: Node, key: int, frame: Frame
) -> Callable[[], Passing] | None:
    """What a harness does in each turn of a step; None: nothing."""
    if took is None:
        return None
    who, time = took.name, timer(took.time, key, Purpose.HARNESS, frame.task, took.name)
    return lambda: frame.spend(node, who, Part.OTHER, time())


_new = tuple.__new__
