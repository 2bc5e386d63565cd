"""The tables of the answer: servers, pools, people, steps, calls, tokens, money."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import fsum, isfinite

from agentsim.analysis.estimate import of_occurrences
from agentsim.analysis.findings import (
    CallFindings,
    KvFindings,
    LoadFindings,
    PersonFindings,
    PoolFindings,
    ServerFindings,
    Stat,
    StepFindings,
    TokenFindings,
)
from agentsim.analysis.misses import CAUSES, MissFindings
from agentsim.analysis.outcome import PersonTally, PoolTally, ServerTally, Tally
from agentsim.graph import Graph
from agentsim.graph.server import ServerPlan
from agentsim.records import SECOND, Part

PARTS = tuple(part.label for part in Part)


def seconds(nanoseconds: float) -> float:
    return nanoseconds / SECOND


def ratio(above: float, below: float) -> float:
    """A share or a rate of sums; 0 where there is nothing to divide by."""
    return above / below if below else 0.0


def per(above: float, below: float) -> float | None:
    """A rate of sums; None where there is nothing to divide by."""
    return above / below if below else None


def waits(runs: Iterable[tuple[Sequence[int], int]]) -> Stat | None:
    """Waits in nanoseconds, those above zero, and how many there were with the zeros."""
    return of_occurrences([([wait / SECOND for wait in some], count) for some, count in runs])


def servers(graph: Graph, tallies: Sequence[Tally]) -> dict[str, ServerFindings]:
    """By the first role bound to each. Rates are sums over all runs, divided once."""
    wall = sum(tally.wall for tally in tallies)
    return {
        plan.known_as: _server(plan, [tally.servers[i] for tally in tallies], wall)
        for i, plan in enumerate(graph.servers)
    }


def _server(plan: ServerPlan, own: list[ServerTally], wall: int) -> ServerFindings:
    busy = sum(one.busy for one in own)
    area = sum(one.area for one in own)
    visible = sum(one.visible for one in own)
    made = visible + sum(one.thinking for one in own)
    cached = sum(one.cached for one in own)
    gaps = sum(one.gaps for one in own)
    return ServerFindings(
        profile=plan.profile,
        roles=plan.roles,
        busy=ratio(busy, wall),
        slots_busy=ratio(area, plan.slots * wall) if plan.slots else None,
        streams_mean=ratio(area, wall),
        streams_max=max(one.most for one in own),
        wait=waits((one.waits, one.calls - one.rejected - one.turned) for one in own),
        hit_rate=per(cached, cached + sum(one.fresh for one in own)),
        tok_s_stream=per(gaps, seconds(sum(one.decoding for one in own))),
        tok_s_effective=per(gaps, seconds(_with_quota(own))) if plan.limits else None,
        tok_s_total=per(made, seconds(busy)),
        tok_s_useful=per(sum(one.useful for one in own), seconds(wall)),
        quota_wait=seconds(sum(one.quota_wait for one in own)) / len(own),
        rate=plan.decode.rate if isfinite(plan.decode.rate) else None,
        grade=plan.about.grade,
        failing=None if plan.faults is None else _of_whole(own),
        kv=None if plan.kv is None else _kv(plan.kv, own, wall),
        loads=None if plan.machine is None else _loads(own, wall),
        misses=None if plan.cache.kind == "none" else _misses(plan, own),
    )


def _misses(plan: ServerPlan, own: list[ServerTally]) -> dict[str, MissFindings]:
    found: dict[str, MissFindings] = {}
    n = len(own)
    for cause in CAUSES:
        rows = [row for one in own for row in one.misses if row.cause == cause]
        if rows:
            found[cause] = MissFindings(
                calls=sum(row.calls for row in rows) / n,
                tokens=sum(row.tokens for row in rows) / n,
                seconds=seconds(sum(row.time for row in rows)) / n,
                money=None if plan.price is None else fsum(row.money for row in rows) / n,
            )
    return found


def _loads(own: list[ServerTally], wall: int) -> LoadFindings:
    loads = [one.loads for one in own if one.loads is not None]
    waited = sum(one.waited for one in loads)
    return LoadFindings(
        count=sum(one.loads for one in loads) / len(own),
        seconds=seconds(sum(one.time for one in loads)) / len(own),
        wait=seconds(waited) / len(own),
        wait_share=ratio(waited, sum(sum(one.waits) for one in own)),
        beside=ratio(sum(one.beside for one in loads), wall),
    )


def _of_whole(own: list[ServerTally]) -> float:
    """The share of failed tries and of the waits after these in the time of all its calls."""
    return ratio(sum(one.failing for one in own), sum(one.whole for one in own))


def _with_quota(own: list[ServerTally]) -> int:
    """Nanoseconds of decoding and of all waits for the quotas, of all calls together."""
    return sum(one.decoding + one.quota_wait + one.refused for one in own)


def _kv(capacity: int, own: list[ServerTally], wall: int) -> KvFindings:
    kept = [one.kept for one in own if one.kept is not None]
    waited = sum(one.waited for one in kept)
    return KvFindings(
        capacity=capacity,
        mean=ratio(sum(one.area for one in kept), wall),
        max=max((one.most for one in kept), default=0),
        wait=seconds(waited) / len(own),
        wait_share=ratio(waited, sum(sum(one.waits) for one in own)),
    )


def pools(graph: Graph, tallies: Sequence[Tally]) -> dict[str, PoolFindings]:
    """By name: units held over capacity x wall; the mean queue is waiting over wall (Little)."""
    wall = sum(tally.wall for tally in tallies)
    found: dict[str, PoolFindings] = {}
    for i, plan in enumerate(graph.pools):
        own: list[PoolTally] = [tally.pools[i] for tally in tallies]
        found[plan.name] = PoolFindings(
            busy=ratio(fsum(one.held for one in own), plan.capacity * wall),
            wait=waits((one.waits, one.asked) for one in own),
            queue_mean=ratio(sum(sum(one.waits) for one in own), wall),
            queue_max=max(one.queue for one in own),
        )
    return found


def people(graph: Graph, tallies: Sequence[Tally]) -> dict[str, PersonFindings]:
    """By name. `busy` is switching and work over the wall time, each head counted."""
    wall, n = sum(tally.wall for tally in tallies), len(tallies)
    found: dict[str, PersonFindings] = {}
    for i, plan in enumerate(graph.people):
        own: list[PersonTally] = [tally.people[i] for tally in tallies]
        work, switching = sum(one.work for one in own), sum(one.switching for one in own)
        lines = fsum(one.lines for one in own)
        hours = seconds(sum(one.over_lines for one in own)) / 3600
        read = sum(one.read for one in own)
        found[plan.name] = PersonFindings(
            busy=ratio(work + switching, plan.count * wall),
            wait=waits((one.waits, one.asked) for one in own),
            pickup=seconds(sum(one.pickup for one in own)) / n,
            switching=seconds(switching) / n,
            work=seconds(work) / n,
            items=sum(one.pieces for one in own) / n,
            queue_mean=ratio(sum(sum(one.waits) for one in own), wall),
            queue_max=max(one.queue for one in own),
            lines_per_hour=per(lines, hours) if lines else None,
            lines=lines / n,
            times_needed=sum(one.asked for one in own) / n,
            switches=sum(one.switches for one in own) / n,
            reading=seconds(sum(one.reading for one in own)) / n if read else None,
            words=fsum(one.words for one in own) / n,
            asked=sum(one.asked > 0 for one in own) / n,
        )
    return found


def calls(tallies: Sequence[Tally]) -> CallFindings:
    """Means per run. A token's time is that of all calls together: sums, divided once."""
    n = len(tallies)
    own = [one for tally in tallies for one in tally.servers]
    return CallFindings(
        attempts=sum(one.calls for one in own) / n,
        done=sum(one.done for one in own) / n,
        rejected=sum(one.rejected for one in own) / n,
        failed=sum(one.failed for one in own) / n,
        cancelled=sum(one.cancelled for one in own) / n,
        decode_only=per(seconds(sum(one.decoding for one in own)), sum(one.gaps for one in own)),
        inclusive=per(seconds(sum(one.lasted for one in own)), sum(one.made for one in own)),
    )


def tokens(tallies: Sequence[Tally]) -> TokenFindings:
    """Means per run; `input` holds the cached ones, `output` the thinking."""
    n = len(tallies)
    own = [one for tally in tallies for one in tally.servers]
    cached, thinking = sum(one.cached for one in own), sum(one.thinking for one in own)
    return TokenFindings(
        input=(cached + sum(one.fresh for one in own)) / n,
        cached=cached / n,
        thinking=thinking / n,
        output=(thinking + sum(one.visible for one in own)) / n,
        wasted=sum(one.wasted for one in own) / n,
    )


def cost(graph: Graph, tallies: Sequence[Tally]) -> tuple[float | None, dict[str, float]]:
    """Dollars per run, in all and by role, of servers with a price; None where none has one."""
    by_role: dict[str, float] = {}
    for i, plan in enumerate(graph.servers):
        if plan.is_priced:
            for j, role in enumerate(plan.roles):
                paid = fsum(tally.servers[i].money[j] for tally in tallies) / len(tallies)
                by_role[role] = by_role.get(role, 0.0) + paid
    return (fsum(by_role.values()) if by_role else None), by_role


def paid(graph: Graph, tallies: Sequence[Tally]) -> dict[str, float]:
    """Dollars per run by how it is paid: `tokens`, `rent`, `own`."""
    found: dict[str, float] = {}
    for i, plan in enumerate(graph.servers):
        if plan.paid:
            whole = fsum(money for tally in tallies for money in tally.servers[i].money)
            found[plan.paid] = found.get(plan.paid, 0.0) + whole / len(tallies)
    return found


def unpriced(graph: Graph, tallies: Sequence[Tally]) -> tuple[str, ...]:
    """The profiles of servers that some run called and of which no price of a run is known."""
    return tuple(dict.fromkeys(plan.profile for plan in _unpriced(graph, tallies)))


def plans(graph: Graph, tallies: Sequence[Tally]) -> dict[str, float]:
    """Those of them that are paid by the month: dollars a month."""
    own = _unpriced(graph, tallies)
    return {plan.profile: plan.monthly for plan in own if plan.monthly is not None}


def _unpriced(graph: Graph, tallies: Sequence[Tally]) -> Iterator[ServerPlan]:
    for i, plan in enumerate(graph.servers):
        if not plan.is_priced and any(tally.servers[i].calls for tally in tallies):
            yield plan


def steps(graph: Graph, tallies: Sequence[Tally]) -> dict[str, StepFindings]:
    """By path. The breakdown is what the critical path spent in a step and in all within it."""
    n = len(tallies)
    times, waited, starts, ends = (_Pooled(len(graph.steps)) for _ in range(4))
    runs = [0] * len(graph.steps)
    for tally in tallies:
        for pooled in (times, waited, starts, ends):
            pooled.next_run()
        flat = tally.visits
        for rank, began, ended, wait in zip(
            flat[0::4], flat[1::4], flat[2::4], flat[3::4], strict=True
        ):
            if wait >= 0:
                waited.add(rank if rank >= 0 else -1 - rank, wait)
            if rank < 0:
                continue
            runs[rank] += 1
            starts.add(rank, began)
            if ended >= 0:
                times.add(rank, ended - began)
                ends.add(rank, ended)
    spent = _spent(graph, tallies)
    return {
        step.path: StepFindings(
            kind=step.kind,
            runs=runs[rank] / n,
            time=times.stat(rank),
            wait=waited.stat(rank),
            started=starts.stat(rank),
            ended=ends.stat(rank),
            breakdown={
                label: seconds(time) / n for label, time in zip(PARTS, spent[rank], strict=True)
            },
        )
        for rank, step in enumerate(graph.steps)
        if step.path
    }


class _Pooled:
    """Occurrences by step, kept apart by replication where there are any."""

    def __init__(self, steps: int) -> None:
        self._runs: list[list[list[float]]] = [[] for _ in range(steps)]
        self._newest = [0] * steps
        self._run = 0

    def next_run(self) -> None:
        self._run += 1

    def add(self, rank: int, nanoseconds: int) -> None:
        if self._newest[rank] != self._run:
            self._newest[rank] = self._run
            self._runs[rank].append([])
        self._runs[rank][-1].append(nanoseconds / SECOND)

    def stat(self, rank: int) -> Stat | None:
        runs: list[tuple[Sequence[float], int]] = [
            (values, len(values)) for values in self._runs[rank]
        ]
        runs += [((), 0)] * (self._run - len(runs))
        return of_occurrences(runs)


def _spent(graph: Graph, tallies: Sequence[Tally]) -> list[list[int]]:
    """Nanoseconds on the critical path by step and part, counted for the steps around as well."""
    around = _around(graph)
    found = [[0] * len(PARTS) for _ in graph.steps]
    for tally in tallies:
        for step, part, _, time in tally.path:
            for rank in around[step]:
                found[rank][part] += time
    return found


def _around(graph: Graph) -> list[tuple[int, ...]]:
    """For each step its own rank and those of the steps whose path begins with its path."""
    ranks = {step.path: rank for rank, step in enumerate(graph.steps)}
    found: list[tuple[int, ...]] = []
    for step in graph.steps:
        names = step.path.split(".")
        paths = (".".join(names[:depth]) for depth in range(1, len(names) + 1))
        found.append(tuple(ranks[path] for path in paths if path in ranks))
    return found
