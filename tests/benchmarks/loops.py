"""The loops that are timed: a bare SimPy M/M/16, the same through our bench, calls served."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Generator
from typing import Any

import simpy

from agentsim.engine.bench import Bench, Job
from agentsim.engine.call import Call
from agentsim.engine.frame import Frame, Stage
from agentsim.engine.guard import run_guarded
from agentsim.engine.server import Line, Request, Server
from agentsim.engine.steps import RUNNERS
from agentsim.engine.talk import open_session
from agentsim.engine.tasks import Task
from agentsim.engine.world import Event, Process, World, ns
from agentsim.graph import About, Block, CachePlan, Graph, ServerPlan
from agentsim.laws.decode import Decode
from agentsim.records import Outcome
from tests.proofs.test_batch_against_token_loop import closed_form, random_load
from tests.proofs.token_loop import token_loop

CUSTOMERS = 40_000
LOAD = 14.4  # arrivals a second on 16 servers of rate 1: busy 90 %


def clocked(run: Callable[[], int]) -> float:
    """Things a second of processor time, the collector off."""
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        done = run()
        return done / (time.process_time() - began)
    finally:
        gc.enable()


def bare() -> int:
    env = simpy.Environment()
    resource = simpy.Resource(env, 16)
    draw = random.Random(1).expovariate

    def customer() -> Generator[simpy.Event, Any, None]:
        with resource.request() as request:
            yield request
            yield env.timeout(draw(1.0))

    def source() -> Generator[simpy.Event, Any, None]:
        for _ in range(CUSTOMERS):
            env.process(customer())
            yield env.timeout(draw(LOAD))

    env.process(source())
    env.run()
    return CUSTOMERS


def through_bench() -> int:
    """M/M/16 by a process a customer, on our clock and our queue."""
    world = World()
    bench = Bench(world, "servers", 16)
    draw = random.Random(1).expovariate

    def customer(number: int) -> Generator[Event | int, Any, None]:
        job = bench.ask(1, (0, (number,)), "customer")
        yield job
        yield ns(draw(1.0))
        job.leave()

    def source() -> Generator[Event | int, Any, None]:
        for number in range(CUSTOMERS):
            Process(world, customer(number))
            yield ns(draw(LOAD))

    world.run(Process(world, source()))
    return CUSTOMERS


def by_callbacks() -> int:
    """M/M/16 by callbacks: no process a customer."""
    world = World()
    bench = Bench(world, "servers", 16)
    draw = random.Random(1).expovariate
    done = Event()

    number = 0

    def begin(job: Event) -> None:
        world.after(ns(draw(1.0)), Job.leave, job)

    def arrive(_: None) -> None:
        nonlocal number
        job = bench.ask(1, (0, (number,)), "customer")
        if job.held:
            begin(job)
        else:
            job.then(begin)
        number += 1
        if number < CUSTOMERS:
            world.after(ns(draw(LOAD)), arrive, None)
        else:
            world.happens(done)

    arrive(None)
    world.run(done)
    return CUSTOMERS


def batching(tokens: int = 320, calls: int = 10_000) -> int:
    """Calls of so many tokens through a batching server of 16 slots, each leaving its record."""
    law = Decode(((1, 0.0173), (4, 0.0402), (8, 0.0496), (16, 0.0654)), slope=191e-9)
    plan = ServerPlan(
        "main",
        "bench",
        ("main",),
        law,
        None,
        None,
        None,
        0.0,
        None,
        16,
        True,
        "exclusive",
        None,
        None,
        CachePlan(),
        (),
        None,
        About("bench"),
    )
    root = Block(rank=0, path="", name="", steps=())
    world = World()
    stage = Stage(Graph("bench", root, (), (plan,), (), ()), 0, world, RUNNERS, run_guarded)
    server = Server(world, plan, None, 0)
    frame = Frame(stage, Task(0, "", (), None))
    line = Line("main", 0, "ask", "ask", 0.0, None, None)
    session = open_session(frame, None, "ask", ())
    request = Request(line, session, 0, 0, tokens, tokens, 0, 0, False)
    draw = random.Random(1).expovariate
    # the same load whatever the tokens: a step takes longer over longer contexts
    rate = 0.9 * 16 / (tokens * (law.step(16) + law.slope * 16 * tokens / 2))
    done = Event()

    def ended(call: Event) -> None:
        assert isinstance(call, Call)
        call.outcome = Outcome.DONE
        call.leave()
        if len(world.spans) == calls:
            world.happens(done)

    def arrive(number: int) -> None:
        call = Call(server, request, frame)
        call.then(ended)
        call.enter()
        if number + 1 < calls:
            world.after(ns(draw(rate)), arrive, number + 1)

    arrive(0)
    world.run(done)
    return len(world.spans)


def latencies() -> tuple[list[float], list[float]]:
    """Seconds from arrival to last token of 2,000 calls: by the closed form, by a token loop."""
    law = Decode(((1, 0.0173), (4, 0.0402), (8, 0.0496), (16, 0.0654)), slope=191e-9)
    load = random_load("bench", 2000, law, 0.0)
    ended = closed_form(load, law)
    token_loop(load, law.step, law.slope, 1)
    return [ended[s.id][0] - s.arrives for s in load], [s.ended - s.arrives for s in load]
