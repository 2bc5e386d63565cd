"""`hw list` and `hw show`: what each profile does, as documents and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from agentsim.analysis import hardware as figures
from agentsim.analysis.hardware import Rated
from agentsim.graph import ServerPlan
from agentsim.report import csv_, hardware_charts, json_, show
from agentsim.report.blocks import Block, Code, Column, Document, Foot, Headline, Notes, Table
from agentsim.report.hardware_words import NONE, facts
from agentsim.report.text import columns, name, safe

WIDTH = 80
_NARROW = 9  # columns of PREFILL
TINY = "tiny ctx"
_CUT = "MODEL: ... is cut; whole in a wider window, in a file (-o) or a pipe, in hw show NAME."
_LEGEND = (
    "DECODE, PREFILL: tok/s of one stream at 0 / 32k of context; one figure: the same at both; "
    "?: not measured so far; "
    "1st: the time to the first token is measured instead. "
    "x8: tok/s of 8 streams together; - is one at a time, not shared or not measured.",
    "FIT: acceptable from 100 prefill and 10 decode, ok-ish 200 and 15, wonderful 1,000 and 100; "
    "the lower counts. ! has quotas; tiny ctx: holds less than 32k of context.",
    "SRC: A measured, B a third party, C older or second-hand; the year.",
)


def listing(plans: Sequence[ServerPlan], width: int | None = WIDTH) -> Document:
    """All profiles, a row each, in so many columns: the model's name gives way first, with `...`.

    `width` None: nothing is cut.
    """
    rows = [_row(figures.rated(plan)) for plan in plans]
    heads = ("NAME", "MODEL", "DECODE", "PREFILL", "x8", "FIT", "SRC")
    others = [[row[i] for row in (heads, *rows)] for i in range(len(heads)) if heads[i] != "MODEL"]
    taken = 2 + sum(2 + max(map(columns, cells)) for cells in others)
    told = rows
    if width is not None:
        room = max(8, width - taken)
        told = [(row[0], name(row[1], room), *row[2:]) for row in rows]
    right = {"DECODE", "PREFILL", "x8"}
    table = Table(
        "",
        tuple(Column(head, head in right) for head in heads),
        tuple(told),
        notes=_LEGEND if told == rows else (_CUT, *_LEGEND),
        whole=width is None,
    )
    return Document((table, Foot((("more: agentsim hw show NAME",),))))


def _row(row: Rated) -> tuple[str, ...]:
    small = row.context is not None and row.context < figures.DEEP
    fit = TINY if small else row.fit or NONE
    return (
        safe(row.name),
        safe(row.model) or NONE,
        _two(row.decode, row.decode_deep, row.decode_deep_known),
        _reading(row),
        NONE if row.total8 is None else show.number(row.total8),
        fit + ("!" if row.quota else ""),
        f"{row.grade} {_year(row.as_of)}".strip() or NONE,
    )


def _reading(row: Rated) -> str:
    if row.first_token is not None:
        told = f"{show.tight(row.first_token)} 1st"
        # a column of nine leaves twelve for the longest name's model: `gpt-oss-120b`
        return told if len(told) <= _NARROW else f"{row.first_token:.1f}s 1st"
    if row.prefill is None:
        return NONE
    told = _two(row.prefill, row.prefill_deep, row.prefill_deep_known)
    if len(told) <= _NARROW or row.prefill_deep is None:
        return told
    return f"{show.tokens(row.prefill)}/{show.tokens(row.prefill_deep)}"


def _two(first: float, deep: float | None, known: bool) -> str:
    """`58/43`; one figure where both read the same or the context ends before; `229/?`."""
    if deep is None:
        return show.number(first)
    both = [show.number(first), show.number(deep) if known else "?"]
    return both[0] if both[0] == both[1] else "/".join(both)


def _year(as_of: str) -> str:
    year = as_of[:4]
    return year[2:] if len(year) == 4 and year.isdigit() else ""


def shown(plan: ServerPlan, width: int | None = WIDTH) -> Document:
    """One profile: its laws in words, what they come to, and what it leaves out.

    `width`: columns in which a long address is broken; None: it stays whole.
    """
    about = plan.about
    blocks: list[Block] = [
        Headline(name(about.title, 60), (safe(plan.profile),)),
        Table("", (Column(""), Column("")), facts(plan)),
    ]
    if about.url:
        blocks.append(Code(_address(safe(about.url), width)))
    blocks += [*hardware_charts.charts(plan), _examples(plan), *_told(plan)]
    return Document(tuple(blocks))


def _told(plan: ServerPlan) -> Iterator[Notes]:
    """What is odd or missing, what was assumed, and what the file says else: each by its name."""
    about = plan.about
    own = {*about.assumed, about.note}
    doubts = tuple(it for it in about.notes if it not in own)
    for title, told in (
        ("To beware of", doubts),
        (f"Assumed, not measured ({len(about.assumed)})", about.assumed),
        ("To know", (about.note,) if about.note else ()),
    ):
        if told:
            yield Notes(title, tuple(map(safe, told)))


def _address(url: str, width: int | None) -> str:
    """In lines of so many columns, broken after a slash where that can be."""
    room = max(len(url), 1) if width is None else max(20, width - 2)
    lines = []
    while len(url) > room:
        at = url.rfind("/", room // 2, room) + 1 or room
        lines.append(url[:at])
        url = url[at:]
    return "\n".join([*lines, url])


def _examples(plan: ServerPlan) -> Table:
    rows = []
    for row in figures.examples(plan):
        call = f"{show.tokens(row.input)} in, {show.tokens(row.output)} out"
        if not row.fits:
            rows.append((call, NONE, "too long", NONE))
            continue
        money = NONE if row.money is None else show.money(row.money)
        rows.append((call, show.tight(row.first), show.tight(row.total), money))
    heads = (
        Column("a call alone"),
        *(Column(it, True) for it in ("first token", "in all", "costs")),
    )
    return Table("", heads, tuple(rows), notes=("nothing cached, typical latency",))


def list_data(plans: Sequence[ServerPlan]) -> dict[str, Any]:
    """The rows of `hw list` for JSON: tok/s, seconds, tokens; null where there is no figure."""
    return {**json_.head("hardware"), "profiles": [asdict(figures.rated(plan)) for plan in plans]}


def list_csv(plans: Sequence[ServerPlan]) -> str:
    """A row a profile."""
    return csv_.table(asdict(figures.rated(plan)) for plan in plans)


def show_data(plan: ServerPlan) -> dict[str, Any]:
    """One profile for JSON: the row of the list, and all tables of `hw show`."""
    return {
        **json_.head("hardware"),
        "title": plan.about.title,
        "url": plan.about.url,
        "profile": asdict(figures.rated(plan)),
        "by_context": [asdict(row) for row in figures.depths(plan)],
        "by_streams": [asdict(row) for row in figures.crowds(plan)],
        "room": [asdict(row) for row in figures.rooms(plan)],
        "examples": [asdict(row) for row in figures.examples(plan)],
        "notes": list(plan.about.notes),
        "assumed": list(plan.about.assumed),
    }


def show_csv(plan: ServerPlan) -> str:
    """A row a context."""
    return csv_.table({"name": plan.profile, **asdict(row)} for row in figures.depths(plan))
