"""What stands behind a cap: is something else scarce to those in its places?

While items wait for a place, somebody inside may wait as well: for a quota, a slot, a pool or a
person. One more place would then be one more in that queue. The same holds, though nobody waits
yet, where all there is of it is taken by then: eight places and eight slots. And where those in the
places are served by one machine, one more makes the others slower. So for each cap it is measured
for how long items waited for a place, and for how much of that time somebody in a place waited for
what, what was taken as a whole, and how much of what they did was being served, and by whom. All
items count, not only those on the critical path.

A cap is the `limit` of an `each`, or one of a harness: so many agents or tools at once, in a run or
in each run of an agent that has caps of its own. Which of them a span is held under: see `places`.
"""

from __future__ import annotations

from collections.abc import Callable

from agentsim.analysis import taken
from agentsim.analysis.chain import Key, Uses
from agentsim.analysis.gather import before, in_service
from agentsim.analysis.places import Instance, Places
from agentsim.analysis.stretches import Stretches, together
from agentsim.graph import Graph
from agentsim.records import CallFacts, Part, Span, Trace, WorkFacts

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

IN_SERVICE = 101
"""How much of that was being served, by the server of this role."""

TAKEN = 200
"""Added to the part of a wait: for how long one more would have had to wait so."""

Row = tuple[int, int, str, int]
"""(the number of the cap, see `places`; part or code; what; nanoseconds). The row with the part
`CAP_WAIT` and the cap's own name says for how long items waited for a place of it."""

_CAP = int(Part.CAP_WAIT)


class Caps:
    """The caps of one graph. `named` says what a part of a span was spent at."""

    def __init__(self, graph: Graph, named: Callable[[int, Key, Uses | None], str]) -> None:
        self._named = named
        self._resources = taken.Resources(graph)
        self._roles = {it.name: it.known_as for it in graph.servers}
        self._places = Places(graph)

    def waited(self, step: int, resource: str) -> str:
        """See `Places.waited`."""
        return self._places.waited(step, resource)

    def __call__(self, trace: Trace) -> list[Row]:
        """The rows of one replication; none where nothing waited for a place."""
        if not self._places.any:
            return []
        full = self._full(trace)
        if not full:
            return []
        found = _Found(full)
        uses: dict[taken.Key, list[taken.Use]] = {}
        for span in trace.spans:
            holds = list(self._resources.uses(span))
            for key, use in holds:
                uses.setdefault(key, []).append(use)
            inside = [it for it in self._places.held(span) if it in full]
            if inside and span.marks:
                self._span(found, span, inside, [key for key, _ in holds])
        for key, own in uses.items():
            if any(key in keys for keys in found.used.values()):
                found.take(key, self._resources.all_taken(key, own))
        return self._rows(found)

    def _span(
        self, found: _Found, span: Span, inside: list[Instance], keys: list[taken.Key]
    ) -> None:
        """What one span in the places of these caps waited for, and by whom it was served."""
        step, _, who, resource, at, marks, _, _, facts = span
        served = facts.__class__ is CallFacts
        for instance in inside:
            found.used.setdefault(instance, set()).update(keys)
            found.add(instance, INSIDE, "", at, marks[-1][1])
            if served:
                start = before(marks, at)[0]
                found.add(instance, IN_SERVICE, self._roles[resource], start, marks[-1][1])
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
            key = rank, _CAP, self._places.name(rank)
            rows[key] = rows.get(key, 0) + sum(e - s for s, e in stretches)
        for ((rank, _), part, what), (starts, ends) in found.waits.items():
            key = rank, part, what
            rows[key] = rows.get(key, 0) + in_service(starts, ends)[0]
        return [(*key, time) for key, time in sorted(rows.items()) if time]

    def _full(self, trace: Trace) -> dict[Instance, Stretches]:
        """For each passage through an `each`: from its start until its last item had a place.

        Of a cap of a harness: whenever anybody waited for a place of it.
        """
        passages: dict[Instance, dict[int, int]] = {}
        queues: dict[Instance, tuple[list[int], list[int]]] = {}
        for span in trace.spans:
            if span.marks and span.marks[0][0] == _CAP:
                queue = self._places.queue(span)
                if queue is not None:
                    starts, ends = queues.setdefault(queue, ([], []))
                    starts.append(span.began)
                    ends.append(span.marks[0][1])
                    continue
                own = passages.setdefault((span.step, span.place[:-1]), {})
                own[span.began] = max(own.get(span.began, 0), span.marks[0][1])
        found = {instance: Stretches(own) for instance, own in passages.items()}
        return found | {instance: together(*queue) for instance, queue in queues.items()}


class _Found:
    """What is found in one replication. `full`: when items waited for a place of each cap."""

    def __init__(self, full: dict[Instance, Stretches]) -> None:
        self.full = full
        self.used: dict[Instance, set[taken.Key]] = {}
        self.sums: dict[tuple[int, int, str], int] = {}
        self.waits: dict[tuple[Instance, int, str], tuple[list[int], list[int]]] = {}

    def add(self, instance: Instance, code: int, what: str, began: int, until: int) -> None:
        """Time that is added up, whatever else went on meanwhile."""
        time = sum(end - start for start, end in self.full[instance].within(began, until))
        if time:
            key = instance[0], code, what
            self.sums[key] = self.sums.get(key, 0) + time

    def wait(self, instance: Instance, part: int, what: str, began: int, until: int) -> None:
        """A wait; those at one time count once."""
        for start, end in self.full[instance].within(began, until):
            starts, ends = self.waits.setdefault((instance, part, what), ([], []))
            starts.append(start)
            ends.append(end)

    def take(self, key: taken.Key, stretches: Stretches) -> None:
        """When all of a resource was taken, for those caps in whose places it is used."""
        part, what = key
        for instance, keys in self.used.items():
            if key in keys:
                for start, end in stretches:
                    self.add(instance, TAKEN + part, what, start, end)
