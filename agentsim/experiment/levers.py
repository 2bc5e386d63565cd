"""What would help: the same replications again with one thing changed, and the difference.

Both runs of a pair draw the same numbers, so their difference is far steadier than their times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import sub

from agentsim.analysis.estimate import interval, mean_of
from agentsim.analysis.findings import Findings, Lever
from agentsim.analysis.outcome import Tally
from agentsim.experiment import variants
from agentsim.experiment.executors import Executor
from agentsim.experiment.options import Progress
from agentsim.experiment.replicate import affordable, several
from agentsim.graph import Ask, Block, Fork, Graph, Loop, Node
from agentsim.records import SECOND, Part

PAIRS = 100
"""Replications that a lever repeats at most."""

SPANS = 400_000
"""Spans that one lever may simulate: large runs repeat fewer replications."""

SMALL = 0.005
"""A lever that saves a smaller share and cannot be told from nothing is left out."""

MOST_TOKENS_CAN_GIVE = "the most tok/s can give"


@dataclass(frozen=True, slots=True)
class Change:
    """One lever before it is tried. `stands`: shown even where it saves nothing."""

    what: str
    change: str
    graph: Graph
    note: str = ""
    stands: bool = False


def levers(
    executor: Executor,
    graph: Graph,
    findings: Findings,
    tallies: Sequence[Tally],
    seed: int,
    progress: Progress | None = None,
) -> list[Lever]:
    """What each change would save of the mean wall time (seconds), the most helpful first."""
    return tried(executor, changes(graph, findings), findings.wall.mean, tallies, seed, progress)


def tried(
    executor: Executor,
    wanted: Sequence[Change],
    wall: float,
    tallies: Sequence[Tally],
    seed: int,
    progress: Progress | None = None,
) -> list[Lever]:
    """Try the changes on the first of the replications, as many as `SPANS` allows.

    `leaves` is the mean wall time of all replications less what is saved.
    """
    count = affordable(tallies, PAIRS, SPANS)
    before = [tally.wall for tally in tallies[:count]]
    found: list[Lever] = []
    graphs = [change.graph for change in wanted]
    results = several(executor, graphs, seed, count, "levers", progress)
    for change, own in zip(wanted, results, strict=True):
        saved = [time / SECOND for time in map(sub, before, (tally.wall for tally in own))]
        mean, ci95 = mean_of(saved), interval(saved)
        nothing = mean < SMALL * wall and ci95[0] <= 0 <= ci95[1]
        if change.stands or not nothing:
            leaves = max(0.0, wall - mean)
            found.append(Lever(change.what, change.change, mean, ci95, leaves, change.note))
    return sorted(found, key=lambda lever: -lever.saves)


def changes(graph: Graph, findings: Findings) -> list[Change]:
    """The levers that a graph has. What takes no time on the critical path is not tried."""
    return [
        *_decoding(graph, findings),
        *_prefill(graph, findings),
        *_tools(graph, findings),
        *_people(graph, findings),
        *_more(graph, findings),
    ]


def _decoding(graph: Graph, findings: Findings) -> Iterator[Change]:
    if findings.calls.attempts:
        endless = variants.with_decode(graph, 0.0)
        yield Change("decode", "infinitely fast", endless, MOST_TOKENS_CAN_GIVE, True)
        yield Change("decode", "2x", variants.with_decode(graph, 0.5), "", True)


def _prefill(graph: Graph, findings: Findings) -> Iterator[Change]:
    times = findings.breakdown
    if times[Part.PREFILL.label] or any(plan.first_token for plan in graph.servers):
        name = "prefill" if times[Part.PREFILL.label] else "first token"
        yield Change(name, "2x", variants.with_prefill(graph, 0.5))


def _tools(graph: Graph, findings: Findings) -> Iterator[Change]:
    """All tools together; where there are several, the two that take most by themselves too."""
    names = [row.what for row in findings.where if row.kind == Part.TOOL.label]
    if len(names) > 1:
        yield Change("all tools", "2x", variants.with_tools(graph, 0.5))
    for name in names[:2]:
        yield Change(name, "2x", variants.with_tools(graph, 0.5, name))


def _people(graph: Graph, findings: Findings) -> Iterator[Change]:
    if findings.breakdown[Part.PERSON_WORK.label]:
        only = graph.people[0].name if len(graph.people) == 1 else ""
        who = {"": "people at work", "you": "you at work"}.get(only, f"{only} at work")
        yield Change(who, "2x", variants.with_people(graph, 0.5))
        if any(_reads_lines(graph.root)):
            yield Change("the lines to read", "half", variants.with_lines(graph, 0.5))


def _reads_lines(node: Node | None) -> Iterator[bool]:
    match node:
        case Ask(time=None, reads="changes" | "lines"):
            yield True
        case Block(steps=inside) | Fork(branches=inside):
            for own in inside:
                yield from _reads_lines(own)
        case Loop(body=body, between=between):
            yield from _reads_lines(body)
            yield from _reads_lines(between)


def _more(graph: Graph, findings: Findings) -> Iterator[Change]:
    """One more of each thing that was waited for on the critical path."""
    waited = {(row.kind, row.what) for row in findings.where}
    kinds = {kind for kind, _ in waited}
    for i, server in enumerate(graph.servers):
        if server.slots is not None and Part.SLOT_WAIT.label in kinds:
            where = f" on {server.roles[0]}" if len(graph.servers) > 1 and server.roles else ""
            yield Change(f"slot{where}", "one more", variants.with_slot(graph, i))
    if Part.POOL_WAIT.label in kinds:
        for i, pool in enumerate(graph.pools):
            yield Change(f"unit of {pool.name}", "one more", variants.with_capacity(graph, i))
    for i, person in enumerate(graph.people):
        if (Part.PERSON_WAIT.label, person.name) in waited:
            name = "of you" if person.name == "you" else person.name
            yield Change(name, "one more", variants.with_person(graph, i))
    for kind, path in sorted(waited):
        if kind == Part.CAP_WAIT.label:
            yield Change(f"at once in {path}", "one more", variants.with_limit(graph, path))
