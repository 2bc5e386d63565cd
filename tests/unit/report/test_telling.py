"""Problems as text: the place first, all at once."""

from __future__ import annotations

from agentsim.errors import Place, Problem
from agentsim.report import telling


def test_place_message_excerpt_hint() -> None:
    place = Place("first.yaml", 7, 5)
    found = [Problem("unknown-key", "unknown key `outptu`", place, "did you mean `output`?")]
    excerpt = "    7 | outptu: 10\n      | ^"
    assert telling.problems(found, {place: excerpt}) == (
        "first.yaml:7:5: unknown key `outptu` [unknown-key]\n"
        "    7 | outptu: 10\n"
        "      | ^\n"
        "  hint: did you mean `output`?"
    )


def test_all_are_told_and_counted() -> None:
    found = [Problem("a", "one"), Problem("b", "two", Place("f", 1, 1))]
    assert telling.problems(found, {}) == (
        "agentsim: one [a]\n\nf:1:1: two [b]\n\n2 problems"
    )  # fmt: skip


def test_very_many_are_cut() -> None:
    text = telling.problems([Problem("a", f"p{i}") for i in range(60)], {})
    assert text.endswith("and 10 more")
    assert "p49" in text
    assert "p50" not in text


def test_messages_do_nothing_to_the_terminal() -> None:
    found = [Problem("a", "\x1b[2J\u202eno", Place("\x1b[31mf", 1, 2), "\x07ring")]
    text = telling.problems(found, {})
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "f:1:2: \\u202eno" in text
