"""At which decode speed something else begins to cost more: found by simulating, never guessed.

Seconds of decoding on the critical path go as 1 / rate where calls do not wait for each other.
From a simulated rate that closed form gives the rate at which two costs would be equal; it is
simulated in turn with the same draws, and so on until the form and the run agree. Where calls
share a server the form is off; then a bracket of simulated rates keeps the search on the way.

The interval of a crossing is by the delta method on the logarithm of the rate: the error of the
costs that were compared, over how steeply they part with the rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agentsim.analysis.estimate import half_width, mean_of

LOWEST, HIGHEST = 0.1, 1e6
"""tok/s between which a crossing is looked for; beyond, it is left out."""

_FIRST_LOG, _LAST_LOG = math.log(LOWEST), math.log(HIGHEST)

LOOKS = 5
"""Rates that are simulated for one crossing at most (twice the speed takes two)."""

CLOSE = 0.01
"""Rates that differ by a smaller share are the same."""

APART = 0.05
"""Two rates that lie further apart (in logarithms) tell how steeply the costs part."""

WIDEST = 30.0
"""What an interval reaches to at most, in logarithms: more would say nothing and overflow."""

GAIN = 0.05
"""Twice the speed that saves a smaller share of the wall time is not worth much."""


class Costs(NamedTuple):
    """Seconds of one replication at one rate: on the critical path, and the wall time."""

    decode: float
    tools: float
    people: float
    wall: float


@dataclass(frozen=True, slots=True)
class Crossing:
    """Above `rate` (tok/s) what `text` says is true. `runs`: replications that were compared.

    `beyond`: it lies outside of the rates that were asked for.
    """

    kind: str  # people tools speed
    rate: float
    text: str
    ci95: tuple[float, float]
    runs: int
    beyond: bool = False


Probe = Callable[[float], Sequence[Costs]]
"""Simulates a rate (tok/s): the costs of each replication, always of the same ones."""


class Look(NamedTuple):
    """What one rate says: `wanted`, the rate at which both sides would meet (1 / rate assumed).

    `half`: half of the 95 % interval of the logarithm of it.
    """

    wanted: float
    half: float


class Met(NamedTuple):
    rate: float
    half: float


Better = Callable[[float], Look | None]
"""Simulates a rate and says at which one both sides would meet; None where they never do."""


def crossings(probe: Probe, start: float, who: str = "people") -> list[Crossing]:
    """The crossings that there are, by rate; `start` is a rate to begin from.

    `who` is the one person of the workflow by name, or `people`.
    """
    seen: dict[float, Sequence[Costs]] = {}

    def costs(rate: float) -> Sequence[Costs]:
        if rate not in seen:
            seen[rate] = probe(rate)
        return seen[rate]

    cost = "cost" if who in {"you", "people"} else "costs"
    wanted: tuple[tuple[str, str, Better], ...] = (
        ("people", f"{who} {cost} more than decoding", lambda r: _against_people(costs(r), r)),
        ("tools", "the tools cost more than decoding", lambda r: _against_tools(costs(r), r)),
        (
            "speed",
            f"twice the speed saves less than {GAIN * 100:.0f} %",
            lambda r: _against_gain(costs(r), costs(2 * r), r),
        ),
    )
    found = [
        Crossing(kind, met.rate, text, _interval(met), len(costs(start)))
        for kind, text, better in wanted
        if (met := meet(better, start)) is not None
    ]
    return sorted(found, key=lambda crossing: crossing.rate)


def _interval(met: Met) -> tuple[float, float]:
    half = min(met.half, WIDEST)
    return met.rate * math.exp(-half), met.rate * math.exp(half)


def meet(better: Better, start: float) -> Met | None:
    """The rate that `better` leaves where it is; None where there is none within reach.

    The first step trusts it; later ones draw a line through the last two on a scale of
    logarithms, which finds any power of the rate. A rate above its proposal is above the crossing.
    """
    at, low, high = math.log(start), -math.inf, math.inf
    before: tuple[float, float] | None = None
    steep, half = 1.0, 0.0
    for _ in range(LOOKS):
        rate = math.exp(at)
        look = better(rate)
        if look is None:
            return None
        gap, half = math.log(look.wanted / rate), look.half
        falls = before is not None and (before[1] - gap) * (at - before[0]) > 0
        if before is not None and falls and abs(at - before[0]) > APART:
            steep = (before[1] - gap) / (at - before[0])
        if abs(gap) <= CLOSE:
            return Met(look.wanted, half / steep) if LOWEST <= look.wanted <= HIGHEST else None
        low, high = (max(low, at), high) if gap > 0 else (low, min(high, at))
        if low >= _LAST_LOG or high <= _FIRST_LOG:
            return None
        step = gap
        if before is not None and falls:
            step = gap * (at - before[0]) / (before[1] - gap)
        before = at, gap
        at = at + step if low < at + step < high else (low + high) / 2
        at = min(max(at, _FIRST_LOG), _LAST_LOG)
    return Met(math.exp(at), half / steep + high - low) if high - low <= 10 * CLOSE else None


def _against_people(costs: Sequence[Costs], rate: float) -> Look | None:
    return _equal([own.decode for own in costs], [own.people for own in costs], rate)


def _against_tools(costs: Sequence[Costs], rate: float) -> Look | None:
    return _equal([own.decode for own in costs], [own.tools for own in costs], rate)


def _equal(decode: Sequence[float], other: Sequence[float], rate: float) -> Look | None:
    """Where decoding, going as 1 / rate, would be down to `other`.

    Its logarithm moves with that of the one mean over the other: where they meet, with the paired
    difference (decode - other) over the mean of decode.
    """
    first, second = mean_of(decode), mean_of(other)
    if not (first > 0 and second > 0):
        return None
    parts = [a / first - b / second for a, b in zip(decode, other, strict=True)]
    return Look(rate * first / second, half_width(parts))


def _against_gain(now: Sequence[Costs], twice: Sequence[Costs], rate: float) -> Look | None:
    """Where twice the speed would save `GAIN`.

    With x = decoding over all else at a rate, twice the speed saves s = x / 2 / (1 + x) of the
    wall time; x goes as 1 / rate. So s moves by -x / (2 (1 + x)^2) = -s (1 - 2 s) with the
    logarithm of the rate. The error of s is that of a ratio of two means over the same runs.
    """
    wall = mean_of([own.wall for own in now])
    left = mean_of([own.wall for own in twice]) / wall if wall > 0 else 1.0
    saved = 1 - left
    if not 0 < saved < 0.5:
        return None
    x = 2 * saved / (1 - 2 * saved)
    moves = [(b.wall - left * a.wall) / wall for a, b in zip(now, twice, strict=True)]
    half = half_width(moves) / (saved * (1 - 2 * saved))
    return Look(rate * x * (1 - 2 * GAIN) / (2 * GAIN), half)
