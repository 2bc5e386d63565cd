"""Slots, memory for contexts and models in memory, against a loop that goes second by second.

All times are whole seconds, so that the loop is exact. It is written apart from the engine, by
docs/model.md: lists and no events.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agentsim.engine import simulate
from agentsim.records import SECOND, Part
from agentsim.spec import Source, load
from tests.runs import write

ROLES = ("a", "b", "c")


@dataclass
class Asked:
    """One call: when it asks, how long it is served, its tokens; what becomes of it."""

    rank: int
    role: str
    at: int
    lasts: int
    tokens: int
    seated: int = -1
    loads: int = -1  # from when on its model is being loaded for it
    begins: int = -1


@dataclass
class Held:
    """One server and its model."""

    slots: int
    kv: int
    line: list[Asked] = field(default_factory=list)
    calls: list[Asked] = field(default_factory=list)  # past the machine's door
    here: bool = False
    ready: int = 0
    used: int = 0
    times: int = 0


def by_the_second(
    calls: list[Asked], servers: dict[str, Held], places: int, takes: int, keep: int
) -> None:
    """Fills in when each call is seated, has its model loaded and begins."""
    door: list[Asked] = []
    seated: list[Asked] = []
    now = 0
    while any(call.begins < 0 or call.begins + call.lasts > now for call in calls):
        for server in servers.values():
            for call in list(server.calls):
                if call.begins >= 0 and call.begins + call.lasts == now:
                    server.calls.remove(call)
                    seated.remove(call)
                    server.used = now
        for server in servers.values():
            if server.here and server.ready == now and takes:
                server.used = now
                for call in server.calls:
                    call.begins = now if call.begins < 0 else call.begins
        for call in calls:
            if call.at == now:
                servers[call.role].line.append(call)
        for role, server in servers.items():
            while server.line:
                own = [call for call in seated if call.role == role]
                first = server.line[0]
                free = server.kv - sum(call.tokens for call in own)
                if len(own) == server.slots or first.tokens > free:
                    break
                first.seated = now
                seated.append(server.line.pop(0))
                door.append(first)
        door.sort(key=lambda call: (call.seated, call.rank))
        while door:
            call = door[0]
            own_model = servers[call.role]
            for server in servers.values():
                if not server.calls and server.ready <= now and now - server.used > keep:
                    server.here = False
            if not own_model.here:
                here = [server for server in servers.values() if server.here]
                if any(server.ready > now for server in here):
                    break
                if len(here) == places:
                    unused = [server for server in here if not server.calls]
                    if not unused:
                        break
                    min(unused, key=lambda server: server.used).here = False
                own_model.here, own_model.ready = True, now + takes
                own_model.times += 1
            door.pop(0)
            own_model.calls.append(call)
            call.loads = now
            if own_model.ready <= now:
                call.begins = now
        now += 1


@pytest.mark.parametrize("seed", range(150))
def test_every_call_begins_when_the_loop_says(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    places, takes = dice.choice([1, 1, 2, 3]), dice.choice([0, 1, 5, 20])
    keep = dice.choice([0, 3, 15, 10**6]) if takes else 10**6
    slots, kv = dice.choice([1, 2, 50]), dice.choice([10_000, 12_000, 10**7])
    calls = [
        Asked(i, dice.choice(ROLES), dice.randrange(60), dice.randint(1, 12), 0) for i in range(24)
    ]
    steps = []
    for call in calls:
        output = 100 * call.lasts
        call.tokens = dice.choice([output, 3000, 7000])
        one = {"call": call.role, "id": "x", "input": call.tokens - output, "output": output}
        steps.append({"id": f"s{call.rank}", "do": [{"wait": f"{call.at}s"}, one]})
    profile: dict[str, Any] = {
        "decode": {"rate": "100 tok/s", "shared": False},
        "slots": slots,
        "kv": kv,
        "machine": "box",
        "models_in_memory": places,
        "load": f"{takes}s",
    }
    if keep < 10**6:
        profile["keep_alive"] = f"{keep}s"
    given = [f"{role}={write(tmp_path, f'{role}.yaml', profile)}" for role in ROLES]
    whole = {"steps": [{"id": "p", "parallel": steps}]}
    used = {call.role for call in calls}
    bound = tuple(it for it in given if it[0] in used)
    graph = load(Source(str(write(tmp_path, "workflow.yaml", whole)), bound))
    trace = simulate(graph, seed, 0)

    servers = {plan.known_as: Held(slots, kv) for plan in graph.servers}
    by_the_second(calls, servers, places, takes, keep)
    ranks = {step.path: rank for rank, step in enumerate(graph.steps)}
    spans = {span.step: span for span in trace.spans if span.facts is not None}
    for call in calls:
        span = spans[ranks[f"p.s{call.rank}.x"]]
        marks = dict(span.marks)
        begins = max([span.began, *(end for part, end in span.marks if part is not Part.DECODE)])
        assert begins == call.begins * SECOND, call
        assert span.ended == (call.begins + call.lasts) * SECOND
        assert marks.get(Part.SLOT_WAIT, span.began) == call.loads * SECOND, call
    told = {graph.servers[it.server].known_as: it.loads for it in trace.loads}
    assert told == {role: server.times for role, server in servers.items()}
