"""Comparisons made by hand, of invented figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agentsim.analysis.findings import Findings
from agentsim.experiment.breakeven import BreakEven
from agentsim.experiment.compare import Compared, Machine, Row
from agentsim.experiment.paired import Apart
from tests.unit.report.made import MINUTE, constant, findings, stat


def at(hardware: str, minutes: float, **changes: Any) -> Findings:
    """An answer that takes so many minutes typically."""
    typical = minutes * MINUTE
    return findings(
        hardware={"main": hardware},
        wall=stat(typical, typical * 1.6, typical * 2, typical * 1.3),
        without_people=stat(typical / 2, typical, typical, typical),
        budget=None,
        **changes,
    )


def by(minutes: float, error: float, needed: int | None = None) -> Apart:
    mean, half = minutes * MINUTE, error * MINUTE
    return Apart(mean, (mean - half, mean + half), 5 * half, 1000, needed)


def beside(label: str, found: Findings, apart: Apart, quickest: bool) -> Row:
    """A row whose first one is the quickest, too."""
    return Row(f"{label}.yaml", (), label, found, apart, quickest, behind=apart)


def compared(**changes: Any) -> Compared:
    """Three workflows on two machines: one is slower, one cannot be told apart."""
    machines = []
    for hardware, start in (("claude-opus", 36.0), ("cerebras", 31.0)):
        rows = (
            Row("solo.yaml", (), "solo", at(hardware, start), None, True),
            beside("loop", at(hardware, start + 11), by(11.1, 1.5), False),
            beside("best3", at(hardware, start + 1), by(0.5, 1.2, 48_123), True),
        )
        machines.append(Machine((hardware,), rows))
    told = (
        BreakEven("solo", 1, 0, True, 2.236, (2.01, 2.49), 400),
        BreakEven("loop", 1, 0, True, None, None, 400, beyond=True),
        BreakEven("best3", 0, 1, False),
    )
    return replace(Compared(tuple(machines), told), **changes)


def exact() -> Compared:
    """Two workflows of constants on one machine."""
    times = {"a": 90.0, "b": 30.0}
    rows = tuple(
        Row(
            f"{label}.yaml",
            (("n", 2), ("size", {"p50": 4})),
            f"{label} n=2",
            replace(
                at("one", 1, exact=True, replications=1, people={}),
                wall=constant(seconds),
                without_people=constant(seconds),
            ),
            None if label == "a" else Apart(-60.0, (-60.0, -60.0), 0.0, 1),
            label == "b",
            behind=Apart(60.0, (60.0, 60.0), 0.0, 1) if label == "a" else None,
        )
        for label, seconds in times.items()
    )
    return Compared((Machine(("one",), rows),))
