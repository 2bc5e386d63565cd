"""Every kind of time has a lever, or a reason why none is tried; and that of a merge by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentsim.analysis import summarise
from agentsim.analysis.findings import Findings, Lever, Share
from agentsim.analysis.places import numbers
from agentsim.chance import Constant
from agentsim.experiment.executors import executor_for
from agentsim.experiment.levers import changes, levers
from agentsim.experiment.replicate import replicate
from agentsim.experiment.variants import with_merging
from agentsim.graph import Graph, LimitPlan, PoolPlan, QueuePlan
from agentsim.laws.prefill import Prefill
from agentsim.records import Part
from tests.runs import graph_of
from tests.unit.analysis.hand import ask, call, each, graph, person, server, work

LEVERS: dict[Part, str] = {
    Part.DECODE: "decode",
    Part.PREFILL: "prefill",
    Part.LATENCY: "first_token",  # of a first token that was measured
    Part.SLOT_WAIT: "slot",
    Part.QUOTA_WAIT: "quota",
    Part.TOOL: "tool",
    Part.POOL_WAIT: "pool",
    Part.CAP_WAIT: "cap",
    Part.PERSON_WAIT: "person",
    Part.PICKUP: "pickup",
    Part.SWITCHING: "switch",
    Part.PERSON_WORK: "people",
    Part.MERGE: "merge",
    Part.OTHER: "harness",
}
"""The kind of a lever that is tried where there is such time."""

NONE: dict[Part, str] = {
    Part.RETRY: "the wait before a further try is as the file has it; failures are what to mend",
    Part.MODEL_LOAD: "no run has any: models are not loaded",
    Part.COMPACTION: "its work is decoding and prefill, which have levers of their own",
    Part.OFF_HOURS: "other working hours are another calendar, not a number to halve",
    Part.WAIT: "a wait is as the file has it, for a reason that it does not know",
}
"""Why no lever is tried that is about such time alone."""


def test_every_part_has_a_lever_or_a_reason() -> None:
    assert set(LEVERS) | set(NONE) == set(Part)
    assert not set(LEVERS) & set(NONE)
    assert all(NONE.values())


def everything() -> Graph:
    """Something of each kind that a lever can change."""
    steps = (
        each(1, "each", 2, call(2, "each.ask"), limit=1),
        work(3, "test", 5.0, ((0, 1.0),)),
        ask(4, "look", 5.0),
    )
    limit = LimitPlan("input", 1e6, 1e3, reserve=False, refund=False, account="box")
    box = replace(
        server(slots=1),
        prefill=Prefill(per_token=0.01),
        first_token=Constant(1.0),
        limits=(limit,),
    )
    own = replace(person(), pickup=Constant(9.0), switch=Constant(9.0))
    made = graph(*steps, servers=(box,), pools=(PoolPlan("ci", 1),), people=(own,), exact=True)
    return replace(made, queues=(QueuePlan("trunk", Constant(1.0), Constant(9.0), 0.0, False),))


WHO = {
    Part.POOL_WAIT: "ci",
    Part.PERSON_WAIT: "you",
    Part.TOOL: "test",
    Part.QUOTA_WAIT: "",
}


@pytest.mark.parametrize("part", LEVERS)
def test_where_there_is_such_time_its_lever_is_tried(part: Part) -> None:
    """And where there is none it is not, but for decoding: its two stand in every answer."""
    plan = everything()
    found = summarise(plan, replicate(plan, 0), 0)
    kinds = {change.kind for change in changes(plan, only(found, part))}
    assert LEVERS[part] in kinds
    others = {kind for other, kind in LEVERS.items() if other is not part}
    assert not kinds & (others - {"decode"}) - {LEVERS[part]}


def only(found: Findings, part: Part) -> Findings:
    """As if all the time had been of that kind."""
    wall = found.wall.mean
    who = {**WHO, Part.CAP_WAIT: next(iter(numbers(everything())))}
    own = Share(part.label, who.get(part, "it"), wall, 1.0)
    times = {other.label: wall if other is part else 0.0 for other in Part}
    return replace(found, breakdown=times, where=[own])


# --- a merge ------------------------------------------------------------------------------------

QUEUED = {
    "queues": {"trunk": {"rebase": "20s", "ci": "100s"}},
    "steps": [{"each": 6, "do": [{"merge": "trunk"}]}],
}


def tried(plan: Graph) -> dict[str, Lever]:
    tallies = replicate(plan, 0)
    with executor_for(1) as executor:
        own = levers(executor, plan, summarise(plan, tallies, 0), tallies, 0)
    return {f"{lever.change} {lever.what}": lever for lever in own}


def test_a_merge_that_takes_half_the_time(tmp_path: Path) -> None:
    """Six at once through a queue of 120 s each: 720 s, five sixths of it waiting for trunk.

    At 60 s each they are through after 360 s: half is saved, of the waiting too.
    """
    found = tried(graph_of(tmp_path, QUEUED))
    lever = found["half the merge time (rebase and CI)"]
    assert (lever.kind, lever.saves, lever.leaves) == ("merge", 360.0, 360.0)
    assert lever.helps


def test_one_who_gives_up_is_helped_too(tmp_path: Path) -> None:
    """Two who give up after 150 s: the second has the place from 120 s on, and gives up at 150 s.

    At 60 s each both are through after 120 s.
    """
    step = {"merge": "trunk", "timeout": "150s", "or": "go on"}
    file = {**QUEUED, "steps": [{"each": 2, "do": [step]}]}
    lever = tried(graph_of(tmp_path, file))["half the merge time (rebase and CI)"]
    assert (lever.saves, lever.leaves) == (30.0, 120.0)


def test_conflicts_and_failures_of_a_merge_stay() -> None:
    before = everything()
    after = with_merging(before, 0.5)
    (queue,) = after.queues
    assert queue == QueuePlan("trunk", Constant(0.5), Constant(4.5), 0.0, False)
    assert replace(after, queues=before.queues) == before
    without = replace(before, queues=(QueuePlan("q", None, Constant(9.0), 0.1, True),))
    assert with_merging(without, 0.5).queues == (QueuePlan("q", None, Constant(4.5), 0.1, True),)


def test_where_nothing_is_merged_it_is_not_tried() -> None:
    plan = graph(work(1, "test", 5.0), exact=True)
    found = summarise(plan, replicate(plan, 0), 0)
    assert not any(change.kind == "merge" for change in changes(plan, found))
