"""What a harness allows: agents and tools at once, and how many agents a run may start."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from simpy.events import Event

from agentsim.engine.bench import Bench, Job
from agentsim.engine.frame import Frame, Stop
from agentsim.engine.serve import serve
from agentsim.engine.server import Request, Server
from agentsim.engine.world import World
from agentsim.graph import AGENTS_AT_ONCE, TOOLS_AT_ONCE, CapsPlan, Node
from agentsim.records import Outcome, Part, Verdict


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


def spawn(node: Node, who: str, frame: Frame) -> Generator[Event | int, Any, Job | None]:
    """An agent starts, as soon as the caps let it; returns what it has to give back at its end.

    Raises Stop where the run has started as many as it may.
    """
    caps = frame.stage.caps
    if caps is None:
        return None
    most = caps.plan.spawns
    if most is not None and caps.spawned >= most:
        reason = f"{node.path}: the run has started {most} agents, as many as `caps` allows"
        raise Stop(Verdict.FAILED, reason)
    caps.spawned += 1
    if caps.lives is None:
        return None
    return (yield from place(caps.lives, node, who, frame))


def place(bench: Bench, node: Node, who: str, frame: Frame) -> Generator[Event | int, Any, Job]:
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


def speak(
    server: Server, request: Request, frame: Frame, node: Node
) -> Generator[Event | int, Any, None]:
    """A call by an agent: under the cap, where that is held for calls."""
    caps = frame.stage.caps
    if caps is None or caps.calls is None:
        return serve(server, request, frame)
    return _under(caps.calls, server, request, frame, node)


def _under(
    bench: Bench, server: Server, request: Request, frame: Frame, node: Node
) -> Generator[Event | int, Any, None]:
    job = yield from place(bench, node, request.line.who, frame)
    try:
        yield from serve(server, request, frame)
    finally:
        job.leave()
