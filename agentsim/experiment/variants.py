"""A graph with one thing changed: what a lever tries, and what a comparison holds beside another.

Names, paths and ranks stay as they are, so every variant draws the same numbers as the original.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentsim.analysis.places import of_harness
from agentsim.chance import Distribution
from agentsim.graph import (
    Agent,
    AgentPlan,
    Ask,
    Block,
    Call,
    CapsPlan,
    Fork,
    Graph,
    Life,
    LimitPlan,
    MachinePlan,
    Node,
    PersonPlan,
    ServerPlan,
    ToolPlan,
    TurnTime,
    Voice,
    Work,
    inner_of,
    with_inner,
)
from agentsim.laws.decode import Decode
from agentsim.laws.reading import Reading
from agentsim.records import Part

ENDLESS = 1e-9
"""Seconds a token of what is called infinitely fast where calls stand in each other's way: one
nanosecond, the least that the clock counts. Not nothing: what decodes in no time at all never
stands still while another's prompt is read, and so leaves less than any rate does, however high."""


def with_decode(graph: Graph, factor: float) -> Graph:
    """All decoding takes `factor` times as long; 0 is infinitely fast."""
    endless = Decode(knots=((1.0, ENDLESS),))

    def change(plan: ServerPlan) -> ServerPlan:
        limit = factor == 0.0 and not plan.is_open
        return replace(plan, decode=endless if limit else plan.decode.times(factor))

    return _with_servers(graph, change)


def with_prefill(graph: Graph, factor: float) -> Graph:
    """Reading the prompt takes `factor` times as long; latency and first token stay."""

    def change(plan: ServerPlan) -> ServerPlan:
        prefill = None if plan.prefill is None else plan.prefill.times(factor)
        return replace(plan, prefill=prefill, per_input_token=plan.per_input_token * factor)

    return _with_servers(graph, change)


def with_first_token(graph: Graph, factor: float) -> Graph:
    """The time to the first token takes `factor` times as long; its part by the token stays."""

    def change(plan: ServerPlan) -> ServerPlan:
        first = plan.first_token
        return replace(plan, first_token=None if first is None else first.scaled(factor))

    return _with_servers(graph, change)


def with_quota(graph: Graph, account: str, factor: float) -> Graph:
    """All quotas of the account hold, and refill, `factor` times as much."""
    return _with_limits(
        graph,
        account,
        lambda it: replace(it, holds=it.holds * factor, refill=it.refill * factor),
    )


def with_fitting_output(graph: Graph, account: str) -> Graph:
    """What a call takes of the account's quotas up front is what it will make, and no more."""
    return _with_limits(graph, account, lambda it: replace(it, reserve=False, refund=False))


def _with_limits(graph: Graph, account: str, change: Callable[[LimitPlan], LimitPlan]) -> Graph:
    def of(plan: ServerPlan) -> ServerPlan:
        limits = (change(it) if it.account == account else it for it in plan.limits)
        return replace(plan, limits=tuple(limits))

    return _with_servers(graph, of)


def with_slot(graph: Graph, server: int) -> Graph:
    """One slot more on that server; unchanged where it has no limit."""
    plan = graph.servers[server]
    if plan.slots is None:
        return graph
    own = list(graph.servers)
    own[server] = replace(plan, slots=plan.slots + 1)
    return replace(graph, servers=tuple(own))


def with_memory(graph: Graph, server: int, factor: int) -> Graph:
    """So many times as much memory for contexts there; unchanged where it is not counted."""
    plan = graph.servers[server]
    if plan.kv is None:
        return graph
    own = list(graph.servers)
    own[server] = replace(plan, kv=plan.kv * factor)
    return replace(graph, servers=tuple(own))


def with_loading(graph: Graph, factor: float) -> Graph:
    """Loading models takes `factor` times as long."""

    def change(machine: MachinePlan) -> MachinePlan:
        load = machine.load if factor and machine.load is not None else None
        return replace(machine, load=None if load is None else load.scaled(factor))

    return _with_machines(graph, change)


def with_kept_models(graph: Graph) -> Graph:
    """No model leaves memory but for another one."""
    return _with_machines(graph, lambda machine: replace(machine, keep=None))


def with_model_room(graph: Graph, name: str) -> Graph:
    """The machine of that name holds one more model in memory."""

    def change(machine: MachinePlan) -> MachinePlan:
        if machine.name != name:
            return machine
        return replace(machine, places=(machine.places or 1) + 1)

    return _with_machines(graph, change)


def _with_machines(graph: Graph, change: Callable[[MachinePlan], MachinePlan]) -> Graph:
    return _with_servers(
        graph,
        lambda it: it if it.machine is None else replace(it, machine=change(it.machine)),
    )


def without_faults(graph: Graph, server: int) -> Graph:
    """No call to that server fails."""
    own = list(graph.servers)
    own[server] = replace(own[server], faults=None)
    return replace(graph, servers=tuple(own))


def without_throttle(graph: Graph) -> Graph:
    """No hardware slows down."""
    return _with_servers(graph, lambda it: replace(it, throttle=None))


def with_tools(graph: Graph, factor: float, name: str = "") -> Graph:
    """Running tools takes `factor` times as long: all of them, or those of that name."""

    def tool(plan: ToolPlan) -> ToolPlan:
        if plan.part is not Part.TOOL or (name and plan.name != name):
            return plan
        return replace(plan, time=plan.time.scaled(factor))

    def agent(plan: AgentPlan) -> AgentPlan:
        tools = (
            (tool(own) if isinstance(own, ToolPlan) else own, share) for own, share in plan.tools
        )
        return replace(plan, tools=tuple(tools))

    def change(node: Node) -> Node:
        match node:
            case Work():
                return replace(node, tool=tool(node.tool))
            case Agent():
                return replace(node, plan=agent(node.plan))
        return node

    return replace(graph, root=_edited(graph.root, change))


def with_harness(graph: Graph, factor: float) -> Graph:
    """What harnesses do in each turn before the call takes `factor` times as long."""

    def scaled(own: TurnTime | None) -> TurnTime | None:
        return None if own is None else replace(own, time=own.time.scaled(factor))

    def change(node: Node) -> Node:
        match node:
            case Agent(plan=plan):
                return replace(node, plan=replace(plan, turn_time=scaled(plan.turn_time)))
            case Call(voice=Voice() as voice):
                return replace(node, voice=replace(voice, turn_time=scaled(voice.turn_time)))
        return node

    return replace(graph, root=_edited(graph.root, change))


def with_people(graph: Graph, factor: float) -> Graph:
    """People's work takes `factor` times as long: reading, deciding, writing. Noticing stays."""

    def change(node: Node) -> Node:
        if not isinstance(node, Ask):
            return node
        time, decides = node.time, node.decides
        return replace(
            node,
            time=None if time is None else time.scaled(factor),
            decides=None if decides is None else decides.scaled(factor),
        )

    def person(plan: PersonPlan) -> PersonPlan:
        decides = None if plan.decides is None else plan.decides.scaled(factor)
        types = None if plan.types is None else plan.types / factor
        return replace(plan, reading=_slower(plan.reading, factor), decides=decides, types=types)

    people = tuple(person(plan) for plan in graph.people)
    return replace(graph, root=_edited(graph.root, change), people=people)


def with_pickup(graph: Graph, factor: float) -> Graph:
    """People notice what waits for them after `factor` times as long."""
    people = (replace(it, pickup=_longer(it.pickup, factor)) for it in graph.people)
    return replace(graph, people=tuple(people))


def with_switching(graph: Graph, factor: float) -> Graph:
    """People take `factor` times as long to turn to something else."""
    people = (replace(it, switch=_longer(it.switch, factor)) for it in graph.people)
    return replace(graph, people=tuple(people))


def with_merging(graph: Graph, factor: float) -> Graph:
    """Rebase and CI of all merge queues take `factor` times as long; what fails in them stays."""
    queues = (
        replace(it, rebase=_longer(it.rebase, factor), ci=it.ci.scaled(factor))
        for it in graph.queues
    )
    return replace(graph, queues=tuple(queues))


def _longer(time: Distribution | None, factor: float) -> Distribution | None:
    return None if time is None else time.scaled(factor)


def with_turns(graph: Graph, factor: float) -> Graph:
    """All agents take `factor` times as many turns, each time to the nearest whole number.

    At least one. The lines that they write and what people do stay.
    """

    def change(node: Node) -> Node:
        if not isinstance(node, Agent):
            return node
        return replace(node, plan=replace(node.plan, turns=node.plan.turns.scaled(factor)))

    return replace(graph, root=_edited(graph.root, change))


def with_lines(graph: Graph, factor: float) -> Graph:
    """People read `factor` times as many lines, while as many are written: decoding stays."""
    people = tuple(
        replace(plan, reading=replace(plan.reading, code=plan.reading.code / factor))
        if plan.reading.code is not None
        else plan
        for plan in graph.people
    )
    return replace(graph, people=people)


def with_person(graph: Graph, person: int) -> Graph:
    """One more of that human role."""
    own = list(graph.people)
    own[person] = replace(own[person], count=own[person].count + 1)
    return replace(graph, people=tuple(own))


def with_capacity(graph: Graph, pool: int) -> Graph:
    """One unit more in that pool."""
    own = list(graph.pools)
    own[pool] = replace(own[pool], capacity=own[pool].capacity + 1)
    return replace(graph, pools=tuple(own))


def with_limit(graph: Graph, cap: int) -> Graph:
    """One place more under the cap of that number, as `analysis.places` counts them.

    One item more at once in an `each`; or one agent or tool, in a run or of an agent. By a name
    two might be meant: a step may be named as a cap is.
    """
    owner, of_tools = of_harness(cap) if cap < 0 else (-1, False)
    if owner == 0:
        return replace(graph, caps=graph.caps and _one_more(graph.caps, of_tools))

    def change(node: Node) -> Node:
        if isinstance(node, Agent | Life) and node.caps is not None and node.rank == owner:
            return replace(node, caps=_one_more(node.caps, of_tools))
        if isinstance(node, Fork) and node.rank == cap and node.limit is not None:
            return replace(node, limit=node.limit + 1)
        return node

    return replace(graph, root=_edited(graph.root, change))


def with_at_most(graph: Graph, each: int, most: int) -> Graph:
    """No more than so many items at once in the `each` of that rank."""

    def change(node: Node) -> Node:
        if isinstance(node, Fork) and node.rank == each and node.items is not None:
            return replace(node, limit=most if node.limit is None else min(node.limit, most))
        return node

    return replace(graph, root=_edited(graph.root, change))


def _one_more(caps: CapsPlan, of_tools: bool) -> CapsPlan:
    """One agent or tool more at once, where these caps are on that."""
    if of_tools:
        return caps if caps.tools is None else replace(caps, tools=caps.tools + 1)
    return caps if caps.agents is None else replace(caps, agents=caps.agents + 1)


def _with_servers(graph: Graph, change: Callable[[ServerPlan], ServerPlan]) -> Graph:
    return replace(graph, servers=tuple(change(plan) for plan in graph.servers))


def _slower(reading: Reading, factor: float) -> Reading:
    def rate(own: float | None) -> float | None:
        return None if own is None else own / factor

    return Reading(
        reading.fixed * factor, rate(reading.prose), rate(reading.code), rate(reading.skim)
    )


def _edited(node: Block, change: Callable[[Node], Node]) -> Block:
    """The tree below a block with every node changed, from the inside out."""
    edited = _edit(node, change)
    assert isinstance(edited, Block)
    return edited


def _edit(node: Node, change: Callable[[Node], Node]) -> Node:
    inner = tuple(_edit(own, change) for own in inner_of(node))
    return change(with_inner(node, inner) if inner else node)
