"""What can be wrong with what a person wrote: data first, text last.

A reader or a check collects every `Problem` it finds and raises them together as `Problems`;
nothing below the command line turns them into text for a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


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
