"""Whether a cap alone binds, or what is scarce to those in its places: sums over all runs.

For one more place to help, those in the places must not wait for something (`behind`), there must
be something left of what they use, and the machines that serve them must do more for one more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from agentsim.analysis.behind import IN_SERVICE, INSIDE, TAKEN
from agentsim.analysis.outcome import ServerTally, Tally
from agentsim.analysis.places import name_of
from agentsim.analysis.where import Key
from agentsim.graph import Graph, ServerPlan
from agentsim.records import Part

Behind = Mapping[str, Mapping[Key, float]]
"""By the path of each `each`, or the name of a cap of a harness, and by what is scarce."""


def behind(graph: Graph, tallies: Sequence[Tally]) -> Behind:
    """Nanoseconds, in all runs, for which those in the places waited for what.

    While others waited for a place; under (`CAP_WAIT`, the cap's own name) how long these did.
    """
    return {
        path: {(Part(part), what): time for (part, what), time in rows.items() if part < INSIDE}
        for path, rows in _rows(graph, tallies).items()
    }


def beside(graph: Graph, tallies: Sequence[Tally]) -> Behind:
    """How far one more place would be lost, 0 to 1, though nobody in the places need wait.

    Under (`SLOT_WAIT`, role), (`POOL_WAIT`, pool), (`PERSON_WAIT`, person): the part of the time in
    which items waited for a place and all there is of it was taken. Under (`DECODE`, role) or
    (`PREFILL`, role), whichever takes the machine longer: see `lost`.
    """
    found: dict[str, dict[Key, float]] = {}
    for path, rows in _rows(graph, tallies).items():
        own = found.setdefault(path, {})
        full = rows.get((int(Part.CAP_WAIT), path), 0)
        for (code, what), time in rows.items():
            if code >= TAKEN and full:
                own[Part(code - TAKEN), what] = time / full
        for i, plan in enumerate(graph.servers):
            role = plan.known_as
            served = rows.get((IN_SERVICE, role), 0)
            inside = rows.get((INSIDE, ""), 0)
            if full and served and plan.shared:
                part, share = lost(
                    plan, [it.servers[i] for it in tallies], served / full, inside / full
                )
                own[part, role] = share
    return found


def lost(
    plan: ServerPlan, calls: Sequence[ServerTally], streams: float, places: float
) -> tuple[Part, float]:
    """What one more place loses to a shared server that gets slower with each stream, 0 to 1.

    A call takes the machine F + D*s(B)/B seconds of its own: F is reading its prompt, where that
    keeps others from decoding, and the part of its steps that goes by context, which no batch
    shares. With `streams` = B of `places` = c served at a time (means), the calls it does per
    second grow by a share e of what B grows by, and what the places do by e / (b + (1 - b) * e) of
    what their number grows by, b = B / c. The loss is 1 less that: 0 where more streams slow nobody
    down, 1 where the machine does no more for one more.
    """
    count = sum(it.calls for it in calls)
    if not count or not places:
        return Part.DECODE, 0.0
    fresh = sum(it.fresh for it in calls) / count
    cached = sum(it.cached for it in calls) / count
    thought = sum(it.thinking for it in calls) / count
    made = sum(it.visible for it in calls) / count + thought
    per_step = plan.decode.per_step
    steps = made / per_step
    if plan.thinks:
        steps += thought / plan.thinks - thought / per_step
    reading = 0.0
    if plan.prefill is not None and plan.schedule != "separate":
        reading = plan.prefill.seconds(fresh, cached)
    context = steps * plan.decode.slope * (fresh + cached + made / 2)

    def machine(streams: float) -> float:
        return reading + context + steps * plan.decode.step(streams) / streams

    now = max(1.0, streams)
    more = now * (places + 1) / places
    before, after = machine(now), machine(more)
    if not after > 0.0:
        return Part.DECODE, 0.0
    grows = min(1.0, max(0.0, log(before / after) / log(more / now)))
    part = min(1.0, streams / places)
    kind = Part.PREFILL if reading > before - reading else Part.DECODE
    whole = part + (1 - part) * grows
    return kind, 1.0 - grows / whole if whole > 0.0 else 1.0


def _rows(graph: Graph, tallies: Sequence[Tally]) -> Mapping[str, Mapping[tuple[int, str], int]]:
    found: dict[str, dict[tuple[int, str], int]] = {}
    for tally in tallies:
        for rank, part, what, time in tally.behind:
            own = found.setdefault(name_of(graph, rank), {})
            own[part, what] = own.get((part, what), 0) + time
    return found
