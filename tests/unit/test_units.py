"""What people write, read into base numbers. Figures are definitions of units, by hand."""

import math
from collections.abc import Callable

import pytest

from agentsim import units


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90.0),
        ("1h30m", 5400.0),
        ("1h 30m", 5400.0),
        ("250ms", 0.25),
        ("3d", 259200.0),
        ("2w", 1209600.0),
        ("191ns", 191e-9),
        ("17.3ms", 0.0173),
        ("6.9ns", 6.9e-9),
        ("20us", 20e-6),
        ("20µs", 20e-6),
        ("1.5h", 5400.0),
        ("0.5s", 0.5),
        (".5s", 0.5),
        ("45.0m", 2700.0),
        ("142.0s", 142.0),
        ("1e-3s", 0.001),
        ("0s", 0.0),
        (0, 0.0),
        (0.0, 0.0),
        ("0", 0.0),
        (" 5 m ", 300.0),
    ],
)
def test_duration(text, seconds):
    assert units.duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    [90, 1.5, "90", "90x", "s", "", "-5s", "1h1h", "5 s m", "nan", "inf", "1e400s", "1e99999999s",
     True, None, [], {"p50": 1}, math.nan, math.inf, "90s!", "1:30", "9" * 500],
)  # fmt: skip
def test_no_duration(text):
    with pytest.raises(ValueError, match=r"duration with a unit \(ns us ms s m h d w\)"):
        units.duration(text)


def test_a_number_too_long_to_print():
    with pytest.raises(ValueError, match="expected tokens"):
        units.tokens(10**5000)


def test_a_duration_without_a_unit_says_so():
    with pytest.raises(ValueError, match="got 90 without a unit"):
        units.duration(90)


@pytest.mark.parametrize(
    ("text", "count"),
    [("12k", 12e3), ("1.5M", 1.5e6), ("131k", 131e3), (500, 500.0), ("500", 500.0), (0, 0.0),
     ("300 tokens", 300.0), ("12k tok", 12e3), ("1.2k", 1200.0), ("2G", 2e9), ("12K", 12e3)],
)  # fmt: skip
def test_tokens(text, count):
    assert units.tokens(text) == count


@pytest.mark.parametrize("text", ["12m", "12 loc", "-5", -5, "k", True, math.nan, "1,000", "5s"])
def test_no_tokens(text):
    with pytest.raises(ValueError, match="expected tokens"):
        units.tokens(text)


@pytest.mark.parametrize(
    ("text", "per_second"),
    [("800 tok/s", 800.0), ("500/s", 500.0), ("3/h", 3 / 3600), ("100 tok/min", 100 / 60),
     ("30k tok/m", 500.0), ("1.5M tokens/day", 1.5e6 / 86400), ("50 requests/min", 50 / 60),
     ("2525tok/s", 2525.0), ("5 / s", 5.0)],
)  # fmt: skip
def test_rate(text, per_second):
    assert units.rate(text) == per_second


def test_a_bare_rate_only_where_allowed():
    assert units.rate(200, bare=True) == 200.0
    assert units.rate("15k", bare=True) == 15000.0
    for text in (200, "200", "200 tok"):
        with pytest.raises(ValueError, match="rate per time"):
            units.rate(text)


@pytest.mark.parametrize("text", ["0 tok/s", "-3/h", "3/x", "/s", "3 loc/h", "nan/s", "5s", 1e400])
def test_no_rate(text):
    with pytest.raises(ValueError, match="rate per time"):
        units.rate(text)


@pytest.mark.parametrize(
    ("text", "result"), [("85%", 0.85), ("0%", 0.0), ("100 %", 1.0), (0.3, 0.3), ("0.3", 0.3)]
)
def test_share(text, result):
    assert units.share(text) == result


@pytest.mark.parametrize("text", ["120%", 1.5, -0.1, "-5%", "85 percent", 85, False])
def test_no_share(text):
    with pytest.raises(ValueError, match="expected a share"):
        units.share(text)


def test_lines_and_words():
    assert units.lines("400 loc") == 400.0
    assert units.lines("1.2k lines") == 1200.0
    assert units.words("900 words") == 900.0
    assert units.lines(0) == units.words("0") == 0.0


@pytest.mark.parametrize("text", [400, "400", "900 words", "loc"])
def test_no_lines(text):
    with pytest.raises(ValueError, match="400 loc"):
        units.lines(text)


def test_reading_rates():
    assert units.line_rate("400 loc/h") == 400 / 3600
    assert units.word_rate("238 wpm") == units.word_rate("238 words/min") == 238 / 60
    assert units.word_rate("450wpm") == 450 / 60
    for text in (400, "400/h", "400 tok/h", "0 wpm", "0 loc/h", "fast"):
        with pytest.raises(ValueError, match="lines per time"):
            units.line_rate(text)
        with pytest.raises(ValueError, match="words per time"):
            units.word_rate(text)


def test_money():
    assert units.money("$5") == units.money(5) == units.money("5") == 5.0
    assert units.money("$0.30") == units.money(0.3) == 0.3
    for text in ("-5", "$-5", "5 €", math.inf, True, "$"):
        with pytest.raises(ValueError, match="expected dollars"):
            units.money(text)


@pytest.mark.parametrize(
    ("read", "value", "units_"),
    [
        (units.duration, 90, "ns us ms s m h d w"),
        (units.rate, 800, "tok, req, items or nothing, per ms s min h d w"),
        (units.lines, 400, "loc, lines"),
        (units.words, 900, "words"),
        (units.line_rate, 400, "loc or lines per ms s min h d w"),
        (units.word_rate, 238, "wpm, or words per ms s min h d w"),
    ],
)
def test_a_number_without_its_unit_says_which_units_there_are(
    read: Callable[[object], float], value: int, units_: str
) -> None:
    with pytest.raises(ValueError, match=f"got {value} without a unit") as caught:
        read(value)
    assert f"({units_})" in str(caught.value)


@pytest.mark.parametrize(
    ("read", "shown"),
    [(units.tokens, "k, M, G"), (units.money, "$ or no unit"), (units.share, "85% or 0.85")],
)
def test_a_wrong_unit_says_which_there_are(read: Callable[[object], float], shown: str) -> None:
    with pytest.raises(ValueError) as caught:
        read("5 apples")
    assert shown in str(caught.value)
