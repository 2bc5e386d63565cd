"""The answer of a comparison in a sentence or two: what is quickest, by how much, and but what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agentsim.analysis.findings import Findings
from agentsim.report import show
from agentsim.report.beside import told_apart
from agentsim.report.compared import Apart, Compared, Row, machine_name
from agentsim.report.text import listed, name

LABEL = 24  # columns of a row's name in a sentence
MACHINE = 30
NAMED = 4  # machines that are told one by one
SHARE = 0.05  # of runs with a right pick, from which on a difference speaks against a row
SLIGHT = 0.01  # of the quickest mean: less is no reason to choose, however surely it is there
DEARER = 1.1  # times what another one costs, from which on that speaks against a row


class _Way(NamedTuple):
    """A row of those that are set beside each other. `behind`: to the quickest one."""

    label: str
    findings: Findings
    behind: Apart | None
    fails_more: bool

    @property
    def is_first(self) -> bool:
        return not self.fails_more and not self.is_behind

    @property
    def is_behind(self) -> bool:
        """Whether it is surely slower than the quickest one."""
        return self.behind is not None and self.behind.is_more


class _Group(NamedTuple):
    """What is set beside each other: the rows of a machine, or machines of a row each."""

    where: str
    ways: list[_Way]


def answer(result: Compared) -> list[str]:
    """What is quickest on each machine; then the reason that speaks most against it, if any.

    Nothing where a single row is beside no other.
    """
    groups = _groups(result)
    if len(groups[0].ways) < 2:
        return []
    told: dict[str, list[tuple[str, str]]] = {}
    for group in groups:
        head, by = _winner(group.ways)
        told.setdefault(head, []).append((group.where, by))
    heads = [_sentence(head, places) for head, places in told.items()]
    return list(filter(None, [" ".join(heads), _but(groups)]))


def failures(result: Compared) -> str:
    """How often the quickest ones fail, if any of them does."""
    told = [
        f"{way.label}{f' on {where}' if where else ''} {show.share(way.findings.failed)}"
        for where, ways in _groups(result)
        for way in ways
        if len(ways) > 1 and way.is_first and way.findings.failed
    ]
    return f"Of the quickest fail: {listed(told, 4)} of the runs." if told else ""


def _groups(result: Compared) -> list[_Group]:
    machines = [(name(machine_name(it), MACHINE), it.rows) for it in result.machines]
    if len(machines[0][1]) == 1:
        return [_Group("", [_way(where, own[0]) for where, own in machines])]
    return [
        _Group(
            where if len(machines) > 1 else "",
            [_way(name(row.label, LABEL), row) for row in own],
        )
        for where, own in machines
    ]


def _way(label: str, row: Row) -> _Way:
    return _Way(label, row.findings, row.behind, row.fails_more)


def _sentence(head: str, places: Sequence[tuple[str, str]]) -> str:
    """The head with each machine and by how much there."""
    (where, by), *more = places
    if not where:
        return f"{head}{', ' if by else ''}{by}."
    if len(more) < NAMED:
        told = [f"{where} ({by})" if by else where for where, by in places]
        return f"{head} on {listed(told)}."
    return f"{head} on {listed([where for where, _ in places], NAMED)}."


def _winner(ways: Sequence[_Way]) -> tuple[str, str]:
    """`a is quickest in the mean`, and `11.1m +-1.5m before b`; or that nothing is."""
    first, others = [it for it in ways if it.is_first], [it for it in ways if it.is_behind]
    labels = listed([way.label for way in first], 3)
    if len(first) == len(ways):
        same = all(way.behind is None or way.behind.is_same for way in first)
        why = "take the same time" if same else "cannot be told apart in the mean time"
        return f"Nothing is quickest: {labels} {why}", ""
    of = ""
    if len(first) + len(others) < len(ways):
        of = " of those that do not fail clearly more often"
    if len(first) == 1:
        head = f"{labels} is quickest in the mean{of}"
    else:
        head = f"{labels} are quickest in the mean{of} and cannot be told apart"
    if not others:
        return head, ""
    second = min(others, key=lambda way: way.findings.wall.mean)
    by = second.behind
    assert by is not None  # it is one of those behind
    least = min(way.findings.wall.mean for way in first)
    slight = " (practically the same)" if by.mean < SLIGHT * least else ""
    return head, f"{told_apart(by)} before {second.label}{slight}"


def _but(groups: Sequence[_Group]) -> str:
    """The first reason against what is quickest, and on which machine where there are several."""
    for against in (_short, _failing, _wrong, _dear):
        for where, ways in groups:
            if all(way.is_first for way in ways):
                continue
            if text := against(ways):
                return f"But{f' on {where}' if where else ''} {text}."
    return ""


def _best(ways: Sequence[_Way]) -> _Way:
    """The quickest; of several the one with the least mean."""
    return min((it for it in ways if it.is_first), key=lambda it: it.findings.wall.mean)


def _short(ways: Sequence[_Way]) -> str:
    """A row that may take less time, and fails: failing runs are short."""
    for way in ways:
        if way.fails_more and not way.is_behind and way.behind is not None:
            share = show.share(way.findings.failed)
            less = f"takes {told_apart(way.behind)} less and"
            if not way.behind.is_clear or way.behind.is_same:
                less = "may be as quick and"
            return f"{way.label} {less} fails in {share} of its runs"
    return ""


def _failing(ways: Sequence[_Way]) -> str:
    own = _best(ways)
    if not own.findings.failed:
        return ""
    return f"{own.label} fails in {show.share(own.findings.failed)} of its runs"


def _wrong(ways: Sequence[_Way]) -> str:
    own = _best(ways)
    found = [(way.label, way.findings.quality) for way in ways]
    right = {label: it.success for label, it in found if it is not None and it.success is not None}
    if own.label not in right:
        return ""
    mine, best = right[own.label], max(right, key=lambda label: right[label])
    if len(right) == 1 and 1 - mine >= SHARE:
        told = f"{own.label} is right in {show.share(mine)} of its runs"
        return f"{told}; of the others that is not known"
    if right[best] - mine < SHARE:
        return ""
    return (
        f"{own.label} is right in {show.share(mine)} of its runs, {best} in "
        f"{show.share(right[best])}"
    )


def _dear(ways: Sequence[_Way]) -> str:
    own = _best(ways)
    mine = own.findings.whole_cost
    found = ((it.label, it.findings.whole_cost) for it in ways if not it.fails_more)
    known = {label: cost for label, cost in found if cost is not None}
    if mine is None or not known:
        return ""
    least = min(known, key=lambda label: known[label])
    if mine <= DEARER * known[least]:
        return ""
    return f"{own.label} costs {show.money(mine)} a run, {least} {show.money(known[least])}"
