"""Where two sides meet as a number grows: by a closed form, by secants, by halves.

Each look says on which side of the meeting a number lies and, where a closed form knows, at which
number both would be equal. All of it goes by logarithms. Once a number below and one above are
known there is a meeting between them, and it is found: where nothing better helps by halving, which
closes on a jump too. Its error is by the delta method on the logarithm: the error of what was
compared, over how steeply the sides part about the meeting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

LOWEST, HIGHEST = 0.1, 1e6
"""Between these (tok/s of a rate) a meeting is looked for; beyond, there is none."""

LOOKS = 48
"""Looks at most. Fourteen halvings close the whole reach to `JUMP`; each may follow one step that
did not help, and five look for the other side. Most meetings take three."""

CLOSE = 0.01
"""Steps, in logarithms, from which on a meeting is found where nothing is drawn: see `_near`."""

JUMP = 0.001
"""What a jump is closed to, in logarithms, where nothing is drawn; else `CLOSE` is enough."""

APART, FAR = 0.05, 0.25
"""How far from the meeting its slope is taken, in logarithms: as far as the error reaches, within
these."""

_ANEW = 1.5  # an error that reaches so many times further or less far: the slope is taken again

WIDEST = 30.0
"""What an interval reaches to at most, in logarithms: more would say nothing and overflow."""

_SAME = 1e-6  # less than any figure that is shown
_OUTWARD = 0.02, 4.0  # the least step while one side is unknown, and how it grows
_BLIND = 2.0  # the first step where a look tells the side only


class Look(NamedTuple):
    """What one number says: `wanted`, at which both sides would meet by the closed form.

    Where it tells the side only: 0 if the meeting lies below, infinite if above. `half`: half of
    the 95 % interval of the logarithm of `wanted`, as it would be at the meeting.
    """

    wanted: float
    half: float


class Met(NamedTuple):
    """`half` is in logarithms. `above`: the nearest number that was seen at or above it.

    `moved`: how far, in logarithms, it lies from what was looked at, by the slope about it.
    """

    rate: float
    half: float
    above: float = math.nan
    moved: float = 0.0


Better = Callable[[float], Look | None]
"""Says at which number both sides would meet; None where nothing can be said and all ends."""


class _Point(NamedTuple):
    """A look at `rate` in logarithms: `gap` is how far up the meeting lies by the closed form."""

    at: float
    gap: float
    half: float
    rate: float


def interval_of(met: Met) -> tuple[float, float]:
    """The 95 % interval of what was met, never wider than `WIDEST` to each side."""
    half = min(met.half, WIDEST)
    return met.rate * math.exp(-half), met.rate * math.exp(half)


def meet(
    better: Better,
    start: float,
    reach: tuple[float, float] = (LOWEST, HIGHEST),
    bracket: float = 0.0,
) -> Met | None:
    """Where both sides meet; None where all that is within `reach` lies on one side.

    `bracket`: only a number on each side, so near to each other in logarithms, ends the search,
    and no slope does: for what goes in steps, where it would lead to the middle of one.

    The first step trusts the closed form; later ones draw a line through the last two looks,
    which finds any power. A step that leaves more than half of what is between both sides is
    followed by a halving.
    """
    start = min(max(start, reach[0]), reach[1])
    look = _looker(better, (start, *reach))
    at, first, last = map(math.log, (start, *reach))
    low = high = before = None
    width = math.inf
    for tried in range(LOOKS):
        if (own := look(at)) is None:
            return None
        step = _step(own, before)
        near = _near(own.half * min(1.0, step / own.gap) if math.isfinite(step) and step else 0.0)
        if not bracket and abs(step) <= near and abs(own.gap) <= (4 * near if own.half else near):
            return _settled(look, own)
        low, high = (own, high) if own.gap > 0 else (low, own)
        if low is None or high is None:
            if at >= last if high is None else at <= first:
                return None
            at = min(max(at + _outward(step, tried), first), last)
        else:
            width, wider = high.at - low.at, width
            drawn = max(low.half, high.half) > 0
            if width <= (bracket or (CLOSE if drawn else JUMP)):
                break
            if not low.at < at + step < high.at:
                step = _between(low, high) - at
            helps = width <= wider * 0.51
            at = at + step if helps else (low.at + high.at) / 2
        before = own
    if low is None or high is None:
        return None
    middle = _Point((low.at + high.at) / 2, 0.0, max(low.half, high.half), high.rate)
    return _settled(look, middle, (high.at - low.at) / 2)


_Sight = Callable[[float], _Point | None]


def _looker(better: Better, exact: Sequence[float]) -> _Sight:
    """Looks by logarithms; those of the `exact` numbers at just these, to the last bit."""
    known = {math.log(number): number for number in exact}

    def look(at: float) -> _Point | None:
        rate = known.get(at) or math.exp(at)
        found = better(rate)
        if found is None:
            return None
        gap = math.log(found.wanted / rate) if found.wanted > 0 else -math.inf
        return _Point(at, gap, found.half, rate)

    return look


def _step(own: _Point, before: _Point | None) -> float:
    """To where a line through both points would have no gap; else by the closed form."""
    if before is None or not (math.isfinite(own.gap) and math.isfinite(before.gap)):
        return own.gap
    if own.at == before.at:  # a side that has no gap is looked at again: no line goes through one
        return own.gap
    steep = (before.gap - own.gap) / (own.at - before.at)
    return own.gap / steep if steep > 0 else own.gap


def _near(half: float) -> float:
    """A step from which on the slope about the meeting does the rest: well within the error."""
    return min(max(half / 4, CLOSE), APART)


def _between(low: _Point, high: _Point) -> float:
    """Where a line through both sides is level; by tanh, which has a value on a blind side too."""
    over, under = math.tanh(low.gap / 2), math.tanh(high.gap / 2)
    return low.at + (high.at - low.at) * over / (over - under)


def _outward(step: float, tried: int) -> float:
    """Further each time, so that the end of the reach is seen after a few looks."""
    least, times = _OUTWARD
    size = abs(step) if math.isfinite(step) else _BLIND * 2**tried
    return math.copysign(max(size, least * times**tried), step)


def _settled(look: _Sight, own: _Point, spare: float = 0.0) -> Met:
    """The meeting about a point near to it; `spare`: how far off it may be for a jump."""
    if own.half == 0 and (spare or abs(own.gap) <= _SAME):
        return Met(math.exp(own.at + own.gap), spare, own.rate, abs(own.gap))
    reach = _reached(own.half)
    steep = _steepness(look, own, reach)
    if steep <= 0:
        return Met(math.exp(own.at), math.inf, own.rate)
    if not 1 / _ANEW < (wanted := _reached(own.half / steep)) / reach < _ANEW:
        reach, steep = wanted, _steepness(look, own, wanted) or steep
    move = min(max(own.gap / steep, -reach), reach)
    return Met(math.exp(own.at + move), own.half / steep + spare, own.rate, abs(move))


def _reached(half: float) -> float:
    return min(max(half, APART), FAR)


def _steepness(look: _Sight, own: _Point, reach: float) -> float:
    """How fast both sides part about a point: 1 by the closed form. 0 where they do not part.

    By t = tanh(gap / 2), which is the difference of both sides over their sum: it has a value also
    where one of them is nothing.
    """
    for far in (reach, 2 * reach, 4 * reach):
        before = look(own.at - far) or own
        after = look(own.at + far) or own
        run = math.tanh((own.at - before.at) / 2) + math.tanh((after.at - own.at) / 2)
        fall = math.tanh(before.gap / 2) - math.tanh(after.gap / 2)
        if run > 0 and fall > 0:
            return fall / run
    return 0.0
