"""One replication: builds the cast, runs the root, hands out the trace."""

from __future__ import annotations

from agentsim.chance import key_of
from agentsim.engine.bench import Bench
from agentsim.engine.branches import Branch
from agentsim.engine.caps import Caps
from agentsim.engine.fragile import watch
from agentsim.engine.frame import Frame, Stage
from agentsim.engine.guard import run_guarded
from agentsim.engine.machine import Machine
from agentsim.engine.people import Desk
from agentsim.engine.quality import left
from agentsim.engine.quota import Gate, Quotas, never_wait
from agentsim.engine.server import Server
from agentsim.engine.steps import RUNNERS
from agentsim.engine.tasks import Task
from agentsim.engine.world import World
from agentsim.errors import EngineFault
from agentsim.graph import Agent, Graph, walk
from agentsim.records import Outcome, Peak, Trace, Verdict

TRUST = 2
"""After so many replications in which a quota did make a call wait, it is not hoped any more."""


def simulate(graph: Graph, seed: int, replication: int) -> Trace:
    """Run the graph once; the same arguments give the same trace on any machine.

    Raises EngineFault on a deadlock (who waits for whom is named), or when nothing moves on.
    """
    return Simulator(graph, seed)(replication)


class Simulator:
    """Runs replications of one graph.

    Most quotas never make a call wait. A replication is run as if there were none, which is
    quicker; what its calls would have taken is then counted. Where there was enough at each of
    their instants, the quotas would have changed nothing. Where not, it is run again with them.
    """

    def __init__(self, graph: Graph, seed: int) -> None:
        self._graph = graph
        self._seed = seed
        self._copied = copied(graph)
        limited = [server for server in graph.servers if server.limits]
        # only where a quota is the one door of its server is there something to gain
        hopeful = all(plan.is_open and plan.cache.kind != "lru" for plan in limited)
        self._hopes = TRUST if limited and hopeful else 0

    def __call__(self, replication: int) -> Trace:
        if self._hopes:
            stage = _stage(self._graph, self._seed, replication, None, self._copied)
            trace = _run(stage, replication)
            if never_wait(stage.servers):
                return trace
            self._hopes -= 1
        stage = _stage(self._graph, self._seed, replication, Quotas(), self._copied)
        return _run(stage, replication)


def copied(graph: Graph) -> frozenset[str]:
    """The names of the sessions of which some step makes a copy."""
    forks = (node for node in walk(graph.root) if isinstance(node, Agent) and node.fork)
    return frozenset(node.session for node in forks if node.session is not None)


def _stage(
    graph: Graph, seed: int, replication: int, quotas: Quotas | None, copied: frozenset[str]
) -> Stage:
    """The cast; without `quotas` the servers that have some note what would be taken of them."""
    world = World()
    stage = Stage(graph, key_of(seed, replication, 0), world, RUNNERS, run_guarded)
    stage.copied = copied
    machines: dict[str, Machine] = {}
    for number, plan in enumerate(graph.servers):
        machine: Machine | None = None
        if (own := plan.machine) is not None:
            if own.name not in machines:
                machines[own.name] = Machine(world, own.name, own.places or 1)
            machine = machines[own.name]
        gate = None
        if plan.limits and quotas is not None:
            gate = Gate(world, plan.name, plan.limits, quotas.of(plan.limits))
        stage.servers.append(Server(world, plan, gate, number, machine))
    for server in stage.servers:
        if server.refuses:
            server.others = stage.servers
            watch(server)
    gates = [server.gate for server in stage.servers if server.gate is not None]
    for gate in gates:
        gate.share(gates)
    stage.pools = [Bench(world, pool.name, pool.capacity) for pool in graph.pools]
    stage.people = [Desk(world, person) for person in graph.people]
    stage.queues = [Bench(world, queue.name, 1) for queue in graph.queues]
    if graph.caps is not None:
        stage.caps = Caps(world, graph.caps)
    return stage


def _run(stage: Stage, replication: int) -> Trace:
    world = stage.world
    frame = Frame(stage, Task(stage.key, "", (), None))
    root = Branch(frame.run(stage.graph.root), frame, lambda _: None)
    try:
        world.run(root.process)
    except EngineFault as fault:
        rank = -1 if fault.step else world.culprit()
        if rank < 0:
            raise
        path = stage.graph.steps[rank].path
        raise EngineFault(f"{path}: {fault}" if path else str(fault), fault.hint, path) from None
    if world.alive:
        raise RuntimeError(f"{world.alive} branches outlived their run")
    return _trace(stage, root, replication)


def _trace(stage: Stage, root: Branch, replication: int) -> Trace:
    world, success = stage.world, stage.success
    outcome, reason = Outcome.DONE, ""
    if root.stop is not None:
        rejected = root.stop.verdict is Verdict.REJECTED
        outcome = Outcome.REJECTED if rejected else Outcome.FAILED
        reason = root.stop.reason
    frame = root.frame
    # of one name there may be several: pools and people come last, see Peak
    peaks: list[Peak] = world.peaks(last=[*stage.pools, *stage.people])
    spans, visits = world.spans, world.visits
    # the world is a circle that only the collector finds: it must not keep the records too
    world.spans, world.visits = [], []
    return Trace(
        replication,
        0,
        spans,
        visits,
        peaks,
        outcome,
        reason,
        frame.verdict,
        0,
        root.ended,
        frame.last,
        world.notes,
        all(success.values()) if success else None,
        None if stage.graph.quality is None else left(frame.task),
        tuple(
            server.memory.kept(server.number)
            for server in stage.servers
            if server.memory is not None
        ),
        tuple(
            server.model.told(server.number) for server in stage.servers if server.model is not None
        ),
    )
