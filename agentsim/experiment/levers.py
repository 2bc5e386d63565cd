"""What would help: the same replications again with one thing changed, and the difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from agentsim.analysis.binds import Binding
from agentsim.analysis.findings import LEVERS, WORTH, Findings, Lever
from agentsim.analysis.outcome import Tally
from agentsim.analysis.places import numbers
from agentsim.analysis.words import SLIVER
from agentsim.experiment import variants
from agentsim.experiment.executors import Executor
from agentsim.experiment.options import Progress
from agentsim.experiment.paired import saving, typical_saving
from agentsim.experiment.replicate import affordable, several
from agentsim.graph import Ask, Fork, Graph, Node, walk
from agentsim.records import SECOND, Outcome, Part

SCREEN = 100
"""Replications with which all levers are compared first, where there are more than are told."""

BOTH = "cap_and_slot"
"""The kind of the lever that gives one more place and one more slot."""

FEWER = "fewer"
"""The kind of the lever that starts fewer at once."""

MOST_TOKENS_CAN_GIVE = "the most tok/s can give"
NO_FAILURE = "no run fails then"
NOBODY_WAITS = "no call waits for a quota then"
MOST_A_SMALLER_CAN_GIVE = "the most a smaller one gives"


@dataclass(frozen=True, slots=True)
class Change:
    """One lever before it is tried. `stands`: shown even where it saves nothing."""

    kind: str
    what: str
    change: str
    graph: Graph
    note: str = ""
    stands: bool = False


def levers(
    executor: Executor,
    graph: Graph,
    findings: Findings,
    tallies: Sequence[Tally],
    seed: int,
    progress: Progress | None = None,
    binds: tuple[Fork, Binding] | None = None,
) -> list[Lever]:
    """What each change would save of the mean wall time (seconds), the most helpful first.

    `binds`: from how many items at once on a quota binds.
    """
    wanted = [*changes(graph, findings), *_fewer(graph, binds)]
    return tried(executor, wanted, tallies, seed, progress)


def tried(
    executor: Executor,
    wanted: Sequence[Change],
    tallies: Sequence[Tally],
    seed: int,
    progress: Progress | None = None,
    told: int = LEVERS,
) -> list[Lever]:
    """Try the changes on all replications that were made, or as many of them as `SPANS` allows.

    Where there are more changes than will be `told`, all are tried on a few first, and those that
    then surely are none of the most helpful, nor surely harm, are run no further. What saves
    nothing is left out.
    """
    before = [tally.wall for tally in tallies]
    most = max(min(2, len(before)), affordable(tallies, len(before)))
    count = min(SCREEN, most) if len(wanted) > told else most
    after: list[list[int]] = [[] for _ in wanted]
    fails = [0] * len(wanted)
    further = list(range(len(wanted)))
    found: list[Lever] = []
    while further:
        graphs = [wanted[i].graph for i in further]
        first = len(after[further[0]])
        runs = several(executor, graphs, seed, count, "levers", progress, first)
        for i, own in zip(further, runs, strict=True):
            after[i] += [tally.wall for tally in own]
            fails[i] += sum(tally.outcome is Outcome.FAILED for tally in own)
        found = [_lever(*pair, before) for pair in zip(wanted, after, strict=True)]
        found = [_saved(it, failed, tallies) for it, failed in zip(found, fails, strict=True)]
        count = most
        further = [i for i in _leading(found, before, told) if found[i].runs < most]
    kept = [
        it
        for change, it in zip(wanted, found, strict=True)
        if change.stands or stirs(it) or it.note in (NO_FAILURE, NOBODY_WAITS)
    ]
    kept = _best_of_fewer(kept)
    return sorted(filter(_more_together(found), kept), key=lambda lever: -lever.saves)


def _saved(lever: Lever, failed: int, before: Sequence[Tally]) -> Lever:
    """With the note that no run fails any more, where some did that a quota may have sent back."""
    if failed or lever.kind not in (FEWER, "quota"):
        return lever
    if not any(tally.outcome is Outcome.FAILED for tally in before[: lever.runs]):
        return lever
    return replace(lever, note=NO_FAILURE)


def _best_of_fewer(found: Sequence[Lever]) -> list[Lever]:
    """Of the numbers to start at most the best; none where all only make the run longer."""
    fewer = [it for it in found if it.kind == FEWER and (it.ci95[1] >= 0 or it.note == NO_FAILURE)]
    best = max(fewer, key=lambda it: (it.note == NO_FAILURE, it.saves), default=None)
    return [it for it in found if it.kind != FEWER or it is best]


def _more_together(found: Sequence[Lever]) -> Callable[[Lever], bool]:
    """Leaves out the lever of two things where one of them alone saves as much."""
    alone = max((it.saves for it in found if it.kind in ("cap", "slot")), default=0.0)
    return lambda it: it.kind != BOTH or it.saves - alone >= WORTH * (it.saves + it.leaves)


def stirs(lever: Lever) -> bool:
    """Whether it does anything, good or ill: what may be chance only where it is worth naming."""
    chance = lever.ci95[0] <= 0 <= lever.ci95[1]
    return lever.is_worth or not chance


def _lever(change: Change, after: Sequence[int], before: Sequence[int]) -> Lever:
    saves, ci95 = saving(before, after)
    leaves = max(0.0, sum(before) / (len(before) * SECOND) - saves)
    typical, typical_ci95 = typical_saving(before, after)
    return Lever(
        what=change.what,
        change=change.change,
        saves=saves,
        ci95=ci95,
        leaves=leaves,
        note=change.note,
        kind=change.kind,
        runs=len(after),
        typical=typical,
        typical_saves_ci95=typical_ci95,
    )


def _leading(found: Sequence[Lever], before: Sequence[int], told: int) -> list[int]:
    """Which may still be among the `told` most helpful and move the wall time at all, or harm.

    What surely makes the run longer is told with its figures, so it needs all replications too;
    and so does what may help the typical run most.
    """
    least = SLIVER * sum(before) / (len(before) * SECOND)
    bar = sorted((lever.ci95[0] for lever in found), reverse=True)[: max(1, told)][-1]
    best = max((it.typical_saves_ci95[0] for it in found if not it.note), default=0.0)
    return [
        i
        for i, lever in enumerate(found)
        if lever.note
        or (told > 1 and lever.typical_saves_ci95[1] >= max(best, least))
        or lever.ci95[1] < 0
        or (lever.ci95[1] >= bar and max(map(abs, lever.ci95)) >= least)
    ]


def changes(graph: Graph, findings: Findings) -> list[Change]:
    """The levers that a graph has. What takes no time on the critical path is not tried."""
    return [
        *_decoding(graph, findings),
        *_prefill(graph, findings),
        *_tools(graph, findings),
        *_merging(graph, findings),
        *_harness(graph, findings),
        *_people(graph, findings),
        *_more(graph, findings),
        *_both(graph, findings),
        *_models(graph, findings),
        *_quotas(graph, findings),
        *_faults(graph, findings),
        *_heat(graph, findings),
    ]


def _faults(graph: Graph, findings: Findings) -> Iterator[Change]:
    """Where calls failed: a server on which none does."""
    for i, plan in enumerate(graph.servers):
        if findings.servers[plan.known_as].failing:
            where = f" on {plan.known_as}" if len(graph.servers) > 1 else ""
            yield Change(
                "faults", f"calls that fail{where}", "no", variants.without_faults(graph, i)
            )


def _heat(graph: Graph, findings: Findings) -> Iterator[Change]:
    """Where hardware became slow: better cooled, it does not."""
    if any(it.about == ("happened", "throttled") for it in findings.notices):
        yield Change("throttle", "throttling by heat", "no", variants.without_throttle(graph))


def _decoding(graph: Graph, findings: Findings) -> Iterator[Change]:
    if findings.calls.attempts:
        endless = variants.with_decode(graph, 0.0)
        note = MOST_TOKENS_CAN_GIVE
        yield Change("decode", "decode", "infinitely fast", endless, note, stands=True)
        yield Change("decode", "decode", "2x", variants.with_decode(graph, 0.5), stands=True)


def _prefill(graph: Graph, findings: Findings) -> Iterator[Change]:
    """Reading the prompt, and the time to the first token where that was measured: two things."""
    times = findings.breakdown
    if times[Part.PREFILL.label]:
        yield Change("prefill", "prefill", "2x", variants.with_prefill(graph, 0.5))
    if times[Part.LATENCY.label] and any(plan.first_token for plan in graph.servers):
        sooner = variants.with_first_token(graph, 0.5)
        yield Change("first_token", "the first-token time", "half", sooner)


def _tools(graph: Graph, findings: Findings) -> Iterator[Change]:
    """All tools together; where there are several, the two that take most by themselves too."""
    names = [row.what for row in findings.where if row.kind == Part.TOOL.label]
    if len(names) > 1:
        yield Change("tools", "all tools", "2x", variants.with_tools(graph, 0.5))
    for name in names[:2]:
        yield Change("tool", name, "2x", variants.with_tools(graph, 0.5, name))


def _merging(graph: Graph, findings: Findings) -> Iterator[Change]:
    """What is done in a place of a merge queue, where it was on the path, or waited for."""
    queues = {"", *(queue.name for queue in graph.queues)}
    pool_wait = Part.POOL_WAIT.label
    waited = any(row.kind == pool_wait and row.what in queues for row in findings.where)
    if graph.queues and (findings.breakdown[Part.MERGE.label] or waited):
        half = variants.with_merging(graph, 0.5)
        yield Change("merge", "the merge time (rebase and CI)", "half", half)


def _harness(graph: Graph, findings: Findings) -> Iterator[Change]:
    if findings.breakdown[Part.OTHER.label]:
        names = {row.what for row in findings.where if row.kind == Part.OTHER.label}
        what = f"{names.pop()} between calls" if len(names) == 1 else "harnesses between calls"
        yield Change("harness", what, "2x", variants.with_harness(graph, 0.5))


def _people(graph: Graph, findings: Findings) -> Iterator[Change]:
    only = graph.people[0].name if len(graph.people) == 1 else ""
    if findings.breakdown[Part.PERSON_WORK.label]:
        at_work = f"{only or 'people'} at work"
        yield Change("people", at_work, "2x", variants.with_people(graph, 0.5))
        if any(map(_reads_lines, walk(graph.root))):
            fewer = variants.with_lines(graph, 0.5)
            yield Change("lines", "the lines to read", "half", fewer)
    who, s = {"": ("people", ""), "you": ("you", "")}.get(only, (only, "s"))
    least = 2 * WORTH * findings.wall.mean  # half of less would be left out
    if findings.breakdown[Part.PICKUP.label] > least:
        sooner = variants.with_pickup(graph, 0.5)
        yield Change("pickup", f"the time until {who} notice{s}", "half", sooner)
    if findings.breakdown[Part.SWITCHING.label] > least:
        sooner = variants.with_switching(graph, 0.5)
        yield Change("switch", f"the switching of {who}", "half", sooner)


def _reads_lines(node: Node) -> bool:
    return isinstance(node, Ask) and node.time is None and node.reads in {"changes", "lines"}


def _more(graph: Graph, findings: Findings) -> Iterator[Change]:
    """One more of each thing that was waited for on the critical path."""
    waited = {(row.kind, row.what) for row in findings.where}
    kinds = {kind for kind, _ in waited}
    for i, server in enumerate(graph.servers):
        where = f" on {server.roles[0]}" if len(graph.servers) > 1 and server.roles else ""
        if server.kv is not None and Part.SLOT_WAIT.label in kinds:
            more = variants.with_memory(graph, i, 2)
            yield Change("memory", f"memory for contexts{where}", "2x", more)
        if server.slots is not None and Part.SLOT_WAIT.label in kinds:
            yield Change("slot", f"slot{where}", "one more", variants.with_slot(graph, i))
    if Part.POOL_WAIT.label in kinds:
        for i, pool in enumerate(graph.pools):
            yield Change(
                "pool", f"unit of {pool.name}", "one more", variants.with_capacity(graph, i)
            )
    for i, person in enumerate(graph.people):
        if (Part.PERSON_WAIT.label, person.name) in waited:
            name = "of you" if person.name == "you" else person.name
            yield Change("person", name, "one more", variants.with_person(graph, i))
    caps = numbers(graph)
    for kind, name in sorted(waited):
        if kind == Part.CAP_WAIT.label:
            more = variants.with_limit(graph, caps[name])
            yield Change("cap", _places(name, caps[name]), "one more", more)


def _places(name: str, cap: int) -> str:
    """The places that a cap gives, as a lever names them: those of an `each` have a number."""
    return f"at once in {name}" if cap >= 0 else name.replace("s at", " at", 1)


def _both(graph: Graph, findings: Findings) -> Iterator[Change]:
    """One more place of the cap that is waited for longest, and one more slot with it.

    Whoever gets the place may wait for a slot next, and a slot more is of no use to those who have
    no place: each alone may save nothing where both together do. Told only where it saves more.
    """
    caps = [row.what for row in findings.where if row.kind == Part.CAP_WAIT.label]
    slots = [i for i, plan in enumerate(graph.servers) if plan.slots is not None]
    if not caps or not slots:
        return
    cap = numbers(graph)[caps[0]]
    more = variants.with_limit(graph, cap)
    for i in slots:
        more = variants.with_slot(more, i)
    what = "and a slot" if len(slots) == 1 else "and a slot on each server"
    yield Change(BOTH, f"{_places(caps[0], cap)} {what}", "one more", more)


def _models(graph: Graph, findings: Findings) -> Iterator[Change]:
    """Where models are loaded: in no time, never for want of a call, and one more in memory."""
    kinds = findings.breakdown
    machines = [plan.machine for plan in graph.servers if plan.machine is not None]
    if not machines or not (kinds[Part.MODEL_LOAD.label] or kinds[Part.SLOT_WAIT.label]):
        return
    if kinds[Part.MODEL_LOAD.label]:
        quick = variants.with_loading(graph, 0.0)
        yield Change("load", "loading models", "infinitely fast", quick)
        if any(it.keep is not None for it in machines):
            yield Change("keep_alive", "models", "kept loaded", variants.with_kept_models(graph))
    names = [it.name for it in machines]
    for machine in dict.fromkeys((it.name, it.places or 1) for it in machines):
        name, places = machine
        if names.count(name) > places:
            of = f" of {name}" if len(set(names)) > 1 else ""
            more = variants.with_model_room(graph, name)
            yield Change("model_room", f"model in memory{of}", "one more", more)


def _quotas(graph: Graph, findings: Findings) -> Iterator[Change]:
    """Of each account that was waited for: twice its quotas; and a `max_output` that just fits.

    All quotas of an account grow together, as the next tier of a provider has it; those that do
    not bind make no difference. The output of a call is not known beforehand, so that reserving
    what it will be is the best that a smaller `max_output` can come to.
    """
    waited = {row.what for row in findings.where if row.kind == Part.QUOTA_WAIT.label}
    rejected = findings.calls.rejected > 0
    accounts = {
        limit.account: limit.account in reserving(graph)
        for plan in graph.servers
        for limit in plan.limits
        # no name where there is but one
        if waited & {"", plan.known_as} or (rejected and limit.refuses)
    }
    for account, reserves in accounts.items():
        of = f" of {account}" if len(accounts) > 1 else ""
        yield Change("quota", f"quota{of}", "2x", variants.with_quota(graph, account, 2.0))
        if reserves:
            fitting = variants.with_fitting_output(graph, account)
            note = MOST_A_SMALLER_CAN_GIVE
            yield Change("max_output", f"max_output{of}", "just enough", fitting, note)


def _fewer(graph: Graph, binds: tuple[Fork, Binding] | None) -> Iterator[Change]:
    """Starting no more at once than a quota lets through, and some more; the best is told."""
    if binds is None:
        return
    fork, it = binds
    free = it.at_once - 1
    between = round((max(free, 1) * it.most) ** 0.5)
    for most in sorted({free, between} - {0, it.most}):
        note = NOBODY_WAITS if most == free else ""
        fewer = variants.with_at_most(graph, fork.rank, most)
        yield Change(FEWER, f"at once in {it.each}", f"start at most {most:,}", fewer, note)


def reserving(graph: Graph) -> set[str]:
    """Accounts in which a call takes its longest possible answer up front."""
    return {limit.account for plan in graph.servers for limit in plan.limits if limit.reserve}
