"""How long a run gets: steps, turns, tool runs and tries, bounded before the run.

The engine ends a run that has no end; that takes minutes, so it is refused here where it can be
known.
"""

from __future__ import annotations

from itertools import pairwise, takewhile
from math import ceil, inf
from typing import TYPE_CHECKING

from agentsim.errors import Problem
from agentsim.graph import (
    Agent,
    Ask,
    Attempts,
    Block,
    Call,
    Choose,
    Delegate,
    Fork,
    Graph,
    Life,
    Loop,
    Merge,
    Node,
    ToolPlan,
    Work,
    inner_of,
    walk,
)
from agentsim.spec.problems import quoted
from agentsim.spec.verdicts import speaks

if TYPE_CHECKING:
    from agentsim.spec.scope import Program

MOST_RUNS = 1_000_000.0  # steps, turns and tool runs of a run: each is kept, in about 1 KB
MOST_TURNS = 20_000.0  # turns of one agent step, on average; recorded sessions have hundreds
LONGEST = 9e9  # seconds: 64 bits of nanoseconds hold so much
YEAR = 31_557_600.0  # seconds
MOST_TRIES = 100_000  # tries within tries: a step that fails each time runs so often


def check_length(graph: Graph, program: Program) -> None:
    """Reports what would run (nearly) without end: too many steps, turns or tries."""
    known = len(program.problems)
    _check_time(graph.root, program)
    _check_turns(graph.root, program)
    _check_tries(graph.root, 1, program)
    if len(program.problems) > known:
        return
    runs = least_runs(graph.root)
    if runs > MOST_RUNS:
        message = (
            f"a run has at least {_count(runs)} steps; counted are all items and rounds, the "
            "turns of agents (on average), their tool runs, and tries where each fails for certain"
        )
        hint = f"at most {MOST_RUNS:,.0f}: fewer items, rounds, turns or tries, or fewer steps"
        program.report(Problem("too-many-steps", message, program.tree.place(("steps",)), hint))


def least_runs(node: Node) -> float:
    """Steps, turns and tool runs of a node that happen for certain; of turns their mean.

    All items count, all rounds of a loop that nothing can leave, branches by their chance, and all
    tries of what fails each time. What a `when` may leave out counts as one.
    """
    guard = node.guard
    if guard.never or guard.when:
        return 1.0
    tries = guard.tries if guard.tries > 1 and _must_fail(node) else 1
    return tries * _once(node)


def _once(node: Node) -> float:
    match node:
        case Agent():
            return _of_agent(node)
        case Work(tool=tool):
            return _of_tool(tool)
        case Fork():
            return _of_fork(node)
        case Attempts(fork=fork, pick=None):  # the first that succeeds ends the others
            return 2.0 + min(map(least_runs, fork.branches), default=0.0)
        case Attempts(fork=fork, pick=Node() as pick):
            return 1.0 + least_runs(fork) + least_runs(pick)
        case Choose(branches=branches, upto=upto):
            shares = [b - a for a, b in pairwise((0.0, *upto))]
            return 1.0 + sum(p * least_runs(own) for p, own in zip(shares, branches, strict=True))
        case Loop(body=body, between=between):
            sure = _least_rounds(node)
            more = max(sure - 1, 0) * least_runs(between) if between is not None else 0.0
            return 1.0 + sure * least_runs(body) + more
        case Merge(rework=Node() as rework, conflict=chances):
            sure = sum(1 for _ in takewhile(lambda chance: chance >= 1.0, chances))
            return 1.0 + sure * least_runs(rework)
        case Block() | Life():
            return 1.0 + sum(map(least_runs, inner_of(node)))
        case Call() | Ask() | Merge():
            return 1.0
        case _:  # a new kind of node would else be counted for more or less than it runs
            raise TypeError(f"{type(node).__name__} does not say how often it runs")


def _of_fork(node: Fork) -> float:
    """All of its branches, or the least of as many as are waited for: the others are cancelled."""
    branches = node.branches
    if node.items is not None and len(branches) == 1:
        return 1.0 + (node.join or node.items) * least_runs(branches[0])
    runs = sorted(map(least_runs, branches))
    return 1.0 + sum(runs[: node.join or len(runs)])


def _least_rounds(node: Loop) -> int:
    """A verdict may leave it after the first; in a time there are as many as surely fit."""
    if any(map(speaks, walk(node.body))):
        return min(node.rounds, 1)
    if node.within is None:
        return node.rounds
    longest = _most_time(node.body) + (_most_time(node.between) if node.between else 0.0)
    return min(node.rounds, max(1, ceil(node.within / longest))) if longest else node.rounds


def _most_time(node: Node) -> float:
    """Seconds that a node takes at most, without a wait for others; inf where it is not plain."""
    match node:
        case Work(tool=tool, until=None) if not tool.uses and tool.tries == 1:
            return tool.time.high
        case Block(needs=None, steps=steps):
            return sum(map(_most_time, steps))
        case _:
            return inf


def _of_agent(node: Agent) -> float:
    """Its turns, each a call and its tools; the last turn has none. A timeout may end it before."""
    if node.guard.timeout is not None:
        return 1.0
    plan = node.plan
    turns = max(1.0, plan.turns.mean)
    count = 1.0 if plan.tools_per_turn is None else plan.tools_per_turn.mean
    each, before = 0.0, 0.0
    for tool, upto in plan.tools:
        runs = least_runs(node.subs[tool.number]) if isinstance(tool, Delegate) else _of_tool(tool)
        each += (upto - before) * runs
        before = upto
    return turns + (turns - 1.0) * count * each


def _of_tool(tool: ToolPlan) -> float:
    return float(tool.tries) if _fails_each_time(tool) else 1.0


def _fails_each_time(tool: ToolPlan) -> bool:
    return tool.fails >= 1.0 or (tool.timeout is not None and tool.time.low > tool.timeout)


def _must_fail(node: Node) -> bool:
    """Whether each try of a node fails for certain, by what stands in it or by its timeout."""
    if node.guard.timeout is not None and _least_time(node) > node.guard.timeout:
        return True
    match node:
        case Work(tool=tool):
            return (tool.says or tool.timeout is not None) and _fails_each_time(tool)
        case Block(steps=steps):
            return any(map(_fails_its_list, steps))
        case _:
            return False


def _fails_its_list(node: Node) -> bool:
    guard = node.guard
    return not (guard.never or guard.when or guard.go_on) and _must_fail(node)


def _least_time(node: Node) -> float:
    """Seconds that a try takes at least; 0 where it is not plain."""
    match node:
        case Work(tool=tool):
            return _up_to(tool.timeout, tool.time.low)
        case Block(needs=None, steps=steps):
            return sum(map(_guarded_time, steps))
        case _:
            return 0.0


def _guarded_time(node: Node) -> float:
    guard = node.guard
    if guard.never or guard.when:
        return 0.0
    return _up_to(guard.timeout, _least_time(node))


def _up_to(timeout: float | None, seconds: float) -> float:
    return seconds if timeout is None else min(seconds, timeout)


def _check_time(root: Block, program: Program) -> None:
    """Constants that pass what a stored time can hold, at the step with which they do."""
    total = 0.0
    for node in root.steps if root.needs is None else ():
        total += _sure_time(node)
        if total > LONGEST:
            message = (
                f"{quoted(node.path)}: a run takes at least {total / YEAR:,.0f} years up to its end"
            )
            hint = f"at most {LONGEST / YEAR:,.0f} years can be simulated; is a unit wrong?"
            program.report(Problem("bad-value", message, program.place_of(node.rank), hint))
            return
        if not _goes_on(node):
            return


def _sure_time(node: Node) -> float:
    """Seconds that a step takes in every run, at least; 0 where that is not plain."""
    guard = node.guard
    if guard.never or guard.when:
        return 0.0
    low = 0.0
    match node:
        case Work(tool=tool):
            low = _up_to(tool.timeout, tool.time.low)
        case Block(needs=None, steps=steps):
            for step in steps:
                low += _sure_time(step)
                if not _goes_on(step):
                    break
        case Loop(within=None, body=body, rounds=rounds):
            low = (rounds if _goes_on(body) else min(rounds, 1)) * _sure_time(body)
    return _up_to(guard.timeout, low)


def _goes_on(node: Node) -> bool:
    """Whether nothing in a step can fail or say a verdict, so that what follows it surely runs."""
    inner = list(walk(node))
    return all(isinstance(one, Work | Block | Loop) for one in inner) and not any(
        one.guard.timeout is not None
        or speaks(one)
        or (isinstance(one, Work) and one.tool.timeout is not None)
        for one in inner
    )


def _check_turns(root: Node, program: Program) -> None:
    for node in walk(root):
        if isinstance(node, Agent) and not node.plan.turns.mean <= MOST_TURNS:
            turns = _count(node.plan.turns.mean)
            message = f"{quoted(node.path)} has {turns} turns on average"
            hint = f"at most {MOST_TURNS:,.0f} turns in one step; a long session has hundreds"
            place = program.place_of(node.rank, "turns")
            program.report(Problem("too-many-steps", message, place, hint))


def _check_tries(node: Node, around: int, program: Program) -> None:
    """The first step on each way down at which the tries within tries are too many."""
    own = around * node.guard.tries
    tools = [node.tool] if isinstance(node, Work) else []
    if isinstance(node, Agent):
        tools = [tool for tool, _ in node.plan.tools if isinstance(tool, ToolPlan)]
    most = own * max((tool.tries for tool in tools), default=1)
    if most > MOST_TRIES:
        message = (
            f"{quoted(node.path)} may run {most:,} times: its tries, times those of the steps "
            "around it and of its tools"
        )
        hint = f"at most {MOST_TRIES:,} tries within tries: lower one `retry`"
        place = program.place_of(node.rank, *(("retry",) if node.guard.tries > 1 else ()))
        program.report(Problem("too-many-steps", message, place, hint))
        return
    for inner in inner_of(node):
        _check_tries(inner, own, program)


def _count(number: float) -> str:
    return f"{number:,.0f}" if number < 1e15 else f"{number:.3g}"
