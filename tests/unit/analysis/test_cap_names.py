"""Two caps are two, though a step is named as the cap of a harness is.

HUNDRED takes 10 ms a token of output: an agent of 1 s. Of six items three may run at once and of
agents two. Items 0 to 2 begin at 0 s, and 2 waits for an agent's place until 1 s; then 3 and 4
begin, 4 waits for a place until 2 s, and 5 begins only then. So items wait for the `each` from 0 to
2 s, and agents for the cap from 0 to 2 s. It takes 3 s, three agents at once 2 s; four items 3 s.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentsim.analysis import fold, summarise
from agentsim.analysis.places import name_of, numbers
from agentsim.engine import simulate
from agentsim.experiment import variants
from agentsim.experiment.levers import changes
from agentsim.graph import Graph
from agentsim.records import SECOND, Part
from tests.runs import graph_of

ONE = {"turns": 1, "output": 100}
TAKEN = "each/agents at once"


def of(folder: Path, name: str = "agents at once", **top: Any) -> Graph:
    items = {"each": 6, "limit": 3, "id": name, "do": [{"agent": "one"}]}
    return graph_of(folder, {"agents": {"one": ONE}, "steps": [items], **top})


def test_each_of_the_two_has_its_own_rows(tmp_path: Path) -> None:
    graph = of(tmp_path, caps={"agents": 2})
    trace = simulate(graph, 0, 0)
    assert trace.ended == 3 * SECOND
    rank = numbers(graph)[TAKEN]
    assert graph.steps[rank].path == "agents at once"
    cap, wait = int(Part.CAP_WAIT), 2 * SECOND
    rows = [row for row in fold(trace, graph).behind if row[1] == cap]
    assert rows == [
        (-1, cap, "agents at once", wait),
        (rank, cap, "agents at once", wait),  # those in places of the `each` wait for an agent's
        (rank, cap, TAKEN, wait),
    ]


def test_each_of_the_two_has_its_own_lever(tmp_path: Path) -> None:
    graph = of(tmp_path, caps={"agents": 2})
    rank = numbers(graph)[TAKEN]
    assert simulate(variants.with_limit(graph, -1), 0, 0).ended == 2 * SECOND
    assert simulate(variants.with_limit(graph, rank), 0, 0).ended == 3 * SECOND
    tallies = [fold(simulate(graph, 0, 0), graph)]
    found = summarise(graph, tallies, 0)
    rows = {row.what: row.seconds for row in found.where if row.kind == Part.CAP_WAIT.label}
    assert sum(rows.values()) == pytest.approx(2)
    levers = {it.what: it.graph for it in changes(graph, found) if it.kind == "cap"}
    words = {"agents at once": "agent at once", TAKEN: f"at once in {TAKEN}"}
    assert set(levers) == {words[name] for name in rows}
    for name in rows:
        assert levers[words[name]] == variants.with_limit(graph, numbers(graph)[name])


@pytest.mark.parametrize("name", ["agents at once", "tools at once", "agents at once in lead"])
def test_no_two_caps_have_one_name(tmp_path: Path, name: str) -> None:
    """All that a run, an agent `lead` and an `each` named as one of theirs can have: five."""
    lead = {"agent": "one", "id": "lead", "do": [{"agent": "one", "id": "in"}]}
    capped = {"turns": 1, "output": 1, "caps": {"agents": 1, "tools": 1}}
    items = {"each": 2, "limit": 1, "id": name, "do": [lead]}
    both = {"agents": 1, "tools": 1}
    graph = graph_of(tmp_path, {"agents": {"one": capped}, "caps": both, "steps": [lead, items]})
    found = numbers(graph)
    assert f"each/{name}" in found
    assert {name_of(graph, cap) for cap in found.values()} == set(found)
    assert len(set(found.values())) == len(found) >= 5
