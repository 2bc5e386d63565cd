"""Warnings for a reader in a hurry: a line each, those of one kind in one, the weightiest few.

Nothing is lost that says what the number does not stand for; the rest is counted, with the option
that shows it. JSON and `--full` have every warning with all of its figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from agentsim.analysis.weights import is_about_validity, rank
from agentsim.analysis.words import percent
from agentsim.errors import Graded, InRuns, Notice
from agentsim.report.blocks import Notes
from agentsim.report.merging import PlaceOf, Where, groups, with_place
from agentsim.report.text import safe

SHOWN = 4
"""Lines of warnings; one more is shown rather than counted."""


class Told(NamedTuple):
    """A line, and the warnings that it stands for."""

    text: str
    of: tuple[Notice, ...]


class _Line(NamedTuple):
    """One sentence. `share` ("in 1 to 11 %") and `rest` follow `short` where several are one."""

    text: str
    of: tuple[Notice, ...]
    kind: str = ""
    short: str = ""
    share: str = ""
    rest: str = ""


_OF_RUNS = " of the runs"
_GRADES = "grades"


def brief(notices: Iterable[tuple[Notice, Where]], place_of: PlaceOf[Where]) -> list[Told]:
    """A line a kind, the weightiest first, with where it holds.

    Where they differ in the share of the runs only, its range is told.
    """
    kinds: dict[str | int, list[_Line]] = {}
    for i, group in enumerate(groups(notices)):
        line = _line(group, place_of)
        kinds.setdefault(line.kind or i, []).append(line)
    told = [
        Told(_together(lines), tuple(chain.from_iterable(it.of for it in lines)))
        for lines in kinds.values()
    ]
    return sorted(told, key=lambda it: min(map(rank, it.of)))


def notes(lines: Sequence[Told]) -> Notes | None:
    """The weightiest of them; all of those that say what the number does not stand for."""
    if not lines:
        return None
    few = len(lines) <= SHOWN + 1
    shown = [it for i, it in enumerate(lines) if few or i < SHOWN or is_about_validity(it.of)]
    items = [safe(it.text) for it in shown]
    if hidden := len(lines) - len(shown):
        items.append(f"{hidden} more, and all with their figures: add `--full`")
    order = "" if len(lines) == 1 else f"s ({len(lines)}), the weightiest first"
    return Notes(f"Warning{order}", tuple(items))


def _line(group: list[tuple[Notice, Where]], place_of: PlaceOf[Where]) -> _Line:
    """One line for what differs in its figures: the share as a range, the most of all."""
    of = tuple(notice for notice, _ in group)
    runs = [it.runs for it in of if it.runs is not None]
    if len(runs) < len(of) or len({(it.what, it.after) for it in runs}) > 1:
        return _Line(with_place(group, place_of), of, _GRADES if of[0].graded else "")
    where = place_of([place for _, place in group], of[0].profile)
    share = _range(runs)
    rest = f"{_most(runs)}{runs[0].after}{f' ({where})' if where else ''}"
    often = f"{share}{_OF_RUNS}" if share else ""
    return _Line(f"{runs[0].what}{often}{rest}", of, runs[0].kind, runs[0].short, share, rest)


def _range(runs: Sequence[InRuns]) -> str:
    """` in 11 %`, ` in <1 to 11 %`; nothing where there is but one run."""
    shares = [it.share for it in runs if it.share is not None]
    if not shares:
        return ""
    low, high = percent(min(shares)), percent(max(shares))
    return f" in {high}" if low == high else f" in {low.removesuffix(' %')} to {high}"


def _most(runs: Sequence[InRuns]) -> str:
    found = [it.most for it in runs if it.most is not None]
    return f" (up to {max(found):,})" if found else ""


def _together(lines: list[_Line]) -> str:
    """One line for those of one kind: `tool results cut in 13 % of the runs, output cut in 2 %`."""
    if len(lines) == 1:
        return lines[0].text
    if lines[0].kind == _GRADES:
        return _grades([it.of[0].graded for it in lines])
    first, *others = sorted(lines, key=lambda it: min(map(rank, it.of)))
    told = [f"{first.short}{first.share}{_OF_RUNS}{first.rest}"]
    return ", ".join([*told, *(f"{it.short}{it.share}{it.rest}" for it in others)])


def _grades(graded: Sequence[Graded | None]) -> str:
    """`figures of grade C (older or second-hand): claude-opus 2026-06, cerebras 2026-10`."""
    found: dict[str, list[str]] = {}
    for it in graded:
        if it is not None:
            found.setdefault(it.grade, []).append(f"{it.profile} {it.as_of}".rstrip())
    return "; ".join(f"figures of grade {grade}: {', '.join(own)}" for grade, own in found.items())
