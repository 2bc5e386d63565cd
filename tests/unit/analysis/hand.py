"""Small graphs and traces written by hand, for tests that check figures against arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.chance import Constant
from agentsim.graph import (
    About,
    Ask,
    Block,
    Budget,
    CachePlan,
    Call,
    CapsPlan,
    Fork,
    Graph,
    Life,
    Loop,
    Node,
    PersonPlan,
    PoolPlan,
    ServerPlan,
    Step,
    ToolPlan,
    Work,
)
from agentsim.laws.decode import Decode
from agentsim.laws.reading import Reading
from agentsim.records import (
    SECOND,
    CallFacts,
    Facts,
    Mark,
    Outcome,
    Part,
    Peak,
    PersonFacts,
    Place,
    Span,
    Trace,
    Verdict,
    Visit,
    WorkFacts,
)


def server(name: str = "box", *roles: str, slots: int | None = None, rate: float = 100.0,
           grade: str = "", shared: bool = False) -> ServerPlan:  # fmt: skip
    return ServerPlan(
        name=name,
        profile=name,
        roles=roles or ("main",),
        decode=Decode(knots=((1.0, 1.0 / rate),)),
        prefill=None,
        latency=None,
        first_token=None,
        per_input_token=0.0,
        spread=None,
        slots=slots,
        shared=shared,
        schedule="separate",
        context=None,
        max_output=None,
        cache=CachePlan(),
        limits=(),
        price=None,
        about=About(title=name, grade=grade),
    )


def person(name: str = "you", count: int = 1) -> PersonPlan:
    return PersonPlan(name, count, None, None, Reading(code=400 / 3600, prose=238 / 60), None)


def call(rank: int, path: str, at: int = 0, output: float = 1000) -> Call:
    zero = Constant(0.0)
    return Call(
        rank=rank, path=path, name=path, role="main", server=at, session=None, label=path,
        prompt=(), input=zero, thinking=zero, output=Constant(output), max_output=None, says=None,
    )  # fmt: skip


def work(rank: int, path: str, seconds: float, pools: tuple[tuple[int, float], ...] = ()) -> Work:
    tool = ToolPlan(path, Constant(seconds), Constant(0.0), uses=pools)
    return Work(rank=rank, path=path, name=path, tool=tool, says=None)


def ask(rank: int, path: str, seconds: float) -> Ask:
    return Ask(
        rank=rank, path=path, name=path, person=0, time=Constant(seconds), reads="", amount=None,
        decides=None, writes=None, says=None,
    )  # fmt: skip


def block(rank: int, path: str, *steps: Node) -> Block:
    return Block(rank=rank, path=path, name=path, steps=steps)


def loop(rank: int, path: str, rounds: int, *steps: Node) -> Loop:
    body = block(rank, path, *steps)
    return Loop(rank=rank, path=path, name=path, body=body, between=None, rounds=rounds)


def each(rank: int, path: str, items: int, *steps: Node, limit: int | None = None) -> Fork:
    body = block(rank, path, *steps)
    return Fork(rank=rank, path=path, name=path, branches=(body,), items=items, limit=limit)


def life(rank: int, path: str, *steps: Node, caps: CapsPlan | None = None) -> Life:
    """An agent with these steps of its own."""
    return Life(
        rank=rank, path=path, name=path, who=path, role="main", server=0, prompt=(), session=None,
        label=path, task=Constant(0.0), reads=False, tokens_per_line=0.0, returns=None,
        body=block(rank, path, *steps), says=None, caps=caps,
    )  # fmt: skip


def graph(
    *steps: Node,
    servers: tuple[ServerPlan, ...] = (),
    pools: tuple[PoolPlan, ...] = (),
    people: tuple[PersonPlan, ...] = (),
    budget: Budget | None = None,
    exact: bool = False,
) -> Graph:
    """A workflow of these steps, ranks and paths as they give them."""
    table: dict[int, Step] = {0: Step("", "workflow")}
    _list(steps, table)
    return Graph(
        name="by hand",
        root=block(0, "", *steps),
        steps=tuple(table[rank] for rank in range(len(table))),
        servers=servers,
        pools=pools,
        people=people,
        budget=budget,
        exact=exact,
    )


def _list(steps: Sequence[Node], table: dict[int, Step]) -> None:
    for step in steps:
        table.setdefault(step.rank, Step(step.path, type(step).__name__.lower()))
        match step:
            case (
                Block(steps=inside)
                | Loop(body=Block(steps=inside))
                | Life(body=Block(steps=inside))
            ):
                _list(inside, table)
            case Fork(branches=inside):
                _list(inside, table)


def marks(*parts: tuple[Part, float]) -> tuple[Mark, ...]:
    """Marks from (part, second until which it lasted)."""
    return tuple((part, round(until * SECOND)) for part, until in parts)


def span(
    step: int,
    who: str,
    began: float,
    *parts: tuple[Part, float],
    cause: int = -1,
    resource: str | None = None,
    facts: Facts = None,
    place: Place = (),
    outcome: Outcome = Outcome.DONE,
) -> Span:
    at = round(began * SECOND)
    if isinstance(facts, WorkFacts) and facts.uses:
        # all pools given together, when the waiting was over
        given = marks(*parts)[0][1] if parts[0][0] is Part.POOL_WAIT else at
        facts = facts._replace(given=(given,) * len(facts.uses))
    return Span(
        step, place, who, who if resource is None else resource, at, marks(*parts), cause, outcome,
        facts,
    )  # fmt: skip


def called(
    visible: int = 0, thinking: int = 0, fresh: int = 0, cached: int = 0, shown: float = -1,
    decoding: float = 0.0, money: float = 0.0, role: str = "main",
) -> CallFacts:  # fmt: skip
    at = round(shown * SECOND) if shown >= 0 else -1
    return CallFacts(
        role, 0, fresh, cached, thinking, visible, 0, 1, money, at, round(decoding * SECOND), 0,
        False,
    )  # fmt: skip


def worked(*uses: tuple[int, float]) -> WorkFacts:
    return WorkFacts(uses, 0, 0, 0, ())


def read(lines: float = 0.0, verdict: Verdict | None = None) -> PersonFacts:
    return PersonFacts(0, lines, 0.0, verdict)


def visit(step: int, began: float, ended: float, place: Place = (), waited: float = 0.0,
          outcome: Outcome = Outcome.DONE) -> Visit:  # fmt: skip
    return Visit(
        step, place, round(began * SECOND), round(ended * SECOND), None, outcome,
        round(waited * SECOND),
    )  # fmt: skip


def trace(
    spans: Sequence[Span],
    ended: float,
    visits: Sequence[Visit] = (),
    peaks: Sequence[Peak] = (),
    outcome: Outcome = Outcome.DONE,
    reason: str = "",
    last: int | None = None,
    replication: int = 0,
    notes: dict[str, int] | None = None,
    verdict: Verdict | None = None,
) -> Trace:
    return Trace(
        replication, 0, list(spans), list(visits), list(peaks), outcome, reason, verdict, 0,
        round(ended * SECOND), len(spans) - 1 if last is None else last, notes or {},
    )  # fmt: skip
