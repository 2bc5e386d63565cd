"""The charts of `hw show`: speed against context and against streams, and what fits at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from agentsim.analysis import hardware as figures
from agentsim.graph import ServerPlan
from agentsim.report import show
from agentsim.report.blocks import Column, Notes, Table
from agentsim.report.hardware_words import NONE, speed

_LONG, _SHORT = 14, 10  # columns of a bar that is the longest
_FITS = "What fits at once"
_BY = MappingProxyType({"slots": "slots", "kv": "memory for contexts"})


def charts(plan: ServerPlan) -> Iterator[Table | Notes]:
    """Those that the profile has, with bars of `#`."""
    yield _depths(plan)
    if crowds := figures.crowds(plan):
        yield _crowds(plan, crowds)
    if (rooms := figures.rooms(plan)) and (plan.slots != 1 or plan.kv is not None):
        yield _rooms(plan, rooms)


def _bars(values: Sequence[float], longest: int) -> list[str]:
    """One of `#` each, by its share of the largest; one at least of what is above 0."""
    most = max((it for it in values if math.isfinite(it)), default=0.0)
    drawn = []
    for value in values:
        part = 1.0 if not math.isfinite(value) else value / most if most else 0.0
        drawn.append("#" * max(round(longest * part), value > 0.0))
    return drawn


def _depths(plan: ServerPlan) -> Table:
    table = figures.depths(plan)
    beyond = any(row.measured is False for row in table)
    decode = _bars([row.decode for row in table], _LONG)
    reads = [row.prefill for row in table]
    prefill = _bars([it or 0.0 for it in reads], _SHORT)
    rows = []
    for i, row in enumerate(table):
        written = speed(row.decode) + _doubt(row.measured is not False, beyond)
        # what is not read by the token takes the same at any depth
        read = _doubt(row.measured is not False or row.prefill is None, beyond)
        rate = NONE if row.prefill is None else speed(row.prefill) + read
        cells = (show.tokens(row.context), written, decode[i], rate)
        bar = () if None in reads else (prefill[i],)
        rows.append((*cells, *bar, show.tight(row.read) + read))
    heads = [Column("context", True), Column("decode tok/s", True), Column("")]
    heads.append(Column("prefill tok/s", True))
    heads += [] if None in reads else [Column("")]
    heads.append(Column("read whole", True))
    notes = ["read whole: a prompt of that length, nothing of it cached"]
    if beyond:
        notes.insert(0, "? beyond what was measured")
    return Table("One stream alone, by context", tuple(heads), tuple(rows), notes=tuple(notes))


def _crowds(plan: ServerPlan, crowds: Sequence[figures.Crowd]) -> Table:
    beyond = not all(row.measured for row in crowds)
    far = plan.about.deepest is not None and plan.about.deepest < figures.DEEP
    bars = _bars([row.total for row in crowds], _LONG)
    deep = any(row.each_deep is not None for row in crowds)
    rows = []
    for row, bar in zip(crowds, bars, strict=True):
        mark = _doubt(row.measured, beyond)
        cells = [str(row.streams), speed(row.each) + mark, speed(row.total) + mark, bar]
        for value in (row.each_deep, row.total_deep) if deep else ():
            doubt = _doubt(row.measured and not far, beyond or far)
            cells.append(NONE if value is None else speed(value) + doubt)
        rows.append(tuple(cells))
    heads = [Column("streams", True), Column("each tok/s", True), Column("all", True), Column("")]
    if deep:
        heads += [Column("each at 32k", True), Column("all at 32k", True)]
    notes = ["? beyond what was measured"] if beyond or (far and deep) else []
    if deep and any(row.each_deep is None for row in crowds):
        notes.append("- so many of 32k do not fit")
    title = "Several streams, empty context" + (" and 32k each" if deep else "")
    return Table(title, tuple(heads), tuple(rows), notes=tuple(notes))


def _rooms(plan: ServerPlan, rooms: Sequence[figures.Room]) -> Table | Notes:
    if plan.kv is None:
        last = rooms[-1]
        each, calls = show.tokens(last.context), f"{last.calls:,}"
        return Notes(
            _FITS,
            (
                f"{calls} calls of {each} of context each, if its memory holds "
                f"{show.tokens(last.calls * last.context)} tokens: that is not given (`kv`)",
            ),
        )
    rows = tuple((show.tokens(it.context), f"{it.calls:,}", _BY[it.limit]) for it in rooms)
    heads = (Column("context of each", True), Column("calls at once", True), Column("limit"))
    return Table(_FITS, heads, rows)


def _doubt(measured: bool, beyond: bool) -> str:
    """` ?` behind what is not; as many blanks behind the others, if there is any in the column."""
    return "" if not beyond else "  " if measured else " ?"
