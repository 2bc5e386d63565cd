"""Serving a request: by a `Call` on its way through the doors, or at once where there are none."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from agentsim.engine.call import Call
from agentsim.engine.frame import Frame
from agentsim.engine.server import Course, Request, Server
from agentsim.engine.tries import insist
from agentsim.engine.world import Event
from agentsim.engine.written import write
from agentsim.records import Loss, Mark, Outcome


def serve(server: Server, request: Request, frame: Frame) -> Generator[Event | int, Any, int]:
    """One call from the asking to the last token; writes its span, however it ends.

    Returns how many tokens of the answer were not made, since another server served it that holds
    less.
    """
    if server.simple:
        return _simply(server, request, frame)
    if server.refuses:
        return _where_there_is_room(server, request, frame)
    return _through(Call(server, request, frame))


def _where_there_is_room(
    server: Server, request: Request, frame: Frame
) -> Generator[Event | int, Any, int]:
    """A call that may be sent back, here or where it is served instead."""
    whole = request.thinking + request.visible
    while server.refuses:
        other = yield from insist(server, request, frame)
        if other is None:
            return whole - request.thinking - request.visible
        server, request = other
    if server.simple:
        yield from _simply(server, request, frame)
    else:
        yield from _through(Call(server, request, frame))
    return whole - request.thinking - request.visible


def _through(call: Call) -> Generator[Event | int, Any, int]:
    try:
        call.enter()
        yield call
        call.outcome = Outcome.DONE
    finally:
        call.leave()
    return 0


def _simply(server: Server, request: Request, frame: Frame) -> Generator[Event | int, Any, int]:
    """A call with no door to wait at: what `Call` does, without the object."""
    now = server.world.now
    cached = 0
    loss: Loss | None = None
    if server.caches:
        prefix = request.session.prefix(server.number)
        cached, loss = server.look(request, prefix, now)
    marks: list[Mark] = []
    course = server.course(request, cached, now, marks)
    _, ready, _, _, _, end = course
    if server.caches:
        server.cache.use(prefix, now, ready, end, request.kept)
    done = False
    try:
        yield end - now
        done = True
    finally:
        if not done:
            cut_short(server, request, frame, now, cached, marks, course, loss)
    served(server, request, frame, now, cached, marks, course, loss)
    return 0


def served(
    server: Server,
    request: Request,
    frame: Frame,
    began: int,
    cached: int,
    marks: list[Mark],
    course: Course,
    loss: Loss | None,
) -> None:
    """The span of a simple call that came to its end."""
    _, ready, shown, decoding, _, end = course
    if server.takes is not None:
        server.takes.append((began, ready, end, request, cached))
    tokens = (request.input - cached, cached, request.thinking, request.visible)
    write(
        server, request, frame, began, marks, Outcome.DONE, tokens, 0, 1, shown, decoding, loss=loss
    )


def cut_short(
    server: Server,
    request: Request,
    frame: Frame,
    began: int,
    cached: int,
    marks: list[Mark],
    course: Course,
    loss: Loss | None,
) -> None:
    """A simple call that was cancelled: the object is made after all, and leaves early."""
    server.lost = True
    call = Call(server, request, frame)
    call.began, call.cached, call.marks = began, cached, marks
    call.loss = loss
    if server.caches:
        call.prefix = request.session.prefix(server.number)
        call.prefix.total = request.input
    call.take(course)
    call.leave()
