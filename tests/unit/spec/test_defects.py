"""Defects in a file: densities, who has which figures, and what comes to nothing is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentsim import units
from agentsim.errors import Problems
from agentsim.graph import Agent, Ask, Craft, Graph, Life, Says, Work
from agentsim.spec import Source, load
from agentsim.spec.shapes import Definitions
from agentsim.spec.writer import full
from tests.unit.spec.conftest import Load, Refused, by_path

RIGHT = {
    "32 per kloc": 0.032,
    "32/kloc": 0.032,
    " 0.5  per  loc ": 0.5,
    "1.5 / kloc": 0.0015,
    "1000 per kloc": 1.0,
    "1e1 per kloc": 0.01,
    "0": 0.0,
    0: 0.0,
}
WRONG = ["32", 32, "32 loc", "32 kloc", "2 per loc", "-1 per kloc", "32 per", "per kloc",
         "32perkloc", True, None, "1e999 per loc", "32 per kloc per h"]  # fmt: skip


@pytest.mark.parametrize("text", RIGHT)
def test_a_density_is_per_line(text: object) -> None:
    assert units.density(text) == RIGHT[text]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_density(text: object) -> None:
    with pytest.raises(ValueError, match="expected defects per lines of code"):
        units.density(text)


def test_an_editor_takes_what_the_reader_takes() -> None:
    made = Definitions(fills=False).found["density-value"]["pattern"]
    assert all(re.search(made, str(text)) for text in RIGHT)
    assert not re.search(made, "32") and not re.search(made, "32 loc")  # noqa: PT018


def craft(graph: Graph, path: str) -> Craft | None:
    node = by_path(graph)[path]
    assert isinstance(node, Agent | Ask | Life | Work)
    return node.craft


FILE = """
quality: {defects: 20 per kloc, regressions: 5%, finds: 35%, correlation: 50%}
agents:
  writer: {turns: 1, output: 1, writes: 9 loc}
  careful: {like: writer, defects: 8 per kloc, finds: 60%}
tools: {suite: {time: 1s, finds: 20%}, lint: {time: 1s}}
people: {dev: {defects: 4 per kloc}}
steps:
  - {agent: writer}
  - {agent: careful, regressions: 1%}
  - {agent: careful, id: none, defects: 0, finds: 0}
  - {tool: suite}
  - {tool: lint}
  - {person: dev, id: review, reads: changes, time: 1m}
  - {person: dev, id: type, writes: 5 loc, time: 1m}
  - {person: dev, id: talk, time: 1m, finds: 10%}
  - {wait: 1s}
"""


def test_the_step_then_the_definition_then_the_file(graph: Load) -> None:
    """What writes puts in and mends, what reads changes finds; a tool only by its own figure."""
    made = graph(FILE)
    assert made.quality is not None
    assert made.quality.correlation == 0.5
    assert craft(made, "writer") == Craft(True, 0.02, 0.05, None)
    assert craft(made, "careful") == Craft(True, 0.008, 0.01, 0.6)
    assert craft(made, "none") == Craft(True, 0.0, 0.05, 0.0)
    assert craft(made, "suite") == Craft(False, 0.0, 0.0, 0.2)
    assert craft(made, "lint") is None
    assert craft(made, "review") == Craft(False, 0.004, 0.0, 0.35)
    assert craft(made, "type") == Craft(True, 0.004, 0.05, None)
    assert craft(made, "talk") == Craft(False, 0.004, 0.0, 0.1)
    assert not made.exact


def test_a_file_that_says_nothing_models_nothing(graph: Load) -> None:
    made = graph("steps: [{agent: coder}, {agent: reviewer, reads: changes}, {tool: tests}]")
    assert made.quality is None
    assert not any(it.key.startswith("quality") for it in made.assumed)


def test_a_figure_may_be_an_expression(graph: Load) -> None:
    made = graph(
        """
        params: {many: 12, seen: 40}
        people: {dev: {}}
        steps:
          - {person: dev, time: 1m, writes: 9 loc, defects: $(many) per kloc}
          - {tool: tests, finds: "$(seen)%"}
        """
    )
    assert craft(made, "dev") == Craft(True, 0.012, 0.0, None)
    assert craft(made, "tests") == Craft(False, 0.0, 0.0, 0.4)


def test_nothing_is_drawn_where_nobody_puts_any_in(graph: Load) -> None:
    steps = "[{person: dev, time: 1s, writes: 9 loc, defects: X}, {tool: t, finds: 50%}]"
    text = f"people: {{dev: {{}}}}\ntools: {{t: {{time: 1s}}}}\nsteps: {steps}"
    assert graph(text.replace("X", "0")).exact
    assert not graph(text.replace("X", "1 per kloc")).exact


def test_the_correlation_is_assumed_where_somebody_looks(graph: Load) -> None:
    people = "people: {dev: {}}\nquality: {defects: 9 per kloc}"
    assumed = graph(f"{people}\nsteps: [{{tool: tests, finds: 5%}}]").assumed
    (one,) = (it for it in assumed if it.key == "quality/correlation")
    assert one.value == "57%"
    assert one.what.startswith("quality: ")
    write = "steps: [{person: dev, time: 1s, writes: 9 loc}]"
    assert not any(it.key.startswith("quality") for it in graph(f"{people}\n{write}").assumed)


@pytest.mark.parametrize("who", ["tool: tests", "agent: reviewer", "person: dev, time: 1m"])
def test_a_verdict_by_what_is_found(graph: Load, who: str) -> None:
    made = graph(
        f"people: {{dev: {{}}}}\nsteps: [{{{who}, id: a, finds: 5%, approves: when clean}}]"
    )
    node = by_path(made)["a"]
    assert isinstance(node, Agent | Ask | Work)
    assert node.says == Says((), 0.0, clean=True)
    assert node.says.can_approve
    assert node.says.can_ask


def test_such_a_verdict_is_one_that_loops_and_steps_can_heed(graph: Load) -> None:
    look = "{tool: tests, finds: 5%, approves: when clean}"
    fix = "{person: dev, time: 1s, writes: 9 loc, defects: 9 per kloc}"
    head = "people: {dev: {}}\nsteps:"
    told = graph(f"{head} [{{loop: 3, do: [{look}], between: [{fix}]}}]").notes
    assert not any("approve" in note for note in told)
    told = graph(f"{head} [{fix}, {look}]").notes
    assert any("nothing reads its verdict" in note for note in told)
    graph(f"{head} [{look}, {{person: dev, time: 1s, when: changes}}]")


WRITE = "{person: dev, id: write, time: 1s, writes: 9 loc, defects: 9 per kloc}"
FIX = "{person: sam, id: fix, time: 1s, writes: 5 loc}"
NOTES = {
    "what it finds stays in": f"[{WRITE}, {{tool: tests, finds: 5%}}]",
    "nothing to find": "[{tool: tests, finds: 5%}, {person: dev, time: 1s, writes: 9 loc}]",
    "nobody finds anything": "[{person: dev, time: 1s, writes: 9 loc, regressions: 5%}]",
    "it writes no lines": f"[{WRITE}, {{person: sam, time: 1s, defects: 9 per kloc}}]",
    "since only agents run it": f"[{WRITE}, {{agent: user}}]",
}
HEAD = """
tools: {suite: {time: 1s, finds: 20%}}
agents: {user: {turns: 2, output: 1, tools: {suite: 100%}}}
people: {dev: {}, sam: {}}
steps: """


@pytest.mark.parametrize("words", NOTES)
def test_what_comes_to_nothing_is_told(graph: Load, words: str) -> None:
    told = [note for note in graph(HEAD + NOTES[words]).notes if words in note]
    assert len(told) == 1, graph(HEAD + NOTES[words]).notes


@pytest.mark.parametrize(
    "steps",
    [
        f"[{WRITE}, {{tool: tests, finds: 5%}}, {{person: sam, time: 1s, writes: 0 loc}}]",
        f"[{WRITE}, {{loop: 2, do: [{{tool: tests, finds: 5%}}], between: [{FIX}]}}]",
        f"[{WRITE}, {{person: sam, time: 1s, writes: 5 loc, finds: 5%}}]",
        f"[{WRITE}, {{agent: user}}, {{tool: suite}}, {{person: sam, time: 1s, writes: 5 loc}}]",
        f"[{WRITE}, {{person: dev, id: talk, time: 1s}}]",
    ],
)
def test_what_counts_is_not_told(graph: Load, steps: str) -> None:
    notes = graph(HEAD + steps).notes
    assert not [note for note in notes if any(words in note for words in NOTES)]


def test_more_than_a_step_may_have(refused: Refused) -> None:
    """20,000 lines at 501 per kloc are 10,020; at 500 they are 10,000."""
    given = "time: 1s, writes: 20000 loc, defects: X per kloc"
    step = f"people: {{dev: {{}}}}\nsteps: [{{person: dev, {given}}}]"
    (problem,) = refused(step.replace("X", "501"))
    assert problem.message.startswith("`dev`: 10,020 defects in 20,000 lines")
    with pytest.raises(pytest.fail.Exception):
        refused(step.replace("X", "500"))


def test_the_full_file_is_the_same_graph(tmp_path: Path) -> None:
    """With the correlation that was taken; nothing is assumed of quality any more."""
    file, whole = tmp_path / "a.yaml", tmp_path / "b.yaml"
    for quality in ("quality: {defects: 20 per kloc}", "people: {dev: {}}"):
        step = (
            "{person: you, time: 1s, writes: 9 loc, defects: 9 per kloc}, {tool: tests, finds: 5%}"
        )
        file.write_text(f"agentsim: 1\n{quality}\nsteps: [{step}]\n", "utf-8")
        source = Source(str(file), ("cerebras",))
        whole.write_text(full(source), "utf-8")
        one, two = load(source), load(Source(str(whole), ("cerebras",)))
        assert (one.root, one.quality) == (two.root, two.quality)
        assert "correlation: 57%" in whole.read_text("utf-8")
        assert not any(it.key.startswith("quality") for it in two.assumed)


def test_an_included_file_may_not_say_what_holds_for_all(tmp_path: Path) -> None:
    (tmp_path / "part.yaml").write_text("agentsim: 1\nquality: {finds: 5%}\nsteps: [{wait: 1s}]\n")
    (tmp_path / "a.yaml").write_text("agentsim: 1\nsteps: [{include: part.yaml}]\n")
    with pytest.raises(Problems, match="`quality` has no meaning in a file that is included"):
        load(Source(str(tmp_path / "a.yaml"), ("cerebras",)))
