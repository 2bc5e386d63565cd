"""Workflows and machines side by side: what sets them apart, and what is assumed of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from agentsim.analysis.findings import Findings
from agentsim.errors import Notice, Weight
from agentsim.report import brief, paid, show, winner
from agentsim.report.beside import steps, tables
from agentsim.report.blocks import Block, Document, Foot, Headline, Lines, Run
from agentsim.report.blocks import line as one_line
from agentsim.report.compared import (
    Apart,
    BreakEven,
    Compared,
    has_steps,
    machine_name,
)
from agentsim.report.merging import each
from agentsim.report.sections import warned, worst_error
from agentsim.report.text import listed, name

LABEL = 24  # columns of a row's name in a sentence
QUALITIES = {"success": " in what is right", "escaped_defects": " in what escapes"}
PAIRS = 9  # of machines, whose costs are compared by their use
TOLD = 6  # rows that cannot be told apart, with how many runs would tell


def compare(result: Compared, full: bool = False) -> Document:
    """The answer, the table, what cannot be told apart, what other models may cost, warnings.

    `full`: each warning as it is, else the weightiest ones in brief.
    """
    blocks: list[Block] = [_headline(result)]
    if first := winner.answer(result):
        blocks.append(Lines(tuple(one_line(Run(text, "strong")) for text in first)))
    blocks += [*tables(result), *steps(result)]
    for tell in (_failed, _chance, _turns, _paying, _work, _assumed):
        if told := tell(result):
            blocks.append(Lines(tuple(one_line(text) for text in told)))
    if notes := warned(warnings(result)) if full else brief.notes(in_brief(result)):
        blocks.append(notes)
    blocks.append(_foot(result))
    return Document(tuple(blocks))


def _failed(result: Compared) -> list[str]:
    return list(filter(None, [winner.failures(result)]))


def _headline(result: Compared) -> Headline:
    rows = result.machines[0].rows
    files = list(dict.fromkeys(row.file for row in rows))
    if len(files) == 1:
        title = name(rows[0].findings.workflow, 60)
    else:
        title = f"{len(files)} workflows side by side"
    right: tuple[str, ...] = ()
    if len(result.machines) == 1 and (used := machine_name(result.machines[0])):
        right = (name(used, 60),)
    return Headline(title, right)


def _findings(result: Compared) -> list[Findings]:
    return [row.findings for machine in result.machines for row in machine.rows]


def _chance(result: Compared) -> list[str]:
    """Rows whose difference to the first, or to the one above, may be chance; runs to tell.

    The time pair by pair; of how good the work is, the number of pairs where there are several.
    """
    several = len(result.machines) > 1
    times: list[str] = []
    works: dict[str, list[str]] = {of: [] for of in QUALITIES.values()}
    for machine in result.machines:
        where = f" on {name(machine_name(machine), 30)}" if several else ""
        to_first = [(machine.rows[0], row, row.difference, row.others) for row in machine.rows]
        steps = pairwise(machine.rows[1:] if has_steps(result) else ())
        to_above = [(before, row, row.above, row.above_others) for before, row in steps]
        for base, row, time, others in to_first + to_above:
            pair = f"{name(row.label, LABEL)} cannot be told apart from {name(base.label, LABEL)}"
            times += _unclear(pair + where, time)
            for measure, of in QUALITIES.items():
                works[of] += _unclear(f"{pair}{where}{of}", others.get(measure))
    if len(times) > TOLD:
        times[TOLD:] = [f"{len(times) - TOLD} more pairs cannot be told apart."]
    for of, told in works.items():
        times += told if len(told) < 2 else [f"{len(told)} pairs cannot be told apart{of}."]
    return times


def _unclear(what: str, it: Apart | None) -> list[str]:
    return [] if it is None or it.is_clear else [f"{what}: {_would_tell(it)}."]


def _would_tell(it: Apart) -> str:
    if it.ci95 is None:
        return "one run tells nothing of that"
    if it.needed is None:
        return "not even 1,000,000 runs would tell"
    # to two figures: it goes by a mean that is not known well
    digits = max(0, len(str(it.needed)) - 2)
    return f"about {-(-it.needed // 10**digits) * 10**digits:,} runs would tell"


def _turns(result: Compared) -> list[str]:
    """What is assumed of other machines' models, and up to where it would not matter."""
    if len(result.machines) == 1 or not any(it.hardware for it in _findings(result)):
        return []
    told = ["Same turns and tokens assumed on all hardware."]
    names = [name(machine_name(it), 30) for it in result.machines]
    found = sorted(result.break_evens, key=lambda it: (not it.clear, it.ahead, it.behind))
    single = len(result.machines[0].rows) == 1
    for (clear, ahead, behind), group in groupby(
        found, key=lambda it: (it.clear, it.ahead, it.behind)
    ):
        own = list(group)
        if not clear:
            where = "" if single else f" ({listed([name(it.label, LABEL) for it in own])})"
            pair = f"{names[ahead]} and {names[behind]}"
            told.append(f"{pair} cannot be told apart in agent time{where}.")
            continue
        head = f"{names[ahead]} beats {names[behind]} in agent time while its model needs fewer"
        if single or len(own) == 1 == len(result.machines[0].rows):
            told.append(f"{head} than {_times_of(own[0])} the turns.")
        else:
            each = [f"{_times_of(it)} ({name(it.label, LABEL)})" for it in own]
            told.append(f"{head} turns than {listed(each, 12)}.")
    if result.untried:
        were = "pair was" if result.untried == 1 else "pairs were"
        more = "more " if found else ""
        why = "too many, or too long to simulate with more turns"
        told.append(f"{result.untried} {more}{were} not tried: {why}.")
    elif not found:
        told.append("No agent takes turns here, so that there is no break-even in turns.")
    return told


def _paying(result: Compared) -> list[str]:
    """From how much use on a machine costs less than another; the first `PAIRS` of them."""
    single = len(result.machines[0].rows) == 1
    names = [name(machine_name(it), 30) for it in result.machines]
    told = [
        paid.sentence(it, names[it.machine], names[it.other], "" if single else it.label)
        for it in result.paying[:PAIRS]
    ]
    if len(result.paying) > PAIRS:
        told.append(f"{len(result.paying) - PAIRS} more pairs of costs: see --json.")
    return told


def _work(result: Compared) -> list[str]:
    """Files are taken as ways of doing the same work; only whoever wrote them knows whether so."""
    if len({row.file for row in result.machines[0].rows}) < 2:
        return []
    return ["Whether the files do the same work is not checked: see what each writes (graph)."]


def _assumed(result: Compared) -> list[str]:
    """How many values the files left open; a row's are the same on all machines."""
    counts = sorted({len(row.findings.assumed) for row in result.machines[0].rows})
    if not counts[-1]:
        return []
    several = f"{counts[0]} to {counts[-1]} values a file"
    told = several if len(counts) > 1 else show.plural(counts[0], "value")
    return [f"Assumed: {told}; with sources: `agentsim validate FILE --full`"]


def _times_of(it: BreakEven) -> str:
    """`2.24x [2.1 to 2.4]`; the interval where it can be seen."""
    if it.times is None:
        return "100x or more" if it.beyond else "? times"
    if it.ci95 is None:
        return _factor(it.times)
    low, high = map(_factor, it.ci95)
    return _factor(it.times) + ("" if low == high else f" [{low[:-1]} to {high[:-1]}]")


def _factor(times: float) -> str:
    return f"{times:.2f}x" if times < 9.995 else show.factor(times)


def warnings(result: Compared) -> list[str]:
    """What is left out and the warnings of all rows, each text once, with where it holds."""
    return each(_placed(result), lambda places, names: _where(result, places, names))


def in_brief(result: Compared) -> list[brief.Told]:
    """The same, a line a kind: of what differs only in its figures the range of them."""
    return brief.brief(_placed(result), lambda places, names: _where(result, places, names))


def _placed(result: Compared) -> list[tuple[Notice, tuple[int, int]]]:
    """The warnings with the machine and the row that they hold in; of all, with every place."""
    found = [
        (notice, (i, j))
        for i, machine in enumerate(result.machines)
        for j, row in enumerate(machine.rows)
        for notice in row.findings.notices
    ]
    every = dict.fromkeys(
        (i, j) for i, machine in enumerate(result.machines) for j, _ in enumerate(machine.rows)
    )
    for hardware, why in result.left_out:
        text = f"{', '.join(hardware) or 'the machine taken'} is left out: {why}"
        found += [(Notice(text, Weight.ASKED), place) for place in every]
    return found


def _where(result: Compared, places: Sequence[tuple[int, int]], names: str) -> str:
    """`in loop and best3 on cerebras`; nothing where all have it.

    `names`: the hardware that is named before it, so that it is not told once more.
    """
    machines, rows = (sorted({place[i] for place in places}) for i in range(2))
    if len(set(places)) < len(machines) * len(rows):  # no rectangle: row by row
        return listed([_where(result, [place], "") for place in sorted(set(places))], 4)
    told = []
    if len(rows) < len(result.machines[0].rows):
        told.append(f"in {listed([_label(result, j) for j in rows], 3)}")
    if len(machines) < len(result.machines) and not names:
        used = [name(machine_name(result.machines[i]), 30) for i in machines]
        told.append(f"on {listed(used, 3)}")
    return " ".join(told)


def _label(result: Compared, row: int) -> str:
    return name(result.machines[0].rows[row].label, LABEL)


def _foot(result: Compared) -> Foot:
    found = _findings(result)
    seed = f"seed {found[0].seed}"
    if all(it.exact for it in found):
        return Foot((("exact: nothing is drawn", seed),))
    runs = show.plural(next(it.replications for it in found if not it.exact), "run")
    told = f"{runs} a row", seed, "the same random numbers in all"
    several = len(result.machines) > 1
    labels = [
        f"in {name(row.label, LABEL)}{f' on {name(machine_name(it), 30)}' if several else ''}"
        for it in result.machines
        for row in it.rows
    ]
    return Foot((told, (worst_error(found, labels),)))
