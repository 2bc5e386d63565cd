"""A comparison as JSON: the whole answer of each row, and what sets them apart."""

from __future__ import annotations

from typing import Any

from agentsim.report import json_
from agentsim.report.compared import Apart, Compared, Paying, Row, machine_name
from agentsim.report.comparing import warnings


def compare(result: Compared) -> dict[str, Any]:
    """The answer of each variant on each machine, the differences, and the break-evens in turns."""
    told = {
        **json_.head("compare"),
        "base": result.machines[0].rows[0].label,
        "machines": [
            {
                "machine": machine_name(machine),
                "hardware": list(machine.hardware),
                "rows": [_row(row) for row in machine.rows],
            }
            for machine in result.machines
        ],
        "break_even": [
            {
                "label": it.label,
                "ahead": machine_name(result.machines[it.ahead]),
                "behind": machine_name(result.machines[it.behind]),
                "clear": it.clear,
                "times": it.times,
                "ci95": it.ci95,
                "runs": it.runs,
                "beyond": it.beyond,
            }
            for it in result.break_evens
        ],
        **({"paying": [_paying(result, it) for it in result.paying]} if result.paying else {}),
        "untried": result.untried,
        "left_out": [
            {"hardware": list(hardware), "reason": reason} for hardware, reason in result.left_out
        ],
        "warnings": warnings(result),
    }
    return json_.whole(told)


def _paying(result: Compared, it: Paying) -> dict[str, Any]:
    own, other = it.weekly, it.a_run
    return {
        "label": it.label,
        "machine": machine_name(result.machines[it.machine]),
        "against": machine_name(result.machines[it.other]),
        "verdict": it.verdict,
        "kept": it.kept,
        "hours": it.hours,
        "ci95": it.ci95,
        "runs": it.runs,
        "in_a_week": it.is_in_a_week,
        "per_week": {"machine": own[0], "against": own[1]},
        "per_run": {"machine": other[0], "against": other[1]},
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "label": row.label,
        "file": row.file,
        "vary": dict(row.vary),
        "difference": row.difference and _apart(row.difference),
        "other_differences": {name: _apart(it) for name, it in row.others.items()},
        "above": row.above and _apart(row.above),
        "above_other_differences": {name: _apart(it) for name, it in row.above_others.items()},
        "quickest": row.quickest,
        "behind": row.behind and _apart(row.behind),
        "attention": row.findings.attention,
        "answer": json_.answer(row.findings),
    }


def _apart(it: Apart) -> dict[str, Any]:
    return {
        "mean": it.mean,
        "ci95": it.ci95,
        "sd": it.sd,
        "runs": it.runs,
        "clear": it.is_clear,
        "needed": it.needed,
    }
