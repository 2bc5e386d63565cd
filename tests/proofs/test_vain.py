"""What is told as doing nothing does nothing: without it each run is the same.

On random workflows, each setting that is told of is taken out by itself. `AGENTSIM_VAIN=2000`
tries more workflows than the suite does, `AGENTSIM_VAIN_FROM=500` begins at that number.
"""

from __future__ import annotations

import copy
import os
from collections import Counter
from pathlib import Path
from typing import Any

from agentsim.engine import simulate
from agentsim.errors import EngineFault
from agentsim.graph import Graph
from agentsim.records import CallFacts
from agentsim.spec.load import Source, program_of
from agentsim.spec.reader import read_file
from agentsim.spec.vain import vain_settings
from tests.made.cast import Dice
from tests.made.steps import all_steps
from tests.made.workflows import Made, made, source

WORKFLOWS = int(os.environ.get("AGENTSIM_VAIN", "40"))
FIRST = int(os.environ.get("AGENTSIM_VAIN_FROM", "0"))
SEEDS = range(4)

PARTLY = frozenset({"approves", "conflict", "loop", "each", "chance", "correlation"})
"""What is told of these is not that they do nothing: a part of them, or what is below, does not;
a correlation of one attempt changes no chance, yet by which numbers it succeeds."""


def dressed(seed: int) -> Made:
    """A made workflow with more that may come to nothing, in definitions that count elsewhere."""
    whole, dice = made(seed), Dice(seed, "vain")
    for agent in whole.workflow["agents"].values():
        agent.update({"tokens_per_line": 25} if dice.chance(0.5) else {})
        agent.update({"caps": {"tools": 1}} if dice.chance(0.5) else {})
        agent["turns"] = dice.pick(1, agent["turns"])
        if dice.chance(0.5):
            agent.pop("writes", None)
    for tool in whole.workflow["tools"].values():
        tool.update(dice.pick({}, {"timeout": "40s"}, {"retry": 1}))
    for step in all_steps(whole.workflow["steps"], whole.parts):
        if "attempts" in step and dice.chance(0.5):
            step["attempts"] = 1
    return whole


def without(whole: Made, at: tuple[str | int, ...]) -> Made | None:
    """A copy without the key at a path of the whole tree; None where that stands there twice."""
    found = copy.deepcopy(whole)
    names = [step.get("include") for step in all_steps(found.workflow["steps"], found.parts)]
    below: Any = found.workflow
    for part in at[:-1]:
        if part == "do" and "include" in below:
            if names.count(below["include"]) > 1:
                return None
            below = found.parts[below["include"]]["steps"]
        elif isinstance(below, dict) and part not in below:
            return None  # of a definition that an included file makes
        else:
            below = below[part]
    if not isinstance(below, dict) or at[-1] not in below:
        return None
    if at[-1] == "tools":
        below["tools"] = {}
    else:
        del below[at[-1]]
    if at[-1] == "limit":
        below.pop("release", None)  # which is refused without a limit
    return found


def compiled(folder: Path, whole: Made) -> tuple[Graph, list[tuple[tuple[str | int, ...], str]]]:
    """The graph, and (path, sentence) of what is told of it."""
    given: Source = source(folder, whole)
    program, graph = program_of(read_file(Path(given.workflow)), given, "workflow")
    return graph, [(one.at, one.text) for one in vain_settings(graph, program)]


def runs(graph: Graph) -> list[Any]:
    """What some runs of it come to, and when each of their spans began and ended."""
    found: list[Any] = []
    for seed in SEEDS:
        try:
            trace = simulate(graph, seed, 0)
        except EngineFault as fault:
            found.append(str(fault).partition(":")[0])
            continue
        calls = [span.facts for span in trace.spans if isinstance(span.facts, CallFacts)]
        found.append(
            (
                (trace.ended, trace.outcome, trace.verdict, trace.success, trace.defects),
                [(span.who, span.resource, span.began, span.outcome) for span in trace.spans],
                [(call.fresh, call.cached, call.thinking, call.visible) for call in calls],
            )
        )
    return found


def test_what_is_told_as_doing_nothing_does_nothing(tmp_path: Path) -> None:
    tried = Counter[str]()
    for seed in range(FIRST, FIRST + WORKFLOWS):
        whole = dressed(seed)
        graph, told = compiled(tmp_path, whole)
        base = runs(graph) if told else []
        for at, text in told:
            less = without(whole, at) if at[-1] not in PARTLY else None
            if less is not None:
                assert runs(compiled(tmp_path, less)[0]) == base, (seed, text)
                tried[f"{at[0]}: {at[-1]}"] += 1
    if WORKFLOWS >= 40 and FIRST == 0:
        kinds = ("or", "every")
        assert min(tried[f"steps: {key}"] for key in kinds) >= 1, tried
        assert min(tried[f"agents: {key}"] for key in ("tokens_per_line", "in_turn")) >= 1, tried
        assert min(tried[f"tools: {key}"] for key in ("retry", "timeout")) >= 1, tried
