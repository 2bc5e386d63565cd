"""What would help: single changes, and what they leave of the average and the typical run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentsim.analysis.binds import Binding
from agentsim.analysis.findings import LEVERS, Findings, Lever
from agentsim.analysis.typical import better_for_typical
from agentsim.analysis.words import SLIVER
from agentsim.report import show, words
from agentsim.report.blocks import Column, Table
from agentsim.report.text import listed, name, safe


def levers(findings: Findings) -> Table | None:
    """What single changes would save and leave of the mean: the largest first, harm at the end."""
    if not findings.levers:
        return None
    ranked = sorted(findings.levers, key=lambda lever: -lever.saves)
    pair = None if findings.exact else better_for_typical(ranked, findings.wall.p50)
    shown, rest, small = _shown(ranked, findings.wall.mean, pair and pair[0])
    unit = show.unit_for(findings.wall.mean)
    vague = any(_half(it) > 0.1 * abs(it.saves) for it in shown)
    typical = not findings.exact and all(it.typical is not None for it in shown)
    head, title = "What would help, on average", ""
    if not any(it.helps for it in ranked):
        head = "What was tried, on average"
        unsure = any(it.ci95[1] >= SLIVER * findings.wall.mean for it in ranked)
        title = f"Nothing that was tried {'is sure to help' if unsure else 'would help'}"
    columns = [
        Column(head),
        Column("saves", True),
        *[Column("", True)] * vague,
        Column("leaves", True),
        *[Column("typical", True)] * typical,
        Column(""),
    ]
    rows = tuple(_lever(it, unit, vague, typical) for it in shown)
    notes = [*_notes(findings, shown, pair)]
    if rest:
        names = listed([lever_name(it) for it in rest], 4)
        notes.append(f"{f'less than {show.share(SLIVER)} each' if small else 'less'}: {names}")
    return Table(title, tuple(columns), rows, notes=tuple(notes))


def _shown(
    ranked: Sequence[Lever], whole: float, better: Lever | None
) -> tuple[list[Lever], list[Lever], bool]:
    """Levers with a row, those that are only named, and whether these all save next to nothing."""
    good = [it for it in ranked if not _harms(it)]
    # the rest, and slivers, are named below
    clear = [it for it in good if abs(it.saves) >= SLIVER * whole or _bounds(it)]
    # what harms, and what bounds all else of its kind, is no footnote
    shown = [it for i, it in enumerate(clear) if i < LEVERS or it.note or it is better]
    if better is not None and better not in shown:
        shown.append(better)
    shown = shown or good[:1]
    shown += [it for it in ranked if _harms(it)]
    rest = [it for it in good if it not in shown]
    return shown, rest, not any(it in clear for it in rest)


def _bounds(lever: Lever) -> bool:
    """Whether it is told though it saves nothing: that no model helps, however fast, is an answer.

    That no smaller `max_output` does is none.
    """
    return bool(lever.note) and lever.kind != "max_output"


def _notes(
    findings: Findings, shown: Sequence[Lever], pair: tuple[Lever, Lever] | None
) -> Iterator[str]:
    if pair is not None:
        yield _for_typical(findings, *pair)
    if findings.binding is not None:
        yield _binding(findings.binding)
    if part := _part_of_runs(shown, findings.replications):
        yield part


def _binding(found: Binding) -> str:
    """From how many at once on calls wait for a quota, or are sent back."""
    where = f"at once in {name(found.each, 30)}"
    if found.at_once == 1:
        return f"The quota binds even with one {where}."
    few = f"{found.at_once:,} {where} on"
    return f"The quota binds from {few}; there are {found.most:,}."


def _for_typical(findings: Findings, best: Lever, other: Lever) -> str:
    """`For the typical run 2x decode saves most: 10 -> 7.5 min.`, or more than another."""
    known = [it for it in findings.levers if it.typical is not None and not it.note]
    is_most = best is min(known, key=lambda it: it.typical or 0.0)
    is_first = other is max(known, key=lambda it: it.saves)
    left = best.typical or 0.0
    change = show.from_to(findings.wall.p50, left)
    head = f"For the typical run {lever_name(best)} saves"
    if is_most and is_first:
        return f"{head} most: {change}."
    less = show.duration(other.typical or 0.0)
    return f"{head} more than {lever_name(other)}: {change}, not {less}."


def _lever(lever: Lever, unit: show.Unit, vague: bool, typical: bool) -> tuple[str, ...]:
    saves, error = unit.show(-lever.saves), unit.show(_half(lever))
    note = f"<- {safe(lever.note)}" if lever.note else ""
    if lever.ci95[0] < 0 < lever.ci95[1]:
        note = note or "may be chance"
    if _harms(lever):
        note = f"takes longer {note}".rstrip()
        if saves == unit.show(0.0):  # of no harm at all that would be said otherwise
            saves, error = show.tight(-lever.saves), show.tight(_half(lever))
    if lever.saves < 0:
        saves = f"+{saves}"
    errors = [f"+-{error}"] if vague else []
    left = [_left(lever.leaves, unit)]
    left += [_left(lever.typical or 0.0, unit)] if typical else []
    return (lever_name(lever), saves, *errors, *left, note)


def _left(seconds: float, unit: show.Unit) -> str:
    """Short waits in the unit of what is saved, so that the two can be added by eye."""
    return unit.show(seconds) if unit.seconds <= 1 else show.tight(seconds)


def _harms(lever: Lever) -> bool:
    """Whether the run surely takes longer with it: its interval lies wholly below nothing."""
    return lever.ci95[1] < 0


def _part_of_runs(shown: Sequence[Lever], runs: int) -> str:
    """Over how many runs the levers were tried, where not over all."""
    fewest = min(it.runs or runs for it in shown)
    return f"levers over the first {show.plural(fewest, 'run')}" if fewest < runs else ""


def lever_name(lever: Lever, most: int = 36) -> str:
    """A lever as people say it: `2x decode`, `you twice as fast`."""
    text = f"{lever.change} {lever.what}"
    return name(words.lever(text) if lever.kind == "people" else safe(text), most)


def _half(lever: Lever) -> float:
    return (lever.ci95[1] - lever.ci95[0]) / 2
