"""Numbers as people read them. The examples are those of the terminal sketch and of arithmetic."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.report import show

H = 3600.0


@pytest.mark.parametrize(
    ("seconds", "sentence", "cell"),
    [
        (0, "0 s", "0s"),
        (-0.0, "0 s", "0s"),
        (1e-9, "<0.001 ms", "<0.001ms"),
        (0.00025, "0.25 ms", "0.25ms"),
        (0.25, "250 ms", "250ms"),
        (0.99951, "1 s", "1s"),
        (1.2667, "1.27 s", "1.27s"),
        (23.75, "23.8 s", "23.8s"),
        (38.0, "38 s", "38s"),
        (59.949, "59.9 s", "59.9s"),
        (59.96, "1 min", "1m"),
        (7.7 * 60, "7.7 min", "7.7m"),
        (9.96 * 60, "10 min", "10m"),
        (47 * 60, "47 min", "47m"),
        (59.6 * 60, "1 h", "1h"),
        (64 * 60, "1 h 04 m", "1h 04m"),
        (82 * 60, "1 h 22 m", "1h 22m"),
        (47.995 * H, "2d", "2d"),
        (65.5 * H, "2d 18h", "2d 18h"),
        (2 * 24 * H + 17 * H, "2d 17h", "2d 17h"),
        (400 * 24 * H, "400 days", "400d"),
        (10 * 365.25 * 24 * H, "10 years", "10y"),
        (1e300, "3.2e+292 years", "3.2e+292y"),
        (-90.0, "-1.5 min", "-1.5m"),
        (math.nan, "?", "?"),
        (math.inf, "?", "?"),
    ],
)
def test_durations(seconds: float, sentence: str, cell: str) -> None:
    assert show.duration(seconds) == sentence
    assert show.tight(seconds) == cell


@pytest.mark.parametrize(
    ("seconds", "wanted"),
    [
        (770.0, "12 min 50 s"),
        (3800.0, "1 h 3 min 20 s"),
        (780.3333333, "13 min 0.333 s"),
        (59.9999, "1 min"),
        (1.26666667, "1.267 s"),
        (0.2, "200 ms"),
        (86400.0, "1 d"),
        (0.0, "0 s"),
    ],
)
def test_exact_times_keep_their_seconds(seconds: float, wanted: str) -> None:
    assert show.exact(seconds) == wanted


def test_errors_are_short() -> None:
    assert show.error(240) == "+-4 m"
    assert show.error(12) == "+-12 s"


@pytest.mark.parametrize(
    ("function", "value", "wanted"),
    [
        (show.tokens, 523, "523"),
        (show.tokens, 1200, "1.2k"),
        (show.tokens, 37_000, "37k"),
        (show.tokens, 999_600, "1M"),
        (show.tokens, 1_500_000, "1.5M"),
        (show.tokens, 2e9, "2B"),
        (show.money, 0, "$0"),
        (show.money, 0.42, "$0.42"),
        (show.money, 0.00421, "$0.0042"),
        (show.money, 1e-9, "<$0.000001"),
        (show.money, 1234.4, "$1,234"),
        (show.money, -3, "-$3.00"),
        (show.share, 0, "0 %"),
        (show.share, 0.6, "60 %"),
        (show.share, 0.001, "<1 %"),
        (show.share, 0.9991, ">99 %"),
        (show.share, 1, "100 %"),
        (show.share, 0.005, "1 %"),  # halves go up: never to nothing
        (show.share, 0.0049999, "<1 %"),
        (show.share, 0.995, ">99 %"),
        (show.share, 0.9949, "99 %"),
        (show.share, 0.125, "13 %"),
        (show.share, 0.285, "29 %"),  # 28.499999999999996 in floating point
        (show.share, 1 - 1e-12, "100 %"),
        (show.at_most, 0.0, "1 %"),
        (show.at_most, 0.004, "1 %"),
        (show.at_most, 0.02, "2 %"),
        (show.at_most, 0.0201, "3 %"),
        (show.rate, 15_000, "15,000 tok/s"),
        (show.rate, 61.3, "61 tok/s"),
        (show.rate, 5.23, "5.2 tok/s"),
        (show.number, 0.25, "0.25"),
        (show.number, 0, "0"),
        (show.number, 8.83, "8.8"),
        (show.factor, 2850, "2,850x"),
        (show.times, 1, "once"),
        (show.times, 2, "twice"),
        (show.times, 2.3, "2.3 times"),
    ],
)
def test_other_numbers(function: object, value: float, wanted: str) -> None:
    assert callable(function)
    assert function(value) == wanted


def test_one_of_a_thing_is_singular() -> None:
    assert show.plural(1, "call") == "1 call"
    assert show.plural(61, "call") == "61 calls"
    assert show.plural(0, "person", "people") == "0 people"


@pytest.mark.parametrize(
    ("largest", "cell"),
    [(0.05, "10000.00ms"), (5, "10.00s"), (64, "10.0s"), (3840, "0.2m"), (40_000, "0.0h")],
)
def test_a_column_has_one_unit(largest: float, cell: str) -> None:
    assert show.unit_for(largest).show(10).replace(",", "") == cell


def test_cells_of_a_column_add_up_to_its_total() -> None:
    # 3 x 20 s are 1.0 min: rounded one by one they would show 0.3 + 0.3 + 0.3
    unit = show.Unit("m", 60.0, 1)
    assert unit.column([20.0, 20.0, 20.0]) == ["0.4m", "0.3m", "0.3m"]


def test_shares_add_up_to_a_hundred() -> None:
    assert show.shares([1 / 3, 1 / 3, 1 / 3]) == ["34 %", "33 %", "33 %"]
    assert show.shares([0.998, 0.002]) == [">99 %", "<1 %"]
    assert show.shares([]) == []
    assert show.shares([0.005, 0.995]) == ["1 %", "99 %"]


@given(st.lists(st.tuples(st.integers(0, 10**6), st.booleans()), min_size=1, max_size=12))
def test_shares_that_are_told_as_one_add_up_to_it(rows: list[tuple[int, bool]]) -> None:
    total = sum(size for size, _ in rows) or 1
    cells = show.shares([size / total for size, _ in rows], [mark for _, mark in rows])
    shown = [
        int(cell.removesuffix(" %").replace(">99", "100").replace("<1", "0")) for cell in cells
    ]
    told = sum(size for size, mark in rows if mark)
    own = sum(cell for cell, (_, mark) in zip(shown, rows, strict=True) if mark)
    assert own == (200 * told + total) // (2 * total)  # halves up, in whole numbers
    assert sum(shown) == (100 if any(size for size, _ in rows) else 0)


@given(
    st.lists(st.floats(min_value=0, max_value=1, allow_subnormal=False), min_size=1, max_size=12)
)
def test_any_shares_add_up(parts: list[float]) -> None:
    total = sum(parts)
    whole = [part / total for part in parts] if total > 0.01 else []
    cells = [cell for cell in show.shares(whole) if "<" not in cell]
    shown = [int(cell.removesuffix(" %").replace(">99", "100")) for cell in cells]
    assert sum(shown) == (100 if whole else 0)


@given(st.floats())
def test_no_number_is_ever_nan_or_inf(value: float) -> None:
    for function in (
        show.duration, show.tight, show.exact, show.error, show.tokens, show.money, show.share,
        show.rate, show.number, show.factor, show.times, show.unit_for(100).show,
    ):  # fmt: skip
        text = function(value)
        assert not re.search(r"nan|inf", text, re.IGNORECASE)
        assert text
        assert value < 0 or not text.startswith("-")


def test_from_to_says_a_unit_once() -> None:
    """Only a unit of both is left out, never a part of the figure: of `2d 21h` the hours stay."""
    day, hour = 86_400, 3600
    assert show.from_to(40 * 60, 34 * 60) == "40 -> 34 min"
    assert show.from_to(82 * 60, 34 * 60) == "1 h 22 m -> 34 min"
    assert show.from_to(2 * day + 21 * hour, 2 * day + 21 * hour) == "2d 21h -> 2d 21h"
    assert show.from_to(4 * day + 3 * hour, 2 * day + 3 * hour) == "4d 3h -> 2d 3h"
