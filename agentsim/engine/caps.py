"""What may run at once: agents and tools, and how many agents may start, in a run or in an agent.

Caps of an agent stand within those around it; who is counted by several holds a place in each.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any, TypeVar

from agentsim.engine.bench import Bench, Job
from agentsim.engine.frame import Frame, Stop
from agentsim.engine.serve import serve
from agentsim.engine.server import Request, Server
from agentsim.engine.world import Event, World
from agentsim.graph import AGENTS_AT_ONCE, TOOLS_AT_ONCE, CapsPlan, Node, cap_name
from agentsim.records import Outcome, Part, Verdict

T = TypeVar("T")
Working = Generator[Event | int, Any, T]
Places = tuple[Bench, ...]
"""Where a place is needed, the nearest first: who waits further out keeps nobody out there."""


class Caps:
    """Caps while they last: of a run, or of one run of the agent step `who`, within those `around`.

    `lives`: held for an agent's life, in which those that it starts count too; `calls`: for each
    of its calls; `tools`: for each tool run of an agent.
    """

    def __init__(
        self, world: World, plan: CapsPlan, who: str = "", around: Caps | None = None
    ) -> None:
        self.plan = plan
        self.who = who
        self.around = around
        self.spawned = 0
        agents: Places = ()
        if plan.agents is not None:
            agents = (Bench(world, cap_name(AGENTS_AT_ONCE, who), plan.agents),)
        tools: Places = ()
        if plan.tools is not None:
            tools = (Bench(world, cap_name(TOOLS_AT_ONCE, who), plan.tools),)
        self.lives: Places = () if plan.per_call else agents
        self.calls: Places = agents if plan.per_call else ()
        self.tools: Places = tools
        if around is not None:
            self.lives += around.lives
            self.calls += around.calls
            self.tools += around.tools

    def spawn(self, node: Node) -> None:
        """Count an agent that starts. Raises Stop where as many have started as may."""
        for caps in self._chain():
            most = caps.plan.spawns
            if most is not None and caps.spawned >= most:
                who = caps.who or "the run"
                reason = f"{node.path}: {who} has started {most} agents, as many as `caps` allows"
                raise Stop(Verdict.FAILED, reason)
        for caps in self._chain():
            caps.spawned += 1

    def _chain(self) -> Iterator[Caps]:
        """These and those around them."""
        caps: Caps | None = self
        while caps is not None:
            yield caps
            caps = caps.around


def around(frame: Frame) -> Caps | None:
    """The caps that count what starts in this frame."""
    inside = frame.around
    return frame.stage.caps if inside is None else inside.caps


def within(plan: CapsPlan | None, node: Node, frame: Frame) -> Caps | None:
    """The caps on what an agent starts: its own, within those around it."""
    outer = around(frame)
    return outer if plan is None else Caps(frame.world, plan, node.path, outer)


def start(node: Node, who: str, frame: Frame, work: Callable[[], Working[T]]) -> Working[T]:
    """What an agent does, from when the caps let it start.

    Raises Stop where as many have started as may.
    """
    caps = around(frame)
    if caps is None:
        return work()
    caps.spawn(node)
    return under(caps.lives, node, who, frame, work) if caps.lives else work()


def speak(
    server: Server, request: Request, frame: Frame, node: Node, places: Places
) -> Working[int]:
    """A call by an agent, in a place under each cap that is held for calls: see `serve`."""
    if not places:
        return serve(server, request, frame)
    who = request.line.who
    return under(places, node, who, frame, lambda: serve(server, request, frame))


def under(
    places: Places, node: Node, who: str, frame: Frame, work: Callable[[], Working[T]]
) -> Working[T]:
    """Work in a place under each of these caps; it begins when it has them all."""
    jobs: list[Job] = []
    try:
        for bench in places:
            jobs.append((yield from _place(bench, node, who, frame)))
        return (yield from work())
    finally:
        for job in reversed(jobs):
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
