"""At which decode speed something else begins to cost more: found by simulating, never guessed.

Seconds of decoding on the critical path go as 1 / rate where calls do not wait for each other.
From a simulated rate that closed form gives the rate at which two costs would be equal; it is
simulated in turn with the same draws, and so on until the form and the run agree. Where the form is
off (calls share a server, something runs beside them) two rates on either side of the crossing are
drawn together, by halves if nothing else helps: so a jump is found as well, and whichever rate the
search began from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agentsim.analysis.estimate import half_width, mean_of
from agentsim.experiment.meeting import HIGHEST, LOWEST, Look, Met, interval_of, meet

GAIN = 0.05
"""Twice the speed that saves a smaller share of the wall time is not worth much."""

GRID = tuple(LOWEST * 10**decade for decade in range(1, 7))
"""tok/s that are tried as well where nothing was found: what is cut short when slow, by a timeout,
costs little there too."""

_MARGIN = 1.05  # what lies nearer to a crossing than this, or in its interval, does not gainsay it


class Costs(NamedTuple):
    """Seconds of one replication at one rate: on the critical path, and the wall time."""

    decode: float
    tools: float
    people: float
    wall: float


@dataclass(frozen=True, slots=True)
class Crossing:
    """Above `rate` (tok/s) what `text` says is true. `runs`: replications that were compared.

    `beyond`: it lies outside of the rates that were asked for. `again`: it is true at some slower
    rates too.
    """

    kind: str  # people tools speed
    rate: float
    text: str
    ci95: tuple[float, float]
    runs: int
    beyond: bool = False
    again: bool = False


Probe = Callable[[float], Sequence[Costs]]
"""Simulates a rate (tok/s): the costs of each replication, always of the same ones."""

KINDS = ("people", "tools", "speed")


class _Looks:
    """Looks at one kind of crossing, which remember on which side of it each rate was."""

    def __init__(self, better: Callable[[float], Look]) -> None:
        self._better = better
        self._seen: dict[float, float] = {}

    def __call__(self, rate: float) -> Look:
        look = self._better(rate)
        self._seen[rate] = look.wanted
        return look

    def beneath(self) -> list[float]:
        """Rates that are below the crossing: there, what is asked is not so yet."""
        return sorted(rate for rate, wanted in self._seen.items() if wanted > rate)

    def above(self) -> list[float]:
        return sorted(rate for rate, wanted in self._seen.items() if wanted <= rate)


def crossings(
    probe: Probe,
    start: float,
    who: str = "people",
    kinds: Sequence[str] = KINDS,
    free: Sequence[float] = (),
) -> list[Crossing]:
    """The crossings of these kinds that there are, by rate; `start` is a rate to begin from.

    `who` is the one person of the workflow by name, or `people`. `free` are rates that have been
    simulated: these must agree with what is told.
    """
    seen: dict[float, Sequence[Costs]] = {}

    def costs(rate: float) -> Sequence[Costs]:
        if rate not in seen:
            seen[rate] = probe(rate)
        return seen[rate]

    cost = "cost" if who in {"you", "people"} else "costs"
    texts = {
        "people": f"{who} {cost} more than decoding",
        "tools": "the tools cost more than decoding",
        "speed": f"twice the speed saves less than {GAIN * 100:.0f} %",
    }
    ways: dict[str, Callable[[float], Look]] = {
        "people": lambda r: _equal(costs(r), [own.people for own in costs(r)], r),
        "tools": lambda r: _equal(costs(r), [own.tools for own in costs(r)], r),
        "speed": lambda r: _against_gain(costs(r), costs(2 * r), r),
    }
    found = []
    for kind in kinds:
        looks = _Looks(ways[kind])
        known = [r for r in free if kind != "speed" or 2 * r in free]
        met = _last(looks, start, known)
        if met is None or not _holds(kind, costs(met.above)):
            continue
        low, high = interval_of(met)
        again = any(rate * _MARGIN < low for rate in looks.above())
        text = texts[kind] + (", as at some slower speeds" if again else "")
        ends, runs = (low, high), len(costs(start))
        found.append(Crossing(kind, met.rate, text, ends, runs, again=again))
    return sorted(found, key=lambda crossing: crossing.rate)


def _last(looks: _Looks, start: float, free: Sequence[float]) -> Met | None:
    """The highest crossing that is known of; None where there is none within reach."""
    for rate in free:
        looks(rate)
    met = meet(looks, start)
    if met is None and not looks.beneath():
        for rate in GRID:
            looks(rate)
    for _ in GRID:  # as many crossings at most
        over = [r for r in looks.beneath() if met is None or r > _MARGIN * interval_of(met)[1]]
        if not over or over[-1] >= HIGHEST:
            break
        met = meet(looks, over[-1]) or met
    return met


def _holds(kind: str, costs: Sequence[Costs]) -> bool:
    """Not so where neither decoding nor the other is on the critical path any more."""
    return kind == "speed" or any(getattr(own, kind) for own in costs)


def _equal(costs: Sequence[Costs], other: Sequence[float], rate: float) -> Look:
    """Where decoding, going as 1 / rate, would be down to `other`.

    Its logarithm moves with that of the one mean over the other: where they meet, with the paired
    difference (decode - other) over the mean of both.
    """
    decode = [own.decode for own in costs]
    first, second = mean_of(decode), mean_of(other)
    if first <= 0:
        return Look(0.0, 0.0)
    half = half_width([a - b for a, b in zip(decode, other, strict=True)]) * 2 / (first + second)
    return Look(rate * first / second if second > 0 else math.inf, half)


def _against_gain(now: Sequence[Costs], twice: Sequence[Costs], rate: float) -> Look:
    """Where twice the speed would save `GAIN`.

    With x = decoding over all else at a rate, twice the speed saves s = x / 2 / (1 + x) of the
    wall time; x goes as 1 / rate. So s moves by -x / (2 (1 + x)^2) = -s (1 - 2 s) with the
    logarithm of the rate. The error of s is that of a ratio of two means over the same runs.
    """
    wall = mean_of([own.wall for own in now])
    left = mean_of([own.wall for own in twice]) / wall if wall > 0 else 1.0
    saved = 1 - left
    if wall <= 0:
        return Look(0.0, 0.0)
    moves = [(b.wall - left * a.wall) / wall for a, b in zip(now, twice, strict=True)]
    half = half_width(moves) / (GAIN * (1 - 2 * GAIN))
    if saved <= 0:
        return Look(0.0, half)
    if saved >= 0.5:
        return Look(math.inf, half)
    x = 2 * saved / (1 - 2 * saved)
    return Look(rate * x * (1 - 2 * GAIN) / (2 * GAIN), half)
