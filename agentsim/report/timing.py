"""How long it takes and when it is done: as much of the spread as so many runs can tell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime

from agentsim.analysis.findings import Findings
from agentsim.report import show
from agentsim.report.blocks import Line, Run, line

FEW_RUNS = 10  # with fewer there is no run in ten to speak of


def wall(findings: Findings) -> Line:
    """The typical run, 4 in 5, 1 in 10; what reads the same is said once."""
    it = findings.wall
    if findings.exact:
        return line("always ", Run(show.exact(it.p50), "strong"))
    if findings.replications == 1:
        return line(Run(show.duration(it.p50), "strong"), " in one run: nothing tells its spread")
    if findings.replications < FEW_RUNS:
        typical, low, high = map(show.duration, (it.p50, it.min, it.max))
        if low == high:
            return line(Run(low, "strong"), f" in each of {findings.replications} runs")
        runs = f"{findings.replications} runs, from {low} to {high}"
        return Line(((Run(f"{typical} typical", "strong"),), (Run(runs),)))
    values = (it.p5, it.p50, it.p80, it.p90, it.p95)
    low, typical, most, long, high = map(show.duration, values)
    if low == high:
        return line(Run(typical, "strong"), " in 9 of 10 runs")
    first = (Run(f"{typical} typical", "strong"),)
    if typical == long:
        return Line((first, (Run("9 in 10 runs take no longer"),)))
    if most == long:
        return Line((first, (Run("9 in 10 runs within "), Run(long, "strong"))))
    last = (Run("1 in 10 over "), Run(long, "strong"))
    if typical == most:
        return Line((first, (Run("4 in 5 runs take no longer"),), last))
    return Line((first, (Run("4 in 5 runs within "), Run(most, "strong")), last))


_DONE = (("p50", "typically"), ("p80", "4 in 5 by"), ("p90", "9 in 10 by"))


def done_by(finish: Mapping[str, str], findings: Findings) -> str:
    """`Done typically Tue 1 Dec 09:09, 4 in 5 by 10:12`; what reads the same is said once.

    With the year from the first date on that is in another one than the start.
    """
    told, before = [], ("", "")
    year = _started(finish["p50"], findings.wall.p50).year
    few = not findings.exact and findings.replications < FEW_RUNS
    for key, words_ in _DONE[: 1 if few else None]:
        at = datetime.fromisoformat(finish[key])
        day, clock = show.day(at, at.year != year), f"{at:%H:%M}"
        if (day, clock) != before:
            told.append(f"{words_} {clock if day == before[0] else f'{day} {clock}'}")
        before = (day, clock)
    if len(told) == 1 and (not few or findings.replications == 1):
        told = [told[0].removeprefix("typically ")]
    return f"Done {', '.join(told)}."


def _started(end: str, seconds: float) -> datetime:
    """When a run began that took so long; the end is cut to whole seconds, a start is whole."""
    at = datetime.fromisoformat(end)
    start = math.ceil(at.timestamp() - seconds - 0.001)
    return datetime.fromtimestamp(start, at.tzinfo)
