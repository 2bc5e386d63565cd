"""Loading a workflow that a test writes down."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from agentsim.errors import Problem, Problems
from agentsim.graph import Graph, Node, walk
from agentsim.spec.load import Source, load_tree
from agentsim.spec.reader import read

Load = Callable[..., Graph]
Refused = Callable[..., tuple[Problem, ...]]


@pytest.fixture
def graph() -> Load:
    """The graph of a text (`agentsim: 1` is put before it), on `cerebras` where nothing is said."""

    def loaded(text: str, *hardware: str, **more: Any) -> Graph:
        tree = read("agentsim: 1\n" + dedent(text).lstrip("\n"), "w.yaml")
        return load_tree(tree, Source("w.yaml", hardware or ("cerebras",), **more))

    return loaded


@pytest.fixture
def refused(graph: Load) -> Refused:
    """The problems of a text that does not load."""

    def problems(text: str, *hardware: str, **more: Any) -> tuple[Problem, ...]:
        with pytest.raises(Problems) as caught:
            graph(text, *hardware, **more)
        return caught.value.problems

    return problems


def by_path(graph: Graph) -> dict[str, Node]:
    """The steps of a graph that a person wrote, by path; of items the last."""
    rows = [(node, graph.steps[node.rank]) for node in walk(graph.root)]
    kinds = {"Block": {"do", "workflow"}}
    return {
        node.path: node
        for node, row in rows
        if type(node).__name__ not in kinds or row.kind in kinds[type(node).__name__]
    }
