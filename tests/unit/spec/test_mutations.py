"""However a valid file is broken, it ends in a graph or in problems with places: no traceback."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.errors import Problems
from agentsim.graph import Graph
from agentsim.spec.explained import explanations
from agentsim.spec.load import Source, load_tree
from agentsim.spec.reader import read
from agentsim.spec.tree import Tree

CASES = Path(__file__).resolve().parents[2] / "cases" / "valid"
TREES = [read(file.read_text("utf-8"), file.name) for file in sorted(CASES.glob("*.yaml"))]

WORDS = ["", "x", "yes", "self", "any", "go on", "changes", "coder", "a.b", "é" * 90]
WORDS += ["0s", "99999d", "-5s", "100%", "1000%", "$(n)", "$(item)", "$(1/0)", "${"]
NUMBERS = [0, -1, 1, 2.5, 1e300, -1e-9, 10**15]
SHAPES: list[Any] = [None, True, [], {}, [[]], [None], ["a"] * 9, {1: 2}, {"x": 1}]
SHAPES += [{"like": "coder"}, {"values": []}, {"mixture": []}, {"p50": "1s", "p90": "0s"}]
SHAPES += [{"uniform": ["5s", "1s"]}, {"mean": "1s", "cv": 1e200}]
JUNK: list[Any] = [*WORDS, *NUMBERS, *SHAPES]
NAMES = (
    "id needs when timeout retry or priority do between agent tool wait call loop each parallel "
    "person session reads approves limit join turns like size budget fork compact tools prompt "
    "count uses hours $(x)"
)
KEYS: list[Any] = [*NAMES.split(), 7]


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from paths(value[key], (*at, key))


def reach(value: Any, at: tuple[Any, ...]) -> Any:
    for key in at:
        value = value[key]
    return value


@st.composite
def broken(draw: st.DrawFn) -> Tree:
    """A valid tree with one to three places dropped, renamed, retyped, nested or copied about."""
    tree = draw(st.sampled_from(TREES))
    value = copy.deepcopy(tree.value)
    for _ in range(draw(st.integers(1, 3))):
        places = list(paths(value))
        if not places:
            break
        at = draw(st.sampled_from(places))
        owner, key = reach(value, at[:-1]), at[-1]
        what = draw(st.sampled_from(("drop", "rename", "junk", "add", "list", "nest", "copy")))
        if what == "drop":
            del owner[key]
        elif what == "junk":
            owner[key] = copy.deepcopy(draw(st.sampled_from(JUNK)))
        elif what == "list":
            owner[key] = [owner[key]]
        elif what == "nest":
            owner[key] = {draw(st.sampled_from(KEYS)): owner[key]}
        elif what == "copy":
            owner[key] = copy.deepcopy(reach(value, draw(st.sampled_from(places))))
        elif isinstance(owner, dict):
            new = copy.deepcopy(draw(st.sampled_from(JUNK))) if what == "add" else owner.pop(key)
            owner[draw(st.sampled_from(KEYS))] = new
    return dataclasses.replace(tree, value=value)


@settings(max_examples=400)
@given(broken())
def test_a_broken_file_ends_in_a_graph_or_in_problems(tree: Tree) -> None:
    try:
        assert isinstance(load_tree(tree, Source(tree.file, ("cerebras",))), Graph)
    except Problems as fault:
        check(fault)


def check(fault: Problems) -> None:
    assert fault.problems
    for problem in fault.problems:
        assert problem.code in explanations()
        assert problem.message
        assert problem.place is not None


@pytest.mark.parametrize("depth", [5, 25])
def test_deep_nesting_is_read(depth: int) -> None:
    text = "agentsim: 1\nsteps: " + "[{do: " * depth + "[{wait: 1s}]" + "}]" * depth
    graph = load_tree(read(text, "w.yaml"), Source("w.yaml", ("cerebras",)))
    assert len(graph.steps) == depth + 2
