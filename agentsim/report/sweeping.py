"""One workflow at several decode speeds: a row a speed, where it turns, and the last word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from agentsim.analysis.findings import Findings, Lever
from agentsim.report import budgeting, show, words
from agentsim.report.blocks import Block, Column, Document, Foot, Headline, Line, Lines, Run, Table
from agentsim.report.blocks import line as one_line
from agentsim.report.helping import lever_name
from agentsim.report.merging import once
from agentsim.report.sections import warned, worst_error
from agentsim.report.text import columns as width_of
from agentsim.report.text import listed, name, safe

_COLUMNS = 3  # of shares, besides the rest: more do not fit into 80 columns
_WORTH_A_COLUMN = 0.02  # the largest share that may go without a column


class Row(Protocol):
    """The answer at one speed. `outrun`: how many times faster tokens come than you read them."""

    @property
    def rate(self) -> float: ...
    @property
    def findings(self) -> Findings: ...
    @property
    def outrun(self) -> float | None: ...
    @property
    def reads(self) -> float | None: ...


class Crossing(Protocol):
    """A speed above which `text` holds. `beyond`: outside of the speeds of the table."""

    @property
    def kind(self) -> str: ...
    @property
    def rate(self) -> float: ...
    @property
    def text(self) -> str: ...
    @property
    def ci95(self) -> tuple[float, float]: ...
    @property
    def runs(self) -> int: ...
    @property
    def beyond(self) -> bool: ...


class Swept(Protocol):
    """What a sweep found; the rows go from slow to fast. `lever`: what helps most at the end."""

    @property
    def rows(self) -> Sequence[Row]: ...
    @property
    def crossings(self) -> Sequence[Crossing]: ...
    @property
    def lever(self) -> Lever | None: ...


def sweep(result: Swept) -> Document:
    """The table of speeds, the crossings below it, and what the fastest one bought."""
    first = result.rows[0].findings
    blocks: list[Block] = [
        Headline(name(first.workflow, 60)),
        Lines((one_line(_what_changes(first)),)),
        _table(result.rows),
    ]
    if result.crossings:
        blocks.append(Lines(_crossings(result.crossings)))
    if last := _closing(result):
        blocks.append(Lines(tuple(one_line(Run(text, "strong")) for text in last)))
    if notes := warned(warnings(result)):
        blocks.append(notes)
    blocks.append(_foot(result))
    return Document(tuple(blocks))


def _what_changes(findings: Findings) -> str:
    """A row is not the machine that is that fast: that is another comparison."""
    if not findings.hardware:
        return "No step asks a model: decode speed changes nothing."
    used = listed([name(it) for it in dict.fromkeys(findings.hardware.values())], 3)
    return (
        f"Only decode speed changes; the rest is as in {used}. A real machine differs in more: "
        "agentsim compare FILE --hw tok5 --hw tok100 --hw cerebras"
    )


def warnings(result: Swept) -> list[str]:
    """The warnings of all speeds; what differs only in its figures is said once."""
    return once(text for row in result.rows for text in row.findings.warnings)


def _crossings(found: Sequence[Crossing]) -> tuple[Line, ...]:
    """`above 419 tok/s (380 to 460)  the tools cost more than decoding`, figures aligned.

    The interval is at 95 %; without one where nothing is drawn, or nothing is known of it.
    """
    rates = [_speed(it.rate) for it in found]
    widest = max(map(width_of, rates))
    heads = []
    for it, rate in zip(found, rates, strict=True):
        heads.append(f"above {rate:>{widest}} tok/s{_within(it)}")
    widest = max(map(width_of, heads))
    return tuple(
        one_line(f"{head:<{widest}}  {safe(it.text)}{', beyond the table' if it.beyond else ''}")
        for head, it in zip(heads, found, strict=True)
    )


def _within(crossing: Crossing) -> str:
    """` (380 to 460)`; nothing where it has no width, and of a single run, which tells no error."""
    low, high = map(_speed, crossing.ci95)
    return "" if low == high or crossing.runs < 2 else f" ({low} to {high})"


def _speed(rate: float) -> str:
    """To three figures: no crossing is known better."""
    if rate >= 1000:
        rate = round(rate, 2 - math.floor(math.log10(rate)))
    return show.number(rate)


def closing(result: Swept) -> str:
    """`From 100 to 15,000 tok/s (150x): typical 40 -> 34 min.`, and what would help beyond that."""
    return " ".join(_closing(result))


def _closing(result: Swept) -> list[str]:
    slow, fast = result.rows[min(1, max(0, len(result.rows) - 2))], result.rows[-1]
    told = []
    if slow is not fast and fast.findings.hardware:
        times = f" ({show.factor(fast.rate / slow.rate)})" if slow.rate > 0 else ""
        speeds = f"From {show.number(slow.rate)} to {show.rate(fast.rate)}{times}"
        typical = "" if fast.findings.exact else "typical "
        change = show.from_to(slow.findings.wall.p50, fast.findings.wall.p50)
        told.append(f"{speeds}: {typical}{change}.")
    if result.lever is not None:
        told.append(f"Next lever, on average: {lever_name(result.lever, 60)}.")
    return told


def _table(rows: Sequence[Row]) -> Table:
    """Time, spread, agents alone, whose time it is; columns only where there is something."""
    found = [row.findings for row in rows]
    exact = all(it.exact for it in found)
    people = any(it.people for it in found)
    columns = [("tok/s", [show.number(row.rate) for row in rows])]
    columns.append(("time" if exact else "typical", [show.tight(it.wall.p50) for it in found]))
    if not exact:
        columns.append(("4 in 5", [show.tight(it.wall.p80) for it in found]))
    if people:
        columns.append(("agents", [show.tight(it.without_people.p50) for it in found]))
    columns += _shares(found)
    if any(it.budget for it in found):
        columns.append(("budget", [budgeting.cell(it) for it in found]))
    if any(row.outrun is not None for row in rows):
        columns.append(("outrun", [_outrun(row) for row in rows]))
    heads = tuple(Column(head, True) for head, _ in columns)
    cells = [column for _, column in columns]
    return Table("", heads, tuple(zip(*cells, strict=True)), notes=_notes(rows))


def _shares(found: Sequence[Findings]) -> list[tuple[str, list[str]]]:
    """Shares of the mean time by whose time it is; together they are the whole."""
    names = {who for it in found for who in it.people}
    who = name(names.copy().pop(), 10) if len(names) == 1 else "people"
    groups = [
        ("decode", frozenset({"decode"})),
        ("prompt", frozenset({"prefill", "latency", "compaction", "model_load"})),
        ("tools", frozenset({"tool"})),
        ("model waits", frozenset({"slot_wait", "quota_wait", "retry"})),
        (who, words.OF_PEOPLE),
    ]
    named = frozenset[str]().union(*(kinds for _, kinds in groups))
    groups.append(("rest", frozenset(k for it in found for k in it.breakdown) - named))
    parts = [[_part(it, kinds) for _, kinds in groups] for it in found]
    largest = [max(row[i] for row in parts) for i in range(len(groups))]
    own = sorted(range(len(groups) - 1), key=lambda i: -largest[i])[:_COLUMNS]
    own = sorted(i for i in own if largest[i] >= _WORTH_A_COLUMN)
    rows = [[row[i] for i in own] for row in parts]
    rows = [[*row, sum(whole) - sum(row)] for row, whole in zip(rows, parts, strict=True)]
    heads = [*(groups[i][0] for i in own), "rest"]
    shown = [show.shares(row) for row in rows]
    keeps_rest = max(row[-1] for row in rows) >= _WORTH_A_COLUMN
    count = len(heads) if keeps_rest else len(own)
    return [(heads[i], [row[i] for row in shown]) for i in range(count)]


def _part(findings: Findings, kinds: frozenset[str]) -> float:
    """The share of these kinds; decoding by calls that compact is decoding here."""
    time = sum(findings.breakdown.get(kind, 0.0) for kind in kinds)
    inside = ("decode" in kinds) - ("compaction" in kinds)
    return (time + inside * findings.compaction_decode) / (findings.wall.mean or 1.0)


def _outrun(row: Row) -> str:
    if row.outrun is None:
        return ""
    return "no" if row.outrun <= 1 else show.factor(row.outrun)


def _notes(rows: Sequence[Row]) -> tuple[str, ...]:
    """What the heads mean: which are of the typical run, which of the average."""
    notes = []
    if not all(row.findings.exact for row in rows):
        people = any(row.findings.people for row in rows)
        agents = "agents: typical time without people; " if people else ""
        notes.append(f"{agents}shares are of the average run")
    if budget := budgeting.note([row.findings for row in rows]):
        notes.append(budget)
    reads = next((it.reads for it in rows if it.reads), None)
    if any(row.outrun is not None for row in rows):
        pace = f", {show.rate(reads)}" if reads else ""
        code = any(it.lines > 0 for row in rows for it in row.findings.people.values())
        slower = "; code is read more slowly" if code else ""
        notes.append(f"outrun: so many times faster tokens come than you read prose{pace}{slower}")
    return tuple(notes)


def _foot(result: Swept) -> Foot:
    found = [row.findings for row in result.rows]
    seed = f"seed {found[0].seed}"
    if all(it.exact for it in found):
        return Foot((("exact: nothing is drawn", seed),))
    runs = show.plural(found[0].replications, "run")
    told = [f"{runs} a speed", seed, worst_error(found)]
    if any(map(_within, result.crossings)):
        compared = min(it.runs for it in result.crossings)
        of = f" of {compared:,} runs" if compared < found[0].replications else ""
        told.append(f"in brackets: 95 %{of}")
    return Foot((tuple(told),))
