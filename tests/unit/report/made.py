"""Findings made by hand: invented figures, chosen so that every row has something to show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from agentsim.analysis.findings import (
    Bottleneck,
    CallFindings,
    Findings,
    Lever,
    PersonFindings,
    ServerFindings,
    Share,
    Stat,
    StepFindings,
    Sway,
    TokenFindings,
)
from agentsim.analysis.gate import BudgetFindings
from agentsim.errors import Notice, Weight
from agentsim.records import Part

MINUTE = 60.0


def stat(p50: float, p80: float, p90: float, mean: float, n: int = 1000) -> Stat:
    return Stat(
        mean=mean,
        ci95=(mean * 0.97, mean * 1.03),
        sd=mean * 0.5,
        p5=p50 * 0.5,
        p50=p50,
        p80=p80,
        p90=p90,
        p95=p90 * 1.1,
        p99=p90 * 1.4,
        min=p50 * 0.3,
        max=p90 * 2,
        n=n,
        p50_error=p50 * 0.04,
        p90_error=p90 * 0.05,
    )


def constant(value: float) -> Stat:
    return Stat(
        value, (value, value), 0.0, value, value, value, value, value, value, value, value, 1
    )


def share(kind: str, what: str, minutes: float, whole: float = 64.0) -> Share:
    return Share(kind, what, minutes * MINUTE, minutes / whole)


WHERE = [
    share("person_work", "you", 38.2),
    share("decode", "", 11.0),
    share("tool", "tests", 5.2),
    share("tool", "shell", 3.4),
    share("pickup", "you", 2.9),
    share("latency", "", 2.9),
    share("tool", "edit", 0.25),
    share("switching", "you", 0.15),
]


def odd(*texts: str) -> list[Notice]:
    """Warnings of what is odd in a file."""
    return [Notice(text, Weight.FILE) for text in texts]


def findings(**changes: Any) -> Findings:
    """A feature with a review: 64 minutes on average, eight parts."""
    breakdown = {part.label: 0.0 for part in Part}
    for row in WHERE:
        breakdown[row.kind] += row.seconds
    made = Findings(
        workflow="One feature, reviewed, then me",
        hardware={"main": "claude-opus"},
        seed=0,
        replications=1000,
        assumed=[
            {"what": what, "value": value, "source": "somebody", "key": key}
            for what, value, key in (
                ("you: code read", "400 loc/h", "people/you/reads/code"),
                ("you: pickup", "{p50: 1m, p90: 5m}", "people/you/pickup"),
                ("coder: turns", "{p50: 22, p90: 60}", "agents/coder/turns"),
                ("coder: lines written", "{p50: 120 loc, p90: 600 loc}", "agents/coder/writes"),
                ("coder: thinking", "{p50: 250, p90: 2k}", "agents/coder/thinking"),
                ("reviewer: turns", "6", "agents/reviewer/turns"),
                ("tests: time", "{p50: 20s, p90: 90s}", "tools/tests/time"),
            )
        ],
        notices=[],
        done=1.0,
        failed=0.0,
        reasons={},
        verdicts={"approved": 1.0},
        wall=stat(47 * MINUTE, 82 * MINUTE, 118 * MINUTE, 64 * MINUTE),
        without_people=stat(20 * MINUTE, 30 * MINUTE, 41 * MINUTE, 22.5 * MINUTE),
        busy=stat(44 * MINUTE, 79 * MINUTE, 115 * MINUTE, 61 * MINUTE),
        first_output=stat(3.1, 4.0, 5.0, 3.3),
        finish=None,
        # Wilson's interval of 840 in 1,000: see the test of `share_interval`
        budget=BudgetFindings({"wall": 90 * MINUTE}, 0.8, 0.84, ci95=(0.816, 0.8614)),
        breakdown=breakdown,
        where=list(WHERE),
        bottleneck=Bottleneck(
            "person_work",
            "you",
            41.1 / 64,
            "You are the limit: 64 % of the time is you noticing and reading 225 lines.",
            (("person_work", "you"), ("pickup", "you")),
        ),
        steps={
            "coder": StepFindings(
                "agent", 1.0, constant(600.0), None, constant(0.0), constant(600.0), {"decode": 9.0}
            )
        },
        calls=CallFindings(61.0, 61.0, 0.0, 0.0, 0.0, 0.0164, 0.02),
        tokens=TokenFindings(1_200_000.0, 1_100_000.0, 11_500.0, 37_000.0, 0.0),
        cost_total=0.42,
        cost_by_role={"main": 0.42},
        servers={
            "main": ServerFindings(
                "claude-opus",
                ("main",),
                0.2,
                None,
                1.0,
                1,
                None,
                0.9,
                61.2,
                61.2,
                61.2,
                0.0,
                None,
                "C",
            )
        },
        pools={},
        people={
            "you": PersonFindings(
                0.6, None, 174.0, 9.0, 2292.0, 1.0, 0.0, 0, 353.0, 225.0, 1.0, 0.1, 2280.0
            )
        },
        exact=False,
        levers=[
            Lever("decode", "2x", 330.0, (320.0, 340.0), 3510.0, typical=2520.0),
            Lever(
                "decode",
                "infinitely fast",
                660.0,
                (640.0, 680.0),
                3180.0,
                "the most tok/s can give",
                typical=2220.0,
            ),
            Lever("the lines to read", "half", 1146.0, (1100.0, 1190.0), 2694.0, typical=1980.0),
            Lever("tests", "2x", 156.0, (150.0, 162.0), 3684.0, typical=2730.0),
            Lever("edit", "2x", 7.5, (7.0, 8.0), 3832.0, typical=2816.0),
        ],
        sensitivity=[
            Sway("you: code read", 38 * MINUTE, 55 * MINUTE, "people/you/reads/code"),
            Sway("coder: lines written", 35 * MINUTE, 58 * MINUTE, "agents/coder/writes"),
            Sway("coder: turns", 44 * MINUTE, 50 * MINUTE, "agents/coder/turns"),
        ],
    )
    return replace(made, **changes)


@dataclass(frozen=True)
class Row:
    rate: float
    findings: Findings
    outrun: float | None
    reads: float | None = 5.2


@dataclass(frozen=True)
class Crossing:
    kind: str
    rate: float
    text: str
    ci95: tuple[float, float]
    runs: int = 1000
    beyond: bool = False
    again: bool = False


@dataclass(frozen=True)
class Swept:
    rows: tuple[Row, ...]
    crossings: tuple[Crossing, ...]
    lever: Lever | None = None


def at(rate: float, minutes: float, decode: float, people: float, outrun: float) -> Row:
    """The answer at one rate: shares of decoding and people are given, the rest is mostly tools."""
    typical = minutes * MINUTE
    mean, rest = typical * 1.3, 1 - decode - people
    breakdown = {part.label: 0.0 for part in Part}
    breakdown |= {"decode": decode * mean, "person_work": people * mean}
    breakdown |= {"tool": 0.8 * rest * mean, "latency": 0.2 * rest * mean}
    made = findings(
        hardware={"main": "cerebras"},
        wall=stat(typical, typical * 1.6, typical * 2, mean),
        without_people=stat(typical * (1 - people), typical, typical, typical),
        breakdown=breakdown,
    )
    return Row(rate, made, outrun)


def sweep() -> Swept:
    rows = (
        at(5, 155, 0.70, 0.24, 0.9),
        at(100, 40, 0.11, 0.73, 19),
        at(800, 35, 0.01, 0.81, 152),
        at(15_000, 34, 0.001, 0.82, 2850),
    )
    crossings = (
        Crossing("people", 15, "you cost more than decoding", (14.2, 16)),
        Crossing("speed", 105, "twice the speed saves less than 5 %", (96, 114)),
        Crossing("tools", 107_408, "the tools cost more than decoding", (9e4, 1.2e5), beyond=True),
    )
    lever = Lever("the lines to read", "half", 600.0, (500.0, 700.0), 2000.0, kind="lines")
    return Swept(rows, crossings, lever)
