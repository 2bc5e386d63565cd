"""Quality: what a step that writes or reviews puts in, finds and mends.

What is there when a step's work begins is what it looks at and what it mends; its finds and its
own lines count when it ends, and nothing of it where it does not come to its end. All draws are
keyed by the step and the defect, so no time has a part in them, and none in any time.
"""

from __future__ import annotations

from agentsim.chance import Poisson, blocks, first, key_of
from agentsim.engine.draws import Purpose
from agentsim.engine.frame import Frame
from agentsim.engine.tasks import Defect, Task
from agentsim.errors import EngineFault
from agentsim.graph import Craft, Says
from agentsim.laws.quality import finds
from agentsim.records import Defects, Verdict

MOST_IN_A_RUN = 100_000
"""Defects in one run: more would take memory for what nobody counts one by one."""

MOST_LOOKS = 20_000_000
"""Looks at one defect in one run: more would take minutes (about 4 s a million, uncompiled)."""


class Pass:
    """One step's part in quality, from when its work begins (`begin`) until it ends (`end`)."""

    __slots__ = (
        "_claimed",
        "_correlation",
        "_craft",
        "_key",
        "_known",
        "_left",
        "_reader",
        "_task",
        "_there",
    )

    def __init__(
        self, craft: Craft, task: Task, key: int, reader: str, changes: bool, correlation: float
    ) -> None:
        self._task = task
        self._craft, self._key, self._reader = craft, key, reader
        self._correlation = correlation
        there = task.in_sight()
        self._known = [it for it in there if it.found]
        self._left = False
        if changes:  # nobody reads twice
            there = [it for it in task.defects if reader not in it.seen]
            for defect in there:
                defect.seen.add(reader)
        self._there = there
        self._claimed = changes

    def end(self, lines: float) -> None:
        """It has come to its end and wrote so many lines: it finds, then mends, then has put in."""
        craft, key = self._craft, self._key
        self._claimed = False
        new = self._find() if craft.finds is not None else []
        if craft.mends:
            for defect in (*self._known, *new):
                self._mend(defect)
        if lines > 0.0 and craft.defects > 0.0:
            mean = min(craft.defects * lines, 2.0 * MOST_IN_A_RUN)  # which is refused below
            count = Poisson(mean).at(first(key, Purpose.DEFECTS))
            for i in range(int(count)):
                self._put_in(key_of(key, i))
        self._left = bool(new)

    def close(self) -> None:
        """Over, to its end or not: a reading that was cut short has to be done again."""
        if self._claimed:
            for defect in self._there:
                defect.seen.discard(self._reader)

    def clean(self) -> bool:
        """Whether it found nothing, and nothing that was found is left to be mended."""
        return not self._left and not any(it.found for it in self._task.in_sight())

    def _find(self) -> list[Defect]:
        """Those that nobody had found."""
        chance, correlation = self._craft.finds or 0.0, self._correlation
        new = []
        there = [it for it in self._there if not it.found and not it.mended]  # by others beside it
        if self._task.looks(len(there)) > MOST_LOOKS:
            reason = f"more than {MOST_LOOKS:,} looks at defects in one run"
            raise EngineFault(reason, "fewer defects, or fewer rounds in which somebody looks")
        for defect in there:
            own = first(key_of(self._key, defect.key), Purpose.FINDS)
            if finds(chance, correlation, defect.kind, defect.sight, own):
                defect.found = True
                new.append(defect)
        return new

    def _mend(self, defect: Defect) -> None:
        """Mending may put in another, in lines of whoever mends."""
        if defect.mended:
            return
        defect.mended = True
        key = key_of(self._key, defect.key)
        if first(key, Purpose.REGRESSION) < self._craft.regressions:
            self._put_in(key)

    def _put_in(self, key: int) -> None:
        task = self._task
        kind, sight, *_ = next(blocks(key, Purpose.SIGHT))
        if task.put_in(Defect(key, kind, sight, task, self._reader)) > MOST_IN_A_RUN:
            reason = f"more than {MOST_IN_A_RUN:,} defects in one run"
            raise EngineFault(reason, "fewer lines, or fewer defects in each")


def begin(craft: Craft | None, frame: Frame, key: int, reader: str, changes: bool) -> Pass | None:
    """The pass of a step; None where it has no part in quality, or quality is not modelled.

    `changes`: it looks at the lines that `reader` has not read yet, else at all that is there.
    """
    plan = frame.stage.graph.quality
    if plan is None or craft is None:
        return None
    return Pass(craft, frame.task, key, reader, changes, plan.correlation)


def close(own: Pass | None) -> None:
    """A step is over, to its end or not: a reading that was cut short has to be done again."""
    if own is not None:
        own.close()


def judged(says: Says, round_: int, u: float, own: Pass | None) -> Verdict:
    """What a step says in that round: by its chances, or by what it found."""
    if not says.clean:
        return says.verdict(round_, u)
    if u >= 1.0 - says.rejects:
        return Verdict.REJECTED
    return Verdict.APPROVED if own is None or own.clean() else Verdict.CHANGES


def left(task: Task) -> Defects:
    """What a run ends with."""
    there = task.defects
    return Defects(len(there), sum(it.found for it in there), sum(it.mended for it in there))
