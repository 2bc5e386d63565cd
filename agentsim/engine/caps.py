"""What a harness allows: agents and tools at once, and how many agents a run may start."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from simpy.events import Event

from agentsim.engine.bench import Bench, Job
from agentsim.engine.frame import Frame, Stop
from agentsim.engine.serve import serve
from agentsim.engine.server import Request, Server
from agentsim.engine.world import World
from agentsim.graph import AGENTS_AT_ONCE, TOOLS_AT_ONCE, CapsPlan, Node
from agentsim.records import Outcome, Part, Verdict

T = TypeVar("T")
Working = Generator[Event | int, Any, T]


class Caps:
    """The caps of a run while it lasts; a bench is None where there is no cap.

    `lives`: held for an agent's life, in which those that it starts count too; `calls`: for each
    of its calls.
    """

    def __init__(self, world: World, plan: CapsPlan) -> None:
        self.plan = plan
        self.spawned = 0
        agents = None
        if plan.agents is not None:
            agents = Bench(world, AGENTS_AT_ONCE, plan.agents)
        self.lives = None if plan.per_call else agents
        self.calls = agents if plan.per_call else None
        self.tools = None if plan.tools is None else Bench(world, TOOLS_AT_ONCE, plan.tools)


def start(node: Node, who: str, frame: Frame, work: Callable[[], Working[T]]) -> Working[T]:
    """What an agent does, from when the caps let it start.

    Raises Stop where the run has started as many as it may.
    """
    caps = frame.stage.caps
    if caps is None:
        return work()
    most = caps.plan.spawns
    if most is not None and caps.spawned >= most:
        reason = f"{node.path}: the run has started {most} agents, as many as `caps` allows"
        raise Stop(Verdict.FAILED, reason)
    caps.spawned += 1
    return work() if caps.lives is None else under(caps.lives, node, who, frame, work)


def speak(server: Server, request: Request, frame: Frame, node: Node) -> Working[None]:
    """A call by an agent: under the cap, where that is held for calls."""
    caps = frame.stage.caps
    if caps is None or caps.calls is None:
        return serve(server, request, frame)
    who = request.line.who
    return under(caps.calls, node, who, frame, lambda: serve(server, request, frame))


def under(
    bench: Bench, node: Node, who: str, frame: Frame, work: Callable[[], Working[T]]
) -> Working[T]:
    """Work in a place under a cap; it begins when the place is there."""
    job = yield from _place(bench, node, who, frame)
    try:
        return (yield from work())
    finally:
        job.leave()


def _place(bench: Bench, node: Node, who: str, frame: Frame) -> Working[Job]:
    """A place under a cap; the wait for it is a span of its own."""
    world = frame.world
    began = world.now
    job = bench.ask(1, (node.rank, frame.place), node.path, node.priority)
    outcome = Outcome.CANCELLED
    try:
        yield job
        outcome = Outcome.DONE
    finally:
        if outcome is Outcome.CANCELLED:
            job.leave()
        now = world.now
        if now > began:
            marks = ((Part.CAP_WAIT, now),)
            frame.record(node.rank, who, bench.name, began, marks, outcome, None)
    return job
