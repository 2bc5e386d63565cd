"""What a profile says of calls that fail and of heat, in words."""

from __future__ import annotations

from agentsim.report.hardware_words import facts
from agentsim.spec.hardware import profile_of
from agentsim.spec.reader import read

SLOTS = "agentsim: 1\ndecode: {rate: 100 tok/s}\nslots: 2\n"


def rows(text: str, first: str, count: int) -> list[tuple[str, str]]:
    found = list(facts(profile_of(read(SLOTS + text, "h.yaml"), "h").plan))
    at = [label for label, _ in found].index(first)
    return found[at : at + count]


def test_faults_in_words() -> None:
    retry = "{first: 1s, at_most: 60s, jitter: 50%, tries: 10}"
    times = "outage: [{from: 5h, for: 1m}, {from: 1h, for: 20m}]"
    text = f"faults: {{error: 1%, dropped: 0.5%, timeout: 90s, {times}, retry: {retry}}}\n"
    assert rows(text, "faults", 6) == [
        ("faults", "1 % of the calls end in an error"),
        ("", "0.5 % of the calls break in the middle"),
        ("", "a call is cut after 1 min 30 s of service"),
        ("", "not there for 20 min, from 1 h on"),
        ("", "not there for 1 min, from 5 h on"),
        ("failed calls", "10 tries in all, after 1 s, 2 s, ..., 1 min +-50 %"),
    ]


def test_calls_that_are_not_tried_again() -> None:
    assert rows("faults: {overload: 2%}\n", "failed calls", 1) == [("failed calls", "fail")]


def test_heat_in_words() -> None:
    text = "throttle: {after: 10m, factor: 60%, recover: 5m}\n"
    assert rows(text, "when hot", 2) == [
        ("when hot", "after 10 min at work 60 % of its speed"),
        ("", "until it has been idle for 5 min"),
    ]
