"""What stands behind a cap: is something else scarce to those in its places?

While items wait for a place, somebody inside may wait as well: for a quota, a slot, a pool or a
person. One more place would then be one more in that queue. The same holds, though nobody waits
yet, where all there is of it is taken by then: eight places and eight slots. And where those in the
places are served by one machine, one more makes the others slower. So for each cap it is measured
for how long items waited for a place, and for how much of that time somebody in a place waited for
what, what was taken as a whole, and how much of what they did was being served, and by whom. All
items count, not only those on the critical path.

A cap is the `limit` of an `each`, or one of the harness: so many agents or tools at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agentsim.analysis import taken
from agentsim.analysis.chain import Key, Uses
from agentsim.analysis.gather import before, in_service
from agentsim.graph import (
    AGENTS_AT_ONCE,
    TOOLS_AT_ONCE,
    Fork,
    Graph,
    Node,
    inner_of,
    repeats,
)
from agentsim.records import CallFacts, Part, Place, Span, Trace, WorkFacts

SCARCE = frozenset(
    map(
        int,
        (
            Part.SLOT_WAIT,
            Part.QUOTA_WAIT,
            Part.POOL_WAIT,
            Part.CAP_WAIT,
            Part.PERSON_WAIT,
            Part.OFF_HOURS,
        ),
    )
)
"""Waits that another item would make longer. Noticing, retries and plain waits it would not."""

INSIDE = 100
"""A code beside the parts: what all those in the places did meanwhile, added up."""

SERVED = 101
"""How much of that was being served, by the server of this role."""

TAKEN = 200
"""Added to the part of a wait: for how long one more would have had to wait so."""

HARNESS = {-1: AGENTS_AT_ONCE, -2: TOOLS_AT_ONCE}
"""Caps of the harness: the rank that stands for each, and its name."""

Row = tuple[int, int, str, int]
"""(rank of the `each`, or a rank of `HARNESS`; part or code; what; nanoseconds). The row with the
part `CAP_WAIT` and the cap's own name says for how long items waited for a place of it."""

_Instance = tuple[int, Place]
_Cap = tuple[int, int]  # rank of the `each`, and how long the place around it is
_CAP = int(Part.CAP_WAIT)
_AGENTS, _TOOLS = HARNESS


class Caps:
    """The caps of one graph. `named` says what a part of a span was spent at."""

    def __init__(self, graph: Graph, named: Callable[[int, Key, Uses | None], str]) -> None:
        self._named = named
        self._resources = taken.Resources(graph)
        self._roles = {it.name: it.roles[0] for it in graph.servers if it.roles}
        self._around: list[tuple[_Cap, ...]] = [()] * len(graph.steps)
        self._per_call = graph.caps is not None and graph.caps.per_call
        harness: list[_Cap] = []
        if graph.caps is not None:
            harness += [(_AGENTS, 0)] if graph.caps.agents is not None else []
            harness += [(_TOOLS, 0)] if graph.caps.tools is not None else []
        self._any = bool(harness)
        self._measure(graph.root, 0, tuple(harness))

    def __call__(self, trace: Trace) -> list[Row]:
        """The rows of one replication; none where nothing waited for a place."""
        if not self._any:
            return []
        full = _full(trace)
        if not full:
            return []
        found = _Found(full)
        uses: dict[taken.Key, list[taken.Use]] = {}
        for span in trace.spans:
            holds = list(self._resources.uses(span))
            for key, use in holds:
                uses.setdefault(key, []).append(use)
            inside = [it for it in self._instances(span) if it in full]
            if inside and span.marks:
                self._span(found, span, inside, [key for key, _ in holds])
        for key, own in uses.items():
            if any(key in keys for keys in found.used.values()):
                found.take(key, self._resources.all_taken(key, own))
        return self._rows(found)

    def _instances(self, span: Span) -> Iterable[_Instance]:
        """The caps in whose places a span is."""
        call, work = span.facts.__class__ is CallFacts, span.facts.__class__ is WorkFacts
        for rank, depth in self._around[span.step]:
            if rank == _TOOLS and not work:
                continue
            if rank == _AGENTS and self._per_call and not call:
                continue
            if HARNESS.get(rank) != span.resource or span.facts is not None:  # its own queue
                yield rank, span.place[:depth]

    def _span(
        self, found: _Found, span: Span, inside: list[_Instance], keys: list[taken.Key]
    ) -> None:
        """What one span in the places of these caps waited for, and by whom it was served."""
        step, _, who, resource, at, marks, _, _, facts = span
        served = facts.__class__ is CallFacts
        for instance in inside:
            found.used.setdefault(instance, set()).update(keys)
            found.add(instance, INSIDE, "", at, marks[-1][1])
            if served:
                start = before(marks, at)[0]
                role = self._roles.get(resource, resource)
                found.add(instance, SERVED, role, start, marks[-1][1])
        for part, until in marks:
            if part in SCARCE and until > at:
                uses = facts.uses if facts.__class__ is WorkFacts else None
                what = self._named(part, (step, who, resource), uses)
                for instance in inside:
                    found.wait(instance, int(part), what, at, until)
            at = until

    def _rows(self, found: _Found) -> list[Row]:
        rows = dict(found.sums)
        for (rank, _), stretches in found.full.items():
            name = HARNESS.get(rank) or self._named(_CAP, (rank, "", ""), None)
            key = rank, _CAP, name
            rows[key] = rows.get(key, 0) + sum(e - s for s, e in stretches.items())
        for ((rank, _), part, what), (starts, ends) in found.waits.items():
            key = rank, part, what
            rows[key] = rows.get(key, 0) + in_service(starts, ends)[0]
        return [(*key, time) for key, time in sorted(rows.items()) if time]

    def _measure(self, node: Node, depth: int, around: tuple[_Cap, ...]) -> None:
        """Which caps stand around each step."""
        own = around
        if isinstance(node, Fork) and node.items is not None and node.limit is not None:
            own = (*around, (node.rank, depth))
            self._any = True
        for child in inner_of(node):
            self._measure(child, depth + repeats(node), own)
        # after what is inside: the block of an item or round may carry the rank of what it is in
        self._around[node.rank] = around


class _Found:
    """What is found in one replication. `full`: when items waited for a place of each cap."""

    def __init__(self, full: dict[_Instance, dict[int, int]]) -> None:
        self.full = full
        self.used: dict[_Instance, set[taken.Key]] = {}
        self.sums: dict[tuple[int, int, str], int] = {}
        self.waits: dict[tuple[_Instance, int, str], tuple[list[int], list[int]]] = {}

    def add(self, instance: _Instance, code: int, what: str, began: int, until: int) -> None:
        """Time that is added up, whatever else went on meanwhile."""
        time = taken.overlap(self.full[instance], began, until)
        if time:
            key = instance[0], code, what
            self.sums[key] = self.sums.get(key, 0) + time

    def wait(self, instance: _Instance, part: int, what: str, began: int, until: int) -> None:
        """A wait; those at one time count once."""
        for start, end in self.full[instance].items():
            if began < end and until > start:
                starts, ends = self.waits.setdefault((instance, part, what), ([], []))
                starts.append(max(began, start))
                ends.append(min(until, end))

    def take(self, key: taken.Key, stretches: taken.Stretches) -> None:
        """When all of a resource was taken, for those caps in whose places it is used."""
        part, what = key
        for instance, keys in self.used.items():
            if key in keys:
                for start, end in stretches.items():
                    self.add(instance, TAKEN + part, what, start, end)


def _full(trace: Trace) -> dict[_Instance, dict[int, int]]:
    """For each passage through an `each`: from its start until its last item had a place.

    Of a cap of the harness: whenever anybody waited for a place of it.
    """
    ranks = {name: rank for rank, name in HARNESS.items()}
    found: dict[_Instance, dict[int, int]] = {}
    queues: dict[int, tuple[list[int], list[int]]] = {}
    for span in trace.spans:
        if span.marks and span.marks[0][0] == _CAP:
            if span.resource in ranks and span.facts is None:
                starts, ends = queues.setdefault(ranks[span.resource], ([], []))
                starts.append(span.began)
                ends.append(span.marks[0][1])
                continue
            own = found.setdefault((span.step, span.place[:-1]), {})
            own[span.began] = max(own.get(span.began, 0), span.marks[0][1])
    for rank, (starts, ends) in queues.items():
        found[rank, ()] = _together(starts, ends)
    return found


def _together(starts: list[int], ends: list[int]) -> dict[int, int]:
    """The stretches in which at least one of the intervals lasts."""
    found: dict[int, int] = {}
    since, until = -1, -1
    for start, end in sorted(zip(starts, ends, strict=True)):
        if start > until:
            since, until = start, end
        found[since] = until = max(until, end)
    return found
