"""Codes, nearest names, excerpts, order and number of problems."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.errors import Place, Problem, Problems
from agentsim.spec.problems import (
    WIDTH,
    arrange,
    by_nearness,
    capped,
    excerpt,
    nearest,
    not_yet,
    quoted,
    refuse,
    unknown_key,
    unknown_name,
    visible,
)

KEYS = ["input", "output", "thinking", "session", "prompt", "max_output", "tools", "turns", "uses"]
HERE = Place("f", 1, 1)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("outptu", "output"),
        ("ouput", "output"),
        ("Output", "output"),
        ("max-output", "max_output"),
        ("maxoutput", "max_output"),
        ("tool", "tools"),
        ("turn", "turns"),
        ("promt", "prompt"),
        ("xyzzy", None),
        ("", None),
        ("output" * 50, None),
    ],
)
def test_nearest(name: str, wanted: str | None) -> None:
    assert nearest(name, KEYS) == wanted


def test_nearest_does_not_depend_on_the_order() -> None:
    assert nearest("tes", ["test", "tess"]) == nearest("tes", ["tess", "test"])
    assert nearest("a", []) is None


def test_unknown_key() -> None:
    assert unknown_key("outptu", KEYS, HERE, "a call") == Problem(
        "unknown-key", "unknown key `outptu` in a call", HERE, "did you mean `output`?"
    )
    assert unknown_key("zz", ["b", "a"], HERE).hint == "known keys: a, b"
    hint = unknown_key("zz", map(str, range(100)), HERE).hint
    assert hint.startswith("100 keys are known, the likest first: 0, 1, 10, 11, ")
    assert len(hint.split(": ")[1].split(", ")) == 13  # twelve of them, and the dots
    assert unknown_key("output:3", KEYS, HERE).hint == "put a space after the colon: `output: ...`"
    assert unknown_key(3, ["a"], HERE).message == "unknown key `3`"


def test_unknown_name() -> None:
    assert unknown_name("codr", ["coder", "you"], HERE, "agent") == Problem(
        "unknown-name",
        "unknown agent `codr`",
        HERE,
        "did you mean `coder`? Or define it under `agents:`",
    )
    assert unknown_name("zz", ["coder"], None, "agent").hint == (
        "known agents: coder; or define it under `agents:`"
    )
    assert unknown_name("zz", [], None, "pool").hint == "define it under `pools:`"
    assert unknown_name("zz", ["main"], None, "role").hint == "known roles: main"
    assert unknown_name("zz", [], None).hint == "there are no names here to name"


def test_not_yet() -> None:
    hint = "leave it out: this version would not heed it"
    assert not_yet("merge queues", HERE) == Problem("not-yet", "not yet: merge queues", HERE, hint)


def test_what_would_change_the_terminal_is_escaped() -> None:
    assert visible("a\x1b[31m\n\t\u202e\ue000\ud800") == "a\\x1b[31m\\n\\t\\u202e\\ue000\\ud800"
    assert visible("é 漢 😀") == "é 漢 😀"
    assert quoted("x" * 1000) == "`" + "x" * 77 + "...`"
    assert quoted(3) == "`3`"


@pytest.mark.parametrize(
    ("line", "column", "wanted"),
    [
        ("a: {outptu: 3}", 5, "    1 | a: {outptu: 3}\n      |     ^"),
        ("abc", 1, "    1 | abc\n      | ^"),
        ("abc", 4, "    1 | abc\n      |    ^"),
        ("abc", 99, "    1 | abc\n      |    ^"),
        ("", 1, "    1 |\n      | ^"),
        ("\tb", 2, "    1 | \\tb\n      |   ^"),
        ("漢字: x", 5, "    1 | 漢字: x\n      |       ^"),  # two columns each
        ("e\u0301: x", 5, "    1 | e\u0301: x\n      |    ^"),  # an accent takes none
        ("a\x1bb", 3, "    1 | a\\x1bb\n      |      ^"),
    ],
)
def test_excerpt(line: str, column: int, wanted: str) -> None:
    assert excerpt([line], Place("f", 1, column)) == wanted


def test_excerpt_of_a_long_line_shows_what_is_near_the_caret() -> None:
    text = excerpt(["a" * 500 + "B" + "c" * 500], Place("f", 1, 501))
    source, caret = text.split("\n")
    assert len(source) == WIDTH
    assert source[8:11] == source[-3:] == "..."
    assert source[caret.index("^")] == "B"
    assert caret.strip("| ") == "^"


def test_a_line_that_fits_is_shown_whole() -> None:
    """8 columns of margin and 90 of the line are 98, wherever the caret stands."""
    line = "a" * 89 + "B"
    assert excerpt([line], Place("f", 1, 90)) == f"    1 | {line}\n      | {' ' * 89}^"


def test_names_by_nearness() -> None:
    assert by_nearness("cerebra5", ["tok5", "cerebras-120b", "cerebras"])[0] == "cerebras"
    # `spark` stands in the second, which goes before what is only spelt alike
    assert by_nearness("spark", ["park", "dgx-spark"])[0] == nearest("spark", ["park", "dgx-spark"])
    assert sorted(by_nearness("x" * 500, ["b", "a"])) == ["a", "b"]


def test_excerpt_of_a_line_that_is_not_there() -> None:
    assert excerpt(["a"], Place("f", 2, 1)) == ""
    assert excerpt([], Place("f", 1, 1)) == ""
    assert excerpt(["a"], Place("f", 0, 0)) == ""


@given(line=st.text(max_size=300), column=st.integers(0, 320))
def test_excerpts_are_two_short_plain_lines(line: str, column: int) -> None:
    text = excerpt([line], Place("f", 1, column))
    source, caret = text.split("\n")
    assert len(caret) <= WIDTH
    assert set(caret) <= set(" |^")
    assert visible(source) == source


@given(line=st.text(alphabet="ab \t漢\x1b", max_size=300), column=st.integers(1, 320))
def test_excerpts_are_at_most_100_columns(line: str, column: int) -> None:
    source, _ = excerpt([line], Place("f", 1, column)).split("\n")
    assert len(source) + source.count("漢") <= WIDTH


def test_problems_are_arranged_by_place_and_said_once() -> None:
    late, early = Place("a", 10, 1), Place("a", 9, 20)
    problems = [
        Problem("x", "no place"),
        Problem("x", "b", Place("b", 1, 1)),
        Problem("x", "late", late),
        Problem("x", "early", early, "first hint"),
        Problem("x", "early", early, "second hint"),
        Problem("w", "late", late),
    ]
    assert [(p.code, p.message, p.hint) for p in arrange(problems)] == [
        ("x", "early", "first hint"),
        ("w", "late", ""),
        ("x", "late", ""),
        ("x", "b", ""),
        ("x", "no place", ""),
    ]
    assert arrange([]) == []


def test_problems_are_capped() -> None:
    problems = [Problem("x", str(i), Place("f", i, 1)) for i in range(1, 53)]
    assert capped(problems[:50]) == (problems[:50], "")
    assert capped(problems[:51]) == (problems[:50], "and 1 more problem")
    assert capped(problems) == (problems[:50], "and 2 more problems")
    assert capped(problems, most=2) == (problems[:2], "and 50 more problems")


def test_refuse() -> None:
    refuse([])
    with pytest.raises(Problems) as caught:
        refuse([Problem("b", "b", Place("f", 2, 1)), Problem("a", "a", Place("f", 1, 1))])
    assert [p.code for p in caught.value.problems] == ["a", "b"]
