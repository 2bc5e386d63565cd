"""Warnings for a reader in a hurry: a line each, those of one kind in one, the weightiest few.

Nothing is lost that says what the number does not stand for; the rest is counted, with the option
that shows it. JSON and `--full` have every warning with all of its figures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType
from typing import NamedTuple

from agentsim.analysis.weights import Weight, is_about_validity, share, weight
from agentsim.report.blocks import Notes
from agentsim.report.merging import Where, groups, placed
from agentsim.report.text import safe

SHOWN = 4
"""Lines of warnings; one more is shown rather than counted."""

_OFTEN = re.compile(r"[^ :]+(?: times)? a run, (?=in [<>]?\d)")  # `0.15 times a run, `
_SHARE = re.compile(r"in ([<>]?\d[\d,]*) % of the runs")
_MOST = re.compile(r"\(up to ([\d,]+)\)")
_RUNS = re.compile(r"in [<>]?[\d,]+(?: to [<>]?[\d,]+)? % of the runs.*")
_GRADE = re.compile(r"(.+): figures of grade (\S+ \(.*?\))(?:, as of ([^(]+?))?(?: \(.*\))?")

_KINDS = MappingProxyType(
    {
        "sessions are compacted": ("compacted", "sessions compacted {}"),
        "the call that compacts does not fit": ("compacted", "cut before it to fit {}"),
        "tool results are cut": ("cut", "tool results cut {}"),
        "output is cut": ("cut", "output cut {}"),
        "answers are lengthened": ("cut", "answers lengthened {}"),
    }
)
"""How a text of runs begins -> its kind, and what is said of it beside others of that kind."""


class Told(NamedTuple):
    """A line, and the warnings that it stands for."""

    text: str
    of: tuple[str, ...]


def brief(
    texts: Iterable[tuple[str, Where]], place_of: Callable[[list[Where], str], str]
) -> list[Told]:
    """A line a kind, the weightiest first; the places as for `placed`.

    Where texts differ in the share of the runs only, its range is told.
    """
    lines: dict[str, list[Told]] = {}
    for group in groups(texts):
        line = Told(_ranged(group, place_of), tuple(text for text, _ in group))
        lines.setdefault(_kind(line.text), []).append(line)
    merged = [_merged(own) for own in lines.values()]
    return sorted(merged, key=lambda it: (min(map(weight, it.of)), -max(map(share, it.of))))


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


def _ranged(group: list[tuple[str, Where]], place_of: Callable[[list[Where], str], str]) -> str:
    """One line for texts that differ in their figures: the share as a range, the most of all."""
    texts = [text for text, _ in group]
    bare = {_MOST.sub("", _SHARE.sub("", _OFTEN.sub("", text))) for text in texts}
    if len(bare) > 1:
        return placed(group, place_of)[0]
    worst = _OFTEN.sub("", max(texts, key=share))
    found = sorted({(share(text), own[1]) for text in texts if (own := _SHARE.search(text))})
    if len(found) > 1:
        (_, low), (_, high) = found[0], found[-1]
        worst = _SHARE.sub(f"in {low} to {high} % of the runs", worst)
    if most := [own[1] for text in texts if (own := _MOST.search(text))]:
        largest = max(most, key=lambda it: int(it.replace(",", "")))
        worst = _MOST.sub(f"(up to {largest})", worst)
    where = place_of([place for _, place in group], texts[0])
    return f"{worst} ({where})" if where else worst


def _kind(text: str) -> str:
    """Lines of the same kind become one."""
    if weight(text) is Weight.GRADE:
        return "grade"
    return next((kind for head, (kind, _) in _KINDS.items() if text.startswith(head)), text)


def _merged(lines: list[Told]) -> Told:
    """One line for those of one kind."""
    of = tuple(text for line in lines for text in line.of)
    if len(lines) == 1:
        return Told(lines[0].text, of)
    if _kind(lines[0].text) == "grade":
        return Told(_grades([line.text for line in lines]), of)
    return Told(_together(sorted(lines, key=lambda it: -max(map(share, it.of)))), of)


def _together(lines: Sequence[Told]) -> str:
    """`tool results cut in 13 % of the runs, answers lengthened in 14 %`."""
    told = []
    for line in lines:
        runs = _RUNS.search(line.text)
        says = next(says for head, (_, says) in _KINDS.items() if line.text.startswith(head))
        told.append(says.format(runs[0]) if runs else line.text)
    return ", ".join([told[0], *(text.replace(" of the runs", "") for text in told[1:])])


def _grades(texts: Sequence[str]) -> str:
    """`figures of grade C (older or second-hand): claude-opus 2026-06, cerebras 2026-10`."""
    found: dict[str, list[str]] = {}
    other = []
    for text in texts:
        if own := _GRADE.fullmatch(text):
            profile, grade, of = own.groups()
            found.setdefault(grade, []).append(f"{profile}{f' {of}' if of else ''}")
        else:
            other.append(text)
    told = (f"figures of grade {grade}: {', '.join(it)}" for grade, it in found.items())
    return "; ".join([*told, *other])
