"""Findings as JSON, under the names of the results format: seconds, tokens, dollars, shares 0..1.

What a later version fills (arrivals) is there as `null`, so that a reader meets the same
names in every answer. No NaN, no infinity: where there is no number there is `null`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import agentsim
from agentsim.analysis.findings import (
    Findings,
    PersonFindings,
    PoolFindings,
    ServerFindings,
    Stat,
    StepFindings,
)
from agentsim.analysis.weights import by_weight
from agentsim.errors import Problem
from agentsim.graph import Graph
from agentsim.report.json_carrying import can_serve
from agentsim.report.json_reasons import reasons
from agentsim.report.sweeping import Swept, closing
from agentsim.report.words import KINDS

FORMAT = 1
INTERVALS = frozenset({"ci95", "typical_saves_ci95"})
STATS = ("mean", "ci95", "sd", "p5", "p50", "p80", "p90", "p95", "p99", "min", "max")


def answer(findings: Findings) -> dict[str, Any]:
    """The whole answer. Adding a name keeps `format`; changing what a name means raises it."""
    told = {
        **head("results"),
        "workflow": findings.workflow,
        "hardware": dict(findings.hardware),
        "seed": findings.seed,
        "replications": findings.replications,
        "exact": findings.exact,
        "assumed": [dict(value) for value in findings.assumed],
        "hardware_assumed": {it: list(told) for it, told in findings.granted.items()},
        "warnings": list(findings.warnings),
        "left_out": [
            {"profile": it.profile, "key": it.key, "errs": it.errs, "effect": it.effect}
            for it in findings.left_out
        ],
        "outcome": {
            "done": findings.done,
            "failed": findings.failed,
            "failed_ci95": findings.failed_ci95,
            "reasons": dict(findings.reasons),
            "verdict": dict(findings.verdicts),
        },
        **_times(findings),
        "breakdown": {kind: findings.breakdown.get(kind, 0.0) for kind in KINDS},
        **reasons(findings),
        "steps": {path: _step(step) for path, step in findings.steps.items()},
        **_use(findings),
        # where work arrives
        "throughput": None,
        "cycle_time": None,
        "in_progress": None,
        "stable": None,
        "backlog_per_day": None,
        "quality": _quality(findings),
    }
    if findings.replications < 2 and not findings.exact:
        told = _unsure(told)
    return whole(told)


def _unsure(value: Any) -> Any:
    """The same with `null` for each interval: one run that draws tells nothing of its error."""
    if isinstance(value, dict):
        return {
            # a pool or a step may have that name too, and is no list
            key: None if key in INTERVALS and isinstance(it, list) else _unsure(it)
            for key, it in value.items()
        }
    return [_unsure(it) for it in value] if isinstance(value, list) else value


def sweep(result: Swept) -> dict[str, Any]:
    """The answer at each speed, and where something turns."""
    exact = all(row.findings.exact for row in result.rows)
    told = {
        **head("sweep"),
        "rates": [row.rate for row in result.rows],
        "rows": [
            {"rate": row.rate, "outrun": row.outrun, "answer": answer(row.findings)}
            for row in result.rows
        ],
        "crossings": [
            {
                "kind": it.kind,
                "rate": it.rate,
                "ci95": list(it.ci95) if exact or it.runs > 1 else None,
                "text": it.text,
                "runs": it.runs,
                "beyond": it.beyond,
            }
            for it in result.crossings
        ],
        "closing": closing(result),
    }
    return whole(told)


def head(what: str) -> dict[str, Any]:
    """The first keys of each of our JSON texts: what it is, its format, and who wrote it."""
    return {"agentsim": what, "format": FORMAT, "version": agentsim.__version__}


def _times(findings: Findings) -> dict[str, Any]:
    budget = findings.budget
    return {
        "wall": stat(findings.wall),
        "longest_5": findings.longest,
        "wall_done": _wall_done(findings),
        "without_people": stat(findings.without_people),
        "busy": stat(findings.busy),
        "first_output": stat(findings.first_output),
        "finish": findings.finish,
        "budget": budget
        and {
            "limits": dict(budget.limits),
            "chance": budget.chance,
            "met": budget.met if budget.is_known else None,
            "ci95": list(budget.ci95) if budget.ci95 and budget.is_known else None,
            "close": budget.is_close,
            "met_by": dict(budget.met_by),
        },
    }


def _wall_done(findings: Findings) -> dict[str, Any] | None:
    """Of the runs that did not fail; where that was one of several, nothing tells its error."""
    told, done = stat(findings.wall_done), findings.wall_done
    alone = done is not None and done.n < 2 and not findings.exact
    return told | {"ci95": None} if told and alone else told


def _quality(findings: Findings) -> dict[str, Any] | None:
    """`quality`: only where attempts are made, or defects are modelled."""
    found = findings.quality
    if found is None:
        return None
    it = found.defects
    counts = it and {"written": it.written, "found": it.found, "mended": it.mended, "none": it.none}
    return {
        "success": found.success,
        "ci95": found.ci95,
        "unpicked": found.unpicked,
        "escaped_defects": it and stat(it.escaped),
        "defects": counts,
    }


def _use(findings: Findings) -> dict[str, Any]:
    calls, tokens = findings.calls, findings.tokens
    return {
        "calls": {
            "attempts": calls.attempts,
            "done": calls.done,
            "rejected": calls.rejected,
            "failed": calls.failed,
            "cancelled": calls.cancelled,
            "per_token": {"decode_only": calls.decode_only, "inclusive": calls.inclusive},
        },
        "tokens": {
            "input": tokens.input,
            "cached": tokens.cached,
            "thinking": tokens.thinking,
            "output": tokens.output,
            "wasted": tokens.wasted,
        },
        "cost": _cost(findings),
        "servers": {role: _server(server) for role, server in findings.servers.items()},
        "pools": {name: _pool(pool) for name, pool in findings.pools.items()},
        "people": {name: _person(person) for name, person in findings.people.items()},
    }


def _cost(findings: Findings) -> dict[str, Any]:
    """`paid` and `plans` only where anything but tokens is paid."""
    told: dict[str, Any] = {
        "total": findings.cost_total,
        "by_role": dict(findings.cost_by_role),
        "unpriced": list(findings.unpriced),
    }
    if findings.plans or not findings.paid.keys() <= {"tokens"}:
        told["paid"] = dict(findings.paid)
        told["plans"] = dict(findings.plans)
    return told


def stat(it: Stat | None) -> dict[str, Any] | None:
    """`{mean, ci95, sd, p5 ... max}`, or `null` where nothing of it happened."""
    if it is None:
        return None
    return {name: list(it.ci95) if name == "ci95" else getattr(it, name) for name in STATS}


def _step(step: StepFindings) -> dict[str, Any]:
    return {
        "kind": step.kind,
        "runs": step.runs,
        "time": stat(step.time),
        "wait": stat(step.wait),
        "breakdown": dict(step.breakdown),
        "started": stat(step.started),
        "ended": stat(step.ended),
    }


def _server(server: ServerFindings) -> dict[str, Any]:
    return {
        "profile": server.profile,
        "roles": list(server.roles),
        "busy": server.busy,
        "slots_busy": server.slots_busy,
        "streams": {"mean": server.streams_mean, "max": server.streams_max},
        "wait": stat(server.wait),
        "hit_rate": server.hit_rate,
        "tok_s_stream": server.tok_s_stream,
        **({} if server.tok_s_effective is None else {"tok_s_effective": server.tok_s_effective}),
        "tok_s_total": server.tok_s_total,
        "tok_s_useful": server.tok_s_useful,
        "quota_wait": server.quota_wait,
        **({} if server.failing is None else {"failing": server.failing}),
        **({} if server.kv is None else {"kv": asdict(server.kv)}),
        **(
            {}
            if server.misses is None
            else {"misses": {why: asdict(own) for why, own in server.misses.items()}}
        ),
        **({} if server.loads is None else {"loads": asdict(server.loads)}),
        "can_serve": can_serve(server.can_serve),
    }


def _pool(pool: PoolFindings) -> dict[str, Any]:
    return {
        "busy": pool.busy,
        "wait": stat(pool.wait),
        "queue": {"mean": pool.queue_mean, "max": pool.queue_max},
    }


def _person(person: PersonFindings) -> dict[str, Any]:
    return {
        "busy": person.busy,
        "wait": stat(person.wait),
        "pickup": person.pickup,
        "switches": person.switches,
        "switching": person.switching,
        "reading": person.reading,
        "work": person.work,
        "items": person.items,
        "times_needed": person.times_needed,
        "queue": {"mean": person.queue_mean, "max": person.queue_max},
        "lines": person.lines,
        "words": person.words,
        "lines_per_hour": person.lines_per_hour,
        "can_serve": None,
    }


def problems(found: Iterable[Problem]) -> dict[str, Any]:
    """What is wrong with what was written, for an editor or a script."""
    told = []
    for problem in found:
        place = problem.place
        spot = {"line": place.line or None, "column": place.column or None} if place else {}
        where = place and {"file": place.file, **spot}
        told.append(
            {
                "code": problem.code,
                "message": problem.message,
                "place": where,
                "hint": problem.hint,
            }
        )
    return {**head("problems"), "problems": told}


def found(graph: Graph) -> dict[str, Any]:
    """What `validate` found in a file without a problem."""
    return {
        **head("validation"),
        "workflow": graph.name,
        "problems": [],
        "steps": {step.path: step.kind for step in graph.steps if step.path},
        "roles": {role: server.profile for server in graph.servers for role in server.roles},
        "people": [person.name for person in graph.people],
        "pools": [pool.name for pool in graph.pools],
        "assumed": [
            {
                "what": it.what,
                "value": it.value,
                "source": it.source,
                "key": it.key,
                "note": it.note,
            }
            for it in graph.assumed
        ],
        "warnings": [it.text for it in by_weight(graph.notices)],
    }


def whole(told: Mapping[str, Any]) -> dict[str, Any]:
    """A document as it is written: every value `finite`."""
    return {key: finite(it) for key, it in told.items()}


def finite(value: Any) -> Any:
    """`value` with `None` for each number that is none, and lists for tuples."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {str(key): finite(it) for key, it in value.items()}
        case list() | tuple():
            return [finite(it) for it in value]
        case None | bool() | int() | str():
            return value
        case _:
            return str(value)


def text(value: Any) -> str:
    """Strict JSON in ASCII letters, so that it is the same bytes everywhere, and a line feed."""
    return json.dumps(value, indent=2, allow_nan=False, ensure_ascii=True) + "\n"


def compact(value: Any) -> str:
    """A value on one line, as strict JSON; a text as it is."""
    return value if isinstance(value, str) else json.dumps(finite(value), allow_nan=False)
