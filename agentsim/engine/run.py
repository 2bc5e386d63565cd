"""One replication: builds the cast, runs the root, hands out the trace."""

from __future__ import annotations

from agentsim.chance import key_of
from agentsim.engine.bench import Bench
from agentsim.engine.branches import Branch
from agentsim.engine.frame import Frame, Stage
from agentsim.engine.guard import run_guarded
from agentsim.engine.people import Desk
from agentsim.engine.quota import Gate
from agentsim.engine.server import Server
from agentsim.engine.steps import RUNNERS
from agentsim.engine.tasks import Task
from agentsim.engine.world import World
from agentsim.graph import Graph, ServerPlan
from agentsim.laws.quotas import QUOTAS, Quota
from agentsim.records import Outcome, Peak, Trace, Verdict

Quotas = dict[tuple[str, str, float, float], Quota]
"""By account, what is counted, bucket and refill."""


def simulate(graph: Graph, seed: int, replication: int) -> Trace:
    """Run the graph once; the same arguments give the same trace on any machine.

    Raises EngineFault on a deadlock (who waits for whom is named), or when nothing moves on.
    """
    world = World()
    stage = Stage(graph, key_of(seed, replication, 0), world, RUNNERS, run_guarded)
    quotas: Quotas = {}
    for number, server in enumerate(graph.servers):
        stage.servers.append(Server(world, server, _gate(world, server, quotas), number))
    gates = [server.gate for server in stage.servers if server.gate is not None]
    for gate in gates:
        gate.share(gates)
    stage.pools = [Bench(world, pool.name, pool.capacity) for pool in graph.pools]
    stage.people = [Desk(world, person) for person in graph.people]
    frame = Frame(stage, Task(stage.key, "", (), None))
    root = Branch(frame.run(graph.root), frame, lambda _: None)
    world.run(root.process)
    if world.alive:
        raise RuntimeError(f"{world.alive} branches outlived their run")
    return _trace(world, root, replication)


def _gate(world: World, server: ServerPlan, quotas: Quotas) -> Gate | None:
    """The server's gate; equal limits of one account are one quota, in any order."""
    if not server.limits:
        return None
    own = []
    for limit in server.limits:
        key = (limit.account, limit.count, limit.bucket, limit.refill)
        if key not in quotas:
            quotas[key] = QUOTAS["bucket"](limit.bucket, limit.refill)
        own.append(quotas[key])
    return Gate(world, server.name, server.limits, own)


def _trace(world: World, root: Branch, replication: int) -> Trace:
    outcome, reason = Outcome.DONE, ""
    if root.stop is not None:
        rejected = root.stop.verdict is Verdict.REJECTED
        outcome = Outcome.REJECTED if rejected else Outcome.FAILED
        reason = root.stop.reason
    frame = root.frame
    peaks: list[Peak] = world.peaks()
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
    )
