"""A budget in the answer: in which share of the runs it is met, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from agentsim.analysis.estimate import FEWEST
from agentsim.analysis.findings import Findings
from agentsim.analysis.gate import BudgetFindings
from agentsim.report import show, words
from agentsim.report.blocks import Line, line
from agentsim.report.text import listed, name

_FIGURES = 4  # decimals of a percentage, at most


def lines(budget: BudgetFindings, exact: bool, runs: int) -> list[Line]:
    """What of it is met and whether that is enough; and where other random numbers might turn it.

    OK and MISSED are those of the exit code: they go by the estimate alone. Of fewer `runs` than
    tell an error there is neither.
    """
    if not budget.is_known:
        who = listed([name(profile, 30) for profile in budget.unpriced], 3)
        limits = ", ".join(limits_of(budget))
        why = f"Whether it is met is not known: no `price` in {who}."
        if set(budget.unpriced) <= set(budget.plans):
            why = f"Whether it is met is not known: {who} is paid by the month."
        return [line(f"Budget {limits}:", end="NOT KNOWN"), line(why)]
    if not exact and runs < FEWEST:
        told = f"met in {_counted(budget, runs)} (wanted {show.share(budget.chance)})"
        few = f"Too few runs for a verdict: it takes {FEWEST}, and more --runs tell more."
        return [line(f"Budget {', '.join(limits_of(budget))}: {told}"), line(few)]
    close = [line("Too close to call at 95 %: more --runs would tell.")] if budget.is_close else []
    return [_verdict(budget, exact), *close]


def _verdict(budget: BudgetFindings, exact: bool) -> Line:
    ok = budget.is_met
    met, wanted = show.share(budget.met), show.share(budget.chance)
    if not ok and met == wanted:
        # with its interval there is no room for words; rounded up it would look met
        met = f"just under {met}" if budget.ci95 is None else _tenths(budget.met)
    told = f"met in {met}{_within(budget)} of runs (wanted {wanted})"
    if exact:
        told = "met" if ok else "missed"
    return line(f"Budget {', '.join(limits_of(budget))}: {told}", end="OK" if ok else "MISSED")


def _counted(budget: BudgetFindings, runs: int) -> str:
    """`2 of 3 runs`."""
    return f"{round(budget.met * runs)} of {show.plural(runs, 'run')}"


def _tenths(share: float) -> str:
    """Rounded down: what is just missed does not look met."""
    return f"{math.floor(share * 1000) / 10:.1f} %"


def _within(budget: BudgetFindings) -> str:
    """` (74 to 79 %)`: in as many figures as it takes to see its width and where `chance` lies."""
    if budget.ci95 is None:
        return ""
    low, high, wanted = (100 * value for value in (*budget.ci95, budget.chance))
    inside = low <= wanted <= high
    for figures in range(_FIGURES):
        first, last = round(low, figures), round(high, figures)
        if first < last and inside == (first <= wanted <= last):
            break
    return f" ({low:.{figures}f} to {high:.{figures}f} %)"


def limits_of(budget: BudgetFindings) -> list[str]:
    """`1 h 30 m`, `20 min of people`, `$5`: all that must hold."""
    told = []
    for key, value in budget.limits.items():
        size = show.money(value) if key == "money" else show.duration(value)
        told.append(f"{size} {words.limit(key)}".strip())
    return told


def cell(findings: Findings) -> str:
    """In a table: `84 % ok`, `77 % no`, with `?` where it is too close to call; `2 of 3`."""
    budget = findings.budget
    if budget is None:
        return ""
    if not budget.is_known:
        return "not known"
    if _is_vague(findings):
        return _counted(budget, findings.replications).removesuffix("s").removesuffix(" run")
    met, wanted = show.share(budget.met), show.share(budget.chance)
    close = "?" if budget.is_close else ""
    if budget.is_met:
        return f"{met} ok{close}"
    if met == wanted:  # just missed; of `>99 %` it takes the tenths to see that
        met = f"<{met}" if met[:1].isdigit() else _tenths(budget.met)
    return f"{met} no{close}"


def _is_vague(findings: Findings) -> bool:
    """Whether there are too few runs for a verdict."""
    return not findings.exact and findings.replications < FEWEST


def note(rows: Sequence[Findings]) -> str:
    """What a column of `cell` means: the limits, unless they differ, and the share wanted."""
    found = [row.budget for row in rows if row.budget is not None]
    if not found:
        return ""
    first = found[0]
    alike = all(it.limits == first.limits and it.chance == first.chance for it in found)
    limits = ", ".join(limits_of(first)) if alike else "that of each file"
    wanted = f"{show.share(first.chance)} of the runs" if alike else "as many runs as it wants"
    doubt = "; ? is too close to call at 95 %" if any(it.is_close for it in found) else ""
    if unknown := dict.fromkeys(profile for it in found for profile in it.unpriced):
        doubt += f"; not known without a price in {listed([name(it, 30) for it in unknown], 3)}"
    cells = list(map(cell, rows))
    said = f"ok where {wanted} keep to it"
    if any(" no" in it for it in cells):
        said += ", no where fewer do"
    if any(it.startswith("<") and " no" in it for it in cells):
        said += " (< is just under)"
    if any(map(_is_vague, rows)):
        said = f"in how many of the runs it is met, too few for a verdict; wanted in {wanted}"
    return f"budget: {limits}; {said}{doubt}"
