"""At which decode speed something else begins to cost more: found by simulating, never guessed.

Seconds of decoding on the critical path go as 1 / rate where calls do not wait for each other.
From a simulated rate that closed form gives the rate at which two costs would be equal; it is
simulated in turn with the same draws, and so on until the form and the run agree. Where calls
share a server the form is off; then a bracket of simulated rates keeps the search on the way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

LOWEST, HIGHEST = 0.1, 1e6
"""tok/s between which a crossing is looked for; beyond, it is left out."""

_FIRST_LOG, _LAST_LOG = math.log(LOWEST), math.log(HIGHEST)

LOOKS = 5
"""Rates that are simulated for one crossing at most (twice the speed takes two)."""

CLOSE = 0.01
"""Rates that differ by a smaller share are the same."""

GAIN = 0.05
"""Twice the speed that saves a smaller share of the wall time is not worth much."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Mean seconds of a run at one rate: on the critical path, and the wall time."""

    decode: float
    tools: float
    people: float
    wall: float


@dataclass(frozen=True, slots=True)
class Crossing:
    """Above `rate` (tok/s) what `text` says is true."""

    kind: str  # people tools speed
    rate: float
    text: str


Probe = Callable[[float], Costs]
"""Simulates a rate (tok/s)."""


def crossings(probe: Probe, start: float, who: str = "people") -> list[Crossing]:
    """The crossings that there are, by rate; `start` is a rate that was simulated already.

    `who` is the one person of the workflow by name, or `people`.
    """
    seen: dict[float, Costs] = {}

    def costs(rate: float) -> Costs:
        if rate not in seen:
            seen[rate] = probe(rate)
        return seen[rate]

    cost = "cost" if who in {"you", "people"} else "costs"
    wanted = (
        ("people", f"{who} {cost} more than decoding", lambda r: _against_people(costs(r), r)),
        ("tools", "the tools cost more than decoding", lambda r: _against_tools(costs(r), r)),
        (
            "speed",
            f"twice the speed saves less than {GAIN * 100:.0f} %",
            lambda r: _against_gain(costs(r), costs(2 * r), r),
        ),
    )
    found = [
        Crossing(kind, rate, text)
        for kind, text, better in wanted
        if (rate := meet(better, start)) is not None
    ]
    return sorted(found, key=lambda crossing: crossing.rate)


def meet(better: Callable[[float], float | None], start: float) -> float | None:
    """The rate that `better` leaves where it is; None where there is none within reach.

    `better(rate)` simulates a rate and says at which one both sides would meet; None where they
    never do. The first step trusts it; later ones draw a line through the last two on a scale of
    logarithms, which finds any power of the rate. A rate above its proposal is above the crossing.
    """
    at, low, high = math.log(start), -math.inf, math.inf
    before: tuple[float, float] | None = None
    for _ in range(LOOKS):
        rate = math.exp(at)
        wanted = better(rate)
        if wanted is None:
            return None
        gap = math.log(wanted / rate)
        if abs(gap) <= CLOSE:
            return wanted if LOWEST <= wanted <= HIGHEST else None
        low, high = (max(low, at), high) if gap > 0 else (low, min(high, at))
        if low >= _LAST_LOG or high <= _FIRST_LOG:
            return None
        step = gap
        if before is not None and (before[1] - gap) * (at - before[0]) > 0:
            step = gap * (at - before[0]) / (before[1] - gap)
        before = at, gap
        at = at + step if low < at + step < high else (low + high) / 2
        at = min(max(at, _FIRST_LOG), _LAST_LOG)
    return math.exp(at) if high - low <= 10 * CLOSE else None


def _against_people(costs: Costs, rate: float) -> float | None:
    return _equal(costs.decode, costs.people, rate)


def _against_tools(costs: Costs, rate: float) -> float | None:
    return _equal(costs.decode, costs.tools, rate)


def _equal(decode: float, other: float, rate: float) -> float | None:
    """Where decoding, going as 1 / rate, would be down to `other`."""
    return rate * decode / other if decode > 0 and other > 0 else None


def _against_gain(now: Costs, twice: Costs, rate: float) -> float | None:
    """Where twice the speed would save `GAIN`.

    With x = decoding over all else at a rate, twice the speed saves x / 2 / (1 + x) of the wall
    time; x goes as 1 / rate.
    """
    saved = (now.wall - twice.wall) / now.wall if now.wall > 0 else 0.0
    if not 0 < saved < 0.5:
        return None
    x = 2 * saved / (1 - 2 * saved)
    return rate * x * (1 - 2 * GAIN) / (2 * GAIN)
