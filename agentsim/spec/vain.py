"""Settings of steps that change nothing where they stand: told, so that nobody relies on them.

What a person asked for by an option (`--vary rounds=0:6`) is not told: they know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from agentsim.graph import (
    Agent,
    Ask,
    Attempts,
    Block,
    Call,
    Choose,
    Fork,
    Graph,
    Life,
    Loop,
    Merge,
    Node,
    Work,
    inner_of,
    walk,
)
from agentsim.records import Part
from agentsim.spec.failing import NO_CHANCE, Failing, asks_for_changes
from agentsim.spec.problems import quoted
from agentsim.spec.told import Told, of_definition, of_step, risks, written
from agentsim.spec.tree import Path
from agentsim.spec.vain_agents import GOES_BY, of_agent, of_definitions, of_file
from agentsim.spec.verdicts import says_of

if TYPE_CHECKING:
    from agentsim.spec.scope import Program


class Vain(NamedTuple):
    """A key of a step (below it: `path`) and why it changes nothing.

    `because`: what else decides that by its value; `elsewhere`: the same, as paths of the file.
    """

    path: Path
    text: str
    because: tuple[Path, ...] = ()
    elsewhere: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a step: the most rounds of the innermost loop, None without one, and
    where these are written; whether an agent's own steps these are."""

    rounds: int | None = None
    loop: Path | None = None
    inside: bool = False


def vain_settings(graph: Graph, program: Program) -> list[Told]:
    """A sentence each: of steps in the order of the file, then of definitions."""
    finder = _Finder(graph, program)
    finder.visit(graph.root, Around(), -1)
    return [*finder.told(), *of_definitions(graph, program), *of_file(graph, program)]


class _Finder:
    def __init__(self, graph: Graph, program: Program) -> None:
        self._graph, self._program = graph, program
        self._failing = Failing(graph)
        self._found: dict[int, list[dict[Path, Vain]]] = {}
        self._raws: dict[int, Mapping[Any, Any]] = {}

    def visit(self, node: Node, around: Around, parent: int) -> None:
        """A step and those in it; a body that its parent makes of them is no step itself."""
        if node.guard.never:
            return
        rank = node.rank
        if rank != parent and node.path:
            if rank not in self._raws:
                self._raws[rank] = written(self._program, rank)
            raw = self._raws[rank]
            if not raw:  # a subagent, or who is asked
                return
            found = {one.path: one for one in self._of(node, raw, around)}
            self._found.setdefault(rank, []).append(found)
        for inner, within in self._inner(node, around):
            self.visit(inner, within, rank)

    def _inner(self, node: Node, around: Around) -> Iterator[tuple[Node, Around]]:
        match node:
            case Loop(rounds=rounds):
                loop = self._program.path_of(node.rank, "loop")
                yield node.body, replace(around, rounds=rounds, loop=loop)
                if node.between is not None:
                    yield node.between, replace(around, rounds=max(0, rounds - 1), loop=loop)
            case Life(body=body):
                yield body, replace(around, inside=True)
            case _:
                for inner in inner_of(node):
                    yield inner, around

    def told(self) -> Iterator[Told]:
        """What holds of a step in all items that it is run for."""
        program = self._program
        for rank, rows in sorted(self._found.items()):
            for path, one in rows[0].items():
                if all(path in other for other in rows):
                    at = program.path_of(rank, *path)
                    because = (program.path_of(rank, *other) for other in one.because)
                    text = f"{program.by_rank[rank].path} ({program.line(at)}): {one.text}"
                    yield Told(text, at, (at, *because, *one.elsewhere))

    def _of(self, node: Node, raw: Mapping[Any, Any], around: Around) -> Iterator[Vain]:
        yield from self._guard(node, raw)
        yield from self._scarce(node, raw, around)
        yield from self._approves(node, raw, around)
        kind = _KINDS.get(type(node))
        if kind is not None:
            yield from kind(node, raw, self._graph)
        if isinstance(node, Agent | Life):
            who = node.plan.name if isinstance(node, Agent) else node.who
            for key, text in of_agent(node, raw):
                if key == "caps" and any(of_definition(self._program, "agents", who, key)):
                    continue  # without it those of the definition would hold, which may count
                yield Vain((key,), text, (), self._by(node, *GOES_BY.get(key, ())))
        if isinstance(node, Work) and not around.inside and _is_given(raw, "returns"):
            yield Vain(("returns",), "`returns` go to nobody, since no agent is around this step")

    def _by(self, node: Node, *keys: str) -> tuple[Path, ...]:
        """Where these are written for a step; nothing is looked up where no option asks."""
        return tuple(of_step(self._program, node, *keys)) if self._program.chosen else ()

    def _guard(self, node: Node, raw: Mapping[Any, Any]) -> Iterator[Vain]:
        """`retry`, `or` and `timeout` of what cannot fail, or ends before."""
        retry = raw.get("retry")
        if isinstance(retry, dict) and node.guard.tries == 1 and _is_given(retry, "wait"):
            yield Vain(
                ("retry", "wait"), "`wait` of `retry` is never waited with 0 tries", (("retry",),)
            )
        if node.guard.timeout is not None and not self._failing.is_reached(node):
            most = f"{self._failing.longest(node):.6g} s"
            by = self._by(node, "time", "wait", "fails", "timeout", "retry", "uses")
            text = f"`timeout` is never reached, since it takes {most} at most"
            yield Vain(("timeout",), text, (), by)
        if self._failing.fails(node):
            return
        why, by = _why_not(node), risks(self._program, node) if self._program.chosen else ()
        if node.guard.tries > 1:
            yield Vain(("retry",), f"`retry` does nothing, since {why}", (), by)
        is_heard = isinstance(node, Loop) and (
            asks_for_changes(node) or self._failing.leaves_failed(node)
        )
        if _is_given(raw, "or") and not is_heard:
            yield Vain(("or",), f"`or` does nothing, since {why}", (), by)

    def _scarce(self, node: Node, raw: Mapping[Any, Any], around: Around) -> Iterator[Vain]:
        """`priority` where nothing is waited for, and `draws` where nothing is drawn."""
        group = isinstance(node, Block | Loop | Fork | Choose | Attempts)
        if group and node.priority:
            text = "`priority` does nothing here: it counts on the steps in it that ask for"
            yield Vain(("priority",), f"{text} something scarce")
        bare = isinstance(node, Work) and not node.tool.uses
        if bare and node.priority and not (around.inside and self._failing.is_capped):
            text = "`priority` does nothing, since it waits for nothing scarce"
            yield Vain(("priority",), text, (), self._by(node, "uses"))
        parallel = isinstance(node, Fork) and node.items is None
        is_list = isinstance(node, Block | Loop) or parallel
        if is_list and node.guard.tries == 1 and _is_given(raw, "draws"):  # further tries go by it
            text = "`draws` does nothing here, where nothing is drawn: it counts on the steps in it"
            yield Vain(("draws",), text)

    def _approves(self, node: Node, raw: Mapping[Any, Any], around: Around) -> Iterator[Vain]:
        """Shares by round of which some are never come to."""
        says = says_of(node)
        given = raw.get("approves")
        if says is None or not isinstance(given, list) or len(given) < 2:
            return
        rounds = around.rounds
        if rounds is None:
            text = "`approves` is by round, and no loop is around it: only its first counts"
            yield Vain(("approves",), text)
        elif 0 < rounds < len(given):
            many = "is one round" if rounds == 1 else f"are {rounds} rounds"
            text = f"`approves` has {len(given)} shares, and there {many} at most: the last"
            last = len(given) - rounds
            text = f"{text} {f'{last} never count' if last > 1 else 'never counts'}"
            yield Vain(("approves",), text, (), () if around.loop is None else (around.loop,))


def _is_given(raw: Mapping[Any, Any], key: str) -> bool:
    return raw.get(key) is not None


def _why_not(node: Node) -> str:
    """Why a step cannot fail."""
    match node:
        case Work(tool=tool) if tool.part is Part.WAIT:
            return "a wait cannot fail, save by a `timeout`"
        case Work():
            return NO_CHANCE
        case Ask(says=says) if says is not None and says.rejects:
            return "people fail by a `timeout` only, and `rejected` ends the run all the same"
        case Ask():
            return "people fail by a `timeout` only"
        case Attempts():
            return "attempts do not fail: a run in which none ends well goes on"
        case Merge():
            return "it cannot fail: there is no `conflict`, and CI does not fail"
        case Block() | Fork() | Choose() | Loop() | Life() | Agent() | Call():
            return "nothing in it can fail"
        case _:
            raise TypeError(f"{type(node).__name__} does not say why it cannot fail")


def _choose(node: Node, raw: Mapping[Any, Any], graph: Graph) -> Iterator[Vain]:
    """Branches that never run, or always."""
    assert isinstance(node, Choose)
    shares = [b - a for a, b in pairwise((0.0, *node.upto))]
    given = raw["choose"]
    chances: tuple[Path, ...] = tuple(("choose", i, "chance") for i in range(len(shares)))
    always = next((i for i, share in enumerate(shares) if share >= 1.0), None)
    if always is not None and len(shares) == 1:
        yield Vain(("choose", 0, "chance"), "its one branch always runs, as without `choose`")
        return
    if always is not None:
        name = quoted(node.branches[always].path)
        text = f"{name} runs always, so the other branches never do"
        yield Vain(chances[always], text, chances)
        return
    for i, share in enumerate(shares):
        if share <= 0.0:
            own = _is_given(given[i], "chance")
            why = "its chance is 0 %" if own else "the others have 100 %"
            name = quoted(node.branches[i].path)
            yield Vain(chances[i], f"{name} never runs, since {why}", chances)


def _loop(node: Node, raw: Mapping[Any, Any], graph: Graph) -> Iterator[Vain]:
    assert isinstance(node, Loop)
    if node.within is None and node.rounds == 0:
        yield Vain(("loop",), "its steps never run, since it has no rounds")
    elif node.within is None and node.rounds == 1 and node.between is not None:
        text = "`between` never runs, since there is no second round"
        yield Vain(("between",), text, (("loop",),))


def _fork(node: Node, raw: Mapping[Any, Any], graph: Graph) -> Iterator[Vain]:
    assert isinstance(node, Fork)
    if node.items == 0:
        yield Vain(("each",), "its steps never run, since it has no items")
    elif node.items is not None and node.limit is not None and node.limit >= node.items:
        items = "one item" if node.items == 1 else f"{node.items} items"
        yield Vain(("limit",), f"`limit` is never reached, since it has {items}", (("each",),))


def _attempts(node: Node, raw: Mapping[Any, Any], graph: Graph) -> Iterator[Vain]:
    assert isinstance(node, Attempts)
    count, pick = node.fork.items or 0, raw.get("pick")
    in_pick = pick if isinstance(pick, dict) else {}
    if count == 1:
        for path, key in (((), "correlation"), (("pick",), "right"), (("pick",), "every")):
            if _is_given(in_pick if path else raw, key):
                does = "changes no chance" if key == "correlation" else "does nothing"
                text = f"{quoted(key)} {does}, since there is one attempt"
                yield Vain((*path, key), text, (("attempts",),))
    elif node.every and not any(map(_reads, walk(node.pick or node.fork))):
        text = "`every` does nothing, since whoever picks reads neither `changes` nor an `answer`"
        yield Vain(("pick", "every"), text)
    limit = node.fork.limit
    if limit is not None and limit >= count:
        tries = "one attempt" if count == 1 else f"{count} attempts"
        text = f"`limit` is never reached, since there {'is' if count == 1 else 'are'} {tries}"
        yield Vain(("limit",), text, (("attempts",),))


def _reads(node: Node) -> bool:
    if isinstance(node, Ask):
        return node.reads in ("changes", "answer")
    return isinstance(node, Agent | Life) and node.reads


def _merge(node: Node, raw: Mapping[Any, Any], graph: Graph) -> Iterator[Vain]:
    assert isinstance(node, Merge)
    given = raw.get("conflict")
    if node.rework is None:
        if isinstance(given, list) and len(given) > 1:
            text = "`conflict` is by try, and without `rework` there is one: only its first counts"
            yield Vain(("conflict",), text)
    elif not inner_of(node.rework):
        pass  # that its list is empty is told
    elif not any(node.conflict) and not graph.queues[node.queue].ci_fails:
        text = "`rework` is never done: there is no `conflict`, and CI does not fail"
        yield Vain(("rework",), text, (("conflict",),), (("queues",),))


_KINDS: dict[type[Node], Callable[[Node, Mapping[Any, Any], Graph], Iterator[Vain]]] = {
    Choose: _choose,
    Loop: _loop,
    Fork: _fork,
    Attempts: _attempts,
    Merge: _merge,
}
