"""What can be known before a run: what never fits, and what a person should be told."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from agentsim.errors import Problem, Problems
from agentsim.graph import (
    Agent,
    Block,
    Call,
    Choose,
    Fork,
    Graph,
    LimitPlan,
    ServerPlan,
    ToolPlan,
    Work,
    walk,
)
from agentsim.spec import catalogue
from agentsim.spec.hardware import load_profile
from agentsim.spec.heeded import unheeded_settings
from agentsim.spec.idle import idle_settings
from agentsim.spec.length import check_length
from agentsim.spec.lines import check_lines
from agentsim.spec.problems import quoted
from agentsim.spec.quality import check_defects
from agentsim.spec.sessions import check_sessions
from agentsim.spec.told import Told, few, of_definition, of_step, risks, unchosen
from agentsim.spec.unmet import check_unmet
from agentsim.spec.vain import vain_settings
from agentsim.spec.vain_limits import vain_limits
from agentsim.spec.verdicts import verdict_notes
from agentsim.spec.whens import vain_whens

if TYPE_CHECKING:
    from agentsim.spec.load import Source
    from agentsim.spec.scope import Program


class Need(NamedTuple):
    """The least that a step's first call sends and gets, in tokens."""

    step: Agent | Call
    prompt: int
    task: float
    output: float
    most: int | None

    @property
    def input(self) -> float:
        return self.prompt + self.task


def run_checks(graph: Graph, program: Program, source: Source) -> Graph | None:
    """The graph with its warnings, or None where something is wrong; what never runs is reported.

    Where a step could not be read it is missing in the graph. Then only what each step asks for by
    itself is looked at: the missing one may open the session or say the verdict that others need.
    """
    for node in walk(graph.root):
        if isinstance(node, Agent | Call):
            need = _need(node)
            index = node.plan.server if isinstance(node, Agent) else node.server
            for server in _serving(graph, index):
                if _fits_context(need, server, program, source):
                    _check_quota(need, server, program)
                    _check_memory(need, server, program)

    lines = check_lines(graph, program)
    defects = check_defects(graph, program)
    check_length(graph, program)
    unmet = _between_steps(graph, program) if program.whole else []
    if program.problems:
        return None
    told = [*_verdicts(graph, program), *unmet, *_cut_answers(graph, program), *lines]
    told += [*_empty(graph, program), *_idle_fails(graph, program)]
    told += [*unheeded_settings(graph, program), *defects]
    told += [*vain_whens(graph, program), *vain_settings(graph, program)]
    told += [*vain_limits(graph, program), *idle_settings(graph, program)]
    told += _small_caches(graph, program)
    notices = few(unchosen(told, program.chosen))
    return dataclasses.replace(graph, notices=(*graph.notices, *notices))


def _serving(graph: Graph, index: int) -> list[ServerPlan]:
    """The server of a step, and those that serve what it sends back."""
    found = [index]
    for at in found:  # grows meanwhile
        spares = (it.fallback for it in graph.servers[at].limits if it.spare)
        found += [spare for spare in spares if spare not in found]
    return [graph.servers[at] for at in found]


def _between_steps(graph: Graph, program: Program) -> list[Told]:
    """Reports steps that hinder or miss each other; returns what a person should know besides."""
    clashing: set[int] = set()

    def clash(label: str, rank: int, other: int) -> None:
        clashing.add(rank)
        first, second = program.by_rank[rank], program.by_rank[other]
        both = f"{quoted(first.path)} and {quoted(second.path)}"
        who = both if first is not second else f"the items of {quoted(first.path)}"
        message = f"{who} may be in the session {quoted(label)} at once"
        hint = "give each its own session, or let one wait for the other"
        place = program.place_of(rank, "session")
        program.report(Problem("session-at-once", message, place, hint))

    check_sessions(graph.root, clash)
    return check_unmet(graph.root, program, clashing)


def _verdicts(graph: Graph, program: Program) -> list[Told]:
    """What is to be known of verdicts, with the line of the key that it is of."""
    found = []
    for node, key, text in verdict_notes(graph.root):
        at = next(of_step(program, node, key), program.path_of(node.rank))
        by = (at, *risks(program, node)) if program.chosen else ()
        found.append(Told(f"{node.path} ({program.line(at)}): {text}", at, by))
    return found


def _cut_answers(graph: Graph, program: Program) -> list[Told]:
    """Calls that ask for a longer answer than the model gives."""
    found = []
    for node in walk(graph.root):
        if isinstance(node, Call) and node.max_output is not None:
            server = graph.servers[node.server]
            if server.max_output is not None and node.max_output > server.max_output:
                at = program.path_of(node.rank, "max_output")
                text = (
                    f"its `max_output` of {node.max_output:,} is more than {server.profile} "
                    f"gives, {server.max_output:,}: that is what it gets"
                )
                found.append(Told(f"{node.path} ({program.line(at)}): {text}", at, (at,)))
    return found


def _small_caches(graph: Graph, program: Program) -> list[Told]:
    """Prompts that a cache by size can never hold."""
    found = []
    for node in walk(graph.root):
        if isinstance(node, Agent | Call):
            server = graph.servers[node.plan.server if isinstance(node, Agent) else node.server]
            cache, sent = server.cache, _need(node).input
            if cache.kind == "lru" and sent > cache.capacity:
                at = program.path_of(node.rank)
                text = (
                    f"it sends {sent:,.0f} tokens or more, and the cache of {server.profile} holds "
                    f"{cache.capacity:,} (`capacity`): never all of them"
                )
                found.append(Told(f"{node.path} ({program.line(at)}): {text}", at))
    return found


def _idle_fails(graph: Graph, program: Program) -> list[Told]:
    """Tools whose `fails` changes nothing: an agent goes on in any case, and no step runs them."""
    nodes = list(walk(graph.root))
    stepped = {node.tool.name for node in nodes if isinstance(node, Work)}
    tools = {
        tool.name: tool
        for node in nodes
        if isinstance(node, Agent)
        for tool, _ in node.plan.tools
        if isinstance(tool, ToolPlan)
    }
    why = "only agents run it, which go on either way; a `retry` of the tool would make it count"
    found = []
    for name, tool in tools.items():
        if tool.fails > 0.0 and tool.tries == 1 and name not in stepped:
            by = tuple(of_definition(program, "tools", name, "fails", "retry"))
            line = f" ({program.line(by[0])})" if by else ""
            text = f"{name}{line}: its `fails` changes nothing, since {why}"
            found.append(Told(text, by[0] if by else (), by))
    return found


def _empty(graph: Graph, program: Program) -> list[Told]:
    """Lists of steps with nothing in them: they are done at once, which is hardly meant."""
    found: dict[int, Told] = {}
    for node in walk(graph.root):
        bare = isinstance(node, Block) and not node.steps
        if isinstance(node, Choose) or (isinstance(node, Fork) and node.items is None):
            bare = not node.branches
        if bare:
            key = "steps" if not node.path else program.by_rank[node.rank].kind
            at = program.path_of(node.rank, key) if node.path else ("steps",)
            who = f"{node.path or 'the workflow'} ({program.line(at)})"
            text = f"{who} holds an empty list of steps, which is done at once"
            found[node.rank] = Told(text, at)
    return list(found.values())


def _need(step: Agent | Call) -> Need:
    """A session that goes on may have been cut, so only what is added counts for certain."""
    if isinstance(step, Agent):
        plan = step.plan
        prompt = 0 if step.session else sum(size for _, size in plan.prompt)
        return Need(step, prompt, step.task.low, plan.output.low + plan.thinking.low, None)
    prompt = 0 if step.session else sum(size for _, size in step.prompt)
    output = step.output.low + step.thinking.low
    return Need(step, prompt, step.input.low, output, step.max_output)


def _fits_context(need: Need, server: ServerPlan, program: Program, source: Source) -> bool:
    if server.context is None or need.input + min(1.0, need.output) <= server.context:
        return True
    step = need.step
    parts = f"{need.prompt:,} prompt + {need.task:,.0f} task" if need.prompt else "its input"
    message = (
        f"{quoted(step.path)} needs a context of more than {need.input:,.0f} tokens ({parts}); "
        f"{quoted(server.profile)} holds {server.context:,}"
    )
    role = step.plan.role if isinstance(step, Agent) else step.role
    hint = _larger(need, role, source)
    program.report(Problem("context-too-small", message, program.place_of(step.rank), hint))
    return False


def _larger(need: Need, role: str, source: Source) -> str:
    """The command that would answer: the same with a profile whose context holds it."""
    fitting = []
    for name in catalogue.names("hardware"):
        try:
            plan = load_profile(name).server(role, (role,))
        except Problems:
            continue
        if plan.context is not None and plan.context > need.input + 1:
            fitting.append((plan.context, name))
    if not fitting:
        return "no profile that ships holds so much: make the prompt or the task smaller"
    name = min(fitting)[1]
    kept = [given for given in source.hardware if "=" in given and not given.startswith(f"{role}=")]
    bound = name if not kept and len(source.hardware) <= 1 else f"{role}={name}"
    if bound != name:
        kept = [given for given in source.hardware if not given.startswith(f"{role}=")]
    options = "".join(f" --hw {given}" for given in [*kept, bound])
    return f"this would answer: agentsim run {source.workflow}{options}"


def _check_quota(need: Need, server: ServerPlan, program: Program) -> None:
    for limit in server.limits:
        least = _counted(need, limit, server)
        if least > limit.holds and not limit.spare:
            quota = f"the quota of {quoted(server.profile)}, which holds {limit.holds:,.10g}"
            what = "request" if limit.count == "requests" else f"tokens of {limit.count}"
            takes = f"{quoted(need.step.path)} takes {least:,.0f} {what} in one call"
            message = f"{takes}, of {quota}"
            place = program.place_of(need.step.rank)
            hint = "it would wait for ever: send or reserve less in one call"
            program.report(Problem("never-fits", message, place, hint))


def _check_memory(need: Need, server: ServerPlan, program: Program) -> None:
    """One call that is larger than all the memory for contexts never gets in."""
    if server.kv is None:
        return
    longest = [need.output, *(float(most) for most in (need.most, server.max_output) if most)]
    if server.context is not None:
        longest.append(server.context - need.input)
    output = max(0.0, min(longest))
    if need.input + output > server.kv:
        step = need.step
        message = (
            f"{quoted(step.path)} holds at least {need.input + output:,.0f} tokens of memory in "
            f"one call ({need.input:,.0f} input + {output:,.0f} output), and all that "
            f"{quoted(server.profile)} has for contexts is {server.kv:,} (`kv`)"
        )
        hint = "it would never be let in: send or ask for less in one call, or raise `kv`"
        program.report(Problem("never-fits", message, program.place_of(step.rank), hint))


def _counted(need: Need, limit: LimitPlan, server: ServerPlan) -> float:
    """The least that one call counts for certain."""
    if limit.count == "requests":
        return 1.0
    longest = [most for most in (need.most, server.max_output) if most]
    most = min(longest, default=0)
    output = float(most) if limit.reserve and most else need.output
    if limit.count == "input":
        return need.input
    if limit.count == "output":
        return output
    if limit.count == "uncached_input":
        # a prompt may be in the cache already; what a step adds to its session never is
        return need.input if server.cache.kind == "none" else need.task
    return need.input + output
