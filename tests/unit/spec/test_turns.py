"""Turns that a file gives do not scale the lines of a preset, and the answer says so."""

from __future__ import annotations

import pytest

from agentsim.graph import Graph
from tests.unit.spec.conftest import Load

PRESET = "{p50: 40 loc, p90: 200 loc}"


def noted(graph: Graph) -> dict[str, str]:
    return {one.key: one.note for one in graph.assumed if one.note}


def test_a_step_with_turns_of_its_own(graph: Load) -> None:
    made = graph("steps: [{agent: coder}, {agent: coder, id: fix, turns: 8}]")
    said = f"`turns` does not scale the lines written: fix still writes {PRESET}"
    assert noted(made) == {"agents/coder/writes": f"{said}; `writes` changes that"}


@pytest.mark.parametrize(
    "steps",
    [
        "{agent: coder}",
        "{agent: coder, turns: 8, writes: 10 loc}",
        "{agent: coder, size: S}",  # scales both
        "{agent: reviewer, turns: 3}",  # writes nothing
    ],
)
def test_nothing_to_say(graph: Load, steps: str) -> None:
    assert noted(graph(f"steps: [{steps}]")) == {}


def test_a_definition_with_turns_of_its_own(graph: Load) -> None:
    made = graph(
        """
        agents:
          fixer: {like: coder, turns: 8}
          careful: {like: coder, turns: 8, writes: 10 loc}
        steps: [{agent: fixer}, {agent: careful}, {agent: careful, turns: 3}]
        """
    )
    assert list(noted(made)) == ["agents/fixer/writes"]
    assert "fixer still writes" in noted(made)["agents/fixer/writes"]


def test_many_steps_are_counted(graph: Load) -> None:
    steps = ", ".join(f"{{agent: coder, id: s{i}, turns: 8}}" for i in range(5))
    (note,) = noted(graph(f"steps: [{steps}]")).values()
    assert "s0, s1, 3 more still write {" in note


def test_every_item_of_an_each_is_told_once(graph: Load) -> None:
    text = "steps: [{each: 3, do: [{agent: coder, id: fix, turns: $(index + 3)}]}]"
    (note,) = noted(graph(text)).values()
    assert "each.fix still writes" in note
