"""In whose places a span is, held against what the engine did.

While somebody waits for a place under a cap of n, n are taken: so n spans must be in a place at
each such time, no more and no fewer, where whoever holds one does one thing at a time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis.places import Instance, Places, name_of
from agentsim.engine import simulate
from agentsim.records import Span
from tests.runs import File, graph_of

PLAIN: dict[str, Any] = {
    "prompt": 0, "turns": 3, "output": 100, "tools": {"shell": 1}, "returns": 0, "writes": 0,
}  # fmt: skip
"""Calls of 1 s; between them a tool run of 3 s."""

MANY: dict[str, Any] = {"each": 5, "id": "many", "do": [{"agent": "plain", "task": 0}]}

OUTSIDE = [
    {"each": 4, "id": "people", "do": [{"person": "dev", "time": "4s"}]},
    {"each": 4, "id": "runs", "do": [{"tool": "shell"}]},
    {"each": 4, "id": "asks", "do": [{"call": "main", "input": 0, "output": 300}]},
]
"""What no agent does."""

TWO_PLACES = pytest.mark.parametrize(
    ("caps", "name"),
    [
        ({"agents": 2}, "agents at once"),
        ({"agents": 2, "held": "call"}, "agents at once"),
        ({"tools": 2}, "tools at once"),
    ],
)


def taken(folder: Path, workflow: File) -> dict[tuple[str, int], set[int]]:
    """By cap and instance, how many spans were in its places while somebody waited for one."""
    graph = graph_of(
        folder,
        {"tools": {"shell": {"time": "3s"}}, "people": {"dev": {}}, **workflow},
    )
    places, spans = Places(graph), simulate(graph, 0, 0).spans
    queues: dict[Instance, list[Span]] = {}
    inside: dict[Instance, list[Span]] = {}
    for span in spans:
        queue = places.queue(span)
        if queue is not None:
            queues.setdefault(queue, []).append(span)
        for instance in places.held(span):
            inside.setdefault(instance, []).append(span)
    found: dict[tuple[str, int], set[int]] = {}
    times = sorted({at for span in spans for at in (span.began, span.ended)})
    for number, (instance, waiting) in enumerate(sorted(queues.items())):
        counts = found.setdefault((name_of(graph, instance[0]), number), set())
        for at in times:
            if any(span.began <= at < span.ended for span in waiting):
                own = inside.get(instance, [])
                counts.add(sum(span.began <= at < span.ended for span in own))
    return found


@TWO_PLACES
def test_of_a_run(tmp_path: Path, caps: dict[str, Any], name: str) -> None:
    workflow = {
        "caps": caps,
        "agents": {"plain": PLAIN},
        "steps": [{"parallel": [MANY, *OUTSIDE]}],
    }
    assert taken(tmp_path, workflow) == {(name, 0): {2}}


@TWO_PLACES
def test_of_an_agent_in_each_of_its_runs(tmp_path: Path, caps: dict[str, Any], name: str) -> None:
    # what lead does itself is in no place among the agents; the tool that it runs is in one among
    # the tools
    own = [{"tool": "shell", "id": "own"}, {"call": "self", "input": 0, "output": 400}]
    leads = {"agent": "lead", "task": 0, "do": [{"parallel": [MANY, *own], "id": "side"}]}
    workflow = {
        "agents": {"plain": PLAIN, "lead": {**PLAIN, "caps": caps}},
        "steps": [{"parallel": [{"each": 2, "id": "leads", "do": [leads]}, *OUTSIDE], "id": "all"}],
    }
    own_name = f"{name} in all.leads.lead"
    assert taken(tmp_path, workflow) == {(own_name, 0): {2}, (own_name, 1): {2}}


def test_of_the_run_and_of_an_agent_within(tmp_path: Path) -> None:
    # three of the run, two of each of two leads: who has one of a lead's waits for the run's
    workflow = {
        "caps": {"tools": 3},
        "agents": {"plain": PLAIN, "lead": {**PLAIN, "caps": {"tools": 2}}},
        "steps": [
            {"each": 2, "id": "leads", "do": [{"agent": "lead", "task": 0, "do": [MANY]}]},
        ],
    }
    found = taken(tmp_path, workflow)
    assert sorted((name, most) for (name, _), own in found.items() for most in own) == [
        ("tools at once", 3),
        ("tools at once in leads.lead", 2),
        ("tools at once in leads.lead", 2),
    ]


def test_of_agents_among_the_tools(tmp_path: Path) -> None:
    # lead calls four helpers in a turn, two at once; its own calls are in no place of its cap
    workflow = {
        "agents": {
            "helper": PLAIN,
            "lead": {
                **PLAIN, "turns": 2, "tools": {"helper": 1}, "tools_per_turn": 4,
                "caps": {"agents": 2},
            },
        },
        "steps": [{"each": 2, "id": "leads", "do": [{"agent": "lead"}]}],
    }  # fmt: skip
    name = "agents at once in leads.lead"
    assert taken(tmp_path, workflow) == {(name, 0): {2}, (name, 1): {2}}
