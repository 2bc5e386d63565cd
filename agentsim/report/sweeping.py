"""One workflow at several decode speeds: a row a speed, where it turns, and the last word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from agentsim.analysis.findings import Findings, Lever
from agentsim.errors import Notice
from agentsim.report import brief, budgeting, show, words
from agentsim.report.blocks import Block, Column, Document, Foot, Headline, Line, Lines, Run, Table
from agentsim.report.blocks import line as one_line
from agentsim.report.helping import lever_name
from agentsim.report.merging import each
from agentsim.report.sections import warned, worst_error
from agentsim.report.text import columns as width_of
from agentsim.report.text import listed, name, safe

_COLUMNS = 3  # of shares, besides the rest: more do not fit into 80 columns
_IN_THE_REST = 0.005  # the largest share that may go without its name
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
    """A speed above which `text` holds. `beyond`: outside of the speeds of the table; `again`: it
    holds at some slower speeds too."""

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
    @property
    def again(self) -> bool: ...


class Swept(Protocol):
    """What a sweep found; the rows go from slow to fast. `lever`: what helps most at the end."""

    @property
    def rows(self) -> Sequence[Row]: ...
    @property
    def crossings(self) -> Sequence[Crossing]: ...
    @property
    def lever(self) -> Lever | None: ...


def sweep(result: Swept, full: bool = False) -> Document:
    """What the fastest speed bought and from where on it buys little, then the table of speeds.

    `full`: each warning as it is, else the weightiest ones in brief.
    """
    first = result.rows[0].findings
    blocks: list[Block] = [Headline(name(first.workflow, 60))]
    if told := _answer(result):
        blocks.append(Lines(tuple(told)))
    blocks += [Lines((one_line(_what_changes(first)),)), _table(result.rows)]
    if result.crossings:
        blocks.append(Lines(_crossings(result.crossings)))
    if notes := warned(warnings(result)) if full else brief.notes(in_brief(result)):
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


def _at(result: Swept, rates: Sequence[float]) -> str:
    """`at 5 and 100 tok/s`; nothing where it is all of them."""
    found = list(dict.fromkeys(rates))
    if len(found) == len(result.rows):
        return ""
    return f"at {listed(list(map(show.number, found)), 3)} tok/s"


def warnings(result: Swept) -> list[str]:
    """The warnings of all speeds, each text once, with the speeds at which it holds."""
    return each(_told_at(result), lambda rates, _: _at(result, rates))


def in_brief(result: Swept) -> list[brief.Told]:
    """The same, a line a kind: of what differs only in its figures the range of them."""
    return brief.brief(_told_at(result), lambda rates, _: _at(result, rates))


def _told_at(result: Swept) -> list[tuple[Notice, float]]:
    return [(notice, row.rate) for row in result.rows for notice in row.findings.notices]


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


def _answer(result: Swept) -> list[Line]:
    """What speed buys and until where, what binds at the fastest one, and what would help there."""
    change, lever = _change(result), _lever(result)
    enough = next((it for it in result.crossings if it.kind == "speed"), None)
    if _is_idle(result, enough):
        change = f"Speed does not matter here: at all of these rates {_LITTLE}. {change}".strip()
    elif enough is not None:
        change = f"{change} Above {_speed(enough.rate)} tok/s {safe(enough.text)}.".strip()
    fast = result.rows[-1]
    why = ""
    if change and fast.findings.wall.mean > 0:
        why = f"At {show.rate(fast.rate)}: {safe(fast.findings.bottleneck.sentence)}"
    told = Run(change, "strong"), Run(why, "accent"), Run(lever, "strong")
    return [one_line(it) for it in told if it.text]


_LITTLE = "twice the speed saves less than 5 %"


def _is_idle(result: Swept, enough: Crossing | None) -> bool:
    """Whether twice the speed saves little from the slowest rate on.

    Where nothing was found to turn, it saves little at all rates if all of them together do.
    """
    slow, fast = result.rows[0], result.rows[-1]
    if not fast.findings.hardware:
        return False
    if enough is not None:
        return enough.rate <= slow.rate and not enough.again
    left, whole = fast.findings.wall.mean, slow.findings.wall.mean
    return fast.rate >= 2 * slow.rate and left > 0.95 * whole


def closing(result: Swept) -> str:
    """`From 5 to 800 tok/s (160x): typical 50 -> 35 min.`, and what would help beyond that."""
    return " ".join(filter(None, (_change(result), _lever(result))))


def _change(result: Swept) -> str:
    slow, fast = result.rows[0], result.rows[-1]
    if slow is fast or not fast.findings.hardware:
        return ""
    times = f" ({show.factor(fast.rate / slow.rate)})" if slow.rate > 0 else ""
    speeds = f"From {show.number(slow.rate)} to {show.rate(fast.rate)}{times}"
    typical = "" if fast.findings.exact else "typical "
    before, after = slow.findings.wall.p50, fast.findings.wall.p50
    change = show.from_to(before, after)
    if show.duration(before) == show.duration(after):
        change = f"{show.duration(before)} at both"
    return f"{speeds}: {typical}{change}."


def _lever(result: Swept) -> str:
    if result.lever is None:
        return ""
    return f"Next lever, on average: {lever_name(result.lever, 60)}."


def _table(rows: Sequence[Row]) -> Table:
    """Time, spread, agents alone, whose time it is; columns only where there is something."""
    found = [row.findings for row in rows]
    # of one run there is no typical one
    exact = all(it.is_alone for it in found)
    people = any(it.people for it in found)
    columns = [("tok/s", [show.number(row.rate) for row in rows])]
    columns.append(("time" if exact else "typical", [show.tight(it.wall.p50) for it in found]))
    if not exact:
        columns.append(("4 in 5", [show.tight(it.wall.p80) for it in found]))
    if people:
        columns.append(("agents", [show.tight(it.without_people.p50) for it in found]))
    shares, rest = _shares(found)
    columns += shares
    if any(it.budget for it in found):
        columns.append(("budget", [budgeting.cell(it) for it in found]))
    if any(row.outrun is not None for row in rows):
        columns.append(("outrun", [_outrun(row) for row in rows]))
    heads = tuple(Column(head, True) for head, _ in columns)
    cells = [column for _, column in columns]
    return Table("", heads, tuple(zip(*cells, strict=True)), notes=_notes(rows, rest))


def _shares(found: Sequence[Findings]) -> tuple[list[tuple[str, list[str]]], str]:
    """Shares of the mean time by whose time it is, together the whole; and what is in `rest`."""
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
    columns = [(heads[i], [row[i] for row in shown]) for i in range(count)]
    told = frozenset[str]().union(*(groups[i][1] for i in own))
    return columns, _rest(found, told) if keeps_rest else ""


def _rest(found: Sequence[Findings], told: frozenset[str]) -> str:
    """What is in the last column of shares, the largest first: what has no column of its own."""
    parts = {
        kind: max(it.breakdown.get(kind, 0.0) / (it.wall.mean or 1.0) for it in found)
        for kind in words.KINDS
        if kind not in told
    }
    kinds = sorted((it for it in parts if parts[it] >= _IN_THE_REST), key=lambda it: -parts[it])
    return f"rest: {listed([words.part(it) for it in kinds], 5)}" if kinds else ""


def _part(findings: Findings, kinds: frozenset[str]) -> float:
    """The share of these kinds; decoding by calls that compact is decoding here."""
    time = sum(findings.breakdown.get(kind, 0.0) for kind in kinds)
    inside = ("decode" in kinds) - ("compaction" in kinds)
    return (time + inside * findings.compaction_decode) / (findings.wall.mean or 1.0)


def _outrun(row: Row) -> str:
    if row.outrun is None:
        return ""
    return "no" if row.outrun <= 1 else show.factor(row.outrun)


def _notes(rows: Sequence[Row], rest: str) -> tuple[str, ...]:
    """What the heads mean: which are of the typical run, which of the average."""
    notes = []
    if not all(row.findings.exact for row in rows):
        people = any(row.findings.people for row in rows)
        agents = "agents: typical time without people; " if people else ""
        notes.append(f"{agents}shares are of the average run")
    if rest:
        notes.append(rest)
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
    told = [
        f"{runs} a speed",
        seed,
        worst_error(found, [f"at {show.rate(row.rate)}" for row in result.rows]),
    ]
    if any(map(_within, result.crossings)):
        compared = min(it.runs for it in result.crossings)
        of = f" of {compared:,} runs" if compared < found[0].replications else ""
        told.append(f"in brackets: 95 %{of}")
    return Foot((tuple(told),))
