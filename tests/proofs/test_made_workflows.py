"""The random workflows hold all that can be simulated, each kind in a fair share of them.

Counted over 300 seeds in what is written; that it runs too is counted by `test_invariants.py`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from agentsim.spec.steps import KINDS
from tests.made.steps import all_steps
from tests.made.workflows import Made, made

SEEDS = 300
FAIR = 15  # of 300 workflows: one in twenty

FIELDS = (
    *("approves", "between", "draws", "fork", "limit", "needs", "or", "priority", "reads"),
    *("release", "retry", "returns", "setup", "session", "succeeds", "task", "timeout", "uses"),
    *("when", "writes", "rework", "conflict", "correlation", "params", "join"),
)


def kinds(whole: Made) -> set[str]:
    """What a workflow holds, by name."""
    found: set[str] = set()
    workflow = whole.workflow
    steps = list(all_steps(workflow["steps"], whole.parts))
    agents = workflow["agents"]
    for step in steps:
        kind = next((name for name in KINDS if name != "do" and name in step), "do")
        found |= {kind, *(name for name in FIELDS if name in step)}
        if "join" in step:
            found.add("join: number" if isinstance(step["join"], int) else f"join: {step['join']}")
        if kind == "agent":
            found |= _agent(step, agents)
        if kind == "merge":
            found.add("merge: block" if step["merge"] == "train" else "merge: tail")
        if kind == "attempts":
            who = ("agent", "person", "first")  # `first` is a text, the others are mappings
            found |= {f"pick: {one}" for one in who if one in step["pick"]}
        found |= {"call: self"} if step.get("call") == "self" else set()
        found |= {"loop: within"} if isinstance(step.get("loop"), dict) else set()
        found |= {"two pools"} if len(step.get("uses", ())) > 1 else set()
        found |= {"by round"} if isinstance(step.get("approves"), list) else set()
    caps = workflow.get("caps", {})
    found |= {f"caps: {key}" for key in caps if key != "held"}
    if "agents" in caps:
        found.add(f"caps: {caps['held']}")
    found |= _around_agents(workflow, steps) | _of_quality(workflow, steps)
    for server in (whole.main, whole.small):
        found |= {f"server: {key}" for key in server}
        found |= {"account" for limit in server.get("limits", ()) if "account" in limit}
    return found


def _agent(step: dict[str, Any], agents: dict[str, Any]) -> set[str]:
    if "do" in step:
        return {"agent: do"}
    definition, found = agents[step["agent"]], {"agent: turns"}
    found |= {key for key in ("asks", "compact", "size", "in_turn") if definition.get(key)}
    if "scout" in definition["tools"]:
        found.add("subagent")
        if "digger" in agents["scout"]["tools"]:
            found.add("subagent of a subagent")
    return found


def _around_agents(workflow: dict[str, Any], steps: list[dict[str, Any]]) -> set[str]:
    """Harnesses and agents' own caps: of the file, of definitions and of steps."""
    found = {f"harness: {workflow['harness']}"} if "harness" in workflow else set[str]()
    for name, harness in workflow.get("harnesses", {}).items():
        found |= {f"{name}: {key}" for key in harness}
    for where, several in (("agents", workflow["agents"].values()), ("steps", steps)):
        for one in several:
            found |= {f"{key} of {where}" for key in ("harness", "turn_time") if key in one}
            if "agent" in one or where == "agents":
                found |= {f"caps of {where}: {key}" for key in one.get("caps", ())}
    return found


def _of_quality(workflow: dict[str, Any], steps: list[dict[str, Any]]) -> set[str]:
    found = {f"quality: {key}" for key in workflow.get("quality", ())}
    lists = {key: list(workflow[key].values()) for key in ("agents", "people", "tools")}
    for where, several in (*lists.items(), ("steps", steps)):
        for one in several:
            words = ("defects", "regressions", "finds")
            found |= {f"{key} of {where}" for key in words if key in one}
    for step in steps:
        if step.get("approves") == "when clean":
            kind = next(key for key in ("tool", "person", "agent") if key in step)
            found.add(f"when clean: {kind}" + (" with steps" if "do" in step else ""))
        if step.get("id") == "q-around":
            found |= {f"review in {key}" for key in ("attempts", "agent") if key in step}
        found |= {"review in each"} if step.get("id") == "q-items" else set()
    return found


WANTED = {
    *(set(KINDS) - {"do"}),
    *FIELDS,
    *("do", "agent: do", "agent: turns", "call: self", "loop: within", "two pools", "by round"),
    *("merge: block", "merge: tail", "pick: first", "pick: person", "pick: agent"),
    *("join: any", "join: all", "join: number", "asks", "compact", "size", "in_turn"),
    *("subagent", "subagent of a subagent", "account"),
    *("caps: agents", "caps: tools", "caps: spawns", "caps: life", "caps: call"),
    *("server: slots", "server: limits", "server: cache", "server: context", "server: prefill"),
    *("server: first_token", "server: max_output"),
    *("harness: claude-code", "harness: lean", "harness: slim", "lean: caps", "slim: caps"),
    *("lean: turn_time", "lean: subagent_prompt", "lean: compact", "slim: turn_time"),
    *(f"{key} of {where}" for key in ("harness", "turn_time") for where in ("agents", "steps")),
    *(f"caps of {where}: {key}" for key in ("agents", "tools", "spawns", "held")
      for where in ("agents", "steps")),
    *(f"quality: {key}" for key in ("defects", "regressions", "finds", "correlation")),
    *(f"{key} of {where}" for key in ("defects", "regressions", "finds")
      for where in ("agents", "people", "steps")),
    *("finds of tools", "when clean: tool", "when clean: person", "when clean: agent"),
    *("when clean: agent with steps", "review in attempts", "review in each", "review in agent"),
}  # fmt: skip


def test_every_kind_stands_in_a_fair_share_of_them() -> None:
    seen: Counter[str] = Counter()
    for seed in range(SEEDS):
        seen.update(kinds(made(seed)))
    print({name: seen[name] for name in sorted(WANTED)})
    rare = {name: seen[name] for name in sorted(WANTED) if seen[name] < FAIR}
    assert not rare, f"in less than {FAIR} of {SEEDS} workflows: {rare}"


def test_the_same_seed_is_the_same_workflow() -> None:
    assert made(7) == made(7)
    assert made(7) != made(8)
