"""A call that may not be served: it is sent again after a wait, as often as its plan says.

Each try is a `Call` with a span of its own; the waits between them are spans of the step.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from agentsim.engine.call import Call
from agentsim.engine.draws import Sampler
from agentsim.engine.fragile import Fragile
from agentsim.engine.frame import Frame, Stop
from agentsim.engine.luck import Lot
from agentsim.engine.quota import Refusal
from agentsim.engine.server import Line, Request, Server
from agentsim.engine.world import Event
from agentsim.graph import RetryPlan, ServerPlan
from agentsim.laws.caches import FOREVER
from agentsim.records import Outcome, Part, Verdict


class Tries:
    """How often one request was sent for one kind of reason, and what comes before the next try."""

    def __init__(self, plan: RetryPlan | None, jitter: Sampler | None) -> None:
        self.plan = plan
        self.jitter = jitter
        self.made = 0

    def wait(self, now: int, until: int) -> int:
        """One more try was not served: nanoseconds up to the next; -1 where there is none.

        `until`: when what it lacked is there.
        """
        self.made += 1
        plan = self.plan
        if plan is None:
            return -1
        if plan.reset:
            return until - now if plan.tries is None or self.made < plan.tries else -1
        if self.made > len(plan.waits):
            return -1
        took = plan.waits[self.made - 1]
        return took if self.jitter is None else round(took * self.jitter())

    @property
    def part(self) -> Part:
        """What the wait before a further try is."""
        reset = self.plan is not None and self.plan.reset
        return Part.QUOTA_WAIT if reset else Part.RETRY


Elsewhere = tuple[Server, Request]
"""The server that serves a call instead, and what it is sent."""


def insist(
    server: Server, request: Request, frame: Frame
) -> Generator[Event | int, Any, Elsewhere | None]:
    """One call, sent again where it is not served. Raises Stop where it is given up.

    Returns where it is served instead, if it is.
    """
    line = request.line
    rejected = Tries(server.plan.on_reject, line.jitter)
    failed = Tries(None, None)
    lot: Lot | None = None
    faults = server.plan.faults
    if faults is not None and line.luck is not None:
        lot = line.luck.lot(line.before, line.spread, line.noise)
        failed = Tries(faults.retry, lot.jitter)
    while True:
        if faults is None or lot is None:
            call = Call(server, request, frame)
        else:
            call = Fragile(server, faults, request, frame, lot)
        tries = rejected
        wait = -1
        refusal: Refusal | None = None
        try:
            call.enter()
            yield call
            refusal = call.refusal
            if refusal is None:
                call.outcome = Outcome.DONE
            elif refusal.other >= 0:
                call.outcome = refusal.outcome
                call.again = True
            else:
                call.outcome = refusal.outcome
                if call.outcome is Outcome.FAILED and lot is not None:
                    tries = failed
                    lot.failed()
                wait = tries.wait(server.world.now, refusal.until)
                call.again = wait >= 0
        finally:
            call.leave()
        if refusal is None:
            return None
        if refusal.other >= 0:
            return elsewhere(server, request, refusal.other, frame)
        if wait < 0:
            raise Stop(Verdict.FAILED, _given_up(server, line.path, tries.made, refusal))
        yield from _pause(tries.part, wait, server, line, frame)


def elsewhere(server: Server, request: Request, number: int, frame: Frame) -> Elsewhere:
    """The same request to another server: no longer an answer, and cut to what that one holds.

    Raises Stop where what is sent does not fit its context.
    """
    other = server.others[number]
    line = next(line for at, line in request.line.spares if at == number)
    most = request.max_output
    if most == _holds(server.plan, request) or most == request.thinking + request.visible:
        most = FOREVER  # the step itself asked for no less
    plan, left = other.plan, FOREVER
    if plan.context is not None:
        left = plan.context - request.input
        if left < 0 or (left == 0 and request.thinking + request.visible):
            raise Stop(
                Verdict.FAILED,
                f"{line.path}: {request.input:,} tokens do not fit the context of "
                f"{plan.context:,} of {plan.profile}, which serves what {server.plan.name} sends "
                "back",
            )
    most = min(most, _holds(plan, request))
    if most == FOREVER:
        most = request.thinking + request.visible
    thinking = min(request.thinking, most)
    visible = min(request.visible, most - thinking)
    lost = request.thinking + request.visible - thinking - visible
    if lost:
        frame.world.note("output_cut")
    return other, request._replace(
        line=line,
        thinking=thinking,
        visible=visible,
        max_output=most,
        cut=request.cut + lost,
        kept=min(request.kept, thinking + visible),
    )


def _holds(plan: ServerPlan, request: Request) -> int:
    """The longest answer that a server gives to a request."""
    most = FOREVER if plan.max_output is None else plan.max_output
    return most if plan.context is None else min(most, plan.context - request.input)


def _given_up(server: Server, path: str, made: int, refusal: Refusal) -> str:
    often = "once" if made == 1 else f"{made} times"
    if refusal.outcome is Outcome.REJECTED:
        return f"{path}: rejected {often} by {refusal.why}"
    last = "" if made == 1 else ", the last time"
    return f"{path}: failed {often} at {server.plan.name}{last} by {refusal.why}"


def _pause(
    part: Part, took: int, server: Server, line: Line, frame: Frame
) -> Generator[Event | int, Any, None]:
    """The wait before a further try: a span of its own, cut short or not.

    It names the server, which tells it from the wait before a further try of a step.
    """
    began = server.world.now
    outcome = Outcome.CANCELLED
    try:
        yield took
        outcome = Outcome.DONE
    finally:
        marks = ((part, server.world.now),)
        frame.record(line.step, line.who, server.plan.name, began, marks, outcome, None)
