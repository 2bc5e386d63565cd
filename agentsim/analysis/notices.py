"""What the answer must warn of: data that is thin, things cut short, people asked too much.

One sentence each, with what it is about: the one place that knows. `notes` of traces are counted
by code; a code without a sentence here is said with its own words rather than left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import NamedTuple

from agentsim.analysis.findings import Findings, ServerFindings
from agentsim.analysis.left_out import lacking
from agentsim.analysis.outcome import ServerTally, Tally
from agentsim.analysis.weights import by_weight
from agentsim.analysis.words import DAY, SLIVER, days, number, percent
from agentsim.errors import Graded, InRuns, Notice, Weight
from agentsim.graph import Graph, ServerPlan
from agentsim.laws.crowd import slower_together
from agentsim.records import Part

READABLE = 500.0
"""Lines an hour above which a review finds less (SmartBear/Cisco, 2,500 reviews; see the facts)."""

BUSY = 0.7
"""Share of a person's time above which the queue before them grows out of proportion."""

FAILING = 0.1
"""Share of the calls' time from which failed tries and the waits after them are told."""

_MORE = "more of the work side by side"
_LEVERS = {
    Part.CAP_WAIT: "a higher limit, or shorter items",
    Part.POOL_WAIT: "more capacity in the pool that is waited for",
    Part.SLOT_WAIT: "more slots (or memory, where that is what is waited for) or a second server",
    Part.QUOTA_WAIT: "a higher quota, a second account or fewer tokens",
    Part.DECODE: "a faster model, or fewer tokens",
    Part.PREFILL: "a prompt cache, shorter contexts or a faster prefill",
    Part.LATENCY: _MORE,
    Part.RETRY: "fewer failures, or shorter waits before a further try",
    Part.MODEL_LOAD: "memory for more models, or a longer `keep_alive`",
    Part.COMPACTION: "a larger context, or fewer tokens",
    Part.TOOL: f"faster tools, or {_MORE}",
    Part.WAIT: "shorter waits, or more of them side by side",
    Part.MERGE: "a faster check before the merge, or fewer conflicts",
    Part.OTHER: "less between calls, or fewer turns",
    Part.PERSON_WAIT: "a second person, fewer lines to read, or fewer questions",
    Part.PICKUP: "people who notice sooner, or fewer questions",
    Part.SWITCHING: "fewer questions, or several at once",
    Part.PERSON_WORK: "fewer lines to read, or fewer questions",
    Part.OFF_HOURS: "a person at other hours, or questions that come earlier",
}
"""By the part that takes most: what would shorten it."""


class _Happened(NamedTuple):
    """What is said of a code; `kind` and `short` as of `InRuns`."""

    words: str
    weight: Weight
    kind: str = ""
    short: str = ""


HAPPENED = MappingProxyType(
    {
        "compaction_cut": _Happened(
            "the call that compacts does not fit the context beside the session, and what is too "
            "much of it is dropped before",
            Weight.CUT,
            "compacted",
            "cut before it to fit",
        ),
        "compactions": _Happened(
            "sessions are compacted", Weight.CUT, "compacted", "sessions compacted"
        ),
        "none_picked": _Happened(
            "nothing is picked, since no attempt succeeds; the run goes on without", Weight.LOST
        ),
        "output_cut": _Happened(
            "output is cut to what the model or its context allows",
            Weight.CUT,
            "cut",
            "output cut",
        ),
        "output_raised": _Happened(
            "answers are lengthened to hold the lines that they write",
            Weight.CUT,
            "cut",
            "answers lengthened",
        ),
        "subagent_failed": _Happened(
            "subagents fail, and their agents go on without what they would return", Weight.LOST
        ),
        "throttled": _Happened(
            "hardware has worked for so long that it slows down (`throttle`)", Weight.FOUND
        ),
        "tool_cut": _Happened("tool results are cut", Weight.CUT, "cut", "tool results cut"),
        "until_past": _Happened(
            "waits until a date take no time, since it is over when they begin", Weight.LOST
        ),
    }
)
"""By the code under which a run counts it. A code that is not here is told early."""


def notices(graph: Graph, findings: Findings, tallies: Sequence[Tally]) -> list[Notice]:
    """All warnings of an answer, the weightiest first."""
    found = [
        *_long(findings),
        *graph.notices,
        *_counted(tallies),
        *_people(findings),
        *_servers(graph, findings, tallies),
    ]
    return by_weight(found)


def _long(findings: Findings) -> Iterator[Notice]:
    """A typical run above a day, with what would shorten it."""
    if findings.wall.p50 > DAY:
        part = Part[findings.bottleneck.kind.upper()]
        lever = _LEVERS[part]
        told = f"the typical run takes {days(findings.wall.p50)}, more than a day"
        text = f"{told}; what would help: {lever}"
        yield Notice(text, Weight.FOUND, about=("long", lever))


def _counted(tallies: Sequence[Tally]) -> Iterator[Notice]:
    """What happened in runs: how often in the mean run, and in which share of them."""
    total: dict[str, int] = {}
    runs: dict[str, int] = {}
    for tally in tallies:
        for code, count in tally.notes.items():
            total[code] = total.get(code, 0) + count
            runs[code] = runs.get(code, 0) + 1
    n = len(tallies)
    for code in sorted(total):
        own = HAPPENED.get(code) or _Happened(code.replace("_", " "), Weight.FILE)
        share = runs[code] / n
        text = f"{own.words}: {_often(total[code] / n)} a run, in {percent(share)} of the runs"
        pieces = InRuns(f"{own.words}:", share, kind=own.kind, short=own.short)
        yield Notice(text, own.weight, pieces, about=("happened", code))


def _often(mean: float) -> str:
    return {"1": "once", "2": "twice"}.get(number(mean), f"{number(mean)} times")


def _people(findings: Findings) -> Iterator[Notice]:
    for name, person in findings.people.items():
        subject, reads = ("you", "read") if name == "you" else (name, "reads")
        if person.lines_per_hour is not None and person.lines_per_hour > READABLE:
            read = f"{subject} {reads} {number(person.lines_per_hour)} lines an hour"
            text = f"{read}; above {READABLE:.0f} reviews find less"
            yield Notice(text, Weight.FOUND, about=("reads", name))
        if person.busy > BUSY and person.queue_mean > 0:
            verb = "are" if name == "you" else "is"
            busy = f"{subject} {verb} busy {percent(person.busy)} of the time, and work queues up"
            yield Notice(busy, Weight.FOUND, about=("busy", name))


def _servers(graph: Graph, findings: Findings, tallies: Sequence[Tally]) -> Iterator[Notice]:
    machines: set[str] = set()
    for i, plan in enumerate(graph.servers):
        own = [tally.servers[i] for tally in tallies]
        if any(one.calls for one in own):
            yield from _source(plan)
            yield from _measured(plan, [one.deepest for one in own], [one.most for one in own])
            yield from _memory(plan, findings)
            yield from _loads(plan, findings)
            yield from _failing(plan, findings, own)
            yield from _misses(plan, findings)
            if plan.machine is not None and plan.machine.name not in machines:
                machines.add(plan.machine.name)
                yield from _beside(plan.machine.name, findings.servers[plan.known_as])
    yield from lacking(findings.left_out)


def _memory(plan: ServerPlan, findings: Findings) -> Iterator[Notice]:
    """Where calls wait for memory, for a share of the run that is no sliver."""
    kv = findings.servers[plan.known_as].kv
    alone = len(findings.servers) == 1
    waited = sum(
        row.seconds
        for row in findings.where
        if row.kind == Part.SLOT_WAIT.label and (alone or row.what == plan.known_as)
    )
    if kv is None or waited * kv.wait_share < SLIVER * findings.wall.mean:
        return
    what = f"{percent(kv.wait_share)} of what calls wait before they are served is for memory"
    slots = ", which more slots do not shorten" if plan.slots is not None else ""
    text = f"{plan.profile}: {what} (`kv`, {kv.capacity:,} tokens){slots}"
    yield Notice(text, Weight.FOUND, about=("memory", plan.profile), profile=plan.profile)


def _loads(plan: ServerPlan, findings: Findings) -> Iterator[Notice]:
    """A model that comes and goes."""
    loads = findings.servers[plan.known_as].loads
    if loads is None:
        return
    wall, lost = findings.wall.mean, loads.seconds + loads.wait
    if loads.count > 1.0 and lost >= SLIVER * wall:
        often = f"its model is loaded {number(loads.count)} times a run"
        took = f"{number(loads.seconds)} s of loading"
        waited = f", {number(loads.wait)} s of calls that wait for another model"
        text = f"{plan.profile}: {often}, {took}{waited if loads.wait else ''}"
        yield Notice(text, Weight.FOUND, about=("loads", plan.profile), profile=plan.profile)


def _failing(plan: ServerPlan, findings: Findings, own: Sequence[ServerTally]) -> Iterator[Notice]:
    """Where failed tries, and the waits after them, take more than a little of the calls' time."""
    share = findings.servers[plan.known_as].failing
    if share is None or share < FAILING:
        return
    often = percent(sum(one.failed for one in own) / sum(one.calls for one in own))
    text = (
        f"{plan.profile}: {often} of the tries of its calls fail (`faults`); these and the waits "
        f"after them are {percent(share)} of the time of its calls"
    )
    yield Notice(text, Weight.FOUND, about=("failing", plan.profile), profile=plan.profile)


_LOST = MappingProxyType(
    {
        "expired_tool": "had run out while a tool ran",
        "expired_person": "had run out while a person was waited for",
        "expired": "had run out meanwhile",
        "evicted": "was pushed out by other sessions",
        "too_large": "is of contexts larger than the cache",
        "unloaded": "was lost when another model was loaded",
        "degraded": "was not found, since the cache degrades",
    }
)
"""By cause (`misses.CAUSES`): why a cached prompt had to be read again."""


def _misses(plan: ServerPlan, findings: Findings) -> Iterator[Notice]:
    """What is read again though the cache had held it, where it is no sliver of time or money."""
    misses = findings.servers[plan.known_as].misses or {}
    took = sum(one.seconds for one in misses.values())
    paid = sum(one.money or 0.0 for one in misses.values())
    dear = 0.0 < SLIVER * (findings.cost_total or 0.0) <= paid
    if not misses or not (took >= SLIVER * findings.wall.mean or dear):
        return
    tokens = sum(one.tokens for one in misses.values())
    most = max(misses, key=lambda cause: misses[cause].tokens)
    share = misses[most].tokens / tokens
    costs = f"{number(took)} s of reading" if took else ""
    money = f"${paid:,.2f}" if paid >= 0.005 else ""
    what = ", ".join(filter(None, (costs, money)))
    which = f"{percent(share)} of it " if len(misses) > 1 else "it "
    text = (
        f"{plan.profile}: {number(tokens)} tokens a run are read once more, though a cache keeps "
        f"prompts{f' ({what})' if what else ''}: {which}{_LOST[most]}"
    )
    yield Notice(text, Weight.FOUND, about=("misses", plan.profile), profile=plan.profile)


def _beside(machine: str, server: ServerFindings) -> Iterator[Notice]:
    """Models that share a machine, and are each at full speed."""
    if server.loads is not None and server.loads.beside > SLIVER:
        loads = server.loads
        text = (
            f"{machine}: its models serve side by side for {percent(loads.beside)} of the "
            "time, each as quick as alone; a real machine would share its speed"
        )
        yield Notice(text, Weight.RANGE, about=("beside", machine))


def _source(plan: ServerPlan) -> Iterator[Notice]:
    if plan.about.grade == "C":
        own = Graded(plan.profile, "C (older or second-hand)", plan.about.as_of)
        when = f", as of {own.as_of}" if own.as_of else ""
        text = f"{own.profile}: figures of grade {own.grade}{when}"
        yield Notice(text, Weight.GRADE, graded=own, profile=own.profile)


def _measured(plan: ServerPlan, deepest: Sequence[int], most: Sequence[int]) -> Iterator[Notice]:
    """Where runs went beyond what was measured, the speed is a guess; one value of each a run."""
    measured = plan.about.deepest
    if measured is not None and max(deepest) > measured:
        what = f"{plan.profile}: contexts of over {measured:,.10g} tokens"
        yield _beyond("contexts", plan.profile, what, deepest, measured)
    knots = plan.decode.knots or ()
    crowd = slower_together(knots) if plan.shared and knots else None
    if crowd and max(most) > crowd.few:
        yield Notice(f"{plan.profile}: {crowd.words}", Weight.RANGE, profile=plan.profile)
    if plan.shared and len(knots) > 1 and max(most) > knots[-1][0]:
        what = f"{plan.profile}: more than {knots[-1][0]:,.10g} streams at once"
        yield _beyond("streams", plan.profile, what, most, knots[-1][0])


def _beyond(kind: str, profile: str, what: str, values: Sequence[int], measured: float) -> Notice:
    """In how many runs, and the largest of all: that of a thousand runs is not what is usual."""
    runs = sum(value > measured for value in values) / len(values)
    own = InRuns(
        what,
        runs if len(values) > 1 else None,
        max(values),
        "; it was not measured so far, and its speed there is extrapolated",
    )
    often = f" in {percent(runs)} of the runs" if len(values) > 1 else ""
    text = f"{what}{often} (up to {own.most:,}){own.after}"
    return Notice(text, Weight.RANGE, own, about=(kind, profile), profile=profile)
