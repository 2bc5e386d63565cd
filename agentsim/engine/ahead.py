"""Running ahead: a stretch of an agent's turns that nobody else can touch, and one wait for it.

Calls to a server without doors and tools without pools take the same time whatever else runs. So
a stretch of them is worked out at once, on a clock of its own, and waited for once; where the
wait is cut short, what was not reached is taken back. What is shared, the prompts that a cache
holds, is asked at the start; later calls ask only where the answer is the session's own.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

from simpy import Interrupt

from agentsim.engine.frame import Frame
from agentsim.engine.serve import cut_short, served
from agentsim.engine.server import Course, Request, Server
from agentsim.engine.tasks import Session
from agentsim.engine.tools import Hand, tell
from agentsim.graph import Node
from agentsim.laws.prefix import State
from agentsim.records import Loss, Mark, Outcome

MOST = 10_000
"""Parts of one stretch: more are waited for in between, so that an endless run is noticed."""


class Served(NamedTuple):
    """A call of the stretch; `before` is the session's length when it began."""

    began: int
    ended: int
    before: int
    request: Request
    cached: int
    marks: list[Mark]
    course: Course
    loss: Loss | None


class Used(NamedTuple):
    """A tool run of the stretch."""

    began: int
    ended: int
    before: int
    hand: Hand
    good: bool
    tokens: int
    lost: int


class Side(NamedTuple):
    """Tool runs side by side, (end, tool, ended well, tokens, tokens lost) each."""

    began: int
    ended: int
    before: int
    runs: list[tuple[int, Hand, bool, int, int]]


class Ahead:
    """The stretch of one agent step. Its clock `at` runs ahead of the world's until it lands."""

    def __init__(self, node: Node, server: Server, session: Session, frame: Frame) -> None:
        self.node = node
        self.server = server
        self.session = session
        self.frame = frame
        self.world = frame.world
        self.at = 0
        self.parts: list[Served | Used | Side] = []
        self._notes: list[tuple[int, str]] = []
        self._asked = False
        self._state: State | None = None

    def note(self, code: str) -> None:
        """Something to mention, if the part that comes next is reached."""
        self._notes.append((len(self.parts), code))

    def call(self, request: Request) -> bool:
        """One call more; False where the stretch has to land before."""
        server, session, parts = self.server, self.session, self.parts
        if not parts:
            self.at = self.world.now
            self._asked = session.asked
        elif len(parts) >= MOST:
            return False
        now, cached = self.at, 0
        loss: Loss | None = None
        if server.caches:
            prefix = session.prefix(server.number)
            if parts:
                cached = server.ahead(prefix, now)
                if cached < 0:
                    return False
            else:
                cached, loss = server.look(request, prefix, now)
        marks: list[Mark] = []
        course = server.course(request, cached, now, marks)
        end = course[5]
        if server.caches:
            server.cache.use(prefix, now, course[1], end, request.kept)
            if self._state is None:
                self._state = server.cache.lead(prefix, now)
        parts.append(_new(Served, (now, end, session.tokens, request, cached, marks, course, loss)))
        self.at = end
        return True

    def use(self, hands: list[Hand], in_turn: bool) -> int:
        """The tools of one turn, after a call of the stretch; the tokens that they return."""
        if len(hands) > 1 and not in_turn:
            return self._side_by_side(hands)
        total = 0
        for hand in hands:
            now = self.at
            took, good, tokens, lost = hand.draw()
            self.at = end = now + took
            part = (now, end, self.session.tokens, hand, good, tokens, lost)
            self.parts.append(_new(Used, part))
            total += tokens
        return total

    def _side_by_side(self, hands: list[Hand]) -> int:
        now = end = self.at
        runs, total = [], 0
        for hand in hands:
            took, good, tokens, lost = hand.draw()
            runs.append((now + took, hand, good, tokens, lost))
            end = max(end, now + took)
            total += tokens
        self.at = end
        self.parts.append(_new(Side, (now, end, self.session.tokens, runs)))
        return total

    @property
    def stands(self) -> bool:
        """It is one call that takes no time: a cut at this instant may come before it."""
        (first,) = self.parts
        return first.ended == first.began

    def land(self) -> Generator[int, None, None]:
        """Wait until the stretch is over, and write what came to pass of it."""
        if not self.parts:
            return
        try:
            yield self.at - self.world.now
        except Interrupt:
            now = self.world.now
            reached = 0
            if self.parts[0].began < now:
                reached = next(i for i, part in enumerate(self.parts) if part.ended > now)
            self._close(reached)
            raise
        self._close(len(self.parts))

    def _close(self, reached: int) -> None:
        """Write the parts before that one, and of that one what there was of it."""
        parts, now = self.parts, self.world.now
        if self._state is not None:
            self.server.cache.land(self.session.prefix(self.server.number), now)
        if reached < len(parts):
            self._take_back(reached)
        for part in parts[:reached]:
            self._write(part)
        if reached < len(parts):
            self._cut(parts[reached])
        for i, code in self._notes:
            if i <= reached:
                self.world.note(code)
        self.parts, self._notes, self._state = [], [], None

    def _take_back(self, reached: int) -> None:
        """The session and its cache as they stand in the part that is cut."""
        session, cache = self.session, self.server.cache
        session.tokens = self.parts[reached].before
        session.asked = self._asked or reached > 0
        if self._state is not None:
            uses = [
                (part.request.input, part.began, part.course[1], part.ended, part.request.kept)
                for part in self.parts[1 : reached + 1]
                if isinstance(part, Served)
            ]
            cache.back(session.prefix(self.server.number), self.world.now, self._state, uses)

    def _write(self, part: Served | Used | Side) -> None:
        """The span of a part that came to its end."""
        if isinstance(part, Served):
            began, _, _, request, cached, marks, course, loss = part
            served(self.server, request, self.frame, began, cached, marks, course, loss)
        elif isinstance(part, Used):
            begun, until, _, hand, good, got, lost = part
            outcome = Outcome.DONE if good else Outcome.FAILED
            tell(hand, self.frame, self.node, begun, until, got, lost, outcome)
        else:
            self._write_side(part, part.ended)

    def _write_side(self, part: Side, now: int) -> None:
        """Spans that all go on from one; the chain goes on from the last to end, or from a cut."""
        frame = self.frame
        before, chosen = frame.last, (-1, -1)
        for end, hand, good, tokens, lost in part.runs:
            outcome = Outcome.DONE if good else Outcome.FAILED
            if end > now:
                outcome = Outcome.CANCELLED
            frame.last = before
            tell(hand, frame, self.node, part.began, min(end, now), tokens, lost, outcome)
            # of equals the first declared; whatever was cut comes after all that ended
            rank = min(end, now + 1)
            if rank > chosen[0]:
                chosen = rank, frame.last
        frame.last = chosen[1]

    def _cut(self, part: Served | Used | Side) -> None:
        """The span of the part in which it was cut short."""
        if isinstance(part, Served):
            began, _, _, request, cached, marks, course, loss = part
            cut_short(self.server, request, self.frame, began, cached, marks, course, loss)
        elif isinstance(part, Side):
            self._write_side(part, self.world.now)
        else:
            begun, _, _, hand, _, got, lost = part
            now = self.world.now
            tell(hand, self.frame, self.node, begun, now, got, lost, Outcome.CANCELLED)


_new = tuple.__new__
