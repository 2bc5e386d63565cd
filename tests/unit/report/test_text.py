"""Other people's names: shown on one line, and doing nothing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.report.text import columns, listed, name, safe


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("tests", "tests"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;a title\x07name", "name"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\image", "image"),
        ("half an escape\x1b[", "half an escape"),
        ("two\nlines\tand\r\x00more", "two lines and more"),
        ("a\u2028b\u2029c", "a b c"),
        ("\u202etxet", "\\u202etxet"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("\ud800", "\\ud800"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("e\u0301\u0302\u0303\u0304", "e\u0301\u0302"),
        ("Ünïcode 漢字 🙂", "Ünïcode 漢字 🙂"),
        ("עברית", "עברית"),
        ("  ", ""),
    ],
)
def test_what_is_shown_of_a_name(given_name: str, shown: str) -> None:
    assert safe(given_name) == shown


def test_a_long_name_is_cut() -> None:
    assert name("a" * 300, 10) == "aaaaaaa..."
    assert name("a" * 10, 10) == "a" * 10
    assert name("漢" * 300, 10) == "漢漢漢..."  # two columns a letter: a fourth would make 11


@given(st.text(), st.integers(min_value=4, max_value=60))
def test_any_name_is_harmless_and_fits(text: str, most: int) -> None:
    shown = name(text, most)
    assert columns(shown) <= most
    assert not any(unicodedata.category(letter) in {"Cc", "Cs", "Zl", "Zp"} for letter in shown)
    assert safe(shown) == shown


def test_lists_are_said_as_people_say_them() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdefg"), 3) == "a, b and 5 more"
