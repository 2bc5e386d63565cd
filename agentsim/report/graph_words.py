"""What a step does, in a few words: one row for each type of node, and a plain one for others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from agentsim.chance import Distribution
from agentsim.graph import (
    Agent,
    Ask,
    Attempts,
    Block,
    Call,
    Choose,
    Craft,
    Fork,
    Graph,
    Guard,
    Life,
    Loop,
    Merge,
    Node,
    Step,
    Work,
)
from agentsim.records import Part
from agentsim.report import show
from agentsim.report.text import listed, name, safe


class Words(NamedTuple):
    """A step's title and facts; `parts` name its groups in their order, `back`: these go round."""

    title: str
    facts: tuple[str, ...]
    parts: tuple[str, ...] = ()
    back: bool = False


class Own(NamedTuple):
    """What a node says of itself: the name behind its kind, its facts, its parts."""

    argument: str = ""
    facts: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    back: bool = False


def of(node: Node, step: Step, graph: Graph) -> Words:
    """A step in words; names come from files and are made safe to show."""
    own = _ROWS.get(type(node), _plain)(node, graph)
    own_id = step.path.rpartition(".")[2]
    title = f"{step.kind} {name(own.argument)}".strip()
    if own_id and own_id not in (own.argument, step.kind):
        title += f" ({name(own_id)})"
    defects = _craft(getattr(node, "craft", None)) if graph.quality is not None else ()
    says = _says(getattr(node, "says", None))
    facts = (*own.facts, *defects, *says, *_around(node.guard, node.priority))
    return Words(title, tuple(safe(fact) for fact in facts if fact), own.parts, own.back)


def _plain(node: Any, _: Graph) -> Own:
    """A node of a kind without a row: its kind and what stands in it."""
    return Own()


def _agent(node: Agent, _: Graph) -> Own:
    plan = node.plan
    facts = [
        f"model {name(plan.role)}",
        _amount(plan.turns, lambda turns: show.plural(turns, "turn")),
        *_session(node),
        f"writes {_amount(plan.writes, _lines)}" if plan.writes else "",
        f"tools {listed([name(tool.name, 20) for tool, _ in plan.tools], 4)}" if plan.tools else "",
    ]
    return Own(plan.name, tuple(facts))


def _life(node: Life, _: Graph) -> Own:
    facts = [
        f"model {name(node.role)}",
        *_session(node),
        f"returns {_amount(node.returns, show.tokens)} tokens" if node.returns else "",
    ]
    return Own(node.who, tuple(facts), ("steps of its own",))


def _session(node: Agent | Life) -> Iterator[str]:
    """What an agent begins with."""
    yield f"goes on in session {name(node.session)}" if node.session else ""
    yield f"task {_amount(node.task, show.tokens)}" if node.task.high else ""
    yield "reads changes" if node.reads else ""


def _call(node: Call, _: Graph) -> Own:
    facts = [
        f"{_amount(node.input, show.tokens)} tokens in",
        f"thinks {_amount(node.thinking, show.tokens)}" if node.thinking.high else "",
        f"{_amount(node.output, show.tokens)} out",
        f"goes on in session {name(node.session)}" if node.session else "",
    ]
    return Own(node.role, tuple(facts))


def _work(node: Work, graph: Graph) -> Own:
    tool = node.tool
    held = [f"{name(graph.pools[pool].name, 20)} {units:g}" for pool, units in tool.uses]
    facts = [
        f"until {node.until.text}" if node.until else _time(tool.time),
        f"fails {show.share(tool.fails)}" if tool.fails else "",
        f"holds {listed(held)}" if held else "",
    ]
    return Own("" if tool.part is Part.WAIT else tool.name, tuple(facts))


def _ask(node: Ask, graph: Graph) -> Own:
    amount = node.amount
    reads = {"changes": "reads changes", "answer": "reads the answer"}.get(node.reads, "")
    if amount is not None:
        unit = _lines if node.reads == "lines" else lambda words: show.plural(words, "word")
        reads = f"reads {_amount(amount, unit)}"
    facts = [
        _time(node.time) if node.time else "",
        reads,
        f"decides in {_time(node.decides)}" if node.decides else "",
        f"writes {_amount(node.writes, _lines)}" if node.writes else "",
    ]
    return Own(graph.people[node.person].name, tuple(facts))


def _fork(node: Fork, _: Graph) -> Own:
    branches = len(node.branches)
    if node.items is None:
        return Own("", (f"{show.plural(branches, 'branch', 'branches')} side by side",
                        _join(node.join, "branches")))  # fmt: skip
    limit = f"{node.limit} at once" if node.limit else "all at once"
    waves = ", in waves" if node.waves else ""
    part = "for each item" if branches <= 1 else f"for each item (the first of {branches:,})"
    facts = (show.plural(node.items, "item"), limit + waves, _join(node.join, "items"))
    return Own("", facts, (part,))


def _join(join: int, what: str) -> str:
    if not join:
        return ""
    return f"the first to end wins, other {what} are cancelled" if join == 1 else (
        f"{join} must end, other {what} are cancelled"
    )  # fmt: skip


def _loop(node: Loop, _: Graph) -> Own:
    most = "" if node.within else f"at most {show.plural(node.rounds, 'round')}"
    within = f"rounds begin within {show.duration(node.within)}" if node.within else ""
    return Own("", (most, within), ("each round", "before a further round"), back=True)


def _attempts(node: Attempts, _: Graph) -> Own:
    fork = node.fork
    limit = f", {fork.limit} at once" if fork.limit else ""
    together = f", correlation {show.share(node.correlation)}" if node.correlation else ""
    facts = [
        f"{show.plural(fork.items or 0, 'attempt')}{limit}",
        "" if node.succeeds is None else f"right {show.share(node.succeeds)}{together}",
        "the first that is right wins" if node.pick is None else "",
        "all are read" if node.every else "",
        f"picks a right one {show.share(node.right)}" if node.right < 1.0 else "",
    ]
    return Own("", tuple(facts), ("each attempt", "who picks"))


def _choose(node: Choose, _: Graph) -> Own:
    before = (0.0, *node.upto)
    chances = [upto - start for upto, start in zip(node.upto, before, strict=False)]
    rest = 1.0 - node.upto[-1] if node.upto else 1.0
    facts = f"one of {len(chances)}: {', '.join(map(show.share, chances))}"
    return Own("", (facts, f"none {show.share(rest)}" if rest > 1e-9 else ""))


def _merge(node: Merge, graph: Graph) -> Own:
    """What can go wrong is told with what mends it: `rework` is not done by every merge."""
    queue = graph.queues[node.queue]
    conflicts = ", ".join(map(show.share, node.conflict))
    facts = [
        f"conflict {conflicts}" if any(node.conflict) else "",
        f"rebase {_time(queue.rebase)}" if queue.rebase else "",
        f"CI {_time(queue.ci)}",
        f"CI fails {show.share(queue.ci_fails)}" if queue.ci_fails else "",
    ]
    return Own(queue.name, tuple(facts), ("rework, after a conflict or failed CI",))


_ROWS: Mapping[type[Node], Callable[[Any, Graph], Own]] = MappingProxyType(
    {
        Agent: _agent,
        Life: _life,
        Call: _call,
        Work: _work,
        Ask: _ask,
        Fork: _fork,
        Loop: _loop,
        Choose: _choose,
        Attempts: _attempts,
        Merge: _merge,
        Block: _plain,
    }
)


def _craft(craft: Craft | None) -> Iterator[str]:
    """The defects that a step puts in and finds."""
    if craft is None:
        return
    if craft.mends and craft.defects:
        yield f"{show.number(1000 * craft.defects)} defects per kloc"
    if craft.mends and craft.regressions:
        yield f"{show.share(craft.regressions)} regressions"
    if craft.finds is not None:
        yield f"finds {show.share(craft.finds)} of the defects"


def _says(says: Any) -> Iterator[str]:
    """The chances of a verdict, by round."""
    approves = tuple(getattr(says, "approves", ()))
    if any(approves):
        shown = [show.share(chance) for chance in approves]
        first = f"{', '.join(shown[:-1][:6])}{', ...' if len(shown) > 7 else ''}, then "
        yield f"approves {first if shown[1:] else ''}{shown[-1]}"
    if getattr(says, "clean", False):
        yield "approves when clean"
    if rejects := getattr(says, "rejects", 0.0):
        yield f"rejects {show.share(rejects)}"


def _around(guard: Guard, priority: float) -> Iterator[str]:
    """What stands around a step."""
    if guard.never:
        yield "never runs"
    if guard.when:
        yield f"only after {' or '.join(verdict.label for verdict in guard.when)}"
    if guard.timeout is not None:
        yield f"fails after {show.duration(guard.timeout)}"
    if guard.tries > 1:
        yield f"up to {guard.tries} tries"
    if guard.go_on:
        yield "goes on if it fails"
    if priority:
        yield f"priority {priority:g}"


def _lines(count: float) -> str:
    return show.plural(count, "line")


def _time(given: Distribution) -> str:
    """A constant to the second; what varies has no need of it."""
    return _amount(given, show.exact if given.low == given.high else show.duration)


def _amount(given: Distribution, shown: Callable[[float], str]) -> str:
    """A constant as it is, else its median."""
    if given.low == given.high:
        return shown(given.low)
    return f"typically {shown(given.at(0.5))}"
