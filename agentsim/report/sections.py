"""The parts of the answer of one run, in reading order: answer, reason, levers, the rest."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.analysis.estimate import FEWEST
from agentsim.analysis.findings import Findings, Lever, PersonFindings, QualityFindings
from agentsim.analysis.words import SLIVER
from agentsim.report import budgeting, show, words
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

FOLDED = SLIVER  # a smaller share of the whole is told in one row with its like
TOO_FEW = "too few to tell the error"
REASONS = 3  # why runs fail: the most frequent; the rest is counted
LEVERS = 6  # rows of levers that help; the rest is named below


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
                facts[-1] += " alone"
                facts.append(f"~{show.number(used)} in the runs")
        elif used is not None:
            facts.append(f"~{show.rate(used)}")
        grade = f" (grade {safe(server.grade)})" if server.grade else ""
        lines.append(f"{listed([name(r, 20) for r in server.roles], 3)}: {', '.join(facts)}{grade}")
    return lines


def verdict(findings: Findings) -> Lines:
    """How long, how sure, within the budget?, without people, and whether runs fail."""
    lines = [_wall(findings)]
    if findings.budget is not None:
        lines += budgeting.lines(findings.budget, findings.exact)
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


def _people(findings: Findings) -> list[Line]:
    """The median without people, as the headline is one; what they give is a mean."""
    left = findings.without_people.p50
    said = show.exact(left) if findings.exact else f"{show.duration(left)} typical"
    needed = [_needed(who, it, findings.exact) for who, it in findings.people.items()]
    return [line(f"Without people {said}. {needed[0]}"), *(line(text) for text in needed[1:])]


def _needed(who: str, person: PersonFindings, exact: bool) -> str:
    subject = words.verb(who, "are", "is")
    if person.times_needed <= 0:
        return f"{subject} not needed."
    often = show.times(person.times_needed)
    takes = person.work + person.switching
    for_ = show.exact(takes) if exact else show.duration(takes)
    whole = "" if often == "once" else " in all"
    return f"{subject} needed {often}, for {for_}{whole}{'' if exact else ' on average'}."


def _outcome(findings: Findings) -> list[Line]:
    lines = []
    if findings.failed > 0:
        lines += _failures(findings)
    if len(findings.verdicts) > 1:
        # of one whole: rounded together, so that they add up
        parts = show.shares(list(findings.verdicts.values()))
        said = [f"{name(word)} {part}" for word, part in zip(findings.verdicts, parts, strict=True)]
        lines.append(line(f"The last verdict: {', '.join(said)}."))
    if findings.quality is not None:
        lines.append(line(_quality(findings.quality, findings.exact)))
    return lines


def _quality(quality: QualityFindings, exact: bool) -> str:
    if exact:
        return f"What is picked is {'right' if quality.success else 'wrong'}."
    between = ""
    if quality.ci95 is not None:
        low, high = (100 * share for share in quality.ci95)
        between = f" ({low:.1f} to {high:.1f} %)"
    return f"What is picked is right in {show.share(quality.success)}{between} of runs."


def _failures(findings: Findings) -> list[Line]:
    """How many runs fail and why, and whether they count in the times."""
    found = sorted(findings.reasons.items(), key=lambda item: (-item[1], item[0]))
    always = findings.failed >= 1
    head = "Every run fails" if always else f"Fails in {show.share(findings.failed)} of runs"
    if findings.exact:
        head = "It fails"
    # parts of the runs that fail: they add up to the share above
    parts = show.shares([part for _, part in found])
    told = [
        name(reason, 80) + ("" if always else f" ({part})")
        for (reason, _), part in zip(found[:REASONS], parts, strict=False)
    ]
    if len(found) > REASONS:
        told.append(f"{len(found) - REASONS} more")
    tail = f": {', '.join(told)}" if told else ""
    lines = [line(Run(f"{head}{tail}.", "strong"))]
    done = findings.wall_done
    if done is None:
        lines.append(line("The times are those until it fails."))
    else:
        lines.append(
            line(
                "Times are of all runs, failed ones too. Those that do not fail: "
                f"{show.duration(done.p50)} typical, 4 in 5 within {show.duration(done.p80)}."
            )
        )
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
    labels = [words.part(row.kind, row.what, _reads(findings, row.what)) for row in large]
    seconds = [row.seconds for row in large]
    parts = [row.share for row in large]
    waits = [row.kind in words.WAITING for row in large]
    if small:
        labels.append(f"other ({len(small)})")
        seconds.append(sum(row.seconds for row in small))
        parts.append(sum(row.share for row in small))
        waits.append(all(row.kind in words.WAITING for row in small))
    values = show.unit_for(total).column(seconds)
    tones = [(row.kind, row.what) in findings.bottleneck.rows for row in large]
    tones += [False] * (len(labels) - len(large))
    rows = zip(labels, values, show.shares(parts, tones), parts, waits, tones, strict=True)
    return Bars(
        _title(findings, _error(findings)),
        tuple(Bar(a, b, c, d, waits, "accent" if e else "plain") for a, b, c, d, waits, e in rows),
        brief=_title(findings, ""),
    )


def _title(findings: Findings, error: str) -> str:
    """`Where the average 1 h 17 m +-3.3 m goes`."""
    if findings.exact:
        return f"Where the {show.exact(findings.wall.mean)} go"
    return f"Where the average {show.duration(findings.wall.mean)}{error} goes"


def _error(findings: Findings) -> str:
    """Half of the 95 % interval of the mean; nothing where too few runs tell it."""
    low, high = findings.wall.ci95
    known = findings.replications >= FEWEST and high > low
    return f" {show.error((high - low) / 2)}" if known else ""


def _reads(findings: Findings, who: str) -> bool:
    """Whether a person's work is reading: a step may give a `time` and nothing to read."""
    person = findings.people.get(who)
    return person is None or person.lines > 0 or person.words > 0 or bool(person.reading)


def levers(findings: Findings) -> Table | None:
    """What single changes would save and leave of the mean: the largest first, harm at the end."""
    if not findings.levers:
        return None
    whole = findings.wall.mean
    ranked = sorted(findings.levers, key=lambda lever: -lever.saves)
    good = [it for it in ranked if not _harms(it)]
    clear = [it for it in good if abs(it.saves) >= FOLDED * whole or it.note]
    # what harms, and what bounds all else of its kind, is no footnote
    shown = [it for i, it in enumerate(clear) if i < LEVERS or it.note] or good[:1]
    shown += [it for it in ranked if _harms(it)]
    rest = [it for it in good if it not in shown]
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
        names = listed([lever_name(it) for it in rest], 4)
        small = not any(it in clear for it in rest)
        head = f"less than {show.share(FOLDED)} each" if small else "less"
        notes = (f"{head}: {names}",)
    if part := _part_of_runs(shown, findings.replications):
        notes = (part, *notes)
    return Table("", tuple(columns), rows, notes=notes)


def _lever(lever: Lever, unit: show.Unit, vague: bool) -> tuple[str, ...]:
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
    # short waits in the unit of what is saved, so that the two can be added by eye
    leaves = unit.show(lever.leaves) if unit.seconds <= 1 else show.tight(lever.leaves)
    cells = [lever_name(lever), saves, leaves, note]
    if vague:
        cells.insert(2, f"+-{error}")
    return tuple(cells)


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


def warned(texts: Sequence[str]) -> Notes | None:
    """What to beware of; nothing if there is nothing."""
    if not texts:
        return None
    title = "Warning" if len(texts) == 1 else f"Warnings ({len(texts)})"
    return Notes(title, tuple(safe(text) for text in texts))


def foot(findings: Findings) -> Foot:
    """Calls, tokens and money of a run; how many runs, of which seed, and how sure that is."""
    calls, tokens = findings.calls, findings.tokens
    mean = "" if findings.exact or not calls.attempts else "on average "
    told = mean + show.plural(calls.attempts, "call")
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
    errors: tuple[str, ...] = (TOO_FEW,)
    if findings.replications >= FEWEST:
        errors = f"typical {show.error(wall.p50_error)}", f"1 in 10 {show.error(wall.p90_error)}"
    return Foot((tuple(used), (runs, seed, *errors)))
