"""Reasons of failures told together where only their figures differ."""

from __future__ import annotations

from agentsim.analysis.reasons import reasons


def test_reasons_that_differ_in_their_figures_are_one() -> None:
    texts = [
        f"ask: {tokens:,} tokens do not fit the context of 10,000 of box"
        for tokens in (12_345, 9_999, 100_112, 12_345)
    ]
    # by size, not by their letters; what is the same stays
    assert reasons(texts, 8) == {
        "ask: 9,999 to 100,112 tokens do not fit the context of 10,000 of box": 0.5
    }


def test_one_of_a_kind_stays_as_it_is() -> None:
    text = "ask: needs 4,000,000 output tokens at once, and the quota never holds more than 1e6"
    assert reasons([text], 4) == {text: 0.25}


def test_figures_in_names_tell_steps_apart() -> None:
    texts = ["fix-2: timed out", "fix-3: timed out", "2: timed out", "3: timed out"]
    assert reasons(texts, 4) == dict.fromkeys(sorted(texts), 0.25)
    # also behind the colon, where a tool or a profile is named
    texts = ["a: t-1 failed", "a: t-2 failed", "a: 5 does not fit m2", "a: 5 does not fit m3"]
    assert reasons(texts, 4) == dict.fromkeys(sorted(texts), 0.25)


def test_a_colon_in_a_name_is_of_the_name() -> None:
    """`part: 1` and `part: 2` are two steps, of which `part` is no part."""
    texts = ["part: 1: timed out", "part: 2: timed out", "part: 5: not merged in 3 tries"]
    assert reasons(texts, 3, {"part: 1", "part: 2", "part: 5", "part"}) == dict.fromkeys(
        texts, 1 / 3
    )
    # what stands behind the name may hold a colon too
    texts = ["a: box: 5 is too much", "a: box: 7 is too much"]
    assert reasons(texts, 2, {"a"}) == {"a: box: 5 to 7 is too much": 1}


def test_the_most_frequent_comes_first() -> None:
    texts = ["a: not approved in 4 rounds", "b: x", "b: x", "c"]
    assert list(reasons(texts, 4).items()) == [
        ("b: x", 0.5),
        ("a: not approved in 4 rounds", 0.25),
        ("c", 0.25),
    ]


def test_nothing_failed() -> None:
    assert reasons([], 3) == {}
