"""The parts of the answer of one run, in reading order: answer, reason, where it goes, the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agentsim.analysis.estimate import FEWEST
from agentsim.analysis.findings import (
    DefectFindings,
    Findings,
    PersonFindings,
    QualityFindings,
    Share,
)
from agentsim.analysis.words import SLIVER
from agentsim.report import budgeting, show, timing, words
from agentsim.report.blocks import (
    Bar,
    Bars,
    Foot,
    Headline,
    Line,
    Lines,
    Notes,
    Run,
    line,
)
from agentsim.report.text import listed, name, safe

FOLDED = SLIVER  # a smaller share of the whole is told in one row with its like
TOO_FEW = "too few to tell the error"
REASONS = 3  # why runs fail: the most frequent; the rest is counted
FEW_LONG = 0.1  # of all time, which the longest 5 % hold, from which on they are what is long
SKEWED = 1.3  # times the typical run, from which on the average is said to be that of a few


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
        slowed = server.tok_s_effective
        if slowed is not None and used is not None and slowed < 0.95 * used:
            facts.append(f"~{show.number(slowed)} with the waits for its quota")
        grade = f" (grade {safe(server.grade)})" if server.grade else ""
        lines.append(f"{listed([name(r, 20) for r in server.roles], 3)}: {', '.join(facts)}{grade}")
    return lines


def verdict(findings: Findings) -> Lines:
    """How long, how sure, within the budget?, without people, and whether runs fail."""
    lines = [timing.wall(findings)]
    if findings.finish is not None:
        lines.append(line(timing.done_by(findings.finish, findings)))
    if findings.budget is not None:
        lines += budgeting.lines(findings.budget, findings.exact, findings.replications)
    if findings.people:
        lines += _people(findings)
    lines += _outcome(findings)
    return Lines(tuple(lines))


def _people(findings: Findings) -> list[Line]:
    """The median without people, as the headline is one; what they give is a mean."""
    left = findings.without_people.p50
    said = show.exact(left) if findings.exact else f"{show.duration(left)} typical"
    if findings.replications == 1 and not findings.exact:
        said = show.duration(left)
    alone = findings.is_alone
    needed = [_needed(who, it, findings.exact, alone) for who, it in findings.people.items()]
    return [line(f"Without people {said}. {needed[0]}"), *(line(text) for text in needed[1:])]


def _needed(who: str, person: PersonFindings, exact: bool, alone: bool) -> str:
    """How often and for how long. `alone`: of one run there is no average."""
    subject = words.verb(who, "are", "is")
    count, average = person.times_needed, "" if alone else " on average"
    if count <= 0:
        return f"{subject} not needed."
    for_ = (show.exact if exact else show.duration)(person.attention)
    if count < 1 and person.asked is not None and abs(person.asked - count) < 1e-9:
        return f"{subject} needed in {show.share(count)} of runs, for {for_} a run{average}."
    often = show.often(count)
    if count < 0.95:
        return f"{subject} needed on average {often}, and for {for_} in all."
    whole = "" if "once" in often else " in all"
    return f"{subject} needed {often}, for {for_}{whole}{average}."


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
        if findings.quality.success is not None:
            lines.append(line(_right(findings.quality, findings.quality.success, findings.exact)))
        if findings.quality.defects is not None:
            lines.append(line(_escaped(findings.quality.defects, findings)))
    return lines


def _escaped(defects: DefectFindings, findings: Findings) -> str:
    """How many are left, of how many; in how many runs there are none."""
    left, of = show.number(defects.escaped.mean), show.number(defects.written)
    runs = " of a run that does not fail" if 0 < findings.failed < 1 else ""
    whole = findings.exact or defects.none in (0.0, 1.0)
    free = "" if whole else f"; none in {show.share(defects.none)} of the runs"
    low, high = defects.escaped.ci95
    error = f" (+-{show.number((high - low) / 2)})" if high > low else ""
    mean = "" if findings.exact else f", on average{error}"
    apart = ""
    if findings.quality is not None and findings.quality.success is not None:
        apart = " They say nothing of which attempt is right, nor that of them."
    return f"Defects{runs}: {left} of {of} escape{mean}{free}.{apart}"


def _right(quality: QualityFindings, success: float, exact: bool) -> str:
    if exact and quality.unpicked:
        return "Nothing is picked: no attempt succeeds."
    if exact:
        return f"What is picked is {'right' if success else 'wrong'}."
    between = ""
    if quality.ci95 is not None:
        low, high = (100 * share for share in quality.ci95)
        between = f" ({low:.1f} to {high:.1f} %)"
    none = ""
    if quality.unpicked:
        none = f"; in {show.share(quality.unpicked)} no attempt succeeds and nothing is picked"
    return f"What is picked is right in {show.share(success)}{between} of runs{none}."


def _failed(findings: Findings) -> str:
    """The share, and what it is known to be at 95 %."""
    between = "" if findings.failed_ci95 is None else f" ({show.between(*findings.failed_ci95)})"
    return f"{show.share(findings.failed)}{between}"


def _failures(findings: Findings) -> list[Line]:
    """How many runs fail and why, and whether they count in the times."""
    found = sorted(findings.reasons.items(), key=lambda item: (-item[1], item[0]))
    always = findings.failed >= 1
    head = "Every run fails" if always else f"Fails in {_failed(findings)} of runs"
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
    elif done.n < timing.FEW_RUNS and not findings.exact:
        typical = show.duration(done.p50)
        which = f"Those {done.n} that do not fail: {typical} typical."
        if done.n == 1:
            which = f"The one that does not fail: {typical}."
        lines.append(line(f"Times are of all runs, failed ones too. {which}"))
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
    labels = [_label(findings, row) for row in large]
    seconds = [row.seconds for row in large]
    parts = [row.share for row in large]
    waits = [row.kind in words.WAITING for row in large]
    if small:
        labels.append(f"other ({len(small)})")
        seconds.append(sum(row.seconds for row in small))
        parts.append(sum(row.share for row in small))
        waits.append(all(row.kind in words.WAITING for row in small))
    unit = show.unit_for(total)
    values = unit.column(seconds)
    errors = [*_errors(findings, large, unit), *[""] * (len(labels) - len(large))]
    tones = [(row.kind, row.what) in findings.bottleneck.rows for row in large]
    tones += [False] * (len(labels) - len(large))
    told = show.shares(parts, tones)
    rows = zip(labels, values, told, parts, waits, tones, errors, strict=True)
    return Bars(
        _title(findings, _error(findings)),
        tuple(
            Bar(a, b, c, d, waits, "accent" if e else "plain", error)
            for a, b, c, d, waits, e, error in rows
        ),
        brief=_title(findings, ""),
        note=_few_long(findings),
    )


def _label(findings: Findings, row: Share) -> str:
    """A row's name; a wait for a slot may be one for something else."""
    if row.kind == words.SLOT_WAIT:
        own = [findings.servers[row.what]] if row.what else list(findings.servers.values())
        kinds = {server.waits_for for server in own}
        if len(kinds) == 1 and (waits_for := kinds.pop()):
            return words.instead(waits_for, row.what)
    return words.part(row.kind, row.what, _reads(findings, row.what))


def _errors(findings: Findings, rows: Sequence[Share], unit: show.Unit) -> list[str]:
    """`+-4.9m` behind each row, where one of them is known no better than to a tenth."""
    halves = [(row.ci95[1] - row.ci95[0]) / 2 if row.ci95 else 0.0 for row in rows]
    vague = any(half > 0.1 * row.seconds for half, row in zip(halves, rows, strict=True))
    if findings.exact or findings.replications < FEWEST or not vague:
        return [""] * len(rows)
    shown = [unit.show(half) for half in halves]
    return ["" if text == unit.show(0.0) else f"+-{text}" for text in shown]


def _few_long(findings: Findings) -> str:
    """That the average is that of a few runs, where it lies far above the typical one."""
    wall = findings.wall
    longest = findings.longest
    if longest is None or longest < FEW_LONG or wall.mean <= SKEWED * wall.p50:
        return ""
    held = show.share(longest)
    return f"a few long runs make the average: the longest 5 % hold {held} of all time"


def _title(findings: Findings, error: str) -> str:
    """`Where the average 1 h 17 m +-3.3 m goes`."""
    if findings.exact:
        return f"Where the {show.exact(findings.wall.mean)} go"
    if findings.replications == 1:
        return f"Where the {show.duration(findings.wall.mean)} of this run go"
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


def warned(texts: Sequence[str]) -> Notes | None:
    """What to beware of, each warning as it is; nothing if there is nothing."""
    if not texts:
        return None
    title = "Warning" if len(texts) == 1 else f"Warnings ({len(texts)})"
    return Notes(title, tuple(safe(text) for text in texts))


def foot(findings: Findings) -> Foot:
    """Calls, tokens and money of a run; how many runs, of which seed, and how sure that is."""
    seed = f"seed {findings.seed}"
    used = tuple(_used(findings))
    if findings.exact:
        return Foot((used, ("exact: nothing is drawn", seed)))
    runs = show.plural(findings.replications, "run")
    wall = findings.wall
    errors: tuple[str, ...] = (TOO_FEW,)
    if findings.replications >= FEWEST:
        errors = f"typical {show.error(wall.p50_error)}", f"1 in 10 {show.error(wall.p90_error)}"
    return Foot((used, (runs, seed, *errors)))


def worst_error(rows: Sequence[Findings], labels: Sequence[str] = ()) -> str:
    """How sure the typical runs of several answers are: the least sure, named where it differs."""
    if any(it.replications < FEWEST and not it.exact for it in rows):
        return TOO_FEW
    errors = [it.wall.p50_error / (it.wall.p50 or 1.0) for it in rows]
    told = list(map(show.at_most, errors))
    worst = max(range(len(rows)), key=lambda i: errors[i])
    which = f", the most {labels[worst]}" if labels and len(set(told)) > 1 else ""
    return f"typical +-{told[worst]} or less{which}"


def _used(findings: Findings) -> Iterator[str]:
    """`mean: 63 calls`, `4.4M tokens in (94 % cached)`, `39k out (46 % thinking)`, `$2.84`."""
    calls, tokens = findings.calls, findings.tokens
    refused = [
        f"{show.number(count)} {word}"
        for count, word in ((calls.rejected, "rejected"), (calls.failed, "failed"))
        if count > 0
    ]
    alone = findings.is_alone
    mean = "" if alone or not calls.attempts else "mean: "
    yield f"{mean}{show.plural(calls.attempts, 'call')}{_within(', '.join(refused))}"
    if tokens.input > 0:
        hits = f"{show.share(tokens.cached / tokens.input)} cached" if tokens.cached > 0 else ""
        yield f"{show.tokens(tokens.input)} tokens in{_within(hits)}"
    if tokens.output > 0:
        thought = f"{show.share(tokens.thinking / tokens.output)} thinking"
        word = "out" if tokens.input > 0 else "tokens out"
        made = show.tokens(tokens.output)
        yield f"{made} {word}{_within(thought if tokens.thinking > 0 else '')}"
    if tokens.wasted > 0:
        yield f"{show.tokens(tokens.wasted)} tokens wasted"
    if findings.cost_total is not None:
        without = f"without {listed([name(it, 30) for it in findings.unpriced], 2)}"
        how = "" if findings.paid.keys() <= {"tokens"} else _paid(findings.paid)
        told = [how, without if findings.unpriced else ""]
        yield f"{show.money(findings.cost_total)}{_within(', '.join(filter(None, told)))}"
    for profile, month in findings.plans.items():
        yield f"{name(profile, 30)} {show.money(month)} a month"


def _paid(paid: Mapping[str, float]) -> str:
    """`rent`; `tokens $0.31, own machine $1.20` where there are several ways."""
    if len(paid) == 1:
        return words.PAID[next(iter(paid))]
    return ", ".join(f"{words.PAID[how]} {show.money(it)}" for how, it in paid.items())


def _within(text: str) -> str:
    return f" ({text})" if text else ""
