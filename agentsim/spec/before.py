"""What may stand before each step: verdicts, open sessions, written lines. What is not, is told.

All that may be is taken to be, by what stands in the file and not by its numbers: a review with
`approves: 100%` may ask for changes and a loop of 0 rounds may run, since a param may say
otherwise tomorrow. So what is missing here can never be there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from graphlib import TopologicalSorter

from agentsim.graph import (
    Agent,
    Ask,
    Attempts,
    Block,
    Call,
    Choose,
    Fork,
    Life,
    Loop,
    Merge,
    Node,
    Work,
    inner_of,
    walk,
)
from agentsim.records import Verdict
from agentsim.spec.sessions import InSession, session_of
from agentsim.spec.verdicts import says_of

Said = frozenset[Verdict | None]

_SILENT: Said = frozenset({None})
_FAILED: Said = frozenset({Verdict.FAILED})
_REVIEW: Said = frozenset({Verdict.APPROVED, Verdict.CHANGES})  # what rejects ends the run


@dataclass(frozen=True, slots=True)
class State:
    """What may stand at a point: last verdicts (None: none yet), sessions, lines, answers."""

    verdicts: Said = _SILENT
    sessions: frozenset[str] = frozenset()
    written: bool = False
    answered: bool = False

    def __or__(self, other: State) -> State:
        return State(
            self.verdicts | other.verdicts,
            self.sessions | other.sessions,
            self.written or other.written,
            self.answered or other.answered,
        )


@dataclass(frozen=True, slots=True)
class _End:
    """After a step: what may stand then, what it may have said, whether it may fail its list."""

    after: State
    says: Said
    fails: bool


@dataclass(slots=True)
class Asking:
    """Steps by rank that ask for a verdict, a session, changes or an answer."""

    whens: dict[int, Node] = field(default_factory=dict)
    others: dict[int, Node] = field(default_factory=dict)
    """Steps with a `when` that meet no verdict but those that it names."""
    sessions: dict[int, InSession] = field(default_factory=dict)
    changes: dict[int, Agent | Ask | Life] = field(default_factory=dict)
    answers: dict[int, Ask] = field(default_factory=dict)


def missing(root: Block, by_chance: bool = False) -> Asking:
    """Steps whose `when`, `session` or `reads` nothing before them meets, however reached.

    `by_chance`: what has a chance of 0 % is not taken to be, so that this holds of these numbers.
    """
    asked = (node.session for node in walk(root) if isinstance(node, InSession))
    walker = _Walker(frozenset(name for name in asked if name is not None), by_chance)
    walker.visit(root, State())
    for kind in fields(Asking):
        rows, met = getattr(walker.missing, kind.name), getattr(walker.met, kind.name)
        for rank in met.keys() & rows.keys():
            del rows[rank]
    return walker.missing


class _Walker:
    """`asked`: the sessions that any step names; others need not be followed."""

    def __init__(self, asked: frozenset[str], by_chance: bool) -> None:
        self._asked, self._by_chance = asked, by_chance
        self.missing = Asking()
        self.met = Asking()
        self._inside: dict[int, State] = {}

    def visit(self, node: Node, before: State) -> _End:
        """One step, and all that stands in it, where `before` may stand before it."""
        guard = node.guard
        entry = before
        if guard.when:
            met = before.verdicts & set(guard.when)
            self._found(bool(met)).whens[node.rank] = node
            self._found(met != before.verdicts).others[node.rank] = node
            if met:
                entry = replace(before, verdicts=met)
        stood = entry.verdicts
        if guard.tries > 1:
            entry |= self.inside(node)  # a further try meets what the last one left
        end = self._step(node, entry)
        fails = end.fails or guard.timeout is not None
        says = end.says | _FAILED if fails and guard.go_on else end.says
        # a step that says nothing leaves what stood before it, whatever was said inside
        after = replace(end.after, verdicts=_then(stood, says))
        if guard.when or guard.never:
            after |= before
            says |= _SILENT
        return _End(after, says, fails and not guard.go_on)

    def _step(self, node: Node, before: State) -> _End:
        match node:
            case Block(needs=None, steps=steps):
                return self._list(steps, before)
            case Block():
                return self._graph(node, before)
            case Fork():
                return self._fork(node, before)
            case Attempts():
                return self._attempts(node, before)
            case Life():
                return self._life(node, before)
            case Merge():
                return self._merge(node, before)
            case Choose():
                return self._choose(node, before)
            case Loop():
                return self._loop(node, before)
            case Call() | Agent() | Work() | Ask():
                return self._leaf(node, before)
            case _:
                raise TypeError(f"{type(node).__name__} does not say what it leaves")

    def _leaf(self, node: Node, before: State) -> _End:
        sessions = before.sessions
        if isinstance(node, InSession):
            if node.session is not None:
                self._found(node.session in sessions).sessions[node.rank] = node
            sessions |= self._opens(node)
        if (isinstance(node, Agent | Life) and node.reads) or (
            isinstance(node, Ask) and node.reads == "changes"
        ):
            self._found(before.written).changes[node.rank] = node
        if isinstance(node, Ask) and node.reads == "answer":
            self._found(before.answered).answers[node.rank] = node
        written, answered = before.written or _writes(node), before.answered or _answers(node)
        after = State(before.verdicts, sessions, written, answered)
        return _End(after, self._says(node), self._fails(node))

    def _found(self, is_met: bool) -> Asking:
        """Where a step is noted whose wish is met as it is reached here, or is not."""
        return self.met if is_met else self.missing

    def _life(self, node: Life, before: State) -> _End:
        """Its session is open for its steps; what it says stands for what they said."""
        entry = self._leaf(node, before).after
        end = self.visit(node.body, replace(before, sessions=entry.sessions))
        says = self._says(node) if says_of(node) is not None else end.says
        return _End(end.after, says, end.fails)

    def _merge(self, node: Merge, before: State) -> _End:
        """It says nothing; its rework may be done, more than once."""
        if node.rework is None:
            return _End(before, _SILENT, True)
        end = self.visit(node.rework, before | self.inside(node.rework))
        return _End(before | end.after, _SILENT, True)

    def _list(self, steps: Iterable[Node], before: State) -> _End:
        says, fails = _SILENT, False
        for step in steps:
            end = self.visit(step, before)
            before = end.after
            says = _then(says, end.says)
            fails = fails or end.fails
        return _End(before, says, fails)

    def _graph(self, node: Block, before: State) -> _End:
        """Steps side by side may have opened and written; a verdict comes from what is needed."""
        inside = self.inside(node)
        needs = dict(enumerate(node.needs or ()))
        ends: dict[int, _End] = {}
        for i in TopologicalSorter(needs).static_order():
            entry = replace(before | inside, verdicts=frozenset())
            for j in needs[i]:
                entry |= ends[j].after
            if not needs[i]:
                entry |= before
            ends[i] = self.visit(node.steps[i], entry)
        says = _SILENT.union(*(end.says for end in ends.values()))
        return _End(before | inside, says, any(e.fails for e in ends.values()))

    def _fork(self, node: Fork, before: State) -> _End:
        """Branches go on from here; items begin with nothing written and keep their sessions."""
        items = node.items is not None
        inside = self.inside(node)
        written = before.written or inside.written
        entry = replace(before, written=written and not items)
        ends = [self.visit(branch, entry) for branch in node.branches]
        says = frozenset[Verdict | None]().union(*(end.says for end in ends))
        if not ends:  # items that there may be under another param
            says = _SILENT | _REVIEW | _FAILED
        sessions = before.sessions
        if not items:
            sessions = sessions.union(*(end.after.sessions for end in ends))
        answered = before.answered or inside.answered
        after = State(before.verdicts, sessions, written, answered)
        return _End(after, says, any(end.fails for end in ends))

    def _attempts(self, node: Attempts, before: State) -> _End:
        """The sessions and lines of the picked one stay; that none is right fails nothing, but
        whoever picks may fail."""
        end = self.visit(node.fork, before)
        inside = [self.inside(branch) for branch in node.fork.branches]
        sessions = end.after.sessions.union(*(one.sessions for one in inside))
        after = replace(end.after, sessions=sessions)
        fails = False
        if node.pick is not None:
            written = any(one.written for one in inside)
            answered = before.answered or any(one.answered for one in inside)
            picked = self.visit(node.pick, replace(before, written=written, answered=answered))
            fails = picked.fails
        return _End(after, end.says | _SILENT, fails)

    def _choose(self, node: Choose, before: State) -> _End:
        """Any of the branches, or none: chances are numbers, so the rest counts too."""
        ends = [self.visit(branch, before) for branch in node.branches]
        after = before
        for end in ends:
            after |= end.after
        says = _SILENT.union(*(end.says for end in ends))
        return _End(after, says, any(end.fails for end in ends))

    def _loop(self, node: Loop, before: State) -> _End:
        entry = before | self.inside(node)
        body = self.visit(node.body, entry)
        says, fails = body.says | _SILENT, node.changes_fail
        if body.fails:
            fails = fails or node.failed_fail
            if not node.failed_fail:
                says |= _FAILED
        if node.changes_fail:
            says -= {Verdict.CHANGES}
        after = body.after
        if node.between is not None:
            caught = State(_FAILED) if body.fails else State(frozenset())
            between = self.visit(node.between, body.after | caught)
            after |= between.after
            fails = fails or between.fails
        return _End(after, says, fails)

    def _says(self, node: Node) -> Said:
        """What a step itself may say."""
        if not self._by_chance:
            return _says(node)
        says = says_of(node)
        if says is None:
            return _says(node)
        found: set[Verdict | None] = set()
        found |= {Verdict.APPROVED} if says.can_approve else set()
        asks = says.clean or any(share + says.rejects < 1.0 for share in says.approves)
        found |= {Verdict.CHANGES} if asks else set()
        return frozenset(found)

    def _fails(self, node: Node) -> bool:
        if self._by_chance and isinstance(node, Work):
            return node.tool.fails > 0.0 or node.tool.timeout is not None
        return _fails(node)

    def _opens(self, node: InSession) -> frozenset[str]:
        return self._asked & {session_of(node)}

    def inside(self, node: Node) -> State:
        """All that may be said, opened and written in a node, whatever its order."""
        found = self._inside.get(id(node))
        if found is None:
            found = self._inside[id(node)] = self._look(node)
        return found

    def _look(self, node: Node) -> State:
        parts = [self.inside(inner) for inner in inner_of(node)]
        verdicts = frozenset[Verdict | None]().union(self._says(node), *(p.verdicts for p in parts))
        if isinstance(node, Loop) or node.guard.go_on:
            verdicts |= _FAILED
        sessions = frozenset[str]().union(*(part.sessions for part in parts))
        if isinstance(node, InSession):
            sessions |= self._opens(node)
        if isinstance(node, Fork) and node.items is not None:
            sessions = frozenset()
        written = _writes(node) or any(part.written for part in parts)
        answered = _answers(node) or any(part.answered for part in parts)
        return State(verdicts - _SILENT, sessions, written, answered)


def _then(earlier: Said, later: Said) -> Said:
    """The last verdict of two: the later one's, where it says any."""
    return earlier | (later - _SILENT) if None in later else later


def _says(node: Node) -> Said:
    if says_of(node) is not None:
        return _REVIEW
    speaks = isinstance(node, Work) and node.tool.says
    return frozenset({Verdict.APPROVED}) if speaks else _SILENT


def _fails(node: Node) -> bool:
    """A request may outgrow its context or its quota; people and waits fail by a timeout only."""
    if isinstance(node, Work):
        return node.tool.says or node.tool.timeout is not None
    return isinstance(node, InSession)


def _answers(node: Node) -> bool:
    return isinstance(node, Agent | Call)


def _writes(node: Node) -> bool:
    if isinstance(node, Agent):
        return node.plan.writes is not None
    return isinstance(node, Ask) and node.writes is not None
