"""Settings that a run does not heed as they are written: told, so that nobody relies on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agentsim.graph import Agent, Block, Graph, walk
from agentsim.spec.problems import quoted
from agentsim.spec.sessions import InSession

if TYPE_CHECKING:
    from agentsim.spec.scope import Program


LITTLE = 0.9
"""What is left of a session above which a compaction hardly helps: a few turns fill it again."""


def unheeded_settings(graph: Graph, program: Program) -> list[str]:
    """A sentence each, in the order of the steps."""
    found = [*_prompts(graph.root, program), *_compactions(graph)]
    return list(dict.fromkeys(found))


def _prompts(root: Block, program: Program) -> Iterator[str]:
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
            line = program.place_of(node.rank, "prompt").line
            yield (
                f"{node.path} (line {line}): its `prompt` counts for nothing where "
                f"{opener.path} has opened the session {quoted(name)} before, with "
                f"{sum(_sizes(opener)):,} tokens, not {sum(_sizes(node)):,}"
            )


def _sizes(node: InSession) -> list[int]:
    prompt = node.plan.prompt if isinstance(node, Agent) else node.prompt
    return [size for _, size in prompt]


def _compactions(graph: Graph) -> Iterator[str]:
    """Marks of `compact` that the context is too short for."""
    for node in walk(graph.root):
        if not isinstance(node, Agent) or node.plan.compact is None:
            continue
        rule, server = node.plan.compact, graph.servers[node.plan.server]
        context, who = server.context, node.plan.name
        if context is None:
            continue
        if rule.at > context:
            yield (
                f"{who}: `compact` at {rule.at:,} tokens is more than the context of "
                f"{server.profile}, {context:,}: it is done when that is full"
            )
        if rule.time is None and min(rule.at, context) + rule.output > context:
            room = f"{context:,} less the {rule.output:,} that the call writes"
            yield (
                f"{who}: `compact` at {min(rule.at, context):,} tokens leaves its own call no room "
                f"in the context of {server.profile} ({room}): what is too much is dropped before"
            )
        if rule.to > LITTLE * rule.at:
            yield (
                f"{who}: `compact` cuts from {rule.at:,} to {rule.to:,} tokens only, so it will be "
                "due again soon"
            )
