"""Values of --set and --vary."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.errors import Place, Problem, Problems
from agentsim.spec.arguments import scalar, spread
from agentsim.spec.explained import explanations
from agentsim.spec.problems import visible


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2", 2),
        ("010", 10),
        ("1e3", 1000.0),
        ("yes", "yes"),
        ("true", True),
        ("45m", "45m"),
        ("09:30", "09:30"),
        ("'2'", "2"),
        ("[1, a]", [1, "a"]),
        (" {p50: 4s}", {"p50": "4s"}),
        ("$(x)", "$(x)"),
        ("", None),
        ("~", None),
    ],
)
def test_scalar(text: str, value: object) -> None:
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: b", "bad-value"),
        ("- a", "bad-value"),
        ("#3", "bad-value"),
        ("[1", "yaml-syntax"),
        ("{a: 1, a: 2}", "duplicate-key"),
        (".inf", "bad-number"),
        ("!x 1", "custom-tag"),
        ("a\0", "bad-character"),
    ],
)
def test_scalar_refused(text: str, code: str) -> None:
    with pytest.raises(Problems) as caught:
        scalar(text, "--set lines")
    (problem,) = caught.value.problems
    assert problem.code == code
    assert str(problem.place) == f"--set lines={visible(text)}"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0:6", [0, 1, 2, 3, 4, 5, 6]),
        ("0:6:2", [0, 2, 4, 6]),
        ("0:7:2", [0, 2, 4, 6]),
        ("-2:1", [-2, -1, 0, 1]),
        ("3:3", [3]),
        ("3:0:-1", [3, 2, 1, 0]),
        ("5:0:-2", [5, 3, 1]),
        (" 1:2 ", [1, 2]),
        ("0:1e1:5", [0, 5, 10]),
        ("1E3:3e+3:1e3", [1000, 2000, 3000]),
        ("2026-11-30T10:00", ["2026-11-30T10:00"]),  # a date and a time, no range
        ("Mon-Fri 09:00", ["Mon-Fri 09:00"]),
        ("agent:coder", ["agent:coder"]),
        ("4", [4]),
        ("a,b,c", ["a", "b", "c"]),
        ("1, 2.5, 45s, true", [1, 2.5, "45s", True]),
        ("'a,b',c", ["a,b", "c"]),
        ("[1, 2],[3]", [[1, 2], [3]]),
        ("{p50: 4s},{p50: 8s}", [{"p50": "4s"}, {"p50": "8s"}]),
        ("09:00,10:30", ["09:00", "10:30"]),
        ("'9:30'", ["9:30"]),
    ],
)
def test_spread(text: str, values: list[object]) -> None:
    assert spread(text) == values


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "no values"),
        ("6:0", "never arrives"),
        ("0:6:-1", "never arrives"),
        ("0:6:0", "step of 0"),
        ("0.1:0.5", "whole numbers"),
        ("0:1:0.1", "whole numbers"),
        ("1,", "ends with a comma"),
        ("1,2:4", "the range `2:4`"),
        ("a: 1, b", "no list of values"),
        ("0:10000", "more than 10,000"),
        ("0:1e9", "more than 10,000"),
        ("0:1e99", "more than 10,000"),
        ("0:1e-3", "whole numbers"),
        ("0:1.5e3", "whole numbers"),
        ("0:12k", "whole numbers"),
        ("5%:50%", "whole numbers"),
        ("10s:60s:10s", "whole numbers"),
        ("$1:$5", "whole numbers"),
        ("0:1_000", "whole numbers"),
        ("1,0:1e2", "the range `0:1e2`"),
        ("1,0:12k", "the range `0:12k`"),
        ("0:999999999999999999", "more than 10,000"),
        ("-999999999999999999:999999999999999999:7", "more than 10,000"),
        ("1," * 10_000 + "1", "10,001 values"),
    ],
)
def test_spread_refused(text: str, part: str) -> None:
    with pytest.raises(Problems) as caught:
        spread(text)
    (problem,) = caught.value.problems
    assert problem.code == "bad-range"
    assert part in problem.message
    assert problem.hint


def test_a_range_of_too_many_names_a_step_that_will_do() -> None:
    """From 0 to 10^9 by 100,001: 10^9 / 100,001 = 9,999.9, so 10,000 values with the first."""
    with pytest.raises(Problems) as caught:
        spread("0:1e9")
    assert caught.value.problems[0].hint == "a longer step, such as 0:1000000000:100001"
    assert len(spread("0:1e9:100001")) == 10_000


def test_the_most_that_is_spread() -> None:
    assert len(spread("1:10000")) == 10_000
    assert len(spread(",".join(["1"] * 10_000))) == 10_000


@pytest.mark.parametrize("text", ["a,,b", "1]", "[1", "}", "1],[2", "#1"])
def test_spread_that_is_no_yaml(text: str) -> None:
    with pytest.raises(Problems) as caught:
        spread(text)
    assert caught.value.problems[0].code == "yaml-syntax"


def test_places_are_those_of_the_argument() -> None:
    with pytest.raises(Problems) as caught:
        spread("a,.inf")
    assert caught.value.problems[0].place == Place("--vary", 1, 3)


@given(text=st.text(alphabet="0123456789:,-+. []{}'\"a#&*!%\n\te", max_size=20))
def test_any_argument_is_read_or_refused(text: str) -> None:
    problems: list[Problem] = []
    for read in (scalar, spread):
        try:
            read(text)
        except Problems as fault:
            problems += fault.problems
    assert all(problem.code in explanations() for problem in problems)
