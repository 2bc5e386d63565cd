"""Random graphs with constant times and nothing scarce: wall time equals the longest path, exactly.

The longest path is found by a recursion over the file as it was written, which knows nothing of
the engine: a list adds up, branches take the longest, `needs` makes a list a graph.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from agentsim.engine import simulate
from agentsim.records import Part
from tests.runs import Run, graph_of

Step = dict[str, Any]

GRAPHS = 300
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
            return {**head, "each": self.random.randint(1, 3), "do": self.steps(inner, 3)}
        if kind == "items":
            items = [f"{self.random.randint(0, 30)}ms" for _ in range(self.random.randint(1, 4))]
            rest = self.steps(0, 2)
            self.count += 1
            for step in rest:
                step.pop("needs", None)
            wait: Step = {"wait": "$(item)", "id": f"s{self.count}"}
            return {**head, "each": items, "do": [wait, *rest]}
        if kind == "loop":
            loop: Step = {**head, "loop": self.random.randint(1, 3), "do": self.steps(inner, 3)}
            if self.random.random() < 0.5:
                loop["between"] = self.steps(inner, 2)
            return loop
        return {**head, "do": self.steps(inner, 3)}


def of_list(steps: list[Step], item: int) -> int:
    """Milliseconds of a list of steps."""
    if not any("needs" in step for step in steps):
        return sum(of(step, item) for step in steps)
    before = {
        step["id"]: step.get("needs", [steps[i - 1]["id"]] if i else [])
        for i, step in enumerate(steps)
    }
    length = {step["id"]: of(step, item) for step in steps}

    def end(name: str) -> int:
        return length[name] + max(map(end, before[name]), default=0)

    return max(map(end, length))


def of(step: Step, item: int = -1) -> int:
    """Milliseconds of one step; `item` is what `$(item)` stands for."""
    if "wait" in step:
        return item if step["wait"] == "$(item)" else int(step["wait"].removesuffix("ms"))
    if "parallel" in step:
        return max(of(branch, item) for branch in step["parallel"])
    if "each" in step and isinstance(step["each"], list):
        return max(of_list(step["do"], int(one.removesuffix("ms"))) for one in step["each"])
    if "loop" in step:
        between = of_list(step.get("between", []), item)
        return step["loop"] * of_list(step["do"], item) + (step["loop"] - 1) * between
    return of_list(step["do"], item)


def test_the_recursion_on_a_graph_worked_by_hand() -> None:
    """Design case E02: a 10, b 5, c 20 after b, d 1 after a and b, e 4, f 2 after c and e: 27."""
    steps: list[Step] = [
        {"id": "a", "wait": "10ms"},
        {"id": "b", "wait": "5ms", "needs": []},
        {"id": "c", "wait": "20ms", "needs": ["b"]},
        {"id": "d", "wait": "1ms", "needs": ["a", "b"]},
        {"id": "e", "wait": "4ms"},
        {"id": "f", "wait": "2ms", "needs": ["c", "e"]},
    ]
    assert of_list(steps, -1) == 27


def test_wall_time_is_the_longest_path(tmp_path: Path) -> None:
    sizes = []
    for seed in range(GRAPHS):
        steps = Maker(seed).steps(3)
        graph = graph_of(tmp_path, {"steps": steps})
        run = Run(graph, simulate(graph, 0, 0))
        assert run.trace.ended == of_list(steps, -1) * MILLI, f"graph {seed}: {steps}"
        wait = run.breakdown.get(Part.WAIT, 0.0)
        assert round(wait * 1e9) == run.trace.ended, f"graph {seed}: {steps}"
        sizes.append(len(run.trace.spans))
    assert max(sizes) > 50  # some of them are large
