"""A call to a server with faults: it may be turned away, err, break, be cut, or meet an outage.

In each case it is over at that instant, with what was done of it by then; `tries` sends it again.
"""

from __future__ import annotations

from itertools import repeat

from agentsim.engine.bench import Bench
from agentsim.engine.call import Call
from agentsim.engine.frame import Frame
from agentsim.engine.luck import Lot
from agentsim.engine.quota import Refusal
from agentsim.engine.server import Request, Server
from agentsim.engine.world import DEADLINE, Event
from agentsim.graph import FaultPlan
from agentsim.laws.faults import Fate, broken_after, over_at
from agentsim.records import SECOND, Outcome, Part

_FAILED = Outcome.FAILED


class Fragile(Call):
    """One try of a call, with what its lot has for it."""

    def __init__(
        self, server: Server, faults: FaultPlan, request: Request, frame: Frame, lot: Lot
    ) -> None:
        line = request.line
        if line.before is not None:
            line = line._replace(before=repeat(lot.before).__next__)
        if line.spread is not None:
            line = line._replace(spread=repeat(lot.factor).__next__)
        if line.noise is not None:
            line = line._replace(noise=repeat(lot.noise).__next__)
        super().__init__(server, request._replace(line=line), frame)
        self.faults = faults
        self.before = lot.before
        self.fate, self.share = lot.fate()
        self.broken: Refusal | None = None
        """What it says if it breaks where its stream is to break."""

    def enter(self) -> None:
        if over_at(self.faults.outages, self.server.world.now) >= 0:
            self._fails("an outage")
            return
        self.server.inside[self] = None
        super().enter()

    def leave(self) -> None:
        self.server.inside.pop(self, None)
        super().leave()

    def _fails(self, why: str) -> None:
        self.refuse(Refusal(why, 0, -1, Outcome.FAILED))

    def strike(self) -> None:
        """An outage begins, wherever it is."""
        self._fails("an outage")

    def _queue(self, slots: Bench) -> None:
        if not self._turned_away():
            super()._queue(slots)

    def _start(self) -> None:
        if not self._turned_away():
            super()._start()

    def _turned_away(self) -> bool:
        if self.fate is not Fate.OVERLOAD:
            return False
        self._fails("an overload")
        return True

    def _serve(self) -> None:
        world = self.server.world
        now, timeout = world.now, self.faults.timeout
        if self.fate is Fate.ERROR:
            self.part = Part.LATENCY
            if timeout is not None and timeout < self.before:
                world.after(timeout, self._late, self, DEADLINE)
            elif self.before:
                world.after(self.before, self._erred, self)
            else:
                self._erred(self)
            return
        if self.fate is Fate.DROPPED:
            self._shorten()
        super()._serve()
        if timeout is not None and (self.server.batch is not None or self.planned - now > timeout):
            world.after(timeout, self._late, self, DEADLINE)

    def _erred(self, _: Event) -> None:
        if not self.gone:
            self._fails("an error")

    def _late(self, _: Event) -> None:
        timeout = self.faults.timeout
        if not self.gone and timeout is not None:
            self._fails(f"its time-out of {timeout / SECOND:,.10g} s")

    def _shorten(self) -> None:
        """It goes on as one that has less to say, and has failed when that is said."""
        request = self.request
        made = broken_after(self.share, request.thinking + request.visible, self.server.came)
        thinking = min(request.thinking, made)
        self.request = request._replace(thinking=thinking, visible=made - thinking, kept=0)
        self.refusal = self.broken = Refusal("a stream that broke", 0, -1, Outcome.FAILED)

    def _cut(self, now: int) -> tuple[int, int, int, int]:
        if self.broken is None or self.refusal is not self.broken or self.outcome is not _FAILED:
            return super()._cut(now)
        request = self.request
        return request.input - self.cached, self.cached, request.thinking, request.visible


def watch(server: Server) -> None:
    """Let the outages of a server come: what ends at that very instant is done before."""
    if server.plan.faults is not None:
        for began, _ in server.plan.faults.outages:
            server.world.after(began, _strike, server, DEADLINE)


def _strike(server: Server) -> None:
    for call in list(server.inside):
        call.strike()
