"""How many copies of a workflow one server carries: found by simulating more and more of them.

Copies go round without end: who is done begins anew. Each has its own people, pools and places
under the caps of the run, and other machines are as quick as for one alone: so the server alone
makes them slow. 1, 2, 4, ... copies are tried until 9 in 10 turns are not within the limit, then
the bounds are halved. A copy of one number draws the same whatever their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agentsim.analysis.carries import Carries, Crowd, Tried, quantile90, seen
from agentsim.analysis.estimate import half_width
from agentsim.analysis.outcome import Tally
from agentsim.chance import Constant, uniform
from agentsim.engine import Simulator
from agentsim.experiment.executors import Executor
from agentsim.experiment.options import Progress
from agentsim.graph import Block, CapsPlan, Fork, Graph, ServerPlan, Step, ToolPlan, Work
from agentsim.records import SECOND, Part

ROUNDS = 4
"""Times that each copy goes round, at least: one to mix, one at the end that is left out."""

RUNS = 4
"""Independent runs of each number of copies, where there is room."""

TURNS = 4_000
"""Turns that are enough for one number of copies: the 90 % quantile is then known to a percent."""

SPANS = 40_000
"""Spans that one number of copies may simulate before it goes round less or in fewer runs."""

MOST_SPANS = 400_000
"""A number of copies that takes more in one run is not tried."""

MOST = 1024
"""Copies."""

FINE = 16
"""The bounds are as near as one in so many."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One run of so many copies."""

    graph: Graph
    seed: int
    replication: int
    server: str
    fork: int
    copies: int

    def run(self) -> Crowd:
        trace = Simulator(self.graph, self.seed)(self.replication)
        return seen(trace, self.graph, self.server, self.fork, self.copies)


def carries(
    executor: Executor,
    graph: Graph,
    tallies: Sequence[Tally],
    seed: int,
    limit: float,
    progress: Progress | None = None,
) -> dict[str, Carries]:
    """By the first role of each server that is called. `limit`: seconds.

    Nothing where copies would have to share what is one: a merge queue.
    """
    if graph.queues:
        return {}
    wall = sum(tally.wall for tally in tallies) / len(tallies) / SECOND
    spans = max(1.0, sum(tally.spans for tally in tallies) / len(tallies))
    found: dict[str, Carries] = {}
    for number, plan in enumerate(graph.servers):
        calls = sum(tally.servers[number].calls for tally in tallies) / len(tallies)
        if calls:
            search = _Search(executor, graph, number, seed, wall, spans, calls)
            found[plan.known_as] = search.found(limit, progress)
    return found


class _Search:
    """For the most copies that one server carries."""

    def __init__(
        self,
        executor: Executor,
        graph: Graph,
        number: int,
        seed: int,
        wall: float,
        spans: float,
        calls: float,
    ) -> None:
        self._executor = executor
        self._graph = graph
        self._number = number
        self._seed = seed
        self._wall = wall
        self._spans = spans
        self._calls = calls
        self._tried: dict[int, tuple[Tried, float, float]] = {}

    def found(self, limit: float, progress: Progress | None) -> Carries:
        """Doubles until it is too many, then halves."""
        low, high, copies = 0, None, 1
        while high is None and copies <= MOST and self._runs(copies):
            self._tell(progress)
            if self._holds(copies, limit):
                low, copies = copies, 2 * copies
            else:
                high = copies
        while high is not None and high - low > max(1, low // FINE):
            self._tell(progress)
            middle = (low + high) // 2
            if self._holds(middle, limit):
                low = middle
            else:
                high = middle
        return self._carries(limit, low, high)

    def _carries(self, limit: float, low: int, high: int | None) -> Carries:
        rows = tuple(self._tried[copies][0] for copies in sorted(self._tried))
        sure = [it.copies for it in rows if it.ci95 is not None and it.ci95[1] <= limit]
        over = [
            it.copies
            for it in rows
            if it.p90 is None or (it.ci95 is not None and it.ci95[0] > limit)
        ]
        fewest = min(over, default=None)
        most = max((it for it in sure if fewest is None or it < fewest), default=0)
        _, agents, lasted = self._tried[low or 1]
        heads = sum(person.count for person in self._graph.people)
        return Carries(
            turn_p90=limit,
            copies=low,
            at_least=high is None,
            agents=agents if agents and low else None,
            people=low * heads if heads else None,
            between=(most, fewest),
            lasted=lasted,
            tried=rows,
            notes=tuple(self._notes(lasted)),
        )

    def _notes(self, lasted: float) -> list[str]:
        """Quotas that are longer than what was looked at: they may bind later."""
        plan = self._graph.servers[self._number]
        return [
            f"the quota of {it.count}, {it.words}, is longer than the time that was looked at"
            for it in plan.limits
            if it.size > lasted * SECOND
        ]

    def _tell(self, progress: Progress | None) -> None:
        if progress is not None:
            progress("copies", len(self._tried), len(self._tried) + 1)

    def _runs(self, copies: int) -> int:
        """How many runs of so many copies there is room for; 0: not even for one."""
        one = ROUNDS * copies * self._spans
        return 0 if one > MOST_SPANS else max(1, min(RUNS, int(SPANS / one)))

    def _holds(self, copies: int, limit: float) -> bool:
        if copies not in self._tried:
            self._tried[copies] = self._try(copies)
        p90 = self._tried[copies][0].p90
        return p90 is not None and p90 <= limit

    def _try(self, copies: int) -> tuple[Tried, float, float]:
        """(what they saw, agents at work, seconds looked at)."""
        runs = self._runs(copies)
        once = runs * copies * max(self._spans / SPANS, self._calls / TURNS)
        rounds = max(ROUNDS, int(1 / once))
        many, fork = crowd(self._graph, self._number, copies, rounds, self._wall)
        name = self._graph.servers[self._number].name
        jobs = [_Job(many, self._seed, run, name, fork, copies) for run in range(runs)]
        crowds = list(self._executor.map(jobs))
        p90 = quantile90([turn for it in crowds for turn in it.turns])
        own = [quantile90(it.turns) for it in crowds]
        known = [it for it in own if it is not None]
        ci95 = None
        if p90 is not None and len(known) == len(own) > 1:
            half = half_width(known)
            ci95 = (p90 - half, p90 + half)
        agents = sum(it.agents for it in crowds) / runs
        return Tried(copies, p90, ci95), agents, sum(it.lasted for it in crowds) / runs


def crowd(graph: Graph, number: int, copies: int, rounds: int, wall: float) -> tuple[Graph, int]:
    """The graph of so many copies that each go round so often, and the rank of their step.

    They begin evenly within `wall` seconds, what one alone takes: not all at once.
    """
    fork, first, wait = range(len(graph.steps), len(graph.steps) + 3)
    late = ToolPlan("late", uniform(0.0, wall), Constant(0.0), part=Part.WAIT)
    body = graph.root
    begin = Block(
        rank=first,
        path="",
        name="#first",
        steps=(Work(rank=wait, path="", name="#late", tool=late, says=None), body),
    )
    items = copies * rounds
    branches = (*[begin] * copies, *[body] * (items - copies))
    node = Fork(rank=fork, path="", name="#copies", branches=branches, items=items, limit=copies)
    root = Block(rank=body.rank, path=body.path, name="#crowd", steps=(node,))
    many = replace(
        graph,
        root=root,
        steps=(*graph.steps, *(Step("", "each") for _ in range(3))),
        servers=tuple(
            plan if _same(plan, graph.servers[number]) else _alone(plan) for plan in graph.servers
        ),
        pools=tuple(replace(it, capacity=it.capacity * copies) for it in graph.pools),
        people=tuple(replace(it, count=it.count * copies) for it in graph.people),
        caps=None if graph.caps is None else _wider(graph.caps, copies, items),
        budget=None,
        quality=None,
        exact=False,
    )
    return many, fork


def _same(plan: ServerPlan, asked: ServerPlan) -> bool:
    """Whether it is the server that is asked about, or another model of its machine."""
    if plan is asked:
        return True
    if plan.machine is None or asked.machine is None:
        return False
    return plan.machine.name == asked.machine.name


def _alone(plan: ServerPlan) -> ServerPlan:
    """Another server: each call is served as if it were the only one."""
    free = replace(plan, shared=False, slots=None, kv=None, limits=(), machine=None)
    return replace(free, schedule="separate")


def _wider(caps: CapsPlan, copies: int, items: int) -> CapsPlan:
    """Caps of a run hold for each copy: together they have so many places."""
    return replace(
        caps,
        agents=None if caps.agents is None else caps.agents * copies,
        tools=None if caps.tools is None else caps.tools * copies,
        spawns=None if caps.spawns is None else caps.spawns * items,
    )
