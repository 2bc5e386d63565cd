"""Defects: who puts them in, finds and mends them, and what of it comes to nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from agentsim.errors import Problem
from agentsim.graph import (
    Agent,
    Ask,
    Assumed,
    Craft,
    Graph,
    Life,
    Loop,
    Node,
    QualityPlan,
    ToolPlan,
    Work,
    walk,
)
from agentsim.laws.quality import LIKELY
from agentsim.spec.cast import Defined
from agentsim.spec.problems import quoted
from agentsim.spec.told import Told, of_definition, of_step
from agentsim.spec.values import CLEAN

if TYPE_CHECKING:
    from agentsim.spec.scope import Program, Scope
    from agentsim.spec.tree import Path

MOST_IN_A_STEP = 10_000
"""Defects that one step puts in, in the mean: three hundred thousand lines at 32 per kloc."""

Crafts = list[tuple[Node, Craft]]

ALIKE = "quality/correlation"
"""The path of the one value that is taken where the file gives none."""


def craft_of(scope: Scope, defined: Defined, step: Any, writes: bool, reads: bool) -> Craft | None:
    """What a step does to quality; None where it neither writes nor reads nor finds anything.

    `writes`: it writes lines, `reads`: it is given the changes to read. What neither the step nor
    the definition says is that of the file's `quality`.
    """
    program = scope.program
    usual, found = program.quality, dict[str, float | None]()
    for key in ("defects", "regressions", "finds"):
        known = key in type(defined.model).model_fields
        found[key] = scope.players.field(defined, step, key) if known else None
        program.counts_defects = program.counts_defects or found[key] is not None
        if found[key] is None and usual is not None and (reads if key == "finds" else writes):
            found[key] = getattr(usual, key)
            program.taken.add(key)
    if getattr(step, "approves", None) == () and found["finds"] is None:
        message = f"`approves: {CLEAN}` goes by what it finds, and nothing says how much that is"
        scope.wrong(message, "approves", code="missing-key", hint="such as `finds: 35%` beside it")
    if not writes and not reads and all(value is None for value in found.values()):
        return None
    return Craft(writes, found["defects"] or 0.0, found["regressions"] or 0.0, found["finds"])


def craft_in(node: Node) -> Craft | None:
    """What a node does to quality."""
    return node.craft if isinstance(node, Agent | Life | Work | Ask) else None


def quality_plan(root: Node, program: Program) -> QualityPlan | None:
    """How defects are modelled; None where the file says nothing of them."""
    if not program.counts_defects:
        return None
    given = None if program.quality is None else program.quality.correlation
    if given is None and any(craft.finds for _, craft in _crafts(walk(root))):
        program.cast.assumed[ALIKE] = Assumed(
            "quality: how far all find the same defects",
            f"{100 * LIKELY:.0f}%",
            "reviewers find 35 % at first and 15 % of the rest later",
            ALIKE,
        )
    return QualityPlan(LIKELY if given is None else given)


def check_defects(graph: Graph, program: Program) -> list[Told]:
    """Reports steps with too many of them; returns what a person should know besides."""
    if graph.quality is None:
        return []
    nodes = list(walk(graph.root))
    crafts = _crafts(nodes)
    for node, craft in crafts:
        lines = _lines(node)
        if craft.defects * lines > MOST_IN_A_STEP:
            many = f"{craft.defects * lines:,.0f} defects in {lines:,.6g} lines"
            most = f"at most {MOST_IN_A_STEP:,} in a step are modelled"
            message = f"{quoted(node.path)}: {many}; {most}"
            place = program.place_of(node.rank, "writes")
            program.report(Problem("bad-value", message, place, "fewer lines, or fewer in each"))
    told = [*_nobodys(crafts, program), *_idle(crafts, graph, program)]
    told += [*_in_agents(nodes, program), *_unfound(crafts, program)]
    return [*told, *_left(crafts, nodes, program)]


_BY = frozenset({"quality", "defects", "regressions", "finds", "writes", "size"})
"""Keys by which all of this may be otherwise, wherever they stand."""


def _at(node: Node, program: Program, *keys: str) -> Path:
    """Where the first of these is written for a step, which may be in the file's `quality`."""
    usual = (("quality", key) for key in keys if getattr(program.quality, key, None) is not None)
    return next(chain(of_step(program, node, *keys), usual), program.path_of(node.rank))


def _lines(node: Node) -> float:
    """The lines that a step writes, in the mean."""
    writes = node.plan.writes if isinstance(node, Agent) else None
    writes = node.writes if isinstance(node, Ask) else writes
    return 0.0 if writes is None else writes.mean


def _crafts(nodes: Iterable[Node]) -> Crafts:
    """The nodes that do anything to quality, and what."""
    return [(node, craft) for node in nodes if (craft := craft_in(node)) is not None]


def _nobodys(crafts: Crafts, program: Program) -> Iterator[Told]:
    """What the file's `quality` says for all who say nothing else, where there are none."""
    usual = program.quality
    if usual is None or program.unread:
        return
    finders = any(it.finds is not None and not isinstance(node, Work) for node, it in crafts)
    crowds = (
        (("defects", "regressions"), "writes lines", any(it.mends for _, it in crafts)),
        (("finds",), "reads `changes`", finders),
    )
    at = ("quality",)
    takes = f"`quality` ({program.line(at)}): nothing takes its"
    for keys, what, some in crowds:
        idle = [key for key in keys if getattr(usual, key) is not None and key not in program.taken]
        why = f"no step that {what} is without its own" if some else f"no step {what}"
        if idle:
            named = " and ".join(map(quoted, idle))
            yield Told(f"{takes} {named}, since {why}", at, also=_BY)
    if usual.correlation is not None and not any(craft.finds for _, craft in crafts):
        yield Told(f"{takes} `correlation`, since nobody finds any", at, also=_BY)


def _idle(crafts: Crafts, graph: Graph, program: Program) -> Iterator[Told]:
    """`defects` and `regressions` of those who write nothing in any step."""
    writers, others = set[str](), dict[str, Node]()
    for node, craft in crafts:
        match node:
            case Agent(plan=plan):
                who = plan.name
            case Ask(person=person):
                who = graph.people[person].name
            case _:
                who = node.path
        if craft.mends:
            writers.add(who)
        elif craft.defects or craft.regressions:
            others.setdefault(who, node)
    for who, node in others.items():
        if who not in writers:
            at = _at(node, program, "defects", "regressions")
            text = "its `defects` and `regressions` come to nothing: it writes no lines"
            yield Told(f"{who} ({program.line(at)}): {text}", at, also=_BY)


def _in_agents(nodes: list[Node], program: Program) -> Iterator[Told]:
    """`finds` of tools that only agents run, whose own tests are a part of what they hand over."""
    stepped = {node.tool.name for node in nodes if isinstance(node, Work)}
    for node in nodes:
        tools = node.plan.tools if isinstance(node, Agent) else ()
        for tool in (tool for tool, _ in tools if isinstance(tool, ToolPlan)):
            defined = program.cast.find("tools", tool.name)
            if tool.name not in stepped and getattr(defined and defined.model, "finds", None):
                at = next(of_definition(program, "tools", tool.name, "finds"), ())
                line = f" ({program.line(at)})" if at else ""
                text = (
                    "its `finds` changes nothing, since only agents run it: what is found in "
                    "mid-turn is in the agent's own `defects`; a `tool` step would count"
                )
                yield Told(f"{tool.name}{line}: {text}", at, also=_BY)


def _unfound(crafts: Crafts, program: Program) -> Iterator[Told]:
    """Reviews where there is nothing to find, and regressions where nothing is mended."""
    finders = [node for node, craft in crafts if craft.finds]
    if finders and not any(craft.defects and _lines(node) for node, craft in crafts):
        at = _at(finders[0], program, "finds")
        text = "nothing to find, since nobody who writes has `defects`, such as"
        line = program.line(at)
        yield Told(f"{finders[0].path} ({line}): {text} `defects: 32 per kloc`", at, also=_BY)
    menders = [node for node, craft in crafts if craft.regressions and craft.mends]
    if menders and not finders:
        at = _at(menders[0], program, "regressions")
        text = "come of what is mended, and nobody finds anything: give `finds`"
        yield Told(f"`regressions` ({program.line(at)}) {text}", at, also=_BY)


def _left(crafts: Crafts, nodes: list[Node], program: Program) -> Iterator[Told]:
    """Reviews after which nobody writes: what they find stays in."""
    writers = {node.rank for node, craft in crafts if craft.mends}
    loops = [{one.rank for one in walk(node)} for node in nodes if isinstance(node, Loop)]
    again = set[int]().union(*(own for own in loops if writers & own))
    for node, craft in crafts:
        if craft.finds and max(writers, default=-1) < node.rank and node.rank not in again:
            at = _at(node, program, "finds")
            text = "what it finds stays in, since no step after it writes lines"
            yield Told(f"{node.path} ({program.line(at)}): {text}", at, also=_BY)
