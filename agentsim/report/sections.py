"""The parts of the answer of one run, in reading order: answer, reason, levers, the rest."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.analysis.findings import BudgetFindings, Findings, Lever, PersonFindings
from agentsim.report import show, words
from agentsim.report.blocks import (
    Bar,
    Bars,
    Column,
    Foot,
    Headline,
    Line,
    Lines,
    Notes,
    Run,
    Table,
    line,
)
from agentsim.report.text import listed, name, safe

FOLDED = 0.01  # a smaller share of the whole is told in one row with its like
LEVERS = 6  # rows; the rest is named below


def headline(findings: Findings) -> Headline:
    """The workflow's name; for each server its roles, profile, speed of one stream and grade."""
    return Headline(name(findings.workflow, 60), tuple(_hardware(findings)))


def _hardware(findings: Findings) -> list[str]:
    if not findings.servers:
        return [f"{name(role)}: {name(it)}" for role, it in findings.hardware.items()]
    lines = []
    for server in findings.servers.values():
        facts = [name(server.profile)]
        given, used = server.rate, server.tok_s_stream
        if given is not None:
            facts.append(show.rate(given))
            if used is not None and abs(used - given) > 0.1 * given:
                facts.append(f"~{show.number(used)} in use")
        elif used is not None:
            facts.append(f"~{show.rate(used)}")
        grade = f" (grade {safe(server.grade)})" if server.grade else ""
        lines.append(f"{listed([name(r, 20) for r in server.roles], 3)}: {', '.join(facts)}{grade}")
    return lines


def verdict(findings: Findings) -> Lines:
    """How long, how sure, within the budget?, without people, and whether runs fail."""
    lines = [_wall(findings)]
    if findings.budget is not None:
        lines.append(_budget(findings.budget, findings.exact))
    if findings.people:
        lines += _people(findings)
    lines += _outcome(findings)
    return Lines(tuple(lines))


def _wall(findings: Findings) -> Line:
    wall = findings.wall
    if findings.exact:
        return line("always ", Run(show.exact(wall.p50), "strong"))
    return Line(
        (
            (Run(f"{show.duration(wall.p50)} typical", "strong"),),
            (Run("4 in 5 runs within "), Run(show.duration(wall.p80), "strong")),
            (Run("1 in 10 over "), Run(show.duration(wall.p90), "strong")),
        )
    )


def _budget(budget: BudgetFindings, exact: bool) -> Line:
    ok = is_met(budget)
    if exact:
        told = "met" if ok else "missed"
    else:
        told = f"met in {show.share(budget.met)} of runs (wanted {show.share(budget.chance)})"
    return line(f"Budget {', '.join(limits_of(budget))}: {told}", end="OK" if ok else "MISSED")


def limits_of(budget: BudgetFindings) -> list[str]:
    """`1 h 30 m`, `20 min of people`, `$5`: all that must hold."""
    told = []
    for key, value in budget.limits.items():
        size = show.money(value) if key == "money" else show.duration(value)
        told.append(f"{size} {words.limit(key)}".strip())
    return told


def is_met(budget: BudgetFindings) -> bool:
    """Whether enough of the runs kept within all limits: the verdict that the exit code gives."""
    return budget.met >= budget.chance


def _people(findings: Findings) -> list[Line]:
    left = findings.without_people.p50
    said = show.exact(left) if findings.exact else show.duration(left)
    needed = [_needed(who, it) for who, it in findings.people.items()]
    return [line(f"Without people {said}. {needed[0]}"), *(line(text) for text in needed[1:])]


def _needed(who: str, person: PersonFindings) -> str:
    if person.times_needed <= 0:
        return f"{words.verb(who, 'are', 'is')} not needed."
    whole = "" if show.times(person.times_needed) == "once" else " in all"
    takes = show.duration(person.reading + person.switching)
    often = show.times(person.times_needed)
    return f"{words.verb(who, 'are', 'is')} needed {often}, for about {takes}{whole}."


def _outcome(findings: Findings) -> list[Line]:
    lines = []
    if findings.failed > 0:
        reasons = sorted(findings.reasons.items(), key=lambda item: (-item[1], item[0]))
        if findings.failed >= 1:
            head, told = "Every run fails", [name(reason, 60) for reason, _ in reasons[:3]]
        else:
            head = f"Fails in {show.share(findings.failed)} of runs"
            told = [f"{name(reason, 60)} ({show.share(part)})" for reason, part in reasons[:3]]
        tail = f": {', '.join(told)}" if told else ""
        more = f", {len(reasons) - 3} more" if len(reasons) > 3 else ""
        lines.append(line(Run(f"{head}{tail}{more}.", "strong")))
    if len(findings.verdicts) > 1:
        said = [f"{name(word)} {show.share(part)}" for word, part in findings.verdicts.items()]
        lines.append(line(f"The last verdict: {', '.join(said)}."))
    return lines


def bottleneck(findings: Findings) -> Lines:
    """What bound the run, in one sentence."""
    return Lines((line(Run(safe(findings.bottleneck.sentence), "accent")),))


def breakdown(findings: Findings) -> Bars | None:
    """Where the average run's time goes: rows that add up, the largest first, slivers folded."""
    total = findings.wall.mean
    if not total > 0:
        return None
    found = sorted((row for row in findings.where if row.seconds > 0), key=lambda row: -row.seconds)
    large = [row for row in found if row.share >= FOLDED]
    small = [row for row in found if row.share < FOLDED]
    if len(small) == 1:  # a fold of one would only hide its name
        large, small = found, []
    labels = [words.part(row.kind, row.what) for row in large]
    seconds = [row.seconds for row in large]
    parts = [row.share for row in large]
    waits = [row.kind in words.WAITING for row in large]
    if small:
        labels.append(f"other ({len(small)})")
        seconds.append(sum(row.seconds for row in small))
        parts.append(sum(row.share for row in small))
        waits.append(all(row.kind in words.WAITING for row in small))
    values = show.unit_for(total).column(seconds)
    tones = [_is_bottleneck(findings, row.kind, row.what) for row in large] + [False]
    rows = zip(labels, values, show.shares(parts), parts, waits, tones, strict=False)
    whole = show.exact(total) if findings.exact else show.duration(total)
    title = f"Where the {'' if findings.exact else 'average '}{whole} {_goes(findings)}"
    return Bars(
        title,
        tuple(Bar(a, b, c, d, waits, "accent" if e else "plain") for a, b, c, d, waits, e in rows),
    )


def _goes(findings: Findings) -> str:
    return "go" if findings.exact else "goes"


def _is_bottleneck(findings: Findings, kind: str, what: str) -> bool:
    """Rows that the sentence is about: all of a person's, all tools, else the kind's."""
    found = findings.bottleneck
    if found.kind in words.OF_PEOPLE:
        return kind in words.OF_PEOPLE and what == found.what
    return kind == found.kind


def levers(findings: Findings) -> Table | None:
    """What single changes would save and leave of the mean, the largest first."""
    if not findings.levers:
        return None
    whole = findings.wall.mean
    ranked = sorted(findings.levers, key=lambda lever: -lever.saves)
    clear = [it for it in ranked if abs(it.saves) >= FOLDED * whole or it.note]
    shown = clear[:LEVERS] if clear else ranked[:1]
    rest = [it for it in ranked if it not in shown]
    unit = show.unit_for(whole)
    vague = any(_half(it) > 0.1 * abs(it.saves) for it in shown)
    rows = tuple(_lever(it, unit, vague) for it in shown)
    columns = [
        Column("What would help, on average"),
        Column("saves", True),
        Column("leaves", True),
        Column(""),
    ]
    if vague:
        columns.insert(2, Column("", True))
    notes: tuple[str, ...] = ()
    if rest:
        names = listed([_named(it) for it in rest], 4)
        head = f"less than {show.share(FOLDED)} each" if len(clear) <= LEVERS else "less"
        notes = (f"{head}: {names}",)
    return Table("", tuple(columns), rows, notes=notes)


def _lever(lever: Lever, unit: show.Unit, vague: bool) -> tuple[str, ...]:
    saves = unit.show(-lever.saves)
    note = f"<- {safe(lever.note)}" if lever.note else ""
    if lever.ci95[0] < 0 < lever.ci95[1]:
        note = note or "may be chance"
    if lever.saves < 0:
        saves = f"+{saves}"
        note = note or "slower"
    cells = [_named(lever), saves, show.tight(lever.leaves), note]
    if vague:
        cells.insert(2, f"+-{unit.show(_half(lever))}")
    return tuple(cells)


def _named(lever: Lever) -> str:
    return name(words.lever(f"{lever.change} {lever.what}"), 36)


def _half(lever: Lever) -> float:
    return (lever.ci95[1] - lever.ci95[0]) / 2


def warned(texts: Sequence[str]) -> Notes | None:
    """What to beware of; nothing if there is nothing."""
    if not texts:
        return None
    title = "Warning" if len(texts) == 1 else f"Warnings ({len(texts)})"
    return Notes(title, tuple(safe(text) for text in texts))


def foot(findings: Findings) -> Foot:
    """Calls, tokens and money of a run; how many runs, of which seed, and how sure that is."""
    calls, tokens = findings.calls, findings.tokens
    told = show.plural(calls.attempts, "call")
    refused = [
        f"{show.number(count)} {word}"
        for count, word in ((calls.rejected, "rejected"), (calls.failed, "failed"))
        if count > 0
    ]
    used = [told + (f" ({', '.join(refused)})" if refused else "")]
    if tokens.output > 0:
        thought = tokens.thinking / tokens.output
        thinking = f" ({show.share(thought)} thinking)" if tokens.thinking > 0 else ""
        used.append(f"{show.tokens(tokens.output)} tokens out{thinking}")
    if tokens.wasted > 0:
        used.append(f"{show.tokens(tokens.wasted)} wasted")
    if findings.cost_total is not None:
        used.append(show.money(findings.cost_total))
    seed = f"seed {findings.seed}"
    if findings.exact:
        return Foot((tuple(used), ("exact: nothing is drawn", seed)))
    runs = show.plural(findings.replications, "run")
    wall = findings.wall
    errors = f"typical {show.error(wall.p50_error)}", f"1 in 10 {show.error(wall.p90_error)}"
    return Foot((tuple(used), (runs, seed, *errors)))
