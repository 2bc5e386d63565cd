"""What holds of the defects of every run: bounds in all, and the books to the last one in most.

The books (`tests/held/books.py`) are kept from the visits and spans alone: who wrote, looked and
mended, in which order, in which worktree. Where a trace does not tell that (what happened side by
side at one instant, how often something was tried at once), they say so, and are not held against
the run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from agentsim.chance import Distribution, first, key_of
from agentsim.engine.draws import Purpose
from agentsim.graph import Agent, Ask, Attempts, Craft, Fork, Life, Node, Work
from agentsim.records import Outcome, Place, Verdict, Visit
from tests.held.attempts import Told
from tests.held.books import Books, Desk, Look
from tests.held.events import Order, Spot, Turn, Untold, addresses
from tests.held.times import Seen
from tests.held.tries import ENDS, Try


def check_defects(seen: Seen) -> None:
    """Counted only where somebody speaks of them; none is mended or found that was not there."""
    told = seen.trace.defects
    assert (told is None) == (seen.shape.graph.quality is None)
    if told is None:
        return
    assert 0 <= told.mended <= told.found <= told.written, told
    assert told.escaped == told.written - told.mended
    # an agent's steps may have come to their end by saying `failed`
    done = [
        craft for node, visit in seen.of(Agent, Ask, Work, Life)
        if (craft := craft_of(node)) is not None
        and (visit.outcome in ENDS or (isinstance(node, Life) and visit.outcome is Outcome.FAILED))
    ]  # fmt: skip
    if told.written:
        assert any(craft.mends and craft.defects for craft in done)
    if told.found:
        assert any(craft.finds for craft in done)
    if told.mended:
        assert any(craft.mends for craft in done)
    for node, visit in seen.of(Agent, Ask, Work, Life):
        assert isinstance(node, Agent | Ask | Work | Life)
        if node.says is not None and node.says.clean and visit.outcome is Outcome.DONE:
            assert visit.verdict in (Verdict.APPROVED, Verdict.CHANGES)
            if not any(craft.finds for craft in done):
                assert visit.verdict is Verdict.APPROVED, f"{node.path}: nobody finds anything"


def craft_of(node: Node) -> Craft | None:
    return node.craft if isinstance(node, Agent | Ask | Work | Life) else None


def _has_items(node: Node) -> bool:
    return isinstance(node, Fork) and node.items is not None


def check_books(seen: Seen, seed: int) -> Counter[str]:
    """Holds a run of that seed against the books; counts what was seen, by name."""
    graph = seen.shape.graph
    if graph.quality is None:
        return Counter()
    ledger = Ledger(seen, Books(graph.quality.correlation), key_of(seed, seen.trace.replication, 0))
    try:
        ledger.keep()
    except Untold as why:
        return Counter({"books not told": 1, f"not told: {why}": 1})
    assert seen.trace.defects == ledger.books.total(), (
        f"the run says {seen.trace.defects}, the books {ledger.books.total()}"
    )
    total = ledger.books.total()
    ledger.happened["books kept"] += 1
    ledger.happened["defects"] += total.written
    ledger.happened["defects found"] += total.found
    ledger.happened["defects mended"] += total.mended
    return ledger.happened


@dataclass
class Ledger:
    """Goes through a trace in the order of time and keeps the books."""

    seen: Seen
    books: Books
    key: int
    happened: Counter[str] = field(default_factory=Counter)
    desks: dict[tuple[int, Place], Desk] = field(default_factory=dict)
    looks: dict[Try, Look] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.at = addresses(self.seen.shape.graph)
        self.told = Told(self.seen, self.at, self.key)
        self.tries: dict[int, list[Try]] = defaultdict(list)  # by the number of the visit
        items = [
            (visit, (visit.step, visit.place)) for visit in self.seen.trace.visits
            if self.told.is_item(visit)
        ]  # fmt: skip
        late = {(*item, visit.began) for visit, item in items if visit.waited}
        self.order = Order(late, {(*item, visit.ended) for visit, item in items})

    def keep(self) -> None:
        """All that happened. Raises Untold, and AssertionError where a verdict is another."""
        begins: dict[int, list[tuple[Spot, Try | Visit]]] = defaultdict(list)
        ends: dict[int, list[tuple[Spot, int]]] = defaultdict(list)
        for number, visit in enumerate(self.seen.trace.visits):
            node = self.seen.shape.nodes[visit.step]
            spot = self._spot(visit)
            if self.told.is_item(visit):
                begins[visit.began].append((spot, visit))
            elif craft_of(node) is not None:
                for one in self.told.tries(node, visit):
                    begins[one.began].append((spot, one))
                    self.tries[number].append(one)
            elif not isinstance(node, Attempts) and not _has_items(node):
                continue
            ends[visit.ended].append((spot, number))
        cuts = self._cuts()
        for at in sorted({*begins, *ends, *cuts}):
            for one in cuts.get(at, ()):  # before anybody else may read
                if one in self.looks:
                    self.books.give_up(self.looks.pop(one))
            for what in self._instant(at, begins[at], ends[at]):
                if isinstance(what, int):
                    self._end(what)
                else:
                    self._begin(what)

    def _cuts(self) -> dict[int, list[Try]]:
        """By the instant, what was cut short then."""
        found: dict[int, list[Try]] = defaultdict(list)
        for several in self.tries.values():
            for one in several:
                if not one.counts:
                    found[one.cut].append(one)
        return found

    # --- the order ----------------------------------------------------------------------------

    def _instant(
        self, at: int, begins: list[tuple[Spot, Try | Visit]], ends: list[tuple[Spot, int]]
    ) -> Iterator[Try | Visit | int]:
        """What happens at one instant, one after another.

        Of what ended beside what began it is not told which came first: either must be the same.
        """
        places: dict[int, list[tuple[int, Try | Visit]]] = defaultdict(list)
        beside: dict[int, list[Try | Visit]] = defaultdict(list)
        for spot, what in begins:
            least, most, side = 0, len(ends), list[int]()
            for i, (other, number) in enumerate(ends):
                ended = self._ended_before(what, spot, other, number, at)
                if ended is True:
                    least = i + 1
                elif ended is False:
                    most = min(most, i)
                else:
                    side.append(i)
            for i in side:
                if least <= i < most:
                    beside[i].append(what)
            places[min(least, most)].append((len(spot.address), what))
        for i in range(len(ends) + 1):
            mine = [what for _, what in sorted(places[i], key=lambda one: one[0])]
            readers = [one.reader for one in mine if isinstance(one, Try) and one.reads]
            if len(set(readers)) < len(readers):
                raise Untold("at one instant")
            yield from mine
            if i < len(ends):
                yield ends[i][1]
            if not all(map(self._is_same, beside[i])):
                raise Untold("at one instant")

    def _ended_before(
        self, what: Try | Visit, spot: Spot, other: Spot, number: int, at: int
    ) -> bool | None:
        """Whether that visit ended before this began, at one instant. None: it cannot be told."""
        visit = self.seen.trace.visits[number]
        own = what.visit if isinstance(what, Try) else what
        if isinstance(what, Try) and isinstance(what.node, Life):
            return number < self._number(own)  # it looks when its steps are over
        if visit is own:
            return False
        if self.order.nested(other, spot):
            if len(other.address) <= len(spot.address):  # the step itself, or one around it
                return number < self._number(own)
            return visit.began < at
        ended = self.order.before(other, spot, at)
        if ended is None and isinstance(what, Try) and what.waited:
            ended = self.told.ended_by_itself(visit) or None
        return ended

    def _is_same(self, what: Try | Visit) -> bool:
        """Whether what has begun would have seen the same if it had begun only now."""
        if isinstance(what, Try):
            return self.books.is_same(self.looks[what])
        desk = self.desks[what.step, what.place]
        return not desk.worktree or self.books.is_same_worktree(desk)

    def _number(self, visit: Visit) -> int:
        return next(i for i, one in enumerate(self.seen.trace.visits) if one is visit)

    # --- what happens -------------------------------------------------------------------------

    def _begin(self, what: Try | Visit) -> None:
        if isinstance(what, Visit):  # an item
            parent = self._desk(what.step, what.place[:-1])
            is_attempt = isinstance(self.seen.shape.nodes[what.step], Attempts)
            desk = self.books.worktree(parent) if is_attempt else Desk(parent)
            self.desks[what.step, what.place] = desk
            return
        craft = craft_of(what.node)
        assert craft is not None
        desk = self._desk(what.node.rank, what.visit.place)
        key = self.told.key_of(what.node, what.visit.place, what.number)
        self.looks[what] = self.books.begin(craft, desk, key, what.reader, what.reads)

    def _end(self, number: int) -> None:
        visit = self.seen.trace.visits[number]
        node = self.seen.shape.nodes[visit.step]
        if isinstance(node, Fork | Attempts):
            if not self.told.is_item(visit):
                self._joined(node, visit)
            return
        for one in self.tries[number]:
            if not one.counts:
                continue
            look = self.looks[one]
            clean = self.books.end(look, self._lines(node, look.key))
            self._verdict(node, visit, look.key, clean)

    def _verdict(self, node: Node, visit: Visit, key: int, clean: bool) -> None:
        assert isinstance(node, Agent | Ask | Work | Life)
        says = node.says
        if says is None or not says.clean:
            return
        said = Verdict.APPROVED if clean else Verdict.CHANGES
        if first(key, Purpose.VERDICT) >= 1.0 - says.rejects:
            said = Verdict.REJECTED
        assert visit.verdict is said, f"{node.path} says {visit.verdict} where it is {said}"
        self.happened[f"said {said.label} when clean"] += 1

    def _joined(self, node: Fork | Attempts, visit: Visit) -> None:
        """What the items left is of what is around them; of attempts, that of the picked one."""
        self.told.only_once(node, visit)
        if isinstance(node, Fork):
            for item in self.seen.items(visit):
                self.books.join(self.desks[item.step, item.place])
            return
        picked = self.told.picked(node, visit)
        if picked is not None:
            desk = self.desks[picked.step, picked.place]
            self.happened["picked"] += 1
            self.happened["defects of a picked one"] += bool(self.books.lines_of(desk))
            self.books.pick(desk)

    # --- what the trace says ------------------------------------------------------------------

    def _spot(self, visit: Visit) -> Spot:
        address = self.at[visit.step]
        if self.told.is_item(visit):
            node = self.seen.shape.nodes[visit.step]
            address = (*address, Turn(node, "item", 0, len(visit.place) - 1, True))
        return Spot(address, visit.place)

    def _desk(self, rank: int, place: Place) -> Desk:
        """Where the lines of a step count; who picks works in the worktree that is picked."""
        desk = self.books.run
        for turn in self.at[rank]:
            if turn.slot == "item":
                desk = self.desks[turn.node.rank, place[: turn.depth + 1]]
            elif turn.slot == "pick":
                assert isinstance(turn.node, Attempts)
                around = self.told.passage(turn.node, place[: turn.depth])
                picked = self.told.picked(turn.node, around)
                if picked is None:
                    raise Untold("which attempt")
                desk = self.desks[picked.step, picked.place]
        return desk

    def _lines(self, node: Node, key: int) -> float:
        writes: Distribution | None = None
        if isinstance(node, Agent):
            writes = node.plan.writes
        elif isinstance(node, Ask):
            writes = node.writes
        if writes is None:
            return 0.0
        assert not writes.between
        return writes.low if writes.low == writes.high else writes.at(first(key, Purpose.WRITES))
