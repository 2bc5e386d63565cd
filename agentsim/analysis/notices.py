"""What the answer must warn of: data that is thin, things cut short, people asked too much.

One sentence each, in the order in which they matter. `notes` of traces are counted by code; a
code without a sentence here is said with its own words rather than left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentsim.analysis.findings import Findings
from agentsim.analysis.left_out import sentences
from agentsim.analysis.outcome import Tally
from agentsim.analysis.weights import by_weight
from agentsim.analysis.words import DAY, days, number, percent
from agentsim.graph import Graph, ServerPlan
from agentsim.laws.crowd import slower_together
from agentsim.records import PEOPLE, Part

READABLE = 500.0
"""Lines an hour above which a review finds less (SmartBear/Cisco, 2,500 reviews; see the facts)."""

BUSY = 0.7
"""Share of a person's time above which the queue before them grows out of proportion."""

_LEVERS = {
    Part.CAP_WAIT: "a higher limit, or shorter items",
    Part.POOL_WAIT: "more capacity in the pool that is waited for",
    Part.SLOT_WAIT: "more slots or a second server",
    Part.QUOTA_WAIT: "a higher quota, a second account or fewer tokens",
    Part.DECODE: "a faster model, or fewer tokens",
    Part.PREFILL: "a prompt cache, shorter contexts or a faster prefill",
    Part.TOOL: "faster tools, or more of the work side by side",
    Part.WAIT: "shorter waits, or more of them side by side",
}
_PEOPLE_LEVER = "fewer lines to read, a second person, or fewer questions"
_OTHER_LEVER = "more of the work side by side"

_NOTES = {
    "compaction_cut": (
        "the call that compacts does not fit the context beside the session, and what is too much "
        "of it is dropped before"
    ),
    "compactions": "sessions are compacted",
    "none_picked": "nothing is picked, since no attempt succeeds; the run goes on without",
    "output_cut": "output is cut to what the model or its context allows",
    "output_raised": "answers are lengthened to hold the lines that they write",
    "subagent_failed": "subagents fail, and their agents go on without what they would return",
    "tool_cut": "tool results are cut",
    "until_past": "waits until a date take no time, since it is over when they begin",
}


def notices(graph: Graph, findings: Findings, tallies: Sequence[Tally]) -> list[str]:
    """All warnings of an answer, the weightiest first."""
    found = [
        *_long(findings),
        *graph.notes,
        *_counted(tallies),
        *_people(findings),
        *_servers(graph, findings, tallies),
    ]
    return by_weight(found)


def _long(findings: Findings) -> Iterator[str]:
    """A typical run above a day, with what would shorten it."""
    if findings.wall.p50 > DAY:
        part = Part[findings.bottleneck.kind.upper()]
        lever = _PEOPLE_LEVER if part in PEOPLE else _LEVERS.get(part, _OTHER_LEVER)
        yield (
            f"the typical run takes {days(findings.wall.p50)}, more than a day; "
            f"what would help: {lever}"
        )


def _counted(tallies: Sequence[Tally]) -> Iterator[str]:
    """What happened in runs: how often in the mean run, and in which share of them."""
    total: dict[str, int] = {}
    runs: dict[str, int] = {}
    for tally in tallies:
        for code, count in tally.notes.items():
            total[code] = total.get(code, 0) + count
            runs[code] = runs.get(code, 0) + 1
    n = len(tallies)
    for code in sorted(total):
        words = _NOTES.get(code, code.replace("_", " "))
        yield f"{words}: {_often(total[code] / n)} a run, in {percent(runs[code] / n)} of the runs"


def _often(mean: float) -> str:
    return {"1": "once", "2": "twice"}.get(number(mean), f"{number(mean)} times")


def _people(findings: Findings) -> Iterator[str]:
    for name, person in findings.people.items():
        subject, reads = ("you", "read") if name == "you" else (name, "reads")
        if person.lines_per_hour is not None and person.lines_per_hour > READABLE:
            yield (
                f"{subject} {reads} {number(person.lines_per_hour)} lines an hour; "
                f"above {READABLE:.0f} reviews find less"
            )
        if person.busy > BUSY and person.queue_mean > 0:
            verb = "are" if name == "you" else "is"
            yield f"{subject} {verb} busy {percent(person.busy)} of the time, and work queues up"


def _servers(graph: Graph, findings: Findings, tallies: Sequence[Tally]) -> Iterator[str]:
    for i, plan in enumerate(graph.servers):
        own = [tally.servers[i] for tally in tallies]
        if any(one.calls for one in own):
            yield from _source(plan)
            yield from _measured(plan, [one.deepest for one in own], [one.most for one in own])
    yield from sentences(findings.left_out)


def _source(plan: ServerPlan) -> Iterator[str]:
    if plan.about.grade == "C":
        when = f", as of {plan.about.as_of}" if plan.about.as_of else ""
        yield f"{plan.profile}: figures of grade C (older or second-hand){when}"


def _measured(plan: ServerPlan, deepest: Sequence[int], most: Sequence[int]) -> Iterator[str]:
    """Where runs went beyond what was measured, the speed is a guess; one value of each a run."""
    measured = plan.about.deepest
    if measured is not None and max(deepest) > measured:
        yield f"{plan.profile}: {_beyond('contexts of over {} tokens', deepest, measured)}"
    knots = plan.decode.knots or ()
    crowd = slower_together(knots) if plan.shared and knots else None
    if crowd and max(most) > crowd.few:
        yield f"{plan.profile}: {crowd.words}"
    if plan.shared and len(knots) > 1 and max(most) > knots[-1][0]:
        yield f"{plan.profile}: {_beyond('more than {} streams at once', most, knots[-1][0])}"


def _beyond(what: str, values: Sequence[int], measured: float) -> str:
    """In how many runs, and the largest of all: that of a thousand runs is not what is usual."""
    runs = sum(value > measured for value in values) / len(values)
    often = f" in {percent(runs)} of the runs" if len(values) > 1 else ""
    told = f"{what.format(f'{measured:,.10g}')}{often} (up to {max(values):,})"
    return f"{told}; it was not measured so far, and its speed there is extrapolated"
