"""The JSON of an answer: every name of the results format, strict, without NaN."""

from __future__ import annotations

import json
import math
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.analysis.findings import PoolFindings, Stat
from agentsim.errors import Place, Problem
from agentsim.records import Part
from agentsim.report import json_
from tests.unit.report.made import constant, findings, sweep

# the names of the results format, in its order
NAMES = [
    *("agentsim", "format", "version", "workflow", "hardware", "seed"),
    *("replications", "exact", "assumed", "hardware_assumed"),
    *("warnings", "left_out", "outcome", "wall"),
    *(
        "longest_5",
        "wall_done",
        "without_people",
        "busy",
        "first_output",
        "finish",
        "budget",
        "breakdown",
    ),
    *("bottleneck", "where", "levers", "sensitivity", "steps", "calls"),
    *("tokens", "cost", "servers", "pools", "people", "throughput"),
    *("cycle_time", "in_progress", "stable", "backlog_per_day", "quality"),
]


def strict(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"the text holds {word}")

    return json.loads(text, parse_constant=refuse)


def answered(**changes: Any) -> Any:
    return strict(json_.text(json_.answer(findings(**changes))))


def test_all_names_are_there_in_order() -> None:
    assert list(answered()) == NAMES


def test_the_inner_names() -> None:
    made = answered(pools={"ci": PoolFindings(0.5, constant(3.0), 0.2, 4)})
    spread = ["mean", "ci95", "sd", "p5", "p50", "p80", "p90", "p95", "p99", "min", "max"]
    assert list(made["wall"]) == spread
    assert len(made["wall"]["ci95"]) == 2
    assert list(made["outcome"]) == ["done", "failed", "failed_ci95", "reasons", "verdict"]
    assert made["breakdown"].keys() == {part.label for part in Part}
    assert list(made["bottleneck"]) == ["kind", "what", "share", "sentence", "rows"]
    assert made["bottleneck"]["rows"][1] == {"kind": "pickup", "what": "you"}
    lever = {"what", "change", "saves", "ci95", "leaves", "typical", "kind", "runs"}
    assert lever <= made["levers"][0].keys()
    assert {"value", "low", "high", "tried"} <= made["sensitivity"][0].keys()
    assert list(made["where"][0]) == ["kind", "what", "seconds", "ci95", "share"]
    step = made["steps"]["coder"]
    assert {"runs", "time", "wait", "breakdown", "started", "ended"} <= step.keys()
    assert step["ended"]["mean"] == 600.0
    assert made["calls"]["per_token"] == {"decode_only": 0.0164, "inclusive": 0.02}
    assert made["calls"]["cancelled"] == 0.0
    assert list(made["tokens"]) == ["input", "cached", "thinking", "output", "wasted"]
    assert made["cost"] == {"total": 0.42, "by_role": {"main": 0.42}, "unpriced": []}
    server = made["servers"]["main"]
    assert server["streams"] == {"mean": 1.0, "max": 1}
    assert server["roles"] == ["main"]
    assert made["pools"]["ci"]["queue"] == {"mean": 0.2, "max": 4}
    person = {"busy", "wait", "pickup", "switches", "reading", "items", "queue", "can_serve"}
    assert person < made["people"]["you"].keys()
    you = made["people"]["you"]
    # a count, then seconds; reading is part of the work
    assert (you["switches"], you["switching"], you["reading"], you["work"]) == (0.1, 9, 2280, 2292)
    assert made["budget"] == {
        "limits": {"wall": 5400.0}, "chance": 0.8, "met": 0.84, "ci95": [0.816, 0.8614],
        "close": False, "met_by": {},
    }  # fmt: skip
    assert (made["agentsim"], made["format"]) == ("results", 1)


def test_what_is_not_known_is_null() -> None:
    made = answered(budget=None, first_output=None, cost_total=None)
    for name in ("budget", "first_output", "finish", "throughput", "stable", "quality"):
        assert made[name] is None
    assert made["cost"]["total"] is None


def test_kinds_without_time_are_zero_not_missing() -> None:
    made = answered(breakdown={"decode": 3.0})
    assert made["breakdown"]["decode"] == 3.0
    assert sum(made["breakdown"].values()) == 3.0
    assert len(made["breakdown"]) == len(Part)


@given(st.sampled_from([math.nan, math.inf, -math.inf]), st.integers(min_value=0, max_value=9))
def test_no_nan_wherever_it_stands(value: float, index: int) -> None:
    name = [it.name for it in fields(Stat) if it.name not in {"ci95", "n"}][index]
    changes: dict[str, Any] = {name: value, "ci95": (value, value)}
    broken = replace(findings().wall, **changes)
    made = answered(wall=broken, breakdown={"decode": value}, cost_total=value)
    assert made["breakdown"]["decode"] is None
    assert made["wall"]["ci95"] == [None, None]
    assert made["cost"]["total"] is None
    # the errors of quantiles are not in the JSON
    assert made["wall"].get(name) is None
    assert (name in made["wall"]) == (not name.endswith("_error"))


def test_hostile_names_stay_what_they_are() -> None:
    name = "\x1b[31m\u202e<script>\ud800|" + "x" * 300
    text = json_.text(json_.answer(findings(workflow=name)))
    assert text.isascii()
    assert "\x1b" not in text
    assert strict(text)["workflow"] == name


def test_the_same_findings_are_the_same_text() -> None:
    assert json_.text(json_.answer(findings())) == json_.text(json_.answer(findings()))


def test_a_sweep_holds_an_answer_a_rate() -> None:
    made = strict(json_.text(json_.sweep(sweep())))
    assert made["rates"] == [5, 100, 800, 15_000]
    assert list(made["rows"][0]["answer"]) == NAMES
    assert made["crossings"][0] == {
        "kind": "people",
        "rate": 15,
        "ci95": [14.2, 16],
        "text": "you cost more than decoding",
        "runs": 1000,
        "beyond": False,
    }
    assert made["crossings"][-1]["beyond"]
    assert "2 h 35 m -> 34 min" in made["closing"]


def test_problems_have_code_place_and_hint() -> None:
    found = [Problem("bad-value", "no", Place("a.yaml", 3, 5), "mend"), Problem("x", "y")]
    made = strict(json_.text(json_.problems(found)))
    assert made["problems"] == [
        {
            "code": "bad-value",
            "message": "no",
            "place": {"file": "a.yaml", "line": 3, "column": 5},
            "hint": "mend",
        },
        {"code": "x", "message": "y", "place": None, "hint": ""},
    ]


@pytest.mark.parametrize(
    ("value", "left"),
    [
        (math.nan, None),
        (math.inf, None),
        (-math.inf, None),
        (1e308, 1e308),
        ({1: (2, 3.5)}, {"1": [2, 3.5]}),
        ([None, True, "nan"], [None, True, "nan"]),
        ({"deep": [{"er": (math.nan, 1.0)}]}, {"deep": [{"er": [None, 1.0]}]}),
        (Part.DECODE, 0),
        (Place("a.yaml", 3, 5), str(Place("a.yaml", 3, 5))),
    ],
)
def test_finite_leaves_only_what_json_knows(value: Any, left: Any) -> None:
    assert json_.finite(value) == left
    assert json.loads(json.dumps(json_.finite(value), allow_nan=False)) == left


def intervals(value: Any) -> list[Any]:
    """All `ci95` of a JSON text."""
    if isinstance(value, list):
        return [found for it in value for found in intervals(it)]
    if not isinstance(value, dict):
        return []
    own = [value["ci95"]] if "ci95" in value else []
    return own + [found for it in value.values() for found in intervals(it)]


def test_one_run_that_draws_has_no_error() -> None:
    """It was told as [x, x], as if the mean were known exactly; an exact run is."""
    alone = answered(replications=1, wall=constant(9.0))
    assert set(intervals(alone)) == {None}
    assert len(intervals(alone)) > 10  # four times, a step's three, five levers
    assert (alone["wall"]["mean"], alone["wall"]["ci95"]) == (9.0, None)
    assert answered(replications=1, wall=constant(9.0), exact=True)["wall"]["ci95"] == [9.0, 9.0]
    two = replace(constant(9.0), ci95=(1.0, 17.0), n=2)
    assert answered(replications=2, wall=two)["wall"]["ci95"] == [1.0, 17.0]


def test_what_is_called_like_an_interval_stays() -> None:
    made = answered(replications=1, pools={"ci95": PoolFindings(0.5, constant(3.0), 0.2, 4)})
    assert made["pools"]["ci95"]["busy"] == 0.5
    assert made["pools"]["ci95"]["wait"]["ci95"] is None


def test_one_run_of_many_that_did_not_fail_has_no_error() -> None:
    made = answered(failed=0.999, done=0.001, wall_done=constant(9.0))
    assert (made["wall_done"]["mean"], made["wall_done"]["ci95"]) == (9.0, None)
    assert answered(wall_done=replace(constant(9.0), n=2))["wall_done"]["ci95"] == [9.0, 9.0]
    assert answered(wall_done=None)["wall_done"] is None


def test_a_crossing_of_one_run_has_no_error() -> None:
    made = sweep()
    alone = replace(made, crossings=(replace(made.crossings[0], runs=1),))
    assert json_.sweep(alone)["crossings"][0]["ci95"] is None
    rows = tuple(replace(it, findings=replace(it.findings, exact=True)) for it in made.rows)
    assert json_.sweep(replace(alone, rows=rows))["crossings"][0]["ci95"] == [14.2, 16]
