"""Folding: one pass over the spans and one over the visits of a replication gives its tally.

A replication of 1,700 spans takes the engine some tens of milliseconds; folding it must not show
beside that. So the loops work on tuples and plain lists, columns are summed in C, and only what
is not zero is looked at twice.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from agentsim.analysis import by_hour
from agentsim.analysis.behind import Caps
from agentsim.analysis.chain import Key, Uses, compaction_decode, spent
from agentsim.analysis.gather import (
    BEFORE,
    LOOKED_AT,
    SERVED,
    Calls,
    Person,
    Pool,
    before,
    holds_unlimited,
    in_service,
    server_tally,
    share,
)
from agentsim.analysis.misses import cause_of
from agentsim.analysis.outcome import PersonTally, PoolTally, Tally
from agentsim.graph import Ask, Graph, Node, holds, inner_of, repeats
from agentsim.laws.reading import Reading
from agentsim.records import (
    PEOPLE,
    WAITS,
    CallFacts,
    Outcome,
    Part,
    Peak,
    PersonFacts,
    Place,
    Trace,
    Visit,
    WorkFacts,
)

_NAMELESS = frozenset(map(int, (Part.WAIT, Part.MERGE)))
_SERVED = frozenset(map(int, SERVED))
_BETWEEN = frozenset(map(int, (Part.RETRY, Part.QUOTA_WAIT)))

_Waits = dict[tuple[int, Place], tuple[list[int], list[int]]]
"""By step and place, when what it did began to wait and when each such wait was over."""


def fold(trace: Trace, graph: Graph) -> Tally:
    """One replication's tally. For many of one graph make a `Folder` once."""
    return Folder(graph)(trace)


class Folder:
    """Folds traces of one graph; what is known of the graph alone is looked up once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._servers = graph.servers
        self._roles = {server.name: server.known_as for server in graph.servers}
        self._pools = [pool.name for pool in graph.pools]
        self._people = [person.name for person in graph.people]
        self._paid = by_hour.machines(graph.servers)
        self._steps = len(graph.steps)
        self._depth = [0] * self._steps
        self._leaf = [True] * self._steps
        self._laws: list[Reading | None] = [None] * self._steps
        self._measure(graph, graph.root, 0)
        self._caps = Caps(graph, self._what)

    def __call__(self, trace: Trace) -> Tally:
        """The tally of one replication. Raises BrokenChain where its critical path is broken."""
        waited: _Waits = {}
        servers, pools, people = self._spans(trace, waited)
        tallies = list(map(server_tally, self._servers, servers))
        for machine in self._paid:
            dollars = by_hour.paid(machine, self._servers, servers, trace.ended - trace.began)
            for number, money in dollars.items():
                tallies[number] = tallies[number]._replace(money=money)
        for kept in trace.kept:
            tallies[kept.server] = tallies[kept.server]._replace(kept=kept)
        for loads in trace.loads:
            tallies[loads.server] = tallies[loads.server]._replace(loads=loads)
        path, people_part, idle_part = self._path(trace)
        shown = [
            facts.shown
            for calls in servers
            for facts in calls.facts
            if facts.shown >= 0 and not facts.compaction
        ]
        compacted = any(part == Part.COMPACTION for _, part, _, _ in path)
        return Tally(
            replication=trace.replication,
            outcome=trace.outcome,
            reason=trace.reason,
            verdict=trace.verdict,
            wall=trace.ended - trace.began,
            people_part=people_part,
            idle_part=idle_part,
            first_output=min(shown) - trace.began if shown else -1,
            path=path,
            behind=self._caps(trace),
            visits=self._visits(trace.visits, trace.began, waited),
            servers=tuple(tallies),
            pools=pools,
            people=people,
            notes=trace.notes,
            spans=len(trace.spans),
            success=None if trace.success is None else trace.success and not trace.reason,
            compaction_decode=compaction_decode(trace) if compacted else 0,
            defects=trace.defects,
        )

    def _measure(self, graph: Graph, node: Node, depth: int) -> None:
        """How long a place is at each step, which steps hold others, who reads by which law."""
        if isinstance(node, Ask) and node.reads and node.time is None:
            self._laws[node.rank] = graph.people[node.person].reading
        for child in inner_of(node):
            self._measure(graph, child, depth + repeats(node))
        # after what is inside: the body of a loop carries the loop's own rank
        self._depth[node.rank] = depth
        self._leaf[node.rank] = not holds(node)

    def _spans(
        self, trace: Trace, waited: _Waits
    ) -> tuple[list[Calls], tuple[PoolTally, ...], tuple[PersonTally, ...]]:
        """One pass over the spans: by server, pool and person; `waited` is filled by step."""
        first = trace.replication < LOOKED_AT
        calls = [Calls(first and holds_unlimited(plan)) for plan in self._servers]
        by_name = {plan.name: own for plan, own in zip(self._servers, calls, strict=True)}
        pools = [Pool() for _ in self._pools]
        people = {name: Person() for name in self._people}
        done = Outcome.DONE
        for step, place, _who, resource, began, marks, cause, outcome, facts in trace.spans:
            if facts.__class__ is CallFacts:
                own = by_name[resource]
                start = end = began
                if marks:
                    end = marks[-1][1]
                    if marks[0][0] in BEFORE:
                        start, slot, quota = before(marks, began)
                        own.quota += quota
                        if slot:
                            own.waits.append(slot)
                        if start > began:
                            self._waited(waited, step, place, began, start)
                own.facts.append(facts)
                if end > start:
                    own.starts.append(start)
                    own.ends.append(end)
                    if own.held is not None:
                        tokens = facts.fresh + facts.cached + facts.thinking + facts.visible
                        own.held += ((start, tokens), (end, -tokens))
                own.lasted.append(end - began)
                if facts.miss is not None:
                    why = cause_of(trace.spans, cause, began, start, facts.miss)
                    own.misses.append((why, facts.miss))
                if outcome is not done:
                    own.ended_ill(outcome, end - began, facts.again)
            elif facts.__class__ is WorkFacts:
                if marks and (facts.uses or marks[0][0] in BEFORE):
                    start = before(marks, began)[0]
                    if start > began:
                        self._waited(waited, step, place, began, start)
                    share(pools, began, marks[-1][1], facts)
            elif facts.__class__ is PersonFacts:
                wait = people[resource].add(began, marks, outcome, facts, self._laws[step])
                if wait:  # all before the work
                    self._waited(waited, step, place, began, began + wait)
            elif marks and marks[0][0] in _BETWEEN:  # two tries: nobody's but the step's
                part, until = marks[0]
                if resource:
                    by_name[resource].between(part, trace.spans[cause].outcome, until - began)
                self._waited(waited, step, place, began, until)
        before_pools, before_people = self._queues(trace.peaks)
        return (
            calls,
            tuple(own.tally(queue) for own, queue in zip(pools, before_pools, strict=True)),
            tuple(
                own.tally(queue) for own, queue in zip(people.values(), before_people, strict=True)
            ),
        )

    def _queues(self, peaks: Sequence[Peak]) -> tuple[list[int], list[int]]:
        """The longest queues of the pools and of the people.

        A server, a merge queue, a pool and a person may have one name. Of one name a person's peak
        is the last, a pool's the last before it.
        """
        left: dict[str, list[int]] = {}
        for peak in peaks:
            left.setdefault(peak.resource, []).append(peak.queue)
        people = [left[name].pop() if left.get(name) else 0 for name in self._people]
        pools = [left[name].pop() if left.get(name) else 0 for name in self._pools]
        return pools, people

    def _waited(self, waited: _Waits, step: int, place: Place, began: int, until: int) -> None:
        starts, ends = waited.setdefault((step, place[: self._depth[step]]), ([], []))
        starts.append(began)
        ends.append(until)

    def _path(self, trace: Trace) -> tuple[list[tuple[int, int, str, int]], int, int]:
        """The critical path by (step, part, what), and its parts of people and of waiting."""
        rows, uses = spent(trace)
        path: list[tuple[int, int, str, int]] = []
        people = idle = 0
        for key, row in rows.items():
            for part, time in enumerate(row):
                if time:
                    path.append((key[0], part, self._what(part, key, uses.get(key)), time))
                    if part in PEOPLE:
                        people += time
                    if part in WAITS:
                        idle += time
        path.sort()
        return path, people, idle

    def _what(self, part: int, key: Key, uses: Uses | None) -> str:
        """What the time was spent at, by name."""
        step, who, resource = key
        if part in _NAMELESS:
            return ""
        if part == Part.CAP_WAIT:  # of an `each` its path, of the harness what is capped
            return self._caps.waited(step, resource)
        if part == Part.POOL_WAIT and uses:
            if len(uses) == 1:
                return self._pools[uses[0][0]]
            own = [self._pools[pool] for pool, _ in uses]
            # a name may hold a plus, and none a comma
            return (", " if any("+" in name for name in own) else " + ").join(own)
        # a pool may be named as a server is: only what is spent at servers goes by a role
        return self._roles.get(resource, who) if part in _SERVED else who

    def _visits(self, visits: Sequence[Visit], zero: int, waited: _Waits) -> array[int]:
        flat: array[int] = array("q")
        depth, leaf, cancelled = self._depth, self._leaf, Outcome.CANCELLED
        cut: dict[tuple[int, Place], list[tuple[int, int]]] = {}
        for step, place, began, ended, _, outcome, _ in visits:
            if outcome is cancelled and not leaf[step]:
                cut.setdefault((step, place), []).append((began, ended))
        for step, place, began, ended, _, outcome, limited in visits:
            rank, wait = step, -1
            if len(place) > depth[step]:
                rank = -1 - step
                # what counts no time of its own, or of the `each` around, counts no wait either
                around = cut.get((step, place[: depth[step]]), ())
                lost = outcome is cancelled or any(b <= began < e for b, e in around)
                wait = -1 if lost else limited
            elif leaf[step] and outcome is not cancelled:
                own = waited.get((step, place))
                wait = _within(own, began, ended) if own else 0
            end = -1 if outcome is cancelled else ended - zero
            flat.extend((rank, began - zero, end, wait))
        return flat


def _within(waits: tuple[list[int], list[int]], began: int, ended: int) -> int:
    """How long at least one of the waits in one passage through a step was open.

    What waits side by side (the tools of a turn) is one stretch of waiting. A step in a group that
    is tried again passes the same place more than once, one after the other.
    """
    starts, ends = waits
    starts.sort()
    ends.sort()
    if began <= starts[0] and ends[-1] <= ended:
        return in_service(starts, ends)[0]
    first, last = bisect_left(starts, began), bisect_left(starts, ended)
    over, open_ = bisect_right(ends, began), bisect_right(ends, ended)
    return in_service(starts[first:last], ends[over:open_])[0]
