"""Markdown that reads well in a pull request, and in which no name is markup."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from agentsim.report import document, markdown
from agentsim.report.blocks import Code, Document
from tests.unit.report.made import findings, odd, sweep
from tests.unit.report.test_terminal import HOSTILE

GOLDEN = Path(__file__).parent / "golden"


def test_golden() -> None:
    assert markdown.draw(document.answer(findings())) == (GOLDEN / "answer.md").read_text("utf-8")
    assert markdown.draw(document.sweep(sweep())) == (GOLDEN / "sweep.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a|b", r"a\|b"),
        ("`x`", r"\`x\`"),
        ("<script>", "&lt;script&gt;"),
        ("AT&T", "AT&amp;T"),
        ("*a* _b_", r"\*a\* \_b\_"),
        ("[a](b)", r"\[a\](b)"),
        ("@someone", "@<!-- -->someone"),
        ("http://x", "http://<!-- -->x"),
        ("see #12", "see #<!-- -->12"),
        ("# head", r"\# head"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("-19.1m", "-19.1m"),
        ("$0.42", r"\$0.42"),
    ],
)
def test_what_would_be_markup_is_shown(text: str, wanted: str) -> None:
    assert markdown.escape(text) == wanted


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_do_nothing(text: str) -> None:
    base = findings()
    made = replace(
        base,
        workflow=text,
        where=[replace(row, what=text) if row.what else row for row in base.where],
        notices=odd(text),
        assumed=[{"what": text, "value": text, "key": text}],
    )
    shown = markdown.draw(document.answer(made))
    assert not re.search(r"<(?!br>|/?sub>|!-- -->)", shown)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)
    rows = [line for line in shown.splitlines() if line.startswith("| ")]
    bars = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
    assert set(bars) <= {5, 6}  # four columns of levers, five of bars with their waits


def test_an_excerpt_cannot_leave_its_fence() -> None:
    text = markdown.draw(Document((Code("a\n```\nb"),)))
    assert text == "````text\na\n```\nb\n````\n"
