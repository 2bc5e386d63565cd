"""Books of the defects of one run, kept by hand from what its trace says.

Written from docs/format.md and docs/model.md, and not like the engine: who looks, mends and writes
comes from `tests/held/events.py`, one after another. A worktree keeps what it thinks of the defects
that were there before it beside the books, and is entered or thrown away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from agentsim.chance import Poisson, blocks, first, key_of
from agentsim.engine.draws import Purpose
from agentsim.graph import Craft
from agentsim.records import Defects


@dataclass(eq=False)
class State:
    found: bool = False
    mended: bool = False


@dataclass(eq=False)
class Desk:
    """Where lines count: the run (no parent), an item of an `each`, or a worktree.

    `before`: of a worktree, how those stand there that were in sight when it was begun.
    """

    parent: Desk | None = None
    worktree: bool = False
    before: dict[Bug, State] = field(default_factory=dict)

    def around(self) -> Iterator[Desk]:
        """It and those around it, a worktree's being the last."""
        desk: Desk | None = self
        while desk is not None:
            yield desk
            desk = None if desk.worktree else desk.parent


@dataclass(eq=False)
class Bug:
    """One defect, with numbers of its own; `readers` have read the lines that it is in."""

    key: int
    home: Desk
    readers: set[str]
    state: State = field(default_factory=State)

    def alike_and_sight(self) -> tuple[float, float]:
        kind, sight, *_ = next(blocks(self.key, Purpose.SIGHT))
        return kind, sight


@dataclass(eq=False)
class Look:
    """One step's part: what it saw and knew when its work began.

    `read`: those in the lines that it is given to read; None where it looks at all that is there.
    """

    craft: Craft
    desk: Desk
    key: int
    reader: str
    saw: list[Bug]
    knew: list[Bug]
    read: list[Bug] | None


class Books:
    """All defects that were ever put in, and where they stand."""

    def __init__(self, correlation: float) -> None:
        self.correlation = correlation
        self.bugs: list[Bug] = []
        self.run = Desk()

    # --- who sees what ------------------------------------------------------------------------

    def lines_of(self, desk: Desk) -> list[Bug]:
        """Those in the lines that count there: its own, and those of items inside."""
        return [bug for bug in self.bugs if desk in bug.home.around()]

    def state(self, desk: Desk, bug: Bug) -> State:
        """How a defect stands as seen from there."""
        *_, outermost = desk.around()
        return outermost.before.get(bug, bug.state)

    def in_sight(self, desk: Desk) -> list[Bug]:
        """All that are there and not mended: of other items around it none."""
        *_, outermost = desk.around()
        around = list(desk.around())
        return [
            bug
            for bug in self.bugs
            if (bug in outermost.before or bug.home in around or desk in bug.home.around())
            and not self.state(desk, bug).mended
        ]

    # --- what happens -------------------------------------------------------------------------

    def begin(self, craft: Craft, desk: Desk, key: int, reader: str, changes: bool) -> Look:
        """Its work begins."""
        look = Look(craft, desk, key, reader, [], [], [] if changes else None)
        look.saw, look.knew = self._view(look)
        if changes:
            look.read = look.saw
            for bug in look.saw:
                bug.readers.add(reader)
        return look

    def _view(self, look: Look) -> tuple[list[Bug], list[Bug]]:
        """What it would look at if it began now, and what it would know to be there."""
        there, read = self.in_sight(look.desk), look.read
        knew = [bug for bug in there if self.state(look.desk, bug).found]
        if read is None:
            return there, knew
        lines = self.lines_of(look.desk)
        return [bug for bug in lines if look.reader not in bug.readers or bug in read], knew

    def is_same(self, look: Look) -> bool:
        """Whether it had seen the same if it had begun only now."""
        saw, knew = self._view(look)
        return (set(saw), set(knew)) == (set(look.saw), set(look.knew))

    def is_same_worktree(self, desk: Desk) -> bool:
        """Whether it had begun with the same only now."""
        assert desk.parent is not None
        now = self.worktree(desk.parent).before
        found = {bug: state.found for bug, state in now.items()}
        return found == {bug: state.found for bug, state in desk.before.items()}

    def give_up(self, look: Look) -> None:
        """It did not come to its end: what it read has to be read again."""
        for bug in look.read or ():
            bug.readers.discard(look.reader)

    def end(self, look: Look, lines: float) -> bool:
        """It finds, mends and writes; returns whether it is clean as seen by who did it."""
        craft, desk = look.craft, look.desk
        new = [bug for bug in look.saw if self._finds(look, bug)]
        for bug in new:
            self.state(desk, bug).found = True
        for bug in (*look.knew, *new) if craft.mends else ():
            state = self.state(desk, bug)
            again = key_of(look.key, bug.key)
            if not state.mended and first(again, Purpose.REGRESSION) < craft.regressions:
                self._put_in(look, again)
            state.mended = True
        if lines > 0 and craft.defects > 0:
            mean = craft.defects * lines
            for i in range(int(Poisson(mean).at(first(look.key, Purpose.DEFECTS)))):
                self._put_in(look, key_of(look.key, i))
        left = [bug for bug in self.in_sight(desk) if self.state(desk, bug).found]
        return not new and not left

    def _put_in(self, look: Look, key: int) -> None:
        self.bugs.append(Bug(key, look.desk, {look.reader}))

    def _finds(self, look: Look, bug: Bug) -> bool:
        """Whether it finds one that nobody had found: alike to all, or looked for anew."""
        chance, state = look.craft.finds, self.state(look.desk, bug)
        if chance is None or state.found or state.mended:
            return False
        kind, sight = bug.alike_and_sight()
        if kind < self.correlation:
            return sight < chance
        return first(key_of(look.key, bug.key), Purpose.FINDS) < chance

    def worktree(self, parent: Desk) -> Desk:
        """An attempt begins, with what is in sight as it stands now."""
        before = {bug: State(self.state(parent, bug).found) for bug in self.in_sight(parent)}
        return Desk(parent, True, before)

    def pick(self, worktree: Desk) -> None:
        """What was done in it is done around it too, and its lines count there."""
        parent = worktree.parent
        assert parent is not None
        for bug, there in worktree.before.items():
            state = self.state(parent, bug)
            state.found |= there.found
            state.mended |= there.mended
        self.join(worktree)

    def join(self, desk: Desk) -> None:
        """An item is over, to its end or not, or a worktree picked."""
        assert desk.parent is not None
        for bug in self.lines_of(desk):
            bug.home = desk.parent

    def total(self) -> Defects:
        """What the run ends with."""
        states = [bug.state for bug in self.lines_of(self.run)]
        found, mended = sum(it.found for it in states), sum(it.mended for it in states)
        return Defects(len(states), found, mended)
