"""An agent with steps of its own: one session, open as long as they take."""

from __future__ import annotations

from agentsim.chance import first
from agentsim.engine.caps import start, within
from agentsim.engine.draws import Purpose, once, whole
from agentsim.engine.frame import Frame, Steps, Stop, heed
from agentsim.engine.quality import begin, close, judged
from agentsim.engine.steps.block import run_block
from agentsim.engine.talk import open_session
from agentsim.graph import Life
from agentsim.records import Verdict


def run_life(node: Life, frame: Frame) -> Steps:
    """An agent, as soon as the harness lets it start."""
    return (yield from start(node, node.who, frame, lambda: _run(node, frame)))


def _run(node: Life, frame: Frame) -> Steps:
    """Its steps, in which `call: self` speaks in its session, and tools and agents return to it."""
    task, key = frame.task, frame.key(node.name)
    session = open_session(frame, node.session, node.label, node.prompt)
    if session.busy:
        reason = f"{node.path}: session {session.name} is in use by another branch"
        raise Stop(Verdict.FAILED, reason)
    session.shared = True
    if session.begins(node.rank, frame.place):
        session.tokens += whole(once(node.task, key, Purpose.TASK, task, node.who))
    reader = f"session {session.number}"
    own = None
    if node.reads:
        own = begin(node.craft, frame, key, reader, True)
        session.tokens += whole(task.look(reader) * node.tokens_per_line)
    around, before = frame.around, session.caps
    session.caps = within(node.caps, node, frame)
    frame.around = session
    try:
        verdict = yield from run_block(node.body, frame)
        if not node.reads:  # its steps are its work: what they left is what it judges
            own = begin(node.craft, frame, key, reader, False)
        if own is not None:
            own.end(0.0)
    finally:
        frame.around, session.caps = around, before
        close(own)
    if around is not None and node.returns is not None:
        around.take(whole(once(node.returns, key, Purpose.RETURNS, task, node.who)))
    if node.says is None:
        return verdict
    verdict = judged(node.says, frame.round, first(key, Purpose.VERDICT), own)
    return heed(verdict, node.path)
