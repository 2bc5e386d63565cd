"""A workflow drawn: what is in the picture, that texts of files are only texts, and its size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.graph import Block, Graph, Node, Step, inner_of
from agentsim.report import graphing, picture
from agentsim.report.picture import Box, Group
from agentsim.spec import Source
from agentsim.spec.load import program_of
from agentsim.spec.reader import read


def drawn(text: str) -> Box:
    tree = read("agentsim: 1\nname: W\n" + dedent(text), "w.yaml")
    graph = program_of(tree, Source("w.yaml"), "w", checked=False)[1]
    return picture.picture(graph)


NEEDS = """
steps:
- {wait: 1s, id: a, needs: []}
- {wait: 2s, id: b, needs: []}
- {wait: 3s, id: c, needs: [a, b]}
- {wait: 4s, id: d}
"""
LOOP = """
steps:
- {tool: tests, id: first, time: 70s, fails: 10%, retry: 1}
- loop: 4
  id: until-clean
  do: [{agent: reviewer, turns: 6, reads: changes, approves: [10%, 30%, 60%]}]
  between: [{agent: coder, turns: 8, session: coder, writes: 20 loc, tools: {shell: 85%}}]
"""


def test_text_says_what_each_step_does() -> None:
    # 70 s is 1 min 10 s; one further try makes two; the last chance holds on
    assert graphing.text(drawn(LOOP), 92) == dedent("""\
        W

        1. tool tests (first)
             1 min 10 s; fails 10 %; up to 2 tries
        2. loop (until-clean)
             at most 4 rounds
             each round:
               1. agent reviewer
                    model main; 6 turns; reads changes; tools read and shell; approves 10 %, 30 %,
                    then 60 %
             before a further round:
               1. agent coder
                    model main; 8 turns; goes on in session coder; writes 20 lines; tools shell
        """)


def test_a_merge_says_what_can_go_wrong_and_what_is_rework() -> None:
    text = """
    queues: {trunk: {rebase: 2m, ci: 6m, ci_fails: 5%}}
    steps: [{merge: trunk, conflict: [20%, 10%], rework: [{wait: 1m}]}]
    """
    told = graphing.text(drawn(text), 92)
    assert "conflict 20 %, 10 %; rebase 2 min; CI 6 min; CI fails 5 %" in told
    assert "rework, after a conflict or failed CI" in told


def test_what_is_drawn_has_its_median() -> None:
    """As the typical run in an answer: a mean would be larger, and is not what p50 says."""
    text = graphing.text(drawn("steps: [{agent: coder, turns: {p50: 22, p90: 60}}]"), 92)
    assert "typically 22 turns" in text


def test_needs_are_arrows() -> None:
    text = graphing.text(drawn(NEEDS))
    heads = [line for line in text.splitlines() if re.match(r"\d", line)]
    # d says nothing of needs, so it waits for the step written before it
    assert heads == [
        "1. wait (a)  <- start",
        "2. wait (b)  <- start",
        "3. wait (c)  <- a, b",
        "4. wait (d)  <- c",
    ]
    arrows = re.findall(r"(n\d+) --> (n\d+)", graphing.mermaid(drawn(NEEDS)))
    assert arrows == [("n1", "n3"), ("n2", "n3"), ("n3", "n4")]


def test_branches_stand_side_by_side() -> None:
    box = drawn("steps:\n- parallel: [{wait: 1s}, {do: [{wait: 2s}, {wait: 3s}]}]\n  join: any\n")
    text = graphing.text(box)
    assert "2 branches side by side; the first to end wins, other branches are" in text
    assert [line.strip()[:6] for line in text.splitlines() if "* " in line] == ["* wait", "* do"]
    # one arrow, inside the branch of two steps; none between the branches
    assert len(re.findall("-->", graphing.mermaid(box))) == 1


def test_a_loop_goes_round_in_the_flowchart() -> None:
    lines = graphing.mermaid(drawn(LOOP)).splitlines()
    # n1 the tool, n2 the loop, n3 a round with n4, n5 between with n6
    arrows = [line.strip() for line in lines if "-->" in line]
    assert arrows == ["n3 --> n5", "n5 --> n3", "n1 --> n2"]
    assert lines[0] == "flowchart TD"
    assert sum("subgraph" in line for line in lines) == sum(line.strip() == "end" for line in lines)


def test_items_are_one_body_with_a_count() -> None:
    alike = graphing.text(drawn("steps: [{each: 12, limit: 4, do: [{wait: 1s}]}]"))
    assert "12 items; 4 at once" in alike
    assert "for each item:" in alike
    own = drawn("steps: [{each: 3, do: [{wait: '$(index + 1)s'}]}]")
    assert "for each item (the first of 3):" in graphing.text(own)
    assert picture.count(own) == 2


def test_a_large_body_of_items_is_one_box() -> None:
    waits = ", ".join(["{wait: 1s}"] * 31)
    box = drawn(f"steps: [{{each: 9, do: [{waits}]}}]")
    small = picture.without_large(box)
    assert (picture.count(box), picture.count(small)) == (32, 1)
    assert "31 steps inside" in graphing.text(small)


def test_levels_can_be_folded_and_a_step_taken_out() -> None:
    box = drawn(LOOP)
    assert [picture.count(picture.cut(box, depth)) for depth in (1, 2, 3)] == [2, 4, 4]
    assert "2 steps inside" in graphing.text(picture.cut(box, 1))
    part = picture.part_of(box, "until-clean")
    assert picture.count(part) == 2
    with pytest.raises(Exception, match="did you mean 'until-clean'"):
        picture.part_of(box, "until-clear")


def test_too_many_boxes_are_told_with_what_would_fit() -> None:
    waits = ", ".join(["{wait: 1s}"] * 30)
    groups = ", ".join([f"{{do: [{waits}]}}"] * 7)
    box = drawn(f"steps: [{groups}]")
    # 7 groups of 30: 217 boxes, 7 of them on the first level
    assert picture.too_large(box, 217, "text") == ""
    told = picture.too_large(box, 200, "mermaid")
    assert "217 boxes" in told
    assert "at most 200" in told
    assert "`--depth 1` shows 7 boxes" in told


def test_what_mermaid_would_not_draw_is_refused() -> None:
    # each of 40 steps needs all before it: 40 * 39 / 2 = 780 arrows, where Mermaid draws 500
    boxes = [Box(f"s{i}", "wait", "wait", after=tuple(range(i))) for i in range(40)]
    whole = Box("", "workflow", "W", groups=(Group("", tuple(boxes)),))
    with pytest.raises(ValueError, match="780 arrows"):
        graphing.mermaid(whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd(Node):
    """A node of a kind that nothing here has heard of."""


def test_a_node_without_words_of_its_own_is_drawn_by_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inside = inner_of
    monkeypatch.setattr(picture, "inner_of", lambda it: () if isinstance(it, Odd) else inside(it))
    odd = Odd(rank=1, path="it", name="it")
    root = Block(rank=0, path="", name="", steps=(odd,))
    steps = (Step("", "workflow"), Step("it", "odd"))
    box = picture.picture(Graph(name="W", root=root, steps=steps, servers=(), pools=(), people=()))
    assert graphing.text(box) == "W\n\n1. odd (it)\n"


# --- texts of files ---------------------------------------------------------------------------

NASTY = (
    '"]; click n1 "x"',
    "end]|)}>",
    "<script>alert(1)</script>",
    "%%{init: {}}%%",
    "`*_[link](http://x)_*`",
    "a\\nb #quot; &amp; ;",
    "subgraph x\nend\n---",
    "\x1b[31mred\u202e",
)
LABEL = r"(?:[^\W_]|[ .,:()+=/-]|#[0-9]+;|<br>)*"
LINE = re.compile(
    rf'flowchart TD|\s*%% {LABEL}|\s*(?:subgraph )?n\d+\["{LABEL}"\]|\s*n\d+ --> n\d+|\s*end'
)


@pytest.mark.parametrize("words", NASTY)
def test_no_text_of_a_file_is_markup(words: str) -> None:
    _check(words)


@given(st.text())
def test_no_text_at_all_is_markup(words: str) -> None:
    _check(words)


def _check(words: str) -> None:
    inner = Box("a", "wait", words, (words,))
    outer = Box("b", "do", words, groups=(Group(f"part {words}", (inner, inner)),))
    root = Box("", "workflow", words, groups=(Group("", (outer,)),))
    text = graphing.mermaid(root)
    assert [line for line in text.splitlines() if not LINE.fullmatch(line)] == []
    assert (
        len(text.splitlines()) == 2 + 7
    )  # head; a step, its part, two boxes and an arrow, two ends


def test_a_label_reads_back_as_it_was() -> None:
    for words in ('say "hi" <b>', "100 % of #5; `x`", "tést 日本"):
        back = re.sub(r"#(\d+);", lambda found: chr(int(found[1])), graphing.escaped(words))
        assert back == words


def test_data_names_what_a_step_waits_for() -> None:
    found = graphing.data(drawn(NEEDS))
    steps = found["groups"][0]["steps"]
    assert [step["after"] for step in steps] == [[], [], ["a", "b"], ["c"]]
    assert (found["agentsim"], found["workflow"]) == ("graph", "W")
