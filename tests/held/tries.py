"""How often a step was tried, and when its work began in the last try.

As far as a trace tells it: tries with a wait between them do. Else Untold is raised.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentsim.chance import key_of
from agentsim.graph import (
    AGENTS_AT_ONCE,
    Agent,
    Ask,
    Life,
    Node,
    Work,
    cap_name,
)
from agentsim.records import CallFacts, Outcome, Part, PersonFacts, Place, Span, Visit, WorkFacts
from tests.held.events import Address, Untold
from tests.held.times import Seen, after, lies_in, stretches_of

Again = tuple[str | int, ...]
ENDS = (Outcome.DONE, Outcome.REJECTED)


@dataclass(frozen=True, eq=False)
class Try:
    """The last try of a step, or one of a person's: when its work began, what it read as.

    `counts`: it came to its end. `number`: how often it and each step around it was tried before.
    `waited`: it began when somebody gave it what it waited for. `cut`: when it was cut short.
    """

    node: Node
    visit: Visit
    began: int
    reader: str
    counts: bool
    number: Again = ()
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
    return any(began < ended == until for began, ended in stretches_of(span, part))


@dataclass
class Tries:
    """A trace, asked for what lies between its visits."""

    seen: Seen
    at: dict[int, Address]
    key: int

    def tries(self, node: Node, visit: Visit) -> Iterator[Try]:
        """What a visit did to quality; nothing where it never began to work."""
        counts = visit.outcome is Outcome.DONE
        if isinstance(node, Ask):
            counts = visit.outcome in ENDS
        elif isinstance(node, Life) and visit.outcome is Outcome.FAILED:
            counts = self._only_says_so(node, visit)
        number = self.tried(node, visit) if counts else ()
        own = self.seen.own(visit)
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
            if one.step in guards and one.place == visit.place and lies_in(one, visit)
        ]  # fmt: skip
        return bool(own) and all(
            one.outcome is Outcome.DONE
            or (one.outcome is Outcome.FAILED and guards[one.step].go_on)
            for one in own
        )

    def _turns(self, node: Node, visit: Visit, own: list[Span], number: Again) -> Try:
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
        for span in self.seen.own(visit):
            if span.resource in self._for_life():
                yield span

    def _for_life(self) -> set[str]:
        """The names of the caps whose places agents hold for life."""
        caps = self.seen.shape.graph.caps
        found = {AGENTS_AT_ONCE} if caps is not None and not caps.per_call else set[str]()
        for node in self.seen.shape.nodes.values():
            if isinstance(node, Agent | Life) and node.caps is not None and not node.caps.per_call:
                found.add(cap_name(AGENTS_AT_ONCE, node.path))
        return found

    def tried(self, node: Node, visit: Visit) -> Again:
        """How often it was tried before, and what stands around it: names and numbers by turns."""
        number: Again = ()
        for turn in self.at[node.rank]:
            around = turn.node
            if around.guard.tries > 1:
                outer = self._around(around, visit.place[: turn.depth], visit)
                begun = [one for one in self._all_pauses(around, outer)
                         if one.ended <= visit.began]  # fmt: skip
                number += (around.name, len(begun)) if begun else ()
        if node.guard.tries > 1:
            own = len(self._all_pauses(node, visit))
            number += (node.name, own) if own else ()
        return number

    def key_of(self, node: Node, place: Place, number: Again) -> int:
        """What draws hang on: the step's name, its place, and how often it was tried before."""
        return key_of(self.key, node.name, *place, *(("tried", *number) if number else ()))

    def _around(self, node: Node, place: Place, visit: Visit) -> Visit:
        """The passage through a step in which a visit lies."""
        found = [
            one for one in self.seen.visits[node.rank, place]
            if lies_in(visit, one)
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
            span
            for span in self.seen.own(visit)
            if span.marks[:1] and span.marks[0][0] is Part.RETRY
            and span.who == node.path and span.facts is None and not span.resource
        ]  # fmt: skip

    def _may_be_again(self, node: Node, visit: Visit) -> bool:
        """Whether something went wrong in a passage, after which it is tried again."""
        if visit.outcome is not Outcome.DONE:
            return True
        inner = [
            one for one in self.seen.trace.visits
            if one is not visit and one.place[: len(visit.place)] == visit.place
            and lies_in(one, visit)
            and any(turn.node.rank == node.rank for turn in self.at[one.step])
        ]  # fmt: skip
        if any(one.outcome is not Outcome.DONE for one in inner):
            return True
        if len({(one.step, one.place) for one in inner}) < len(inner):
            return True
        return any(span.outcome is not Outcome.DONE for span in self.seen.own(visit))

    def only_once(self, node: Node, visit: Visit) -> None:
        """Raises Untold where a passage may hold more than one try."""
        if node.guard.tries > 1 and self._all_pauses(node, visit):
            raise Untold("items tried again")
