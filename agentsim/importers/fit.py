"""Laws from measured rows by least squares.

A decode step of B streams takes s(B) + c*T seconds, T the sum of their contexts; reading a token
at depth x takes a + b*x, and a prompt of any length t0 more; requests from prompt to last token
take both (docs/model.md, "A call"). All unknowns are found at once, so that several files mend each
other. s(B) is a table of the measured numbers of streams, or a + b*B + d*sqrt(B) where that tells
what lies between them better. What no row tells apart is left out, and told (`sloped`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from agentsim.errors import Problem, Problems
from agentsim.importers.rows import Row
from agentsim.importers.solve import independent, least_squares
from agentsim.laws.decode import Decode, Knots
from agentsim.laws.prefill import Prefill

SPOILT = 0.05  # a first row nearer to the others' law than that is no worse than another
_BETTER = 0.8  # of the others' mean error, with the first row left out
_SMOOTH = 0.02  # mean error up to which the root law is taken: docs/accuracy.md
_APART = 1.5  # contexts nearer to each other than by this factor give no slope
MOST_KNOTS = 40  # numbers of streams in a table; more are told by the root law
_TRIED = 8  # numbers of streams that are left out in turn
_GAP = 2.0  # knots further apart than by this factor get others between them

Form = Callable[[float], list[float]]


@dataclass(frozen=True, slots=True)
class Laws:
    """What was fitted.

    decode or prefill None: no row measures it. sloped, read_sloped: context was varied, for making
    and for reading. guessed: numbers of streams of the table that were not measured.
    """

    decode: Decode | None
    prefill: Prefill | None
    sloped: bool = False
    read_sloped: bool = False
    guessed: tuple[float, ...] = ()

    def seconds(self, row: Row) -> float | None:
        """What the laws make of `row.seconds`; None where the one for it is missing."""
        if row.kind == "decode":
            return None if self.decode is None else step(self.decode, row.streams, row.total)
        if self.prefill is None:
            return None
        read = self.prefill.seconds(row.prompt, row.depth)
        if row.kind == "prefill":
            return read / row.prompt
        if self.decode is None:
            return None
        context = row.streams * (row.depth + row.prompt + 0.5 * row.output)
        return row.streams * read + row.output * step(self.decode, row.streams, context)

    def error(self, row: Row) -> float | None:
        """How much longer the laws take than was measured, as a share."""
        found = self.seconds(row)
        return None if found is None else found / row.seconds - 1.0


def step(law: Decode, streams: float, total: float) -> float:
    """Seconds a token of each stream takes."""
    return (law.step(streams) + law.slope * total) / law.per_step


def fit(rows: Sequence[Row]) -> tuple[Laws, list[Row]]:
    """The laws of the rows, and the first rows of tables that spoil them and were left out.

    Raises `Problems` where the rows do not say how fast anything is decoded.
    """
    if all(row.kind == "prefill" for row in rows):
        hint = "llama-bench measures it with -n 128, others with more than one output token"
        place = rows[0].place if rows else None
        raise Problems([Problem("bad-value", "no row measures decoding", place, hint)])
    kept = list(rows)
    left_out = []
    for first in _firsts(rows):
        rest = [row for row in kept if row is not first]
        if _spoils(first, kept, rest):
            kept = rest
            left_out.append(first)
    return laws(kept), left_out


def laws(rows: Sequence[Row]) -> Laws:
    """The laws of the rows, none left out."""
    table = _solved(rows, rooted=False)
    streams = {row.streams for row in rows if row.kind != "prefill"}
    if len(streams) < 4:
        return table
    root = _solved(rows, rooted=True)
    if len(streams) > MOST_KNOTS:
        return root
    makes = [row for row in rows if row.kind != "prefill"]
    smooth = mean(root, makes) <= _SMOOTH
    return root if smooth and _between(rows, True) < _between(rows, False) else table


def _between(rows: Sequence[Row], rooted: bool) -> float:
    """Mean error for numbers of streams that are left out, one after another, of a decode law.

    Of many, some spread over all of them say it as well.
    """
    found = []
    makes = [row for row in rows if row.kind != "prefill"]
    inner = sorted({row.streams for row in makes})[1:-1]
    for out in inner[:: -(-len(inner) // _TRIED)]:
        rest = [row for row in rows if row.kind == "prefill" or row.streams != out]
        found.append(mean(_solved(rest, rooted), [row for row in makes if row.streams == out]))
    return sum(found) / len(found)


def alone(rows: Sequence[Row]) -> Laws:
    """The laws of rows of one kind, reading alone among them, with a table by streams."""
    return _solved(rows, rooted=False)


def mean(found: Laws, rows: Sequence[Row]) -> float:
    """The mean size of the errors of those rows that there is a law for."""
    errors = [abs(error) for row in rows if (error := found.error(row)) is not None]
    return sum(errors) / len(errors) if errors else 0.0


def _firsts(rows: Sequence[Row]) -> list[Row]:
    """The first row of each kind of each table."""
    seen: dict[tuple[str, int, str], Row] = {}
    for row in rows:
        seen.setdefault((row.place.file, row.table, row.kind), row)
    return list(seen.values())


def _spoils(first: Row, rows: Sequence[Row], rest: Sequence[Row]) -> bool:
    """Whether the other rows of a kind fit each other clearly better without the first one.

    Or whether it is off by twice as much as any of them. One that alone tells of its number of
    streams is never left out.
    """
    alike = [row for row in rest if row.kind == first.kind]
    if len(alike) < 3:
        return False
    if first.kind == "decode" and all(row.streams != first.streams for row in alike):
        return False
    without = _solved(rest, rooted=False)
    off = without.error(first)
    if off is None or abs(off) < SPOILT:
        return False
    if abs(off) > 2.0 * max(abs(without.error(row) or 0.0) for row in alike):
        return True
    return mean(without, alike) < _BETTER * mean(_solved(rows, rooted=False), alike)


def _solved(rows: Sequence[Row], rooted: bool, without: tuple[int, ...] = ()) -> Laws:
    """Least squares of all rows at once, each relative to what was measured.

    without: unknowns that are taken to be 0, by number.
    """
    knots = sorted({row.streams for row in rows if row.kind != "prefill"})
    form = _root if rooted else _table(knots)
    width = 3 if rooted else len(knots)
    reads = [row for row in rows if row.kind == "prefill"] or [
        row for row in rows if row.kind == "round"
    ]
    makes = [row for row in rows if row.kind == "decode"] or [
        row for row in rows if row.kind == "round"
    ]
    parts = [_parts(row, form, width) for row in rows]
    used = [_is_fixed(reads), bool(reads), _is_sloped(reads), *[True] * width, is_sloped(makes)]
    used = [use and j not in without for j, use in enumerate(used)]
    wanted = [row.seconds for row in rows]
    used = _told_apart(parts, wanted, used, rows)
    cells = [[cell if use else 0.0 for cell, use in zip(row, used, strict=True)] for row in parts]
    x = least_squares(cells, wanted)
    # context alone explains no time: a law must hold at none, so its slope goes
    if reads and x[1] == 0.0 and (used[0] or used[2]):
        return _solved(rows, rooted, (*without, 0 if used[0] else 2))
    if makes and used[-1] and not _takes_time(x[3:-1], rooted):
        return _solved(rows, rooted, (*without, width + 3))
    prefill = Prefill(*x[:3]) if reads and x[1] > 0.0 else None
    if not makes:
        return Laws(None, prefill, False, used[2])
    s, slope = x[3:-1], x[-1]
    if rooted:
        law = Decode(fit=(s[0], s[1], s[2]), slope=slope)
        return Laws(law, prefill, used[-1], used[2])
    table, guessed = filled(tuple(zip(map(float, knots), s, strict=True)))
    return Laws(Decode(knots=table, slope=slope), prefill, used[-1], used[2], guessed)


def _takes_time(s: Sequence[float], rooted: bool) -> bool:
    """Whether a step takes time at no context at all, for each number of streams."""
    return sum(s) > 0.0 if rooted else min(s) > 0.0


def _told_apart(
    parts: Sequence[Sequence[float]], wanted: Sequence[float], used: list[bool], rows: Sequence[Row]
) -> list[bool]:
    """The unknowns that the rows tell apart: without t0, then c, then b where they do not.

    Raises `Problems` where reading and making themselves are told by no row: rounds of one length,
    say, which several speeds of reading would explain.
    """
    used = [use and any(row[j] for row in parts) for j, use in enumerate(used)]
    for gone in (None, 0, len(used) - 1, 2):
        if gone is not None:
            used = [use and j != gone for j, use in enumerate(used)]
        if independent(parts, wanted, [j for j, use in enumerate(used) if use]):
            return used
    message = "these rows do not tell reading from making: several speeds would explain them alike"
    hint = "add a run with one request at a time, or runs with other lengths of prompt and output"
    raise Problems([Problem("bad-value", message, rows[0].place, hint)])


def filled(knots: Knots) -> tuple[Knots, tuple[float, ...]]:
    """A table with rows where none was measured, and which these are.

    A step grows less and less with each more stream, so a straight line across a wide gap is too
    low: between two measured numbers that are further apart than by a factor of 2, it goes by the
    root of the streams. One stream, where it was not measured, by the logarithm, as far as a step
    of one may be from one of more: docs/accuracy.md holds both against measured rows.
    """
    rows: list[tuple[float, float]] = []
    guessed: list[float] = []
    first, least = knots[0]
    if first > 1.0 and len(knots) > 1:
        more, longer = knots[1]
        alone = least - (longer - least) * math.log(first) / math.log(more / first)
        rows.append((1.0, min(least, max(alone, least / first))))
        guessed.append(1.0)
    for (b0, s0), (b1, s1) in pairwise(knots):
        rows.append((b0, s0))
        at = 2.0 * b0
        while at < b1 and b1 > _GAP * b0:
            share = (math.sqrt(at) - math.sqrt(b0)) / (math.sqrt(b1) - math.sqrt(b0))
            rows.append((at, s0 + (s1 - s0) * share))
            guessed.append(at)
            at *= 2.0
    return (*rows, knots[-1]), tuple(guessed)


def _parts(row: Row, form: Form, width: int) -> list[float]:
    """What a row's seconds are made of: t0, a, b of reading, s(B), and c of making."""
    if row.kind == "decode":
        return [0.0, 0.0, 0.0, *form(row.streams), row.total]
    if row.kind == "prefill":
        return [1.0 / row.prompt, 1.0, row.context, *[0.0] * width, 0.0]
    read = [row.streams * part for part in (1.0, row.prompt, row.prompt * row.context)]
    total = row.streams * (row.depth + row.prompt + 0.5 * row.output)
    return [*read, *(row.output * part for part in form(row.streams)), row.output * total]


def _root(streams: float) -> list[float]:
    return [1.0, streams, math.sqrt(streams)]


def _table(knots: Sequence[int]) -> Form:
    return lambda streams: [float(streams == knot) for knot in knots]


def _is_fixed(rows: Sequence[Row]) -> bool:
    """Whether prompts differ enough in length to tell what each costs besides its tokens."""
    lengths = {row.prompt for row in rows}
    points = {(row.prompt, row.depth) for row in rows}
    return len(points) >= 3 and max(lengths) >= 2.0 * min(lengths)


def _is_sloped(rows: Sequence[Row]) -> bool:
    depths = [row.context for row in rows]
    return bool(depths) and max(depths) >= _APART * min(depths)


def is_sloped(rows: Sequence[Row]) -> bool:
    """Whether some number of streams was measured at contexts that differ enough."""
    by_streams: dict[int, list[float]] = {}
    for row in rows:
        made = row.total if row.kind == "decode" else row.streams * (row.depth + row.prompt)
        by_streams.setdefault(row.streams, []).append(made)
    return any(max(it) >= _APART * min(it) and max(it) > 512 for it in by_streams.values())
