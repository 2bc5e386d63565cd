"""One request as a step."""

from __future__ import annotations

from agentsim.chance import first
from agentsim.engine.caps import speak
from agentsim.engine.draws import Purpose, once, whole
from agentsim.engine.frame import Frame, Steps, heed
from agentsim.engine.serve import serve
from agentsim.engine.server import sent
from agentsim.engine.talk import enter, fit, open_session
from agentsim.graph import Call


def run_call(node: Call, frame: Frame) -> Steps:
    """Sends the whole session with what is new; the answer stays in it, thinking does not."""
    task = frame.task
    key = frame.key(node.name)
    server = frame.stage.servers[node.server]
    session = open_session(frame, node.session, node.label, node.prompt)
    enter(session, node.path)
    before, answered = session.tokens, False
    try:
        session.tokens += whole(once(node.input, key, Purpose.INPUT, task, node.name))
        thinking = whole(once(node.thinking, key, Purpose.THINKING, task, node.name))
        visible = whole(once(node.output, key, Purpose.OUTPUT, task, node.name))
        held = fit(node, server.plan, session, thinking, visible, node.max_output)
        if held.cut:
            frame.world.note("output_cut")
        kept = 0 if held.thinking else held.visible
        line = server.line(node, node.role, node.label, key, task)
        request = sent(line, session, held, kept)
        if node.by_agent:
            yield from speak(server, request, frame, node)
        else:
            yield from serve(server, request, frame)
        session.tokens += held.visible
        session.asked = answered = True
    finally:
        if not answered:
            session.tokens = before  # what got no answer is sent again by a retry, not twice
        session.busy = False
    if node.says is None:
        return None
    return heed(node.says.verdict(frame.round, first(key, Purpose.VERDICT)), node.path)
