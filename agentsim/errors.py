"""What can be wrong with what a person wrote, and what an answer warns of: data first, text last.

A reader or a check collects every `Problem` it finds and raises them together as `Problems`;
nothing below the command line turns them into text for a terminal. What does not hinder a run is
a `Notice`: its sentence, and as fields what the sentence is about, so that nobody reads its words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file: line and column count from 1; 0 where it is no file but an option."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: `code` is stable (`unknown-key`), `hint` says how to mend it."""

    code: str
    message: str
    place: Place | None = None
    hint: str = ""

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        hint = f"\n    hint: {self.hint}" if self.hint else ""
        return f"{where}{self.message} [{self.code}]{hint}"


class Problems(Exception):
    """All the problems of one input, in the order of their places."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[type[Problems], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


class EngineFault(Exception):
    """A run that cannot go on: a deadlock, or no progress. The message names who waits for whom.

    `step`: the path of the step to look at, "" where it is none; `hint`: what to change. `place`:
    where the step was written, which only those know who know the file.
    """

    def __init__(self, message: str, hint: str = "", step: str = "") -> None:
        super().__init__(message)  # a copy sent by a process takes the rest from its attributes
        self.hint = hint
        self.step = step
        self.place: Place | None = None


class Weight(IntEnum):
    """What a warning is about, the weightiest first: how much it may change the answer.

    ASKED: something else is simulated than was asked for. RANGE: beyond what was measured, or odd
    as it was measured. LACKS: a profile leaves out what the run needs. FILE: what the file says
    does not count, or otherwise than it reads. LOST: runs go on without what they wait for. FOUND:
    what the answer found out. CUT: what had no room in runs. GRADE: how good figures are. TAKEN:
    what is usual.
    """

    ASKED = 0
    RANGE = 1
    LACKS = 2
    FILE = 3
    LOST = 4
    FOUND = 5
    CUT = 6
    GRADE = 7
    TAKEN = 8


class InRuns(NamedTuple):
    """The pieces of a sentence on what is so in some of the runs, to tell it with other figures.

    `{what} in {share} of the runs (up to {most}){after}`: `what` and `after` hold no figure that
    differs from one answer to the next.
    """

    what: str
    share: float | None = None
    """In how many of the runs, 0..1; None where there is but one run, and nothing is said of it."""
    most: int | None = None
    after: str = ""
    kind: str = ""
    """Those of one kind may be told in one line; "" for one that stands alone."""
    short: str = ""
    """What is said in place of `what` beside others of its kind."""


class Graded(NamedTuple):
    """Whose figures are of which grade, and of when (as the profile writes it, or "")."""

    profile: str
    grade: str
    as_of: str


class Notice(NamedTuple):
    """A warning: a whole sentence, and what it is about. Whoever makes it says its weight."""

    text: str
    weight: Weight
    runs: InRuns | None = None
    graded: Graded | None = None
    about: tuple[str, ...] = ()
    """Its kind and what it is about, figures apart: warnings of one key may be told as one.

    Empty for one that is the same only where its text is, as all are that a file is told of.
    """
    profile: str = ""
    """The hardware that the sentence names; "" where it names none."""

    @property
    def share(self) -> float:
        """In how many of the runs it is so, 0..1; 1 where that is not asked."""
        return 1.0 if self.runs is None or self.runs.share is None else self.runs.share
