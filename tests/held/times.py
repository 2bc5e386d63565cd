"""What holds of the times of every run: checks from outside, with sums and sweeps of their own.

Nothing here is shared with the analysis. Each of the functions raises AssertionError.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from agentsim.graph import (
    Attempts,
    Block,
    Fork,
    Graph,
    Merge,
    Node,
    inner_of,
    walk,
)
from agentsim.records import (
    CallFacts,
    Part,
    Peak,
    PersonFacts,
    Place,
    Span,
    Trace,
    Visit,
    WorkFacts,
)

Stretch = tuple[int, int, float]
BEFORE = {Part.SLOT_WAIT, Part.QUOTA_WAIT}


@dataclass
class Shape:
    """A graph by rank: the node that a step is, and the rank of what it stands in (-1: none)."""

    graph: Graph
    nodes: dict[int, Node] = field(default_factory=dict)
    around: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._read(self.graph.root, -1)

    def _read(self, node: Node, around: int) -> None:
        # the body of a loop, or of an item, carries the rank of what it is the body of
        if self.nodes.setdefault(node.rank, node) is node:
            self.around[node.rank] = around
        for inner in inner_of(node):
            self._read(inner, node.rank if inner.rank != node.rank else around)

    def above(self, rank: int) -> Iterator[int]:
        """The ranks of all that a step stands in, from the inside out; of no step (-1) none."""
        while (rank := self.around.get(rank, -1)) >= 0:
            yield rank


@dataclass
class Seen:
    """A trace by step and place."""

    trace: Trace
    shape: Shape
    visits: dict[tuple[int, Place], list[Visit]] = field(default_factory=lambda: defaultdict(list))
    spans: dict[tuple[int, Place], list[Span]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for visit in self.trace.visits:
            self.visits[visit.step, visit.place].append(visit)
        for span in self.trace.spans:
            self.spans[span.step, span.place].append(span)

    def nearest(self, step: int, place: Place) -> list[Visit]:
        """The passages through a step at the longest part of a place that has any."""
        for length in range(len(place), -1, -1):
            found = self.visits.get((step, place[:length]))
            if found:
                return found
        return []

    def own(self, visit: Visit) -> list[Span]:
        """The spans of the step itself within one passage through it."""
        return [span for span in self.spans.get((visit.step, visit.place), ())
                if lies_in(span, visit)]  # fmt: skip

    def items(self, visit: Visit) -> list[Visit]:
        """The items of one passage through an `each` or attempts."""
        return [
            one
            for one in self.trace.visits
            if one.step == visit.step
            and len(one.place) > len(visit.place)
            and one.place[:-1] == visit.place
            and lies_in(one, visit)
        ]

    def of(self, *kinds: type) -> Iterator[tuple[Node, Visit]]:
        """The visits of nodes of these kinds; of an `each` those of the whole, not of its items."""
        for visit in self.trace.visits:
            node = self.shape.nodes[visit.step]
            if isinstance(node, kinds):
                yield node, visit


def looked(trace: Trace, graph: Graph) -> Seen:
    """A trace of that graph, to be asked."""
    return Seen(trace, Shape(graph))


def lies_in(inner: Span | Visit, outer: Visit) -> bool:
    """Whether all of one was in the time of the other."""
    return outer.began <= inner.began and inner.ended <= outer.ended


def check_clock(trace: Trace) -> None:
    """Marks rise, the clock never goes back, and nothing goes on after the end."""
    for index, span in enumerate(trace.spans):
        at = span.began
        for _, until in span.marks:
            assert until >= at, f"span {index}: a mark goes back"
            at = until
        assert span.ended == at
        # not in the order of time: a stretch that is worked ahead is written when it ends
        assert 0 <= span.began <= span.ended <= trace.ended
    at = 0
    for visit in trace.visits:  # written when they end
        assert visit.ended >= at, "a step ended before one that was written earlier"
        at = visit.ended
        assert 0 <= visit.began <= visit.ended <= trace.ended
        assert 0 <= visit.waited <= visit.began


def check_chains(trace: Trace) -> None:
    """A span begins where its cause ended; the longest chain is the wall time, to the nanosecond.

    So the parts of the critical path add up, and no other chain is longer.
    """
    chains: list[int] = []
    for index, span in enumerate(trace.spans):
        assert span.cause < index
        before = chains[span.cause] if span.cause >= 0 else 0
        assert span.began == before, f"span {index}: a gap after its cause"
        parts, at = 0, span.began
        for _, until in span.marks:
            parts += until - at
            at = until
        chains.append(before + parts)
    last = chains[trace.last] if trace.last >= 0 else 0
    assert last == max(chains, default=0) == trace.ended


def check_nesting(seen: Seen) -> None:
    """Every passage lies within one through the step around it, and every span within its step."""
    shape = seen.shape
    for visit in seen.trace.visits:
        around = shape.around[visit.step]
        if around < 0:
            continue
        outer = seen.nearest(around, visit.place)
        path = shape.nodes[visit.step].path
        assert any(lies_in(visit, one) for one in outer), f"{path}: not nested"
    for span in seen.trace.spans:
        node, place = shape.nodes[span.step], span.place
        if isinstance(node, Attempts | Fork) and span.resource == node.path:
            place = place[:-1]  # the wait of an item that has not begun
        outer = seen.nearest(span.step, place)
        assert any(lies_in(span, one) for one in outer), f"{node.path}: a span outside of its step"


def check_order(seen: Seen) -> int:
    """A step begins when all that it waits for is over. Returns how many pairs were looked at."""
    pairs = 0
    blocks = {tuple(step.rank for step in node.steps): node
              for node in walk(seen.shape.graph.root) if isinstance(node, Block)}  # fmt: skip
    places: dict[int, set[Place]] = defaultdict(set)
    for rank, place in seen.visits:
        places[rank].add(place)
    for node in blocks.values():
        for i, step in enumerate(node.steps):
            needs = ((i - 1,) if i else ()) if node.needs is None else node.needs[i]
            for j in needs:
                for place in places[step.rank] & places[node.steps[j].rank]:
                    later = seen.visits[step.rank, place]
                    before = seen.visits[node.steps[j].rank, place]
                    if len(later) == len(before) == 1:  # else what is around was tried again
                        pairs += 1
                        assert before[0].ended <= later[0].began, f"{step.path} begins too soon"
    return pairs


# --- what is scarce ---------------------------------------------------------------------------


def most(stretches: Iterable[Stretch]) -> float:
    """The most held at once; what is freed at an instant can be taken at it."""
    moves: dict[int, float] = defaultdict(float)
    for began, ended, units in stretches:
        if ended > began:
            moves[began] += units
            moves[ended] -= units
    highest = held = 0.0
    for time in sorted(moves):
        held += moves[time]
        highest = max(highest, held)
    return highest


def area(stretches: Iterable[tuple[int, int]]) -> int:
    """How many there are, summed over the nanoseconds: by instants, not one after another."""
    moves: dict[int, int] = defaultdict(int)
    for began, ended in stretches:
        moves[began] += 1
        moves[ended] -= 1
    total = there = at = 0
    for time in sorted(moves):
        total += there * (time - at)
        there += moves[time]
        at = time
    assert there == 0
    return total


def stretches_of(span: Span, wanted: Part) -> Iterator[tuple[int, int]]:
    """When a span was in that part."""
    at = span.began
    for part, until in span.marks:
        if part is wanted:
            yield at, until
        at = until


def after(span: Span, parts: set[Part]) -> int:
    """Where the leading marks of these parts end."""
    at = span.began
    for part, until in span.marks:
        if part not in parts:
            return at
        at = until
    return at


def check_capacities(seen: Seen) -> None:
    """What holds a unit never overlaps more than there are; the peaks say the same."""
    graph, trace = seen.shape.graph, seen.trace
    peaks: dict[str, Peak] = {peak.resource: peak for peak in trace.peaks}
    for index, pool in enumerate(graph.pools):
        held = most(_of_pool(trace, index))
        assert held <= peaks[pool.name].in_use + 1e-9 <= pool.capacity + 2e-9, pool.name
    for server in graph.servers:
        if server.slots is not None:
            calls = [
                (after(span, BEFORE), span.ended, 1.0)
                for span in trace.spans
                if isinstance(span.facts, CallFacts) and span.resource == server.name
            ]
            assert most(calls) <= peaks[server.name].in_use <= server.slots
    for person in graph.people:
        by_number: dict[int, list[Stretch]] = defaultdict(list)
        for span in trace.spans:
            if isinstance(span.facts, PersonFacts) and span.resource == person.name:
                began = after(span, {Part.PICKUP, Part.PERSON_WAIT})
                by_number[span.facts.person].append((began, span.ended, 1.0))
        assert all(0 <= number < person.count for number in by_number)
        assert all(most(own) <= 1 for own in by_number.values())
        assert peaks[person.name].in_use <= person.count
    for queue in graph.queues:
        assert most(_of_queue(seen, queue.name)) <= peaks[queue.name].in_use <= 1


def _of_pool(trace: Trace, index: int) -> Iterator[Stretch]:
    """From when the units were given; pools are asked for one after another."""
    for span in trace.spans:
        if isinstance(span.facts, WorkFacts):
            for (number, units), given in zip(span.facts.uses, span.facts.given, strict=False):
                if number == index:
                    yield given, span.ended, units


def _of_queue(seen: Seen, name: str) -> Iterator[Stretch]:
    """One at a time; where a conflict keeps its place, with all of the rework."""
    plans = {plan.name: plan for plan in seen.shape.graph.queues}
    for node, visit in seen.of(Merge):
        own = [
            span
            for span in seen.trace.spans
            if (span.step, span.place[:-1], span.resource) == (node.rank, visit.place, name)
            and lies_in(span, visit)
        ]
        passes = [(after(span, {Part.POOL_WAIT}), span.ended, 1.0) for span in own]
        if plans[name].block and node.guard.tries == 1 and passes:
            got = [began for began, ended, _ in passes if ended > began]
            passes = [(min(got), visit.ended, 1.0)] if got else []
        yield from passes
