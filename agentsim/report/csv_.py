"""The figures of answers as CSV: a row an answer, a column a figure, named as in the JSON.

Only names that every answer has become columns, so that rows of different workflows can be put
below each other. Steps, servers, pools and people stand in the JSON.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from agentsim.analysis.findings import Findings
from agentsim.report import json_
from agentsim.report.compared import MEASURED, Apart, Compared, machine_name
from agentsim.report.sweeping import Swept
from agentsim.report.text import safe

_TAKEN = (
    *("workflow", "hardware", "seed", "replications", "outcome.done", "outcome.failed"),
    *("outcome.failed_ci95_low", "outcome.failed_ci95_high"),
    *("quality.success", "quality.escaped_defects"),
    *("wall", "without_people", "busy", "first_output", "budget.met", "breakdown"),
    *("bottleneck", "calls", "tokens", "cost.total", "cost.unpriced"),
)
_SPREAD = tuple(name for name in json_.STATS if name != "ci95")


def answer(findings: Findings) -> str:
    """A head and one row."""
    return table([row(findings)])


def sweep(result: Swept) -> str:
    """A head and a row a speed."""
    return table({"rate": it.rate, "outrun": it.outrun, **row(it.findings)} for it in result.rows)


def compare(result: Compared) -> str:
    """A head and a row for each variant on each machine."""
    return table(
        {
            "machine": machine_name(machine),
            "label": it.label,
            "file": it.file,
            "vary": "; ".join(f"{key}={json_.compact(value)}" for key, value in it.vary),
            **_difference("difference", it.difference),
            **_others("other_differences", it.others),
            **_difference("above", it.above),
            **_others("above_other_differences", it.above_others),
            **_difference("behind", it.behind),
            "quickest": it.quickest,
            "attention": it.findings.attention,
            **row(it.findings),
        }
        for machine in result.machines
        for it in machine.rows
    )


def _difference(name: str, found: Apart | None) -> dict[str, Any]:
    """Empty for a row that is compared with no other."""
    low, high = (found and found.ci95) or (None, None)
    return {
        f"{name}.mean": found and found.mean,
        f"{name}.ci95_low": low,
        f"{name}.ci95_high": high,
        f"{name}.sd": found and found.sd,
        f"{name}.needed": found and found.needed,
    }


def _others(name: str, found: Mapping[str, Apart]) -> dict[str, Any]:
    """The same of all that is compared besides the time, whether this row has it or not."""
    told: dict[str, Any] = {}
    for measure in MEASURED:
        told |= _difference(f"{name}.{measure}", found.get(measure))
    return told


def row(findings: Findings) -> dict[str, Any]:
    """The figures of one answer by their dotted names; empty text where there is none."""
    told = json_.answer(findings)
    told["hardware"] = "; ".join(f"{role}={it}" for role, it in told["hardware"].items())
    for name in ("wall", "without_people", "busy", "first_output"):
        spread = told[name] or {}
        low, high = spread.get("ci95") or (None, None)
        told[name] = {key: spread.get(key) for key in _SPREAD} | {
            "ci95_low": low,
            "ci95_high": high,
        }
    low, high = told["outcome"].get("failed_ci95") or (None, None)
    told["outcome"] |= {"failed_ci95_low": low, "failed_ci95_high": high}
    told["cost"]["unpriced"] = "; ".join(told["cost"]["unpriced"])
    del told["bottleneck"]["rows"]  # a list: it stands in the JSON
    told["budget"] = told["budget"] or {"met": None}
    quality = told["quality"] or {}
    escaped = (quality.get("escaped_defects") or {}).get("mean")
    told["quality"] = {"success": quality.get("success"), "escaped_defects": escaped}
    flat = dict(_flat("", told))
    return {
        key: value
        for taken in _TAKEN
        for key, value in flat.items()
        if key == taken or key.startswith(f"{taken}.")
    }


def _flat(prefix: str, value: Any) -> Iterable[tuple[str, Any]]:
    if not isinstance(value, dict):
        yield prefix, value
        return
    for key, it in value.items():
        yield from _flat(f"{prefix}.{key}" if prefix else key, it)


def table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows with one head, lines ended as the format's rules (RFC 4180) say."""
    out = io.StringIO()
    writer = csv.writer(out)
    first = True
    for each in rows:
        if first:
            writer.writerow(each)
            first = False
        writer.writerow([_cell(value) for value in each.values()])
    return out.getvalue()


def _cell(value: Any) -> Any:
    """A text on one line, without escapes, and no formula to a spreadsheet."""
    if isinstance(value, str):
        text = safe(value)
        return f"'{text}" if text[:1] in {"=", "+", "-", "@"} else text
    return "" if value is None else value
