"""How often a step was tried, when its work began in the last try, and which attempt was picked.

As far as a trace tells it: tries with a wait between them do. Else Untold is raised.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentsim.chance import blend, first, key_of
from agentsim.engine.draws import Purpose
from agentsim.graph import (
    AGENTS_AT_ONCE,
    Agent,
    Ask,
    Attempts,
    Fork,
    Life,
    Node,
    Work,
    cap_name,
)
from agentsim.records import CallFacts, Outcome, Part, PersonFacts, Place, Span, Visit, WorkFacts
from tests.held_events import Address, Untold
from tests.held_in_time import Seen, after

ENDS = (Outcome.DONE, Outcome.REJECTED)


@dataclass(frozen=True, eq=False)
class Try:
    """The last try of a step, or one of a person's: when its work began, what it read as.

    `counts`: it came to its end. `number`: how often it was tried before, with all around it.
    `waited`: it began when somebody gave it what it waited for. `cut`: when it was cut short.
    """

    node: Node
    visit: Visit
    began: int
    reader: str
    counts: bool
    number: int = 0
    waited: bool = False
    cut: int = -1

    @property
    def reads(self) -> bool:
        """Whether it is given the lines that it has not read yet."""
        node = self.node
        if isinstance(node, Ask):
            return node.reads == "changes"
        return isinstance(node, Agent | Life) and node.reads


def _waited(span: Span, part: Part, until: int) -> bool:
    """Whether a wait of that kind, which took time, ended then."""
    at = span.began
    for own, end in span.marks:
        if own is part and at < end == until:
            return True
        at = end
    return False


@dataclass
class Told:
    """A trace, asked for what lies between its visits."""

    seen: Seen
    at: dict[int, Address]
    key: int

    # --- tries --------------------------------------------------------------------------------

    def tries(self, node: Node, visit: Visit) -> Iterator[Try]:
        """What a visit did to quality; nothing where it never began to work."""
        counts = visit.outcome is Outcome.DONE
        if isinstance(node, Ask):
            counts = visit.outcome in ENDS
        elif isinstance(node, Life) and visit.outcome is Outcome.FAILED:
            counts = self._only_says_so(node, visit)
        number = self.tried(node, visit) if counts else 0
        own = [
            span for span in self.seen.spans.get((node.rank, visit.place), ())
            if visit.began <= span.began and span.ended <= visit.ended
        ]  # fmt: skip
        if isinstance(node, Ask):
            pieces = [span for span in own if isinstance(span.facts, PersonFacts)]
            for span in pieces:
                began = after(span, {Part.PICKUP, Part.PERSON_WAIT})
                last = counts and span is pieces[-1]
                waited = _waited(span, Part.PERSON_WAIT, began)
                if not last and began == span.ended:
                    continue  # cut short while it waited
                cut = -1 if last else span.ended
                yield Try(node, visit, began, f"person {span.who}", last, number, waited, cut)
        elif not counts:
            return  # a session or a tool that did not come to its end leaves nothing behind
        elif isinstance(node, Work):
            run = [span for span in own if isinstance(span.facts, WorkFacts)][-1]
            began = after(run, {Part.POOL_WAIT})
            waited = _waited(run, Part.POOL_WAIT, began)
            yield Try(node, visit, began, node.tool.name, True, number, waited)
        elif isinstance(node, Life):
            if node.reads:
                raise Untold("an agent with steps that reads")
            yield Try(node, visit, visit.ended, "", True, number)
        else:
            yield self._turns(node, visit, own, number)

    def _only_says_so(self, node: Life, visit: Visit) -> bool:
        """Whether an agent came to the end of its steps, of which the last said `failed`."""
        if node.says is not None:
            return False
        if node.guard.tries > 1 or node.guard.timeout is not None or node.body.needs is not None:
            raise Untold("an agent whose steps failed")
        guards = {step.rank: step.guard for step in node.body.steps}
        own = [
            one for one in self.seen.trace.visits
            if one.step in guards and one.place == visit.place
            and visit.began <= one.began and one.ended <= visit.ended
        ]  # fmt: skip
        return bool(own) and all(
            one.outcome is Outcome.DONE
            or (one.outcome is Outcome.FAILED and guards[one.step].go_on)
            for one in own
        )

    def _turns(self, node: Node, visit: Visit, own: list[Span], number: int) -> Try:
        """An agent's work begins with its place, and it reads as its session."""
        calls = [span for span in own if isinstance(span.facts, CallFacts)]
        facts = calls[-1].facts
        assert isinstance(facts, CallFacts)
        began = max((span.ended for span in self._waits(node, visit)), default=visit.began)
        waited = any(_waited(span, Part.CAP_WAIT, began) for span in own)
        return Try(node, visit, began, f"session {facts.session}", True, number, waited)

    def _waits(self, node: Node, visit: Visit) -> Iterator[Span]:
        """What came before the last try: waits for a place for life, and between tries."""
        yield from self._pauses(node, visit)
        for span in self.seen.spans.get((node.rank, visit.place), ()):
            inside = visit.began <= span.began and span.ended <= visit.ended
            if inside and span.resource in self._for_life():
                yield span

    def _for_life(self) -> set[str]:
        """The names of the caps whose places agents hold for life."""
        caps = self.seen.shape.graph.caps
        found = {AGENTS_AT_ONCE} if caps is not None and not caps.per_call else set[str]()
        for node in self.seen.shape.nodes.values():
            if isinstance(node, Agent | Life) and node.caps is not None and not node.caps.per_call:
                found.add(cap_name(AGENTS_AT_ONCE, node.path))
        return found

    def tried(self, node: Node, visit: Visit) -> int:
        """How often it was tried before, tries of what stands around it counted in."""
        number = 0
        for turn in self.at[node.rank]:
            around = turn.node
            if around.guard.tries > 1:
                outer = self._around(around, visit.place[: turn.depth], visit)
                if outer is not None:
                    begun = [one for one in self._all_pauses(around, outer)
                             if one.ended <= visit.began]  # fmt: skip
                    number = number * around.guard.tries + len(begun)
        if node.guard.tries > 1:
            number = number * node.guard.tries + len(self._all_pauses(node, visit))
        return number

    def _around(self, node: Node, place: Place, visit: Visit) -> Visit | None:
        """The passage through a step in which a visit lies."""
        found = [
            one for one in self.seen.visits[node.rank, place]
            if one.began <= visit.began and visit.ended <= one.ended
        ]  # fmt: skip
        if len(found) != 1:
            raise Untold("which passage")
        return found[0]

    def _all_pauses(self, node: Node, visit: Visit) -> list[Span]:
        """The waits between tries; Untold where it may have been tried again without one."""
        if not node.guard.retry_wait and self._may_be_again(node, visit):
            raise Untold("tries without a wait")
        return self._pauses(node, visit)

    def _pauses(self, node: Node, visit: Visit) -> list[Span]:
        return [
            span for span in self.seen.spans.get((node.rank, visit.place), ())
            if span.marks[:1] and span.marks[0][0] is Part.RETRY and span.who == node.path
            and span.facts is None and visit.began <= span.began and span.ended <= visit.ended
        ]  # fmt: skip

    def _may_be_again(self, node: Node, visit: Visit) -> bool:
        """Whether something went wrong in a passage, after which it is tried again."""
        if visit.outcome is not Outcome.DONE:
            return True
        inner = [
            one for one in self.seen.trace.visits
            if one is not visit and one.place[: len(visit.place)] == visit.place
            and visit.began <= one.began and one.ended <= visit.ended
            and any(turn.node.rank == node.rank for turn in self.at[one.step])
        ]  # fmt: skip
        if any(one.outcome is not Outcome.DONE for one in inner):
            return True
        if len({(one.step, one.place) for one in inner}) < len(inner):
            return True
        return any(
            span.outcome is not Outcome.DONE
            for span in self.seen.spans.get((node.rank, visit.place), ())
            if visit.began <= span.began and span.ended <= visit.ended
        )

    def only_once(self, node: Node, visit: Visit) -> None:
        """Raises Untold where a passage may hold more than one try."""
        if node.guard.tries > 1 and (self._all_pauses(node, visit)):
            raise Untold("items tried again")

    # --- attempts -----------------------------------------------------------------------------

    def items(self, visit: Visit) -> list[Visit]:
        """The items of one passage."""
        return [
            one for one in self.seen.trace.visits
            if one.step == visit.step and one.place[:-1] == visit.place
            and len(one.place) > len(visit.place)
            and visit.began <= one.began and one.ended <= visit.ended
        ]  # fmt: skip

    def picked(self, node: Attempts, visit: Visit) -> Visit | None:
        """The attempt that is picked; it is the only one of which anything may count."""
        if not self._came_to_its_end(node, visit):
            return None
        good = [item for item in self.items(visit) if item.outcome is Outcome.DONE]
        kept = [item for item in good if self._counts(item)]
        winner = self._drawn(node, visit, good)
        assert kept in ([], [winner]), f"{node.path}: another attempt counts than is picked"
        return winner

    def _drawn(self, node: Attempts, visit: Visit, good: list[Visit]) -> Visit | None:
        """As the draws have it: which are right, whether that is seen, and which of them it is."""
        key = self.key_at(node, visit, visit.place)
        right, wrong = list[Visit](), list[Visit]()
        for item in good:
            own = first(self.key_at(node, visit, item.place), Purpose.SUCCESS)
            u = blend(first(key, Purpose.SUCCESS), own, node.correlation)
            (right if node.succeeds is None or u < node.succeeds else wrong).append(item)
        if node.pick is None:
            return min(right, key=lambda item: (item.ended, item.place), default=None)
        sees = first(key, Purpose.PICK) < node.right
        among = sorted((right or wrong) if sees else (wrong or right), key=lambda item: item.place)
        return among[int(first(key, Purpose.WHICH) * len(among))] if among else None

    def key_at(self, node: Node, visit: Visit, place: Place) -> int:
        """What draws hang on: the step's name, its place, and how often it was tried before."""
        number = self.tried(node, visit)
        return key_of(self.key, node.name, *place, *(("tried", number) if number else ()))

    def _came_to_its_end(self, node: Attempts, visit: Visit) -> bool:
        """It may have, and say `failed` all the same, as the picked attempt does."""
        if visit.outcome is not Outcome.FAILED:
            return visit.outcome is Outcome.DONE
        if node.guard.timeout is not None:
            raise Untold("which attempt")
        if node.pick is None:
            return True
        return any(
            visit.began <= one.began and one.ended <= visit.ended
            and one.outcome is Outcome.DONE
            for one in self.seen.visits[node.pick.rank, visit.place]
        )  # fmt: skip

    def _counts(self, item: Visit) -> bool:
        """Whether any call of an attempt counts."""
        return any(
            isinstance(span.facts, CallFacts) and span.facts.fresh + span.facts.cached
            and not span.facts.wasted and span.place[: len(item.place)] == item.place
            and any(turn.node.rank == item.step for turn in self.at[span.step])
            and item.began <= span.began and span.ended <= item.ended
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
