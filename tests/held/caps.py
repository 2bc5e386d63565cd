"""What caps let happen, those of a run and those of each run of an agent that has its own.

Seen from outside: how many agents and tools there are at once, how many agents start, and that
somebody waits for a place only while all places are taken. Each check raises AssertionError.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from agentsim.graph import AGENTS_AT_ONCE, TOOLS_AT_ONCE, Life, Node
from agentsim.records import Outcome, Part, Span, Visit
from tests.held.times import Seen, Stretch, lies_in, most
from tests.held.windows import Window, calls, life_around, plan_of, tools, waits, windows

REFUSED = re.compile(r": (\S+|the run) has started (\d+) agents, as many as `caps` allows$")


def check_caps(seen: Seen) -> None:
    """How many there are at once and in all, and who waits."""
    all_ = list(windows(seen))
    for window in all_:
        _at_once(window)
        _spawns(window)
    for span in seen.trace.spans:
        if span.marks[:1] and span.marks[0][0] is Part.CAP_WAIT:
            _only_where_full(seen, all_, span)
    refused = REFUSED.search(seen.trace.reason)
    if refused is not None:
        _refused(all_, refused[1], int(refused[2]))


# --- how many ---------------------------------------------------------------------------------


def _at_once(window: Window) -> None:
    """Never more than there are places; the peaks say the same."""
    peaks: dict[str, float] = {}
    for peak in window.seen.trace.peaks:
        peaks[peak.resource] = max(peak.in_use, peaks.get(peak.resource, 0.0))
    plan = window.plan
    if plan.agents is not None:
        held = calls(window) if plan.per_call else _lives(window)
        highest = peaks.get(window.name(AGENTS_AT_ONCE), 0.0)
        assert most(held) <= highest <= plan.agents, f"agents at once in {window.who}"
    if plan.tools is not None:
        runs = [(span.began, span.ended, 1.0) for span in tools(window)]
        highest = peaks.get(window.name(TOOLS_AT_ONCE), 0.0)
        assert most(runs) <= highest <= plan.tools, f"tools at once in {window.who}"


def _lives(window: Window) -> list[Stretch]:
    """The lives of agents that were tried once, from when they had all their places."""
    found = []
    for node, visit in window.starts():
        if node.guard.tries > 1:
            continue
        own = [span for span in waits(window.seen, visit) if _is_for_life(window, span)]
        if any(span.outcome is Outcome.CANCELLED for span in own):
            continue
        began = max((span.ended for span in own), default=visit.began)
        found.append((began, visit.ended, 1.0))
    return found


def _is_for_life(window: Window, span: Span) -> bool:
    return not plan_of(window.seen, span.resource)[0].per_call


# --- how many start ---------------------------------------------------------------------------


def _spawns(window: Window) -> None:
    """No more agents do anything than may start."""
    if window.plan.spawns is None:
        return
    at_work = sum(_did_something(window.seen, node, visit) for node, visit in window.starts())
    assert at_work <= window.plan.spawns * window.tries, f"spawns in {window.who}"


def refusing(seen: Seen) -> Iterator[str]:
    """Who had more agents that would start than may: some of them were refused."""
    for window in windows(seen):
        most_ = window.plan.spawns
        if most_ is not None and len(window.starts()) > most_ * window.tries:
            yield window.who or "the run"


def _did_something(seen: Seen, node: Node, visit: Visit) -> bool:
    """Whether an agent started for certain: it called, waited for a place, or its steps began."""
    if isinstance(node, Life):
        return any(
            one.place[: len(visit.place)] == visit.place and one.began < one.ended
            and lies_in(one, visit) and life_around(seen, one.step) == node.rank
            for one in seen.trace.visits
        )  # fmt: skip
    return any(
        visit.began <= span.began < visit.ended and span.who != node.path  # no wait between tries
        for span in seen.spans.get((node.rank, visit.place), ())
    )


def _refused(all_: list[Window], who: str, count: int) -> None:
    """A run ends since one too many would start: then so many had, and another came."""
    found = [one for one in all_ if one.who == ("" if who == "the run" else who)]
    assert any(
        window.plan.spawns == count and _at_most(window) > count for window in found
    ), f"{who} is said to have started {count} agents"  # fmt: skip


def _at_most(window: Window) -> int:
    """How many can have come to start: each passage, and each try of one."""
    return sum(node.guard.tries for node, _ in window.starts())


# --- who waits --------------------------------------------------------------------------------


def _only_where_full(seen: Seen, all_: list[Window], wait: Span) -> None:
    """Nobody waits for a place among agents or tools while one is free."""
    what = wait.resource.split(" in ")[0]
    if what not in (AGENTS_AT_ONCE, TOOLS_AT_ONCE):
        return  # a place of an `each`
    _, rank = plan_of(seen, wait.resource)
    around = [
        window
        for window in all_
        if window.rank == rank and window.is_at(wait.place) and window.is_around(wait)
    ]
    assert around, f"a wait for {wait.resource} while nobody has those caps"
    assert any(_is_full(window, what, wait) for window in around), (
        f"{wait.who} waits for {wait.resource} while there is a place"
    )


def _is_full(window: Window, what: str, wait: Span) -> bool:
    plan = window.plan
    if what == TOOLS_AT_ONCE:
        places, holders = plan.tools, _may_hold_for_tools(window)
    elif plan.per_call:
        places = plan.agents
        holders = [*calls(window), *_waits_further_out(window, AGENTS_AT_ONCE)]
    else:
        places, holders = plan.agents, _may_hold_for_life(window)
    assert places is not None
    return fewest(holders, wait.began, wait.ended) >= places


def _may_hold_for_tools(window: Window) -> list[Stretch]:
    """Tool runs, the waits between their tries, and those that wait for a place further out."""
    runs = tools(window)
    found = [(span.began, span.ended, 1.0) for span in runs]
    pauses = {(span.step, span.place, span.who) for span in runs}
    for span in window.seen.trace.spans:
        again = span.marks[:1] and span.marks[0][0] is Part.RETRY and span.facts is None
        if again and (span.step, span.place, span.who) in pauses:
            found.append((span.began, span.ended, 1.0))
    return [*found, *_waits_further_out(window, TOOLS_AT_ONCE)]


def _waits_further_out(window: Window, what: str) -> Iterator[Stretch]:
    """Who has a place here and waits for one of the caps around."""
    for span in window.seen.trace.spans:
        if span.resource.split(" in ")[0] != what or span.resource == window.name(what):
            continue
        rank = plan_of(window.seen, span.resource)[1]
        if window.is_around(span) and not window.below(rank):
            yield span.began, span.ended, 1.0


def _may_hold_for_life(window: Window) -> list[Stretch]:
    """All agents there, but while they wait for this very place."""
    found = []
    for _, visit in window.starts():
        at = visit.began
        for span in waits(window.seen, visit):
            if span.resource == window.name(AGENTS_AT_ONCE):
                found.append((at, span.began, 1.0))
                at = span.ended
        found.append((at, visit.ended, 1.0))
    return found


def fewest(stretches: list[Stretch], began: int, ended: int) -> float:
    """The fewest held at once at any time between the two."""
    times = {began, ended}
    for start, end, _ in stretches:
        times |= {time for time in (start, end) if began < time < ended}
    points = sorted(times)
    return min(
        (sum(units for start, end, units in stretches if start <= one and other <= end)
         for one, other in pairwise(points)),
        default=float("inf"),
    )  # fmt: skip
