"""When all there is of a resource is taken: every slot of a server, unit of a pool, person.

While it is, one more that came would wait for it, though nobody does yet.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentsim.analysis.gather import before
from agentsim.analysis.stretches import Stretches
from agentsim.graph import Graph
from agentsim.records import CallFacts, Part, PersonFacts, Span, WorkFacts

Key = tuple[int, str]
"""What waiting for it is (a part), and its name."""

Use = tuple[int, int, float]  # from, until, and how many units

_CRUMB = 1e-9  # what a sum of units may be off
_AT_WORK = frozenset((Part.SWITCHING, Part.PERSON_WORK))


class Resources:
    """The resources of one graph of which there are so many and no more."""

    def __init__(self, graph: Graph) -> None:
        self._roles = {it.name: it.known_as for it in graph.servers if it.slots}
        self._pools = [pool.name for pool in graph.pools]
        self._most: dict[Key, float] = {
            **{(int(Part.SLOT_WAIT), it.known_as): float(it.slots)
               for it in graph.servers if it.slots},
            **{(int(Part.POOL_WAIT), it.name): it.capacity for it in graph.pools},
            **{(int(Part.PERSON_WAIT), it.name): float(it.count) for it in graph.people},
        }  # fmt: skip

    def uses(self, span: Span) -> Iterable[tuple[Key, Use]]:
        """What a span holds of them, and for how long."""
        facts, marks = span.facts, span.marks
        if not marks:
            return
        end = marks[-1][1]
        if facts.__class__ is CallFacts:
            if span.resource in self._roles:
                start = before(marks, span.began)[0]
                yield (int(Part.SLOT_WAIT), self._roles[span.resource]), (start, end, 1.0)
        elif isinstance(facts, WorkFacts):
            # `given` is shorter where it was cut short while it waited for the next
            for (pool, units), given in zip(facts.uses, facts.given, strict=False):
                yield (int(Part.POOL_WAIT), self._pools[pool]), (given, end, units)
        elif facts.__class__ is PersonFacts:
            at = span.began
            for part, until in marks:
                if part in _AT_WORK and until > at:
                    yield (int(Part.PERSON_WAIT), span.resource), (at, end, 1.0)
                    return
                at = until

    def all_taken(self, key: Key, uses: list[Use]) -> Stretches:
        """When so much of it is held that the smallest of these uses would have to wait."""
        least = min((units for _, _, units in uses), default=0.0)
        most = self._most[key] - least + _CRUMB
        steps = sorted(
            [(until, -units) for since, until, units in uses if until > since]
            + [(since, units) for since, until, units in uses if until > since]
        )
        found: dict[int, int] = {}
        held, since = 0.0, -1
        for i, (at, units) in enumerate(steps):
            held += units
            if i + 1 < len(steps) and steps[i + 1][0] == at:
                continue  # at one instant all is given back before anything is taken
            if held > most and since < 0:
                since = at
            elif held <= most and since >= 0:
                found[since] = at
                since = -1
        return Stretches(found)
