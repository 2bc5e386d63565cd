"""Random graphs with constant times and nothing scarce: wall time equals the longest path, exactly.

The file is unrolled, as it was written, into a graph of instants whose edges last so many
milliseconds, which knows nothing of the engine; networkx finds its longest path.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from agentsim.engine import simulate
from agentsim.records import Part
from tests.runs import Run, graph_of

Step = dict[str, Any]

GRAPHS = 500
CHUNKS = 2  # so that two processes can share them out
MILLI = 1_000_000  # nanoseconds


class Maker:
    """Random steps of waits; every id is its own."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0

    def steps(self, depth: int, most: int = 4) -> list[Step]:
        steps = [self.step(depth) for _ in range(self.random.randint(1, most))]
        if len(steps) > 1 and self.random.random() < 0.5:
            for i, step in enumerate(steps):
                if self.random.random() < 0.6:
                    before = [other["id"] for other in steps[:i]]
                    size = self.random.randint(0, min(2, len(before)))
                    step["needs"] = self.random.sample(before, size)
            # a graph may be written in any order
            if all("needs" in step for step in steps):
                self.random.shuffle(steps)
        return steps

    def step(self, depth: int) -> Step:
        self.count += 1
        head = {"id": f"s{self.count}"}
        kind = self.random.choice(("wait", "parallel", "each", "items", "loop", "do"))
        if depth == 0 or kind == "wait":
            return {**head, "wait": f"{self.random.randint(0, 30)}ms"}
        inner = depth - 1
        if kind == "parallel":
            branches = [self.step(inner) for _ in range(self.random.randint(1, 4))]
            return {**head, "parallel": branches}
        if kind == "each":
            each = {"each": self.random.randint(1, 3), "do": self.steps(inner, 3)}
            return {**head, **each, **self.limit()}
        if kind == "items":
            items = [f"{self.random.randint(0, 30)}ms" for _ in range(self.random.randint(1, 4))]
            rest = self.steps(0, 2)
            self.count += 1
            for step in rest:
                step.pop("needs", None)
            wait: Step = {"wait": "$(item)", "id": f"s{self.count}"}
            return {**head, "each": items, "do": [wait, *rest], **self.limit()}
        if kind == "loop":
            loop: Step = {**head, "loop": self.random.randint(1, 3), "do": self.steps(inner, 3)}
            if self.random.random() < 0.5:
                loop["between"] = self.steps(inner, 2)
            return loop
        return {**head, "do": self.steps(inner, 3)}

    def limit(self) -> Step:
        """All items at once, or one after another: with more places it would be no graph."""
        return {"limit": 1} if self.random.random() < 0.4 else {}


class Unrolled:
    """The instants of a run and what lies between them: 0 is the start."""

    def __init__(self, steps: list[Step]) -> None:
        self.graph: nx.DiGraph[int] = nx.DiGraph()
        self.graph.add_node(0)
        self.list(steps, 0, -1)

    @property
    def longest(self) -> int:
        """Milliseconds of the longest path."""
        return int(nx.dag_longest_path_length(self.graph, weight="lasts"))

    def after(self, *before: int, lasts: int = 0) -> int:
        """A new instant, not before these and so many milliseconds."""
        new = len(self.graph)
        for one in before:
            self.graph.add_edge(one, new, lasts=lasts)
        return new

    def list(self, steps: list[Step], begins: int, item: int) -> int:
        """When a list of steps that begins there ends; `item` is what `$(item)` stands for."""
        if not any("needs" in step for step in steps):
            for step in steps:
                begins = self.step(step, begins, item)
            return begins
        needs = {
            step["id"]: step.get("needs", [steps[i - 1]["id"]] if i else [])
            for i, step in enumerate(steps)
        }
        named = {step["id"]: step for step in steps}
        ends: dict[str, int] = {}
        order: nx.DiGraph[str] = nx.DiGraph(
            [(before, name) for name, all_ in needs.items() for before in all_]
        )
        order.add_nodes_from(needs)
        for name in nx.topological_sort(order):
            ready = self.after(begins, *(ends[before] for before in needs[name]))
            ends[name] = self.step(named[name], ready, item)
        return self.after(*ends.values())

    def step(self, step: Step, begins: int, item: int) -> int:
        if "wait" in step:
            given = step["wait"]
            return self.after(begins, lasts=item if given == "$(item)" else milliseconds(given))
        if "parallel" in step:
            return self.after(*(self.step(one, begins, item) for one in step["parallel"]))
        if "each" in step:
            return self.items(step, begins, item)
        if "loop" in step:
            for number in range(step["loop"]):
                if number and "between" in step:
                    begins = self.list(step["between"], begins, item)
                begins = self.list(step["do"], begins, item)
            return begins
        return self.list(step["do"], begins, item)

    def items(self, step: Step, begins: int, item: int) -> int:
        each = step["each"]
        items = [milliseconds(one) for one in each] if isinstance(each, list) else [item] * each
        ends = []
        for one in items:
            ends.append(self.list(step["do"], begins, one))
            if step.get("limit") == 1:
                begins = ends[-1]
        return self.after(*ends)


def milliseconds(text: str) -> int:
    return int(text.removesuffix("ms"))


def test_a_graph_worked_by_hand() -> None:
    """Design case E02: a 10, b 5, c 20 after b, d 1 after a and b, e 4, f 2 after c and e: 27."""
    steps: list[Step] = [
        {"id": "a", "wait": "10ms"},
        {"id": "b", "wait": "5ms", "needs": []},
        {"id": "c", "wait": "20ms", "needs": ["b"]},
        {"id": "d", "wait": "1ms", "needs": ["a", "b"]},
        {"id": "e", "wait": "4ms"},
        {"id": "f", "wait": "2ms", "needs": ["c", "e"]},
    ]
    assert Unrolled(steps).longest == 27


def test_items_worked_by_hand() -> None:
    """Items of 1, 5 and 2 ms, each with 3 more: at once 8, one after another 17."""
    step: Step = {"each": ["1ms", "5ms", "2ms"], "do": [{"wait": "$(item)"}, {"wait": "3ms"}]}
    assert Unrolled([step]).longest == 8
    assert Unrolled([{**step, "limit": 1}]).longest == 17


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_wall_time_is_the_longest_path(chunk: int, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for seed in range(chunk, GRAPHS, CHUNKS):
        steps = Maker(seed).steps(3)
        graph = graph_of(tmp_path, {"steps": steps})
        run = Run(graph, simulate(graph, 0, 0))
        assert run.trace.ended == Unrolled(steps).longest * MILLI, f"graph {seed}: {steps}"
        # all of it is waiting, or waiting for a place of an `each` behind what others wait
        spent = run.breakdown
        assert spent.keys() <= {Part.WAIT, Part.CAP_WAIT}
        assert round(sum(spent.values()) * 1e9) == run.trace.ended, f"graph {seed}: {steps}"
        seen["large"] += len(run.trace.spans) > 50
        text = str(steps)
        seen.update(kind for kind in KINDS if f"'{kind}'" in text)
        seen["deep"] += text.count("'do'") + text.count("'parallel'") > 3
    print(dict(seen))
    assert min(seen[kind] for kind in (*KINDS, "deep", "large")) > GRAPHS / CHUNKS / 20, seen


KINDS = ("needs", "parallel", "each", "limit", "loop", "between", "do")
