"""Settings that a run does not heed as they are written: told, so that nobody relies on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentsim.graph import Agent, Block, Call, CompactPlan, Graph, Node, ServerPlan, marks_of, walk
from agentsim.spec.problems import quoted
from agentsim.spec.profile_doubts import idle_prices
from agentsim.spec.sessions import InSession
from agentsim.spec.told import Told, of_step

if TYPE_CHECKING:
    from agentsim.spec.scope import Program


LITTLE = 0.9
"""What is left of a session above which a compaction hardly helps: a few turns fill it again."""


def unheeded_settings(graph: Graph, program: Program) -> list[Told]:
    """A sentence each, in the order of the steps."""
    found = [*_prompts(graph.root, program), *_compactions(graph, program)]
    for server in graph.servers:
        doubts = [*idle_prices(server.price, server.cache), *server.about.empty]
        found += [Told(f"{server.profile}: {it}") for it in doubts]
    return found


def _prompts(root: Block, program: Program) -> Iterator[Told]:
    """Prompts of steps in a session that a step before them opens with another one."""
    first: dict[str, InSession] = {}
    for node in walk(root):
        if not isinstance(node, InSession):
            continue
        name = node.label if node.session is None else node.session
        opener = first.setdefault(name, node)
        if node.session is None or opener.rank == node.rank:
            continue
        own = program.tree.sub(program.by_rank[node.rank].at).value
        if not isinstance(own, dict) or "prompt" not in own:
            continue
        if _sizes(node) != _sizes(opener):
            at = program.path_of(node.rank, "prompt")
            text = (
                f"{node.path} ({program.line(at)}): its `prompt` counts for nothing where "
                f"{opener.path} has opened the session {quoted(name)} before, with "
                f"{sum(_sizes(opener)):,} tokens, not {sum(_sizes(node)):,}"
            )
            yield Told(text, at, (at, *of_step(program, opener, "prompt")))


def _sizes(node: InSession) -> list[int]:
    prompt = node.plan.prompt if isinstance(node, Agent) else node.prompt
    return [size for _, size in prompt]


_BY = frozenset({"compact", "prompt", "subagent_prompt"})


def _compactions(graph: Graph, program: Program) -> Iterator[Told]:
    """Marks of `compact` that the context is too short for, with the line where that is given."""
    for who, node, text in _of_compact(graph):
        at = next(of_step(program, node, "compact"), ())
        line = f" ({program.line(at)})" if at else ""
        yield Told(f"{who}{line}: {text}", at, also=_BY)


def _of_compact(graph: Graph) -> Iterator[tuple[str, Node, str]]:
    """(agent, step, what is to be known of its rule)."""
    for node in walk(graph.root):
        if isinstance(node, Agent):
            plan, prompt = node.plan, sum(size for _, size in node.plan.prompt)
            if plan.compact is not None:
                for text in _compaction(plan.compact, prompt, graph.servers[plan.server]):
                    yield plan.name, node, text
        elif isinstance(node, Call) and node.voice is not None:
            voice = node.voice
            if voice.compact is not None:
                server = graph.servers[node.server]
                for text in _compaction(voice.compact, voice.prompt, server):
                    yield voice.who, node, text


def _compaction(rule: CompactPlan, prompt: int, server: ServerPlan) -> Iterator[str]:
    context = server.context
    marks = marks_of(rule, prompt, context)
    if marks is None:
        yield (
            f"`compact` at {100 * (rule.share or 0):.10g} % of the context is never done, "
            f"since {server.profile} gives no `context`"
        )
        return
    at, to = marks
    if context is None:
        return
    if rule.share is None and rule.at > context:
        yield (
            f"`compact` at {rule.at:,} tokens is more than the context of "
            f"{server.profile}, {context:,}: it is done when that is full"
        )
    if rule.time is None and at + rule.output > context:
        room = f"{context:,} less the {rule.output:,} that the call writes"
        yield (
            f"`compact` at {at:,} tokens leaves its own call no room "
            f"in the context of {server.profile} ({room}): what is too much is dropped before"
        )
    asked, mark = rule.to or 0, rule.at if rule.share is None else at
    if rule.share is not None and asked > to:
        yield (
            f"`compact` at {at:,} tokens cannot cut to {asked:,}: {to:,} are taken, half "
            "way from the prompt"
        )
    elif asked > LITTLE * mark:
        yield (
            f"`compact` cuts from {mark:,} to {asked:,} tokens only, so it will be due again soon"
        )
