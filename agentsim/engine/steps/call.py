"""One request as a step."""

from __future__ import annotations

from agentsim.chance import first
from agentsim.engine.caps import Places, around, speak
from agentsim.engine.draws import Purpose, once, whole
from agentsim.engine.frame import Answer, Frame, Steps, heed
from agentsim.engine.server import sent
from agentsim.engine.talk import enter, fit, open_session, prepare
from agentsim.graph import Call, Voice


def run_call(node: Call, frame: Frame) -> Steps:
    """Sends the whole session with what is new; the answer stays in it, thinking does not."""
    task = frame.task
    key = frame.key(node.name)
    server = frame.stage.servers[node.server]
    session = open_session(frame, node.session, node.label, node.prompt)
    enter(session, node.path)
    added, answered, voice = 0, False, node.voice
    try:
        new = whole(once(node.input, key, Purpose.INPUT, task, node.name))
        line = server.line(node, node.role, node.label, key, task)
        places: Places = ()
        if voice is not None:
            places = _places(voice, frame)
            yield from prepare(node, voice, key, server, line, session, new, frame, places)
        session.tokens += new
        added = new
        thinking = whole(once(node.thinking, key, Purpose.THINKING, task, node.name))
        visible = whole(once(node.output, key, Purpose.OUTPUT, task, node.name))
        held = fit(node, server.plan, session, thinking, visible, node.max_output)
        if held.cut:
            frame.world.note("output_cut")
        kept = 0 if held.thinking else held.visible
        lost = yield from speak(server, sent(line, session, held, kept), frame, node, places)
        said = max(0, held.visible - lost)  # where another server served it that holds less
        session.tokens += said
        session.asked = answered = True
        frame.answers = (Answer(said),)
    finally:
        if not answered:
            # what got no answer is sent again by a retry, not twice; others may have added theirs
            session.tokens -= added
        session.busy = False
    if node.says is None:
        return None
    return heed(node.says.verdict(frame.round, first(key, Purpose.VERDICT)), node.path)


def _places(voice: Voice, frame: Frame) -> Places:
    """Where an agent that speaks in its own steps needs a place: its own caps do not count it."""
    caps = around(frame)
    if caps is not None and voice.capped:
        caps = caps.around
    return () if caps is None else caps.calls
