"""Why a run takes so long and what would help, as JSON: under the names of the results format."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from agentsim.analysis.findings import Findings


def reasons(findings: Findings) -> dict[str, Any]:
    """`bottleneck`, `where`, `levers` and `sensitivity`; seconds, shares 0..1."""
    found = findings.bottleneck
    return {
        "bottleneck": {
            "kind": found.kind,
            "what": found.what,
            "share": found.share,
            "sentence": found.sentence,
            "rows": [{"kind": kind, "what": what} for kind, what in found.rows],
        },
        "where": [
            {
                "kind": row.kind,
                "what": row.what,
                "seconds": row.seconds,
                "ci95": row.ci95 and list(row.ci95),
                "share": row.share,
            }
            for row in findings.where
        ],
        "levers": [
            {
                "what": lever.what,
                "change": lever.change,
                "saves": lever.saves,
                "ci95": list(lever.ci95),
                "leaves": lever.leaves,
                "typical": lever.typical,
                "typical_saves_ci95": list(lever.typical_saves_ci95),
                "note": lever.note,
                "kind": lever.kind,
                "runs": lever.runs,
            }
            for lever in findings.levers
        ],
        **({} if findings.binding is None else {"quota_binds": asdict(findings.binding)}),
        "sensitivity": [
            {
                "value": sway.value,
                "key": sway.key,
                "low": sway.low,
                "high": sway.high,
                "tried": sway.tried,
            }
            for sway in findings.sensitivity
        ],
    }
