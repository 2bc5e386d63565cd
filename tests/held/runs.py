"""What holds of a run as a whole: all checks, what the fold says, and what is left at the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentsim.analysis import fold
from agentsim.engine.bench import Bench
from agentsim.engine.frame import Stage
from agentsim.engine.world import Event
from agentsim.errors import EngineFault
from agentsim.graph import Graph
from agentsim.records import Part, Trace, WorkFacts
from tests.held.caps import check_caps
from tests.held.harness import check_turn_times
from tests.held.lives import check_lives
from tests.held.quality import check_defects
from tests.held.times import (
    area,
    check_capacities,
    check_chains,
    check_clock,
    check_nesting,
    check_order,
    looked,
    stretches_of,
)
from tests.held.tokens import calls_of, check_calls, check_ends, check_sessions, check_wasted


def check(trace: Trace, graph: Graph, decodes: bool = True) -> tuple[int, int]:
    """All of them; returns how often a session was seen to grow by what was handed back to it.

    To that of an agent with turns, and to that of one with steps of its own. `decodes`: tokens take
    time.
    """
    seen = looked(trace, graph)
    check_clock(trace)
    check_chains(trace)
    check_nesting(seen)
    check_order(seen)
    check_capacities(seen)
    check_caps(seen)
    check_turn_times(seen)
    check_calls(seen, decodes)
    check_ends(seen)
    check_wasted(seen)
    check_defects(seen)
    check_verdict(trace, graph)
    check_agreement(trace, graph)
    return check_sessions(seen), check_lives(seen)


def check_verdict(trace: Trace, graph: Graph) -> None:
    """The run's verdict is the last that a step of its own list left; inner ones are over."""
    if graph.root.needs is not None:
        return
    ranks = {step.rank for step in graph.root.steps}
    own = [it for it in trace.visits if it.step in ranks and not it.place]
    said = [it.verdict for it in sorted(own, key=lambda it: it.step) if it.verdict is not None]
    assert trace.verdict == (said[-1] if said else None)


# --- the fold ---------------------------------------------------------------------------------


def check_agreement(trace: Trace, graph: Graph) -> None:
    """The fold, which has checks of its own, takes it and agrees on time, tokens and queues.

    The queues by Little's law for one run: the number waiting, summed over time, is the sum of
    what each waited.
    """
    tally = fold(trace, graph)
    assert tally.wall == trace.ended
    assert sum(row[3] for row in tally.path) == trace.ended
    all_ = [facts for _, facts in calls_of(trace)]
    for kind in ("fresh", "cached", "thinking", "visible", "wasted"):
        told = sum(getattr(server, kind) for server in tally.servers)
        assert told == sum(getattr(facts, kind) for facts in all_), kind
    useful = sum(facts.visible for facts in all_ if not facts.wasted)
    lost = sum(facts.visible for facts in all_ if facts.wasted)
    assert sum(server.useful for server in tally.servers) == useful
    assert useful + lost == sum(facts.visible for facts in all_)
    paid = sum(facts.money for facts in all_)
    assert abs(tally.money - paid) <= 1e-9 * max(1.0, paid)
    for server, own in zip(graph.servers, tally.servers, strict=True):
        waits = [
            stretch
            for span, _ in calls_of(trace)
            if span.resource == server.name
            for stretch in stretches_of(span, Part.SLOT_WAIT)
        ]
        assert sum(own.waits) == area(waits)
    for person, piece in zip(graph.people, tally.people, strict=True):
        spans = [span for span in trace.spans if span.resource == person.name]
        assert piece.asked == len(spans)
        queue = [one for span in spans for one in stretches_of(span, Part.PERSON_WAIT)]
        assert sum(piece.waits) == area(queue)
    for index, (pool, used) in enumerate(zip(graph.pools, tally.pools, strict=True)):
        assert sum(used.waits) == area(_pool_waits(trace, index)), pool.name


def _pool_waits(trace: Trace, index: int) -> Iterator[tuple[int, int]]:
    """Pools are asked for one after another: from when the one before was given."""
    for span in trace.spans:
        if isinstance(span.facts, WorkFacts):
            asked = span.began
            for i, (number, _) in enumerate(span.facts.uses):
                cut = i >= len(span.facts.given)
                given = span.ended if cut else span.facts.given[i]
                if number == index:
                    yield asked, given
                asked = given
                if cut:
                    break


# --- when it is over --------------------------------------------------------------------------


def check_over(stage: Stage) -> None:
    """Nothing goes on after the end: no branch lives, nothing is held or waited for.

    What is still on the clock (deadlines of steps that are over) is let happen, and does nothing.
    """
    world = stage.world
    assert world.alive == 0
    for thing in world.scarce:
        assert not list(thing.waiting()), "somebody waits when all is over"
        if isinstance(thing, Bench):
            assert thing.free == thing.capacity, f"{thing.name} is held when all is over"
    notes = dict(world.notes)
    with pytest.raises(EngineFault, match="nothing is left to happen"):
        world.run(Event())  # which never happens
    assert not [*world.spans, *world.visits], "something was written when all is over"
    assert world.notes == notes


def is_deadlocked(stage: Stage) -> bool:
    """Whether a run that stopped can really not go on: each who holds what others wait for waits.

    By what the benches hold: nothing is left on the clock, each bench that is waited for has too
    little for the first in its queue, and whoever holds of it waits too, or a step in theirs does.
    """
    world = stage.world
    waits = [wait for thing in world.scarce for wait in thing.waiting()]
    waiting = {who for who, _, _ in waits}

    def blocked(holder: str) -> bool:
        return holder in waiting or any(who.startswith(f"{holder}.") for who in waiting)

    full = all(
        thing.free < thing._queue[0][4].units
        for thing in world.scarce
        if isinstance(thing, Bench) and list(thing.waiting())
    )
    held = all(holders and all(map(blocked, holders)) for _, _, holders in waits)
    return bool(waits) and not world._queue and full and held
