"""Random valid workflows with everything that can be simulated, each from a seed.

Built so that no file is refused: ids are unique, sessions are gone on with only in the list that
opened them, needs look backwards, contexts and buckets hold what is asked. Only what a run itself
shows is left to chance: caps that agents hold for life may end in a deadlock.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, NamedTuple

from agentsim.graph import Graph
from agentsim.spec import Source, load
from tests.made.harness import Harnesses
from tests.made.quality import Quality
from tests.made.steps import LISTS, Maker, Step
from tests.runs import write


class Made(NamedTuple):
    """A workflow, the profiles of its two roles, and the files that it includes by name."""

    workflow: dict[str, Any]
    main: dict[str, Any]
    small: dict[str, Any]
    parts: dict[str, dict[str, Any]]


def drop_impossible(steps: list[Step], heard: bool, parts: dict[str, Any]) -> None:
    """Takes out each `when` that no step before it could meet: such a file is refused.

    `heard`: a review that may approve or ask for changes stands last before the list. A tool that
    may fail never asks for changes, and what comes out of a group is not looked into.
    """
    graph = any("needs" in step for step in steps)
    outer = heard
    for i, step in enumerate(steps):
        if graph:  # what stands before the list is heard by those that wait for none in it
            heard = outer and (i == 0 or step.get("needs") == [])
        if step.get("when", "yes") != "yes" and not heard:
            del step["when"]
        inside = heard and step.get("when", "yes") == "yes"
        lists = [step[key] for key in LISTS if key in step]
        if "include" in step:
            lists.append(parts[step["include"]]["steps"])
        for j, inner in enumerate(lists):
            if "parallel" in step or "choose" in step:
                for branch in inner:
                    drop_impossible([branch], inside, parts)
            else:
                drop_impossible(inner, inside and j == 0, parts)
        if lists or step.get("tool") == "flaky":
            heard = False
        if "approves" in step:
            heard = True


def made(seed: int, harness: bool = True, quality: bool = True) -> Made:
    """The workflow of that number.

    Without `harness` the same without harnesses and caps of agents; without `quality` nobody speaks
    of defects.
    """
    maker = Maker(seed)
    workflow = {**maker.cast(), "steps": maker.steps(3)}
    drop_impossible(workflow["steps"], False, maker.parts)
    main, small = maker.server(), maker.server()
    if "limits" in main and maker.chance(0.5):
        for limit in main["limits"]:  # one quota for both
            limit["account"] = "shared"
        small |= {"limits": copy.deepcopy(main["limits"]), "max_output": 2000}
        small.pop("on_reject", None)
        if "on_reject" in main:
            small["on_reject"] = copy.deepcopy(main["on_reject"])
    if harness:
        Harnesses(seed, "harness").dress(workflow, maker.parts, (main, small))
    if quality:
        Quality(seed, "quality").dress(workflow, maker.parts)
    return Made(workflow, main, small, maker.parts)


def roles(made: Made) -> set[str]:
    """The model roles that its steps ask for; agents that none of them uses do not count."""
    agents = made.workflow["agents"]
    found: set[str] = set()

    def agent(name: str, turns: bool) -> None:
        found.add(agents[name]["model"])
        for tool in agents[name]["tools"] if turns else ():
            if tool in agents:
                agent(tool, True)

    def inside(value: Any) -> None:
        if isinstance(value, list):
            for one in value:
                inside(one)
        elif isinstance(value, dict):
            if value.get("call", "self") != "self":
                found.add(value["call"])
            if "agent" in value:
                agent(value["agent"], "do" not in value)
            for one in value.values():
                inside(one)

    inside(made.workflow["steps"])
    for part in made.parts.values():
        inside(part["steps"])
    return found


def source(folder: Path, made: Made) -> Source:
    """Its files, written to the folder, with the roles bound that it asks for."""
    for name, part in made.parts.items():
        write(folder, name, part)
    path = write(folder, "workflow.yaml", made.workflow)
    files = {
        "main": str(write(folder, "main.yaml", made.main)),
        "small": "small=" + str(write(folder, "small.yaml", made.small)),
    }
    bound = tuple(given for role, given in files.items() if role in roles(made))
    return Source(str(path), bound or (files["main"],))


def loaded(folder: Path, made: Made) -> Graph:
    """The graph of it. Raises Problems where it is refused, which it never should be."""
    return load(source(folder, made))
