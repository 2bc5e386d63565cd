"""What a comparison found, as the report sees it; and the name of a machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from agentsim.analysis.findings import Findings


class Apart(Protocol):
    """How much more of something a row has than another; `needed`: runs that would tell."""

    @property
    def mean(self) -> float: ...
    @property
    def ci95(self) -> tuple[float, float] | None: ...
    @property
    def sd(self) -> float: ...
    @property
    def runs(self) -> int: ...
    @property
    def needed(self) -> int | None: ...
    @property
    def is_clear(self) -> bool: ...
    @property
    def is_same(self) -> bool: ...
    @property
    def is_more(self) -> bool: ...


class Row(Protocol):
    """One variant on one machine."""

    @property
    def file(self) -> str: ...
    @property
    def vary(self) -> Sequence[tuple[str, object]]: ...
    @property
    def label(self) -> str: ...
    @property
    def findings(self) -> Findings: ...
    @property
    def difference(self) -> Apart | None: ...
    @property
    def others(self) -> Mapping[str, Apart]: ...
    @property
    def above(self) -> Apart | None: ...
    @property
    def above_others(self) -> Mapping[str, Apart]: ...
    @property
    def quickest(self) -> bool: ...
    @property
    def behind(self) -> Apart | None: ...
    @property
    def fails_more(self) -> bool: ...


class Machine(Protocol):
    """One machine: its bindings as they were given, and its rows, the same on all machines."""

    @property
    def hardware(self) -> Sequence[str]: ...
    @property
    def rows(self) -> Sequence[Row]: ...


class BreakEven(Protocol):
    """Up to how many times the turns a machine is ahead of another, in the mean without people."""

    @property
    def label(self) -> str: ...
    @property
    def ahead(self) -> int: ...
    @property
    def behind(self) -> int: ...
    @property
    def clear(self) -> bool: ...
    @property
    def times(self) -> float | None: ...
    @property
    def ci95(self) -> tuple[float, float] | None: ...
    @property
    def runs(self) -> int: ...
    @property
    def beyond(self) -> bool: ...


class Compared(Protocol):
    """What a comparison found."""

    @property
    def machines(self) -> Sequence[Machine]: ...
    @property
    def break_evens(self) -> Sequence[BreakEven]: ...
    @property
    def untried(self) -> int: ...
    @property
    def left_out(self) -> Sequence[tuple[Sequence[str], str]]: ...


MEASURED = ("without_people", "attention", "cost", "tokens", "success", "escaped_defects")
"""The names of what `others` and `above_others` may hold: a column each where all have the same."""


def has_steps(result: Compared) -> bool:
    """Whether any row is a step from one that is not the first: that says more than the first."""
    return any(row.above is not None for machine in result.machines for row in machine.rows[2:])


def machine_name(machine: Machine) -> str:
    """Its bindings; without any, the profiles that were taken."""
    if machine.hardware:
        return ", ".join(machine.hardware)
    used = (own for row in machine.rows for own in row.findings.hardware.values())
    return ", ".join(dict.fromkeys(used))
