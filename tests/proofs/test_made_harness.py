"""Which harness an agent runs in, and whose word counts: random workflows against docs/format.md.

The rules are put down here once more, on the file as it is written, and held against the graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from agentsim.graph import Agent, Call, CapsPlan, Graph, Life, TurnTime, inner_of
from tests.made.steps import LISTS
from tests.made.workflows import Made, loaded, made

SEEDS = 150
PRESET = {"caps": {"agents": 20, "tools": 10, "spawns": 200}}
"""What the preset says beside its prompt (docs/format.md, Presets)."""


class Around(NamedTuple):
    """Where an agent stands: `path` of the step; `harness`: that of the agent around, or of the
    file."""

    path: str
    step: dict[str, Any]
    name: str
    harness: str | None


def agents(steps: list[dict[str, Any]], whole: Made, harness: str | None) -> Iterator[Around]:
    """All agents that steps run, with those that they call in mid-turn, by the ids of steps."""
    defined = whole.workflow["agents"]
    for step in steps:
        inside = harness
        if "agent" in step:
            yield Around(step.get("id", ""), step, step["agent"], harness)
            inside = step.get("harness", defined[step["agent"]].get("harness", harness))
            if "do" not in step:
                yield from called(step.get("id", ""), defined[step["agent"]], whole, inside)
        for key in LISTS:
            yield from agents(step.get(key, []), whole, inside)
        if isinstance(step.get("pick"), dict):
            yield from agents([step["pick"]], whole, inside)
        if "include" in step:
            yield from agents(whole.parts[step["include"]]["steps"], whole, inside)


def called(path: str, agent: dict[str, Any], whole: Made, harness: str | None) -> Iterator[Around]:
    defined = whole.workflow["agents"]
    for name in agent["tools"]:
        if name in defined:
            yield Around(f"{path}.{name}", {}, name, harness)
            own = defined[name].get("harness", harness)
            yield from called(f"{path}.{name}", defined[name], whole, own)


class Wanted(NamedTuple):
    """What an agent has by the rules: the text of its time in each turn, and its caps."""

    turn_time: Any
    caps: dict[str, Any]


def wanted(one: Around, whole: Made) -> Wanted:
    """The agent's own words, at the step or in its definition; then those of its harness."""
    agent = whole.workflow["agents"][one.name]
    named = one.step.get("harness", agent.get("harness"))
    harness = said_by(named or one.harness, whole)
    time = one.step.get("turn_time", agent.get("turn_time", harness.get("turn_time")))
    own = one.step.get("caps", agent.get("caps", {}))
    return Wanted(time, (harness.get("caps", {}) | own) if named else own)


def said_by(name: str | None, whole: Made) -> dict[str, Any]:
    """What a harness says, what it takes from the preset included."""
    if name is None or name == "claude-code":
        return {} if name is None else PRESET
    own = whole.workflow["harnesses"][name]
    if own.get("like") != "claude-code":
        return dict(own)
    return {**own, "caps": PRESET["caps"] | own.get("caps", {})}


def is_time(took: TurnTime | None, text: Any) -> bool:
    """Whether a time is as it is written; one of 0 s is none."""
    if took is None:
        return text in (None, "0s")
    if isinstance(text, str):
        return took.time.low == took.time.high == float(text.removesuffix("s"))
    return isinstance(text, dict) and took.time.low < took.time.high


def is_caps(caps: CapsPlan | None, said: dict[str, Any]) -> bool:
    if caps is None:
        return not said
    told = {key: getattr(caps, key) for key in ("agents", "tools", "spawns")}
    per_call = said.get("held") == "call"
    return caps.per_call == per_call and told == {key: said.get(key) for key in told}


def by_id(graph: Graph) -> dict[str, Agent | Life]:
    """The agents of a graph by the id of the step, with the names of those called in mid-turn."""
    found: dict[str, Agent | Life] = {}

    def read(node: Any, of: str | None) -> None:
        own = None
        if isinstance(node, Agent | Life):
            last = node.path.rsplit(".", 1)[-1]
            found[own := last if of is None else f"{of}.{last}"] = node
        for inner in inner_of(node):
            read(inner, own if isinstance(node, Agent) else None)

    read(graph.root, None)
    return found


def times_of(node: Agent | Life) -> Iterator[TurnTime | None]:
    """The time in each turn that an agent has; with steps, at each of those in which it speaks."""
    if isinstance(node, Agent):
        yield node.plan.turn_time
        return
    inside: list[Any] = [node.body]
    while inside:
        one = inside.pop()
        if isinstance(one, Call) and one.voice is not None:
            yield one.voice.turn_time
        elif not isinstance(one, Life):
            inside += inner_of(one)


def test_whose_word_counts(tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for seed in range(SEEDS):
        whole = made(seed)
        graph, workflow = loaded(tmp_path, whole), whole.workflow
        top = workflow.get("harness")
        caps = said_by(top, whole).get("caps", {}) | workflow.get("caps", {})
        assert is_caps(graph.caps, caps), seed
        nodes = by_id(graph)
        for one in agents(workflow["steps"], whole, top):
            if one.path.split(".")[0] not in nodes:
                assert "id" not in one.step  # whoever picks is named by the kind of the step
                continue
            node, want = nodes[one.path], wanted(one, whole)
            assert is_caps(node.caps, want.caps), (seed, node.path, node.caps, want.caps)
            for took in times_of(node):
                assert is_time(took, want.turn_time), (seed, node.path, took, want.turn_time)
                seen["time"] += took is not None
            seen["caps"] += node.caps is not None
            seen["within"] += one.path.count(".") > 0
    assert all(seen[what] > 50 for what in ("time", "caps", "within")), seen
