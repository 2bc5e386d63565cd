"""The table of a comparison: a row a variant, a group of rows a machine, in columns that fit.

What does not fit into 80 columns stands in a second table, with the names of the rows again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from agentsim.analysis.failing import FAILS_MORE
from agentsim.analysis.findings import Findings
from agentsim.report import budgeting, show, words
from agentsim.report.blocks import Column, Table
from agentsim.report.compared import Apart, Compared, Row, has_steps, machine_name
from agentsim.report.terminal import WIDTH
from agentsim.report.text import columns as width_of
from agentsim.report.text import listed, name

LIMIT = 18  # columns of what bound a row


class _Field(NamedTuple):
    """Columns that stand together, and what their head means."""

    columns: tuple[tuple[Column, list[str]], ...]
    note: str = ""


def tables(result: Compared) -> list[Table]:
    """As many columns as fit into 80, then the others in a table of their own."""
    rows = [row for machine in result.machines for row in machine.rows]
    names, marks = _names(result), _marks(result)
    left = [*_times(rows), *_costs(rows)]
    marked = frozenset(i for i, it in enumerate(_marked(result)) if it)
    tables = []
    while left:
        taken = next(
            (n for n in range(len(left), 1, -1) if _width([*names, *left[:n], *marks]) <= WIDTH), 1
        )
        notes = [own.note for own in (*marks, *left[:taken]) if own.note]
        tables.append(_table([*names, *left[:taken], *marks], marked, tuple(notes)))
        left, marks, marked = left[taken:], [], frozenset()
    return tables


STEPS = "What each step adds"


def steps(result: Compared) -> list[Table]:
    """A row a step of what is varied: by how much it is more than the row above, pair by pair.

    Nothing where the only step is that from the first row, which the other table tells.
    """
    if not has_steps(result):
        return []
    found = [
        (name(machine_name(machine), 30), before, row)
        for machine in result.machines
        for before, row in pairwise(machine.rows)
        if row.above is not None
    ]
    labels = [_step(before, row) for _, before, row in found]
    names = [_Field(((Column("step"), labels),))]
    if len(result.machines) > 1:
        told = [it if i == 0 or it != found[i - 1][0] else "" for i, (it, *_) in enumerate(found)]
        names = [_Field(((Column("hardware"), told), (Column("step"), labels)))]
    rows = [row for *_, row in found]
    unit = _unit(max(abs(row.above.mean) for row in rows if row.above))
    cells = [_difference(row.above, unit) if row.above else ("", "") for row in rows]
    fields = [_field("time", _aligned(cells))]
    for what, head, shown in _ADDED:
        of = [row.above_others.get(what) for row in rows]
        if any(it is not None and not it.is_same for it in of):
            fields.append(_field(head, _aligned([_more_of(it, shown) for it in of])))
    while len(fields) > 1 and _width([*names, *fields]) > WIDTH:
        fields.pop()
    exact = all(row.findings.exact for row in rows)
    note = f"the mean run less that of the row above, pair by pair{'' if exact else ', +- at 95 %'}"
    table = _table([*names, *fields], frozenset(), (note,))
    return [replace(table, title=STEPS)]


_ADDED: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("success", "right, points", lambda it: f"{100 * it:.3g}"),
    ("escaped_defects", "escaped", show.number),
    ("cost", "money", show.money),
)
"""What a step adds besides time: the measure, its column, how it is written."""


def _step(before: Row, row: Row) -> str:
    """`rounds=0 -> 2`; with the whole name where another param than the last is varied."""
    last = row.label.rpartition("=")[2]
    is_last = before.vary[-1] != row.vary[-1]
    return f"{name(before.label, 30)} -> {name(last if is_last else row.label, 30)}"


def _width(fields: Sequence[_Field]) -> int:
    """What the table takes: two blanks before each column."""
    columns = [own for field in fields for own in field.columns]
    return sum(2 + max(map(width_of, [head.head, *cells])) for head, cells in columns)


def _table(fields: Sequence[_Field], marked: frozenset[int], notes: tuple[str, ...]) -> Table:
    columns = [own for field in fields for own in field.columns]
    rows = tuple(zip(*(cells for _, cells in columns), strict=True))
    return Table("", tuple(head for head, _ in columns), rows, marked, notes)


def _field(head: str, cells: list[str], note: str = "") -> _Field:
    """A column of figures."""
    return _Field(((Column(head, True), cells),), note)


def _names(result: Compared) -> list[_Field]:
    """The machine, said once, where there are several; and the row's own name."""
    labels = [name(row.label, 40) for machine in result.machines for row in machine.rows]
    own = (Column("workflow"), labels)
    if len(result.machines) == 1:
        return [_Field((own,))]
    machines = []
    for machine in result.machines:
        machines += [name(machine_name(machine), 30), *[""] * (len(machine.rows) - 1)]
    hardware = (Column("hardware"), machines)
    single = len(result.machines[0].rows) == 1
    return [_Field((hardware,) if single else (hardware, own))]


def _marks(result: Compared) -> list[_Field]:
    """`*` for the quickest of each machine; none where all rows of it may be the quickest."""
    marked = _marked(result)
    if not any(marked):
        return []
    shared = any(
        sum(row.quickest for row in machine.rows) not in (1, len(machine.rows))
        for machine in result.machines
    )
    several = "; several where their difference may be chance" if shared else ""
    where = "" if len(result.machines) == 1 else " on its hardware"
    if any(all(row.quickest for row in machine.rows) for machine in result.machines):
        several += "; none where that holds for all"
    rule = _left_out(result)
    cells = ["*" if it else "" for it in marked]
    return [_field("", cells, f"* quickest in the mean{where}{rule}{several}")]


def _left_out(result: Compared) -> str:
    """That failing soon is not being quick, where a row is not starred for that."""
    for machine in result.machines:
        if len(machine.rows) > 1 and any(row.fails_more for row in machine.rows):
            points = f"{100 * FAILS_MORE:.0f} points or more"
            return f", without rows whose share of failed runs is {points} above the least"
    return ""


def _marked(result: Compared) -> list[bool]:
    return [
        row.quickest and not all(it.quickest for it in machine.rows)
        for machine in result.machines
        for row in machine.rows
    ]


def _times(rows: Sequence[Row]) -> list[_Field]:
    """How long, how far from the first one, without people, within the budget."""
    found = [row.findings for row in rows]
    exact = all(it.exact for it in found)
    # of one run there is no typical one, and no four in five
    single = all(it.is_alone for it in found)
    typical = "" if single else "typical "
    fields = [_field(typical.strip() or "time", [show.tight(it.wall.p50) for it in found])]
    if not single:
        fields.append(_field("4 in 5", [show.tight(it.wall.p80) for it in found]))
    if any(row.difference for row in rows):
        fields.append(_differences(rows, exact))
    if any(it.people for it in found):
        alone = [show.tight(it.without_people.p50) for it in found]
        fields.append(_field("agents", alone, f"agents: {typical}time without people"))
    if any(it.budget for it in found):
        cells = [budgeting.cell(it) for it in found]
        fields.append(_field("budget", cells, budgeting.note(found)))
    return fields


def _differences(rows: Sequence[Row], exact: bool) -> _Field:
    """The difference and, where anything is drawn, its error, in one unit for all."""
    base = name(rows[0].label, 16)
    unit = _unit(max(abs(row.difference.mean) for row in rows if row.difference))
    cells = [
        ("", "") if it is None else _difference(it, unit) for it in (r.difference for r in rows)
    ]
    error = "" if exact else ", +- at 95 %"
    note = f"vs {base}: how much longer the mean run is, pair by pair{error}"
    more = Column(f"vs {base}", True), _aligned(cells)
    if exact:
        return _Field((more,), note)
    means = [show.tight(row.findings.wall.mean) for row in rows]
    return _Field(((Column("mean", True), means), more), note)


def _aligned(cells: Sequence[tuple[str, str]]) -> list[str]:
    """One column, with the head above both: each error stands below the others."""
    widest = max(len(error) for _, error in cells)
    told = [f"{mean}  {error:<{widest}}" if widest else mean for mean, error in cells]
    return [text if text.strip() else "" for text in told]


def _unit(largest: float) -> show.Unit:
    """Minutes from two of them on, as the times beside."""
    if 2 * show.MINUTE <= largest < 10 * show.HOUR:
        return show.Unit("m", show.MINUTE, 1)
    return show.unit_for(largest)


def _difference(it: Apart, unit: show.Unit) -> tuple[str, str]:
    """What would round to nothing has a unit of its own."""
    if it.is_same:
        return "same", ""
    return _signed(
        it, unit.show if abs(it.mean) >= unit.seconds / 10**unit.decimals else show.tight
    )


def told_apart(it: Apart) -> str:
    """`11.1m +-1.5m`, for a sentence: in the unit of the table, without a sign."""
    mean, error = _difference(it, _unit(abs(it.mean)))
    return f"{mean.lstrip('+-')} {error}".strip()


def _signed(it: Apart, shown: Callable[[float], str]) -> tuple[str, str]:
    half = None if it.ci95 is None else (it.ci95[1] - it.ci95[0]) / 2
    error = "+-?" if half is None else f"+-{shown(half)}" if half else ""
    return f"+{shown(it.mean)}" if it.mean > 0 else shown(it.mean), error


def _more_of(it: Apart | None, shown: Callable[[float], str]) -> tuple[str, str]:
    if it is None:
        return "", ""
    return ("same", "") if it.is_same else _signed(it, shown)


def _right(found: Findings) -> str:
    """The share with half of its interval, in points; `-` where no attempts are made."""
    if found.quality is None or found.quality.success is None:
        return "-"
    return _with_points(found.quality.success, found.quality.ci95)


def _failed(found: Findings) -> str:
    """The share with half of its interval, in points; nothing beside none."""
    return _with_points(found.failed, found.failed_ci95 if found.failed else None)


def _with_points(share: float, ci95: tuple[float, float] | None) -> str:
    if ci95 is None:
        return show.share(share)
    low, high = ci95
    return f"{show.share(share)} +-{max(1, round(50 * (high - low)))}"


def _escaped(found: Findings) -> str:
    """The mean with half of its interval; nothing where no defects are modelled."""
    if found.quality is None or found.quality.defects is None:
        return "-"
    it = found.quality.defects.escaped
    low, high = it.ci95
    mean = show.number(it.mean)
    return f"{mean} +-{show.number((high - low) / 2)}" if high > low else mean


def _more(rows: Sequence[Row], what: str, unit: str, shown: Callable[[float], str]) -> list[_Field]:
    """By how much more of something than the first row, pair by pair, with the error."""
    found = [row.others.get(what) for row in rows]
    if not any(found):
        return []
    base = name(rows[0].label, 16)
    cells = [_more_of(it, shown) for it in found]
    note = f"beside it, vs {base}: how many more {unit}, pair by pair"
    return [_field(f"vs {base}", _aligned(cells), note)]


def _costs(rows: Sequence[Row]) -> list[_Field]:
    """What a run takes of people, money and tokens, and how many fail: where there are any."""
    found = [row.findings for row in rows]
    fields = []
    if people := {who for it in found for who in it.people}:
        who = name(next(iter(people)), 10) if len(people) == 1 else "people"
        cells = [show.tight(it.attention) if it.people else "" for it in found]
        fields.append(_field(who, cells, f"{who}: time at work, switching included"))
    if any(it.cost_total is not None or it.plans for it in found):
        fields.append(_field("money", [_money(it) for it in found], _money_note(found)))
    if any(it.calls.attempts for it in found):
        cells = [show.tokens(it.tokens.output) for it in found]
        fields.append(_field("tokens", cells, "tokens: those written"))
    if fields and not all(it.exact for it in found):
        heads = [field.columns[0][0].head for field in fields]
        note = f"{listed(heads)}: the mean of a run"
        fields[0] = fields[0]._replace(note="; ".join(filter(None, (note, fields[0].note))))
    if len(found) > 1:
        cells = [_limit(it) for it in found]
        left = _Field(((Column("limit"), cells),), "limit: what most of the mean run goes to")
        fields.append(left)
    if any(it.failed for it in found):
        note = "failed: share of the runs; times are of all runs, up to their end"
        fields.append(_field("failed", [_failed(it) for it in found], note))
    qualities = [it.quality for it in found if it.quality is not None]
    if any(it.success is not None for it in qualities):
        note = "right: share of the runs that pick a right attempt"
        if any(it.defects is not None for it in qualities):
            note += ", whatever its defects"
        if not all(it.quality for it in found):
            note += "; - where none are made"
        fields.append(_field("right", [_right(it) for it in found], note))
        fields += _more(rows, "success", "points", lambda it: f"{100 * it:.3g}")
    if any(it.defects is not None for it in qualities):
        note = "escaped: defects left in the mean run that does not fail"
        fields.append(_field("escaped", [_escaped(it) for it in found], note))
        fields += _more(rows, "escaped_defects", "of them", show.number)
    return fields


def _money_note(found: Sequence[Findings]) -> str:
    """What the column of money leaves out."""
    notes = []
    partly = [it for it in found if it.cost_total is not None]
    if without := dict.fromkeys(one for it in partly for one in it.unpriced if one not in it.plans):
        names = listed([name(one, 30) for one in without], 3)
        notes.append(f"+: without {names}, of no known price")
    if monthly := dict.fromkeys(one for it in partly for one in it.plans):
        names = listed([name(one, 30) for one in monthly], 3)
        notes.append(f"+: without {names}, paid by the month")
    if any(it.cost_total is None and not it.plans for it in found):
        all_ = "none is known at all" if notes else "no price is known of what was called"
        notes.append(f"{show.UNKNOWN}: {all_}")
    if any(it.cost_total is None and it.plans for it in found):
        notes.append("a month: of a plan, which no run has a part of")
    return "; ".join(notes)


def _limit(findings: Findings) -> str:
    """Whoever or whatever bound the mean run: a person, tool or pool by name, else the kind."""
    kind, what = findings.bottleneck.kind, findings.bottleneck.what
    if kind in words.OF_PEOPLE or kind in {"tool", "pool_wait"}:
        return name(what, LIMIT)
    return words.part(kind, most=LIMIT)


def _money(findings: Findings) -> str:
    if findings.cost_total is None:
        months = sum(findings.plans.values())
        return f"{show.money(months)} a month" if findings.plans else show.UNKNOWN
    return show.money(findings.cost_total) + "+" * bool(findings.unpriced)
