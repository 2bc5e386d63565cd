"""Settings of agents and tools that change nothing, in their steps and in their definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from agentsim.graph import Agent, Graph, Life, Merge, Node, ToolPlan, Work, inner_of, walk
from agentsim.spec.cast import ONE_OF
from agentsim.spec.failing import NO_CHANCE, tool_fails
from agentsim.spec.problems import quoted
from agentsim.spec.told import Told, of_definition, of_step
from agentsim.spec.tree import Path

if TYPE_CHECKING:
    from agentsim.spec.scope import Program


_HELD = "does nothing without `agents`, whose places it is about"


GOES_BY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "tools": ("turns", "size"),
        **dict.fromkeys(("tools_per_turn", "asks"), ("turns", "size", "tools")),
        "in_turn": ("turns", "size", "tools", "tools_per_turn"),
        "keeps_thinking": ("thinking",),
        "tokens_per_line": ("writes", "reads"),
        "caps": ("tools",),
        "size": ("turns", "writes"),
    }
)
"""By which other fields each of these may come to nothing."""


def of_agent(node: Agent | Life, raw: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    """(key, why) of what a step says of an agent in vain."""
    told = dict(_of_step(node))
    for key in raw:
        if key in told and raw[key] is not None:
            yield key, told[key]
    if isinstance(node, Life):
        return
    own_turns, own_lines = raw.get("turns") is not None, raw.get("writes") is not None
    if raw.get("size") is not None and own_turns and (own_lines or node.plan.writes is None):
        yield "size", "`size` does nothing, since the step says its turns and lines itself"


OF_LIFE = frozenset({"tools", "tools_per_turn", "in_turn", "asks", "keeps_thinking"})
"""Fields of turns, which an agent with steps of its own does not heed."""


def _of_step(node: Agent | Life) -> Iterator[tuple[str, str]]:
    """Keys, and why what they say comes to nothing in this step.

    With steps of its own an agent heeds its `caps`, and where it reads `tokens_per_line`.
    """
    if isinstance(node, Agent):
        yield from _of_turns(node)
        return
    for key in sorted(OF_LIFE):
        yield key, f"{quoted(key)} does nothing, since it has steps of its own"
    if not node.reads:
        yield "tokens_per_line", NO_LINES


NO_LINES = "`tokens_per_line` does nothing: it writes and reads no lines"


def _of_turns(node: Agent) -> Iterator[tuple[str, str]]:
    """The same of an agent with turns."""
    plan = node.plan
    last = "the last turn runs no tool, and there is one turn"
    why = "it has no tools" if not plan.tools else last if plan.turns.high <= 1.0 else ""
    if why:
        if plan.tools:
            yield "tools", f"`tools` are never run: {last}"
        for key in ("tools_per_turn", "in_turn", "asks"):
            yield key, f"{quoted(key)} does nothing, since {why}"
    elif plan.in_turn and (plan.tools_per_turn is None or plan.tools_per_turn.high <= 1.0):
        yield "in_turn", "`in_turn` does nothing, since a turn runs one tool at most"
    if plan.keeps_thinking and plan.thinking.high == 0.0:
        yield "keeps_thinking", "`keeps_thinking` does nothing, since it does not think"
    if plan.writes is None and not node.reads:
        yield "tokens_per_line", NO_LINES
    if node.caps is not None and not node.subs and (node.caps.tools is None or not plan.tools):
        yield "caps", "`caps` does nothing, since it starts nothing that they count"
    elif node.caps is not None and node.caps.per_call and node.caps.agents is None:
        yield "caps", f"`held: call` of `caps` {_HELD}"


def of_definitions(graph: Graph, program: Program) -> Iterator[Told]:
    """Fields of the file's tools and agents that come to nothing in all steps that use them.

    Not of what another definition is like: there it may count.
    """
    if program.unread:
        return
    users = _Users(graph.root)
    liked = {row["like"] for kind in ("agents", "tools") for row in _rows(program, kind).values()
             if isinstance(row.get("like"), str)}  # fmt: skip
    for kind, found in (("agents", _of_agents(users, program)), ("tools", _of_tools(users))):
        for name, key, text in found:
            row, at = _rows(program, kind).get(name, {}), (kind, name, key)
            if row.get(key) is not None and name not in liked:
                by = _brought_about_by(at, program, users) if program.chosen else ()
                yield Told(f"the {ONE_OF[kind]} {name} ({program.line(at)}): {text}", at, (at, *by))


def _brought_about_by(at: tuple[str, str, str], program: Program, users: _Users) -> Iterator[Path]:
    """Where it is written what makes a field of a definition come to nothing."""
    kind, name, key = at
    if kind == "agents":
        for node in users.agents.get(name, ()):
            yield from of_step(program, node, *GOES_BY.get(key, ()))
    elif key in ("retry", "timeout"):
        is_timed = any(plan.timeout is not None for plan in users.tools.get(name, ()))
        keys = (
            "timeout",
            *(("time",) if is_timed else ()),
            *(("fails",) if key == "retry" else ()),
        )
        yield from of_definition(program, kind, name, *keys)
        for step in users.steps.get(name, ()):
            yield from of_step(program, step, *keys)


def of_file(graph: Graph, program: Program) -> Iterator[Told]:
    """`held` of the file's caps, and what is done after a conflict that nobody mends."""
    given = program.tree.mapping.get("caps")
    held = isinstance(given, dict) and given.get("held") is not None
    if held and graph.caps is not None and graph.caps.per_call and graph.caps.agents is None:
        at: Path = ("caps", "held")
        yield Told(f"`held: call` of `caps` ({program.line(at)}) {_HELD}", at, (("caps",),))
    mended = {node.queue for node in walk(graph.root) if isinstance(node, Merge) and node.rework}
    for i, queue in enumerate(graph.queues):
        if queue.block and i not in mended:
            at = ("queues", queue.name, "on_conflict")
            what = f"the merge queue {queue.name} ({program.line(at)}): `on_conflict` does nothing"
            why = "since no `merge` in it has `rework`: what fails leaves the queue"
            yield Told(f"{what}, {why}", at, (at,))


def _rows(program: Program, kind: str) -> dict[str, dict[Any, Any]]:
    section = program.cast.file[kind]
    return {name: row for name, row in section.items() if isinstance(row, dict)}


class _Users:
    """Who runs which tool and which agent: as a step, or in mid-turn or in an agent's steps."""

    def __init__(self, root: Node) -> None:
        self.agents: dict[str, list[Agent | Life]] = {}
        self.started: set[str] = set()
        """Agents that another one starts."""
        self.subs: set[str] = set()
        """Of these, those that are started in mid-turn."""
        self.tools: dict[str, list[ToolPlan]] = {}
        self.steps: dict[str, list[Work]] = {}
        self.returned: set[str] = set()
        """Tools that an agent runs, or that stand in one's steps."""
        self._look(root, False)

    def _look(self, node: Node, inside: bool) -> None:
        if isinstance(node, Agent | Life):
            name = node.plan.name if isinstance(node, Agent) else node.who
            self.started |= {name} if inside else set()
            self.agents.setdefault(name, []).append(node)
        if isinstance(node, Agent):
            for sub in node.subs:
                self.subs.add(sub.plan.name)
            for tool, _ in node.plan.tools:
                if isinstance(tool, ToolPlan):
                    self._uses(tool, True)
        if isinstance(node, Work):
            self._uses(node.tool, inside)
            self.steps.setdefault(node.tool.name, []).append(node)
        for inner in inner_of(node):
            self._look(inner, inside or isinstance(node, Agent | Life))

    def _uses(self, tool: ToolPlan, by_agent: bool) -> None:
        self.tools.setdefault(tool.name, []).append(tool)
        if by_agent:
            self.returned.add(tool.name)


def _of_agents(users: _Users, program: Program) -> Iterator[tuple[str, str, str]]:
    """(agent, key, why)."""
    for name in program.cast.names("agents"):
        if ("agents", name) not in program.cast.used:
            continue  # which is told
        if name not in users.started:
            why = "since no other agent starts it"
            yield name, "returns", f"`returns` go to nobody, {why}"
        if name not in users.subs:
            why = "no other agent calls it in mid-turn: a step of it says its own `task`"
            yield name, "task", f"`task` is never added, since {why}"
        nodes = users.agents.get(name)
        if nodes:
            # why is said of one with turns, where there is one
            nodes = sorted(nodes, key=lambda node: isinstance(node, Life))
            each = [dict(_of_step(node)) for node in nodes]
            for key, text in each[0].items():
                if all(key in other for other in each):
                    yield name, key, text


def _of_tools(users: _Users) -> Iterator[tuple[str, str, str]]:
    """(tool, key, why)."""
    for name, plans in users.tools.items():
        if name not in users.returned:
            yield name, "returns", "`returns` go to nobody, since no agent runs it"
        if not any(map(tool_fails, plans)):
            yield name, "retry", f"`retry` does nothing, since {NO_CHANCE}"
        limits = [plan.timeout for plan in plans if plan.timeout is not None]
        if limits and all(plan.time.high <= limit for plan in plans for limit in limits):
            most = max(plan.time.high for plan in plans)
            text = f"`timeout` is never reached, since a run takes {most:.6g} s at most"
            yield name, "timeout", text
