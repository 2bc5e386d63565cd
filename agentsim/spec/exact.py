"""Whether anything is drawn in a run: if not, one replication says all."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.chance import Distribution
from agentsim.graph import (
    Agent,
    AgentPlan,
    Ask,
    Attempts,
    Block,
    Call,
    Choose,
    Fork,
    Life,
    Loop,
    Merge,
    Node,
    PersonPlan,
    QueuePlan,
    ServerPlan,
    ToolPlan,
    Voice,
    Work,
    walk,
)
from agentsim.laws.jitter import UNIT
from agentsim.spec.quality import craft_in
from agentsim.spec.verdicts import says_of


def is_exact(
    root: Node,
    servers: Sequence[ServerPlan],
    people: Sequence[PersonPlan],
    queues: Sequence[QueuePlan],
) -> bool:
    """No distribution that can be drawn spreads, and no share lies between 0 and 1."""
    return (
        not any(_spreads(one) for server in servers for one in _of_server(server))
        and not any(0.0 < server.cache.finds < 1.0 for server in servers)
        and not any(server.faults is not None and server.faults.chance for server in servers)
        and not any(_spreads(one) for person in people for one in _of_person(person))
        and not any(_spreads(it) for queue in queues for it in (queue.rebase, queue.ci))
        and not any(0.0 < queue.ci_fails < 1.0 for queue in queues)
        and not any(map(_is_drawn, walk(root)))
    )


def _is_drawn(node: Node) -> bool:
    says = says_of(node)
    shares = (*says.approves, says.rejects) if says else ()
    if any(0.0 < share < 1.0 for share in shares):
        return True
    craft = craft_in(node)
    if craft is not None and craft.mends and craft.defects > 0.0:
        return True
    match node:
        case Call(input=a, thinking=b, output=c, voice=voice):
            own = () if voice is None else _of_rules(voice)
            return any(map(_spreads, (a, b, c, *own)))
        case Agent(plan=plan, task=task, asks_chance=chance):
            return 0.0 < chance < 1.0 or _spreads(task) or _agent(plan)
        case Work(tool=tool):
            return _tool(tool)
        case Merge(conflict=conflict):
            return any(0.0 < share < 1.0 for share in conflict)
        case Life(task=a, returns=b):
            return any(map(_spreads, (a, b)))
        case Attempts(succeeds=succeeds, right=right):
            return any(0.0 < share < 1.0 for share in (succeeds or 0.0, right))
        case Choose(upto=upto):
            return any(0.0 < share < 1.0 for share in upto)
        case Ask(time=a, amount=b, decides=c, writes=d):
            return any(map(_spreads, (a, b, c, d)))
        case Block() | Fork() | Loop():
            return False
        case _:  # what is not known to be certain must not be taken for exact
            raise TypeError(f"{type(node).__name__} does not say whether it draws")


def _agent(plan: AgentPlan) -> bool:
    drawn = (
        plan.turns,
        plan.thinking,
        plan.output,
        plan.tools_per_turn,
        plan.writes,
        plan.returns,
        *_of_rules(plan),
    )
    mixed = any(0.0 < share < 1.0 for _, share in plan.tools)
    return (
        mixed
        or any(map(_spreads, drawn))
        or any(_tool(tool) for tool, _ in plan.tools if isinstance(tool, ToolPlan))
    )


def _of_rules(rules: AgentPlan | Voice) -> tuple[Distribution | None, ...]:
    """What compacting and the harness take in each turn."""
    rule, own = rules.compact, rules.turn_time
    return (None if rule is None else rule.time), (None if own is None else own.time)


def _tool(tool: ToolPlan) -> bool:
    return 0.0 < tool.fails < 1.0 or _spreads(tool.time) or _spreads(tool.returns)


def _of_server(server: ServerPlan) -> tuple[Distribution | None, ...]:
    jitter = None if server.on_reject is None else server.on_reject.jitter
    load = None if server.machine is None else server.machine.load
    retry = None if server.faults is None else server.faults.retry
    again = None if retry is None else retry.jitter
    noise = UNIT if server.jitter else None
    return server.latency, server.first_token, server.spread, jitter, load, again, noise


def _of_person(person: PersonPlan) -> tuple[Distribution | None, ...]:
    return person.pickup, person.switch, person.decides


def _spreads(given: Distribution | None) -> bool:
    return given is not None and given.low != given.high
