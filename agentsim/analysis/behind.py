"""What stands behind the cap of an `each`: does something else keep those in its places waiting?

While items wait for a place, somebody inside may wait as well: for a quota, a slot, a pool or a
person. One more place would then be one more in that queue. So for each cap it is measured for
how long items waited for a place, and for how much of that time somebody in a place waited for
what. All items count, not only those on the critical path.
"""

from __future__ import annotations

from collections.abc import Callable

from agentsim.analysis.chain import Key, Uses
from agentsim.analysis.gather import in_service
from agentsim.graph import Fork, Graph, Node, inner_of, repeats
from agentsim.records import Part, Place, Trace, WorkFacts

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

Row = tuple[int, int, str, int]
"""(rank of the `each`, part, what, nanoseconds). The row with the part `CAP_WAIT` and the path of
the `each` itself says for how long items waited for a place of it."""

_Instance = tuple[int, Place]
_Cap = tuple[int, int]  # rank of the `each`, and how long the place around it is
_CAP = int(Part.CAP_WAIT)


class Caps:
    """The caps of one graph. `named` says what a part of a span was spent at."""

    def __init__(self, graph: Graph, named: Callable[[int, Key, Uses | None], str]) -> None:
        self._named = named
        self._around: list[tuple[_Cap, ...]] = [()] * len(graph.steps)
        self._any = False
        self._measure(graph.root, 0, ())

    def __call__(self, trace: Trace) -> list[Row]:
        """The rows of one replication; none where nothing waited for a place."""
        if not self._any:
            return []
        full = _full(trace)
        if not full:
            return []
        waits: dict[tuple[_Instance, int, str], tuple[list[int], list[int]]] = {}
        for step, place, who, resource, began, marks, _, _, facts in trace.spans:
            around = self._around[step]
            at = began
            for part, until in marks if around else ():
                if part in SCARCE and until > at:
                    uses = facts.uses if facts.__class__ is WorkFacts else None
                    what = self._named(part, (step, who, resource), uses)
                    for rank, depth in around:
                        instance = rank, place[:depth]
                        for start, end in full.get(instance, {}).items():
                            if at < end and until > start:
                                key = instance, int(part), what
                                starts, ends = waits.setdefault(key, ([], []))
                                starts.append(max(at, start))
                                ends.append(min(until, end))
                at = until
        return self._rows(full, waits)

    def _rows(
        self,
        full: dict[_Instance, dict[int, int]],
        waits: dict[tuple[_Instance, int, str], tuple[list[int], list[int]]],
    ) -> list[Row]:
        found: dict[tuple[int, int, str], int] = {}
        for (rank, _), stretches in full.items():
            key = rank, _CAP, self._named(_CAP, (rank, "", ""), None)
            found[key] = found.get(key, 0) + sum(e - s for s, e in stretches.items())
        for ((rank, _), part, what), (starts, ends) in waits.items():
            key = rank, part, what
            found[key] = found.get(key, 0) + in_service(starts, ends)[0]
        return [(*key, time) for key, time in sorted(found.items())]

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


def _full(trace: Trace) -> dict[_Instance, dict[int, int]]:
    """For each passage through an `each`: from its start until its last item had a place."""
    found: dict[_Instance, dict[int, int]] = {}
    for span in trace.spans:
        if span.marks and span.marks[0][0] == _CAP:
            own = found.setdefault((span.step, span.place[:-1]), {})
            own[span.began] = max(own.get(span.began, 0), span.marks[0][1])
    return found
