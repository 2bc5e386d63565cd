"""From the tallies of all replications to the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime

from agentsim.analysis import tables
from agentsim.analysis.bottleneck import also_typical, bottleneck
from agentsim.analysis.estimate import FEWEST, of_occurrences, of_runs, share_interval
from agentsim.analysis.findings import (
    Bottleneck,
    DefectFindings,
    Findings,
    PersonFindings,
    QualityFindings,
    ServerFindings,
    Share,
    Stat,
)
from agentsim.analysis.gate import BudgetFindings
from agentsim.analysis.gather import SERVED
from agentsim.analysis.left_out import left_out
from agentsim.analysis.notices import notices
from agentsim.analysis.outcome import Tally
from agentsim.analysis.reasons import reasons
from agentsim.analysis.room import behind, beside
from agentsim.analysis.typical import held_by_longest, middle
from agentsim.analysis.where import Key, Spent, spent
from agentsim.graph import Graph
from agentsim.laws.calendar import zone_of
from agentsim.records import SECOND, Outcome, Part

_SERVED = frozenset(part.label for part in SERVED)


def summarise(graph: Graph, tallies: Sequence[Tally], seed: int) -> Findings:
    """The answer of one graph, without levers and sensitivity, which need further runs.

    At least one tally; those of one graph, in the order of their replications.
    """
    n = len(tallies)
    wall = of_runs(_seconds(tally.wall for tally in tallies))
    where = spent(graph, tallies)
    servers, people = tables.servers(graph, tallies), tables.people(graph, tallies)
    total, by_role = tables.cost(graph, tallies)
    done = [tally for tally in tallies if tally.outcome is Outcome.DONE]
    unpriced, plans = tables.unpriced(graph, tallies), tables.plans(graph, tallies)
    findings = Findings(
        workflow=graph.name,
        hardware={role: plan.profile for plan in graph.servers for role in plan.roles},
        seed=seed,
        replications=n,
        assumed=[asdict(assumed) for assumed in graph.assumed],
        granted={it.profile: it.about.assumed for it in graph.servers if it.about.assumed},
        notices=[],
        done=len(done) / n,
        failed=(n - len(done)) / n,
        reasons=reasons(
            [tally.reason for tally in tallies if tally.outcome is not Outcome.DONE],
            n,
            {step.path for step in graph.steps},
        ),
        verdicts=_counts((t.verdict.label for t in tallies if t.verdict is not None), n),
        wall=wall,
        without_people=of_runs(_seconds(tally.without_people for tally in tallies)),
        busy=of_runs(_seconds(tally.busy for tally in tallies)),
        first_output=_first_output(tallies),
        finish=_finish(graph, wall),
        budget=_budget(graph, tallies, unpriced, plans),
        breakdown=_breakdown(where, n),
        where=_rows(graph, where, wall.mean, n),
        bottleneck=_bound(graph, tallies, where, wall.mean, people, servers),
        steps=tables.steps(graph, tallies),
        calls=tables.calls(tallies),
        tokens=tables.tokens(tallies),
        cost_total=total,
        cost_by_role=by_role,
        unpriced=unpriced,
        plans=plans,
        paid=tables.paid(graph, tallies),
        servers=servers,
        pools=tables.pools(graph, tallies),
        people=people,
        exact=graph.exact,
        compaction_decode=sum(tally.compaction_decode for tally in tallies) / SECOND / n,
        wall_done=of_runs(_seconds(tally.wall for tally in done)) if done else None,
        quality=_quality(tallies, graph.exact),
        left_out=left_out(graph, tallies, total is not None),
        longest=None if graph.exact else held_by_longest([tally.wall for tally in tallies]),
        failed_ci95=share_interval(n - len(done), n) if not graph.exact and n >= FEWEST else None,
    )
    return replace(findings, notices=notices(graph, findings, tallies))


def _seconds(nanoseconds: Iterable[int]) -> list[float]:
    return [time / SECOND for time in nanoseconds]


def _share(flags: Iterable[bool]) -> float:
    """The share of what is true; at least one."""
    counted = list(flags)
    return sum(counted) / len(counted)


def _counts(labels: Iterable[str], runs: int) -> dict[str, float]:
    """Label -> share of all runs, the most frequent first."""
    found: dict[str, int] = {}
    for label in labels:
        found[label] = found.get(label, 0) + 1
    return {label: found[label] / runs for label in sorted(found, key=lambda k: (-found[k], k))}


def _breakdown(where: dict[Key, Spent], runs: int) -> dict[str, float]:
    """All parts, in the order of the answer. Each is rounded once: they add up to the mean wall."""
    totals = dict.fromkeys(Part, 0)
    for (part, _), own in where.items():
        totals[part] += own.total
    return {part.label: time / SECOND / runs for part, time in totals.items()}


def _rows(graph: Graph, where: dict[Key, Spent], wall: float, runs: int) -> list[Share]:
    """Where the average goes, the largest first."""
    rows = []
    for (part, what), own in where.items():
        time, half = own.total / SECOND / runs, own.half(runs)
        named = _named(graph, part.label, what)
        rows.append(Share(*named, time, time / wall if wall else 0.0, (time - half, time + half)))
    return sorted(rows, key=lambda row: -row.seconds)


def _named(graph: Graph, kind: str, what: str) -> tuple[str, str]:
    """A row's kind and name. A server's name is not said where there is but one."""
    return kind, "" if kind in _SERVED and len(graph.servers) == 1 else what


def _bound(
    graph: Graph,
    tallies: Sequence[Tally],
    where: dict[Key, Spent],
    wall: float,
    people: dict[str, PersonFindings],
    servers: dict[str, ServerFindings],
) -> Bottleneck:
    """What bound the average run, and typical ones where that is something else."""
    scarce = behind(graph, tallies), beside(graph, tallies)
    instead = {role: own.waits_for for role, own in servers.items() if own.waits_for}
    found = bottleneck(_means(where, len(tallies)), wall, people, *scarce, instead)
    typical = [_means(spent(graph, [it]), 1) for it in middle(tallies)]
    found = also_typical(found, typical, *scarce, instead)
    return replace(found, rows=tuple(_named(graph, *row) for row in found.rows))


def _means(where: dict[Key, Spent], runs: int) -> dict[Key, float]:
    """Seconds a run."""
    return {key: own.total / SECOND / runs for key, own in where.items()}


def _first_output(tallies: Sequence[Tally]) -> Stat | None:
    """Until the first visible token; runs that show none are left out."""
    runs: list[tuple[Sequence[float], int]] = []
    for tally in tallies:
        shown = tally.first_output
        if shown >= 0:
            runs.append(((shown / SECOND,), 1))
        else:
            runs.append(((), 0))
    return of_occurrences(runs)


def _finish(graph: Graph, wall: Stat) -> dict[str, str] | None:
    """When it is done, as dates in the workflow's zone; only where it says when it starts."""
    if graph.start is None:
        return None
    zone, start = zone_of(graph.zone or "UTC"), graph.start
    return {
        name: datetime.fromtimestamp(start + after, zone).isoformat(timespec="seconds")
        for name, after in (("p50", wall.p50), ("p80", wall.p80), ("p90", wall.p90))
    }


def _quality(tallies: Sequence[Tally], exact: bool) -> QualityFindings | None:
    """How often a run ends with the right thing; a run that never came to its attempts did not."""
    has_attempts = any(tally.success is not None for tally in tallies)
    if not has_attempts and all(tally.defects is None for tally in tallies):
        return None
    defects = _defects(tallies)
    if not has_attempts:
        return QualityFindings(None, defects=defects)
    right, n = sum(tally.success is True for tally in tallies), len(tallies)
    is_known = not exact and n >= FEWEST
    between = share_interval(right, n) if is_known else None
    unpicked = _share(bool(tally.notes.get("none_picked")) for tally in tallies)
    return QualityFindings(right / n, between, defects, unpicked)


def _defects(tallies: Sequence[Tally]) -> DefectFindings | None:
    """What is left in the work of the runs that did not fail."""
    ended = [tally.defects for tally in tallies if tally.outcome is Outcome.DONE]
    found = [it for it in ended if it is not None]
    if not found:
        return None
    escaped, n = [float(it.escaped) for it in found], len(found)
    written, seen, mended = (sum(column) / n for column in zip(*found, strict=True))
    return DefectFindings(of_runs(escaped), written, seen, mended, _share(not it for it in escaped))


def _budget(
    graph: Graph, tallies: Sequence[Tally], unpriced: tuple[str, ...], plans: Mapping[str, float]
) -> BudgetFindings | None:
    """In which share of runs all limits hold, and each by itself; a failed run meets none.

    A limit of money cannot be checked where a server that was called gives no price. What the
    others cost may still show that it is missed.
    """
    budget = graph.budget
    if budget is None:
        return None
    spent: dict[str, tuple[float | None, list[float]]] = {
        "wall": (budget.wall, _seconds(tally.wall for tally in tallies)),
        "without_people": (
            budget.without_people,
            _seconds(tally.without_people for tally in tallies),
        ),
        "person": (budget.person, _seconds(tally.attention for tally in tallies)),
        "money": (budget.money, [tally.money for tally in tallies]),
    }
    held = [tally.outcome is Outcome.DONE for tally in tallies]
    limits: dict[str, float] = {}
    met_by: dict[str, float | None] = {}
    met = held
    for name, (limit, values) in spent.items():
        if limit is not None:
            own = [ok and value <= limit for ok, value in zip(held, values, strict=True)]
            limits[name], met_by[name] = limit, _share(own)
            met = [all_ok and ok for all_ok, ok in zip(met, own, strict=True)]
    unpriced = () if budget.money is None else unpriced
    if unpriced:
        met_by["money"] = None
    is_sure = not graph.exact and len(met) >= FEWEST
    return BudgetFindings(
        limits=limits,
        chance=budget.chance,
        met=_share(met),
        met_by=met_by,
        ci95=share_interval(sum(met), len(met)) if is_sure else None,
        unpriced=unpriced if _share(met) >= budget.chance else (),
        plans=tuple(plans),
    )
