"""Which attempt was picked, which visits are of items, and whether a step ended by itself."""

from __future__ import annotations

from agentsim.chance import blend, first
from agentsim.engine.draws import Purpose
from agentsim.graph import Agent, Ask, Attempts, Fork, Node, Work
from agentsim.records import CallFacts, Outcome, Place, Visit
from tests.held.events import Untold
from tests.held.times import lies_in
from tests.held.tries import Tries


class Told(Tries):
    """All that a trace tells between its visits."""

    def picked(self, node: Attempts, visit: Visit) -> Visit | None:
        """The attempt that is picked; it is the only one of which anything may count."""
        if not self._came_to_its_end(node, visit):
            return None
        good = [item for item in self.seen.items(visit) if item.outcome is Outcome.DONE]
        kept = [item for item in good if self._counts(item)]
        winner = self._drawn(node, visit, good)
        assert kept in ([], [winner]), f"{node.path}: another attempt counts than is picked"
        return winner

    def _drawn(self, node: Attempts, visit: Visit, good: list[Visit]) -> Visit | None:
        """As the draws have it: which are right, whether that is seen, and which of them it is."""
        number = self.tried(node, visit)
        key = self.key_of(node, visit.place, number)
        right, wrong = list[Visit](), list[Visit]()
        for item in good:
            own = first(self.key_of(node, item.place, number), Purpose.SUCCESS)
            u = blend(first(key, Purpose.SUCCESS), own, node.correlation)
            (right if node.succeeds is None or u < node.succeeds else wrong).append(item)
        if node.pick is None:
            return min(right, key=lambda item: (item.ended, item.place), default=None)
        sees = first(key, Purpose.PICK) < node.right
        among = sorted((right or wrong) if sees else (wrong or right), key=lambda item: item.place)
        return among[int(first(key, Purpose.WHICH) * len(among))] if among else None

    def _came_to_its_end(self, node: Attempts, visit: Visit) -> bool:
        """It may have, and say `failed` all the same, as the picked attempt does."""
        if visit.outcome is not Outcome.FAILED:
            return visit.outcome is Outcome.DONE
        if node.guard.timeout is not None:
            raise Untold("which attempt")
        if node.pick is None:
            return True
        return any(
            lies_in(one, visit) and one.outcome is Outcome.DONE
            for one in self.seen.visits[node.pick.rank, visit.place]
        )

    def _counts(self, item: Visit) -> bool:
        """Whether any call of an attempt counts."""
        return any(
            isinstance(span.facts, CallFacts) and span.facts.fresh + span.facts.cached
            and not span.facts.wasted and span.place[: len(item.place)] == item.place
            and any(turn.node.rank == item.step for turn in self.at[span.step])
            and lies_in(span, item)
            for span in self.seen.trace.spans
        )  # fmt: skip

    def passage(self, node: Node, place: Place) -> Visit:
        """The one passage through a step at that place."""
        found = self.seen.visits[node.rank, place]
        if len(found) != 1:
            raise Untold("which passage")
        return found[0]

    def ended_by_itself(self, visit: Visit) -> bool:
        """Whether a step ended since its own work took so long, not since others let it go on.

        At one instant that comes first, and what is scarce is given out after it.
        """
        if not isinstance(self.seen.shape.nodes[visit.step], Agent | Ask | Work):
            return False
        own = [
            span for span in self.seen.spans.get((visit.step, visit.place), ())
            if visit.began <= span.began and span.ended == visit.ended
        ]  # fmt: skip
        times = [own[-1].began, *(until for _, until in own[-1].marks)] if own else [0, 0]
        return len(times) > 1 and times[-2] < times[-1] == visit.ended

    def is_item(self, visit: Visit) -> bool:
        """Whether a visit is of an item, and not of the whole."""
        if not isinstance(self.seen.shape.nodes[visit.step], Fork | Attempts):
            return False
        at = self.at[visit.step]
        return len(visit.place) > (at[-1].depth + at[-1].again if at else 0)
