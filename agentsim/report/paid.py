"""From how many hours of use a week on one machine costs less than another, in a sentence."""

from __future__ import annotations

from agentsim.report import show
from agentsim.report.compared import Paying
from agentsim.report.text import name

LABEL = 24  # columns of a row's name


def sentence(it: Paying, own: str, other: str, label: str) -> str:
    """`own costs less than api from 11 [10 to 12] hours of use a week on (35 runs).`"""
    where = f" ({name(label, LABEL)})" if label else ""
    kept = ", rented day and night," if it.kept else ""
    head = f"{own}{kept} costs less than {other}"
    runs = f"{show.money(it.a_run[0])} a run, {show.money(it.a_run[1])} there"
    if it.verdict == "from" and it.runs is not None:
        if not it.is_in_a_week:
            return f"{head} at no number of hours that a week has{where}."
        if it.hours is None:
            return f"{head} from {show.number(it.runs)} runs a week on{where}."
        return f"{head} from {_hours(it)} of use a week on ({_count(it.runs)}){where}."
    if it.verdict == "always":
        return f"{head}, however much it is used{where}: {runs}."
    if it.verdict == "never":
        return f"{own}{kept} never costs less than {other}{where}: {runs}, and more a week."
    if it.verdict == "unclear":
        return f"Whether {head} cannot be told{where}: {runs}."
    return f"Whether {head} is not known: a price is missing{where}."


def _count(runs: float) -> str:
    return show.plural(runs, "run")


def _hours(it: Paying) -> str:
    """`11 [10 to 12] hours`; the interval where it can be seen."""
    assert it.hours is not None
    hours = show.number(it.hours)
    if it.ci95 is None:
        return f"{hours} hours"
    low, high = (show.number(max(0.0, end)) for end in it.ci95)
    return f"{hours} hours" if low == high else f"{hours} [{low} to {high}] hours"
