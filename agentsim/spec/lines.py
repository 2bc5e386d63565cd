"""Lines that an agent is to write and its output cannot hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentsim.errors import Problem
from agentsim.graph import Agent, Graph, ServerPlan, walk
from agentsim.spec.problems import quoted
from agentsim.spec.told import Told, of_step

if TYPE_CHECKING:
    from agentsim.spec.scope import Program


def check_lines(graph: Graph, program: Program) -> list[Told]:
    """Reports lines that no context holds; warns of those that an answer of the model cuts.

    The last turn holds the lines that the visible output of the turns before it has not: all
    figures are means, so this is what happens in a typical run.
    """
    told: dict[int, Told] = {}
    for node in walk(graph.root):
        if isinstance(node, Agent) and node.plan.writes is not None:
            note = _of_step(node, graph.servers[node.plan.server], program)
            if note is not None:
                told[node.rank] = note
    return list(told.values())


def _of_step(node: Agent, server: ServerPlan, program: Program) -> Told | None:
    plan = node.plan
    assert plan.writes is not None
    whole = plan.writes.mean * plan.tokens_per_line
    before = (max(1.0, plan.turns.mean) - 1.0) * _answer(plan.output.mean, server)
    last = whole - before
    lines = f"{plan.writes.mean:,.6g} lines are {whole:,.0f} tokens"
    left = f", and its last turn must hold {last:,.0f} of them" if before else ""
    hint = "fewer lines, or more turns or `output` to spread them over"
    place = program.place_of(node.rank, "writes")
    if server.context is not None and last > server.context:
        holds = f"the context of {quoted(server.profile)} holds {server.context:,}"
        message = f"{quoted(node.path)}: {lines}{left}; {holds}"
        program.report(Problem("context-too-small", message, place, hint))
    elif server.max_output is not None and last > server.max_output:
        by = tuple(of_step(program, node, "writes", "turns", "output", "size", "tokens_per_line"))
        at = next(iter(by), program.path_of(node.rank))
        text = (
            f"{node.path} ({program.line(at)}): {lines}{left}; {server.profile} answers "
            f"{server.max_output:,} at most (`max_output`), so the rest is cut: {hint}"
        )
        return Told(text, at)
    return None


def _answer(output: float, server: ServerPlan) -> float:
    return output if server.max_output is None else min(output, float(server.max_output))
