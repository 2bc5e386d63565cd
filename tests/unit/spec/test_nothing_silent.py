"""What was accepted silently, or refused in words that help nobody, is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentsim.chance import Capped, PerTask
from agentsim.errors import Problem, Problems
from agentsim.spec import Source, catalogue, load, values
from agentsim.spec.problems import unknown_key, unknown_name
from tests.unit.spec.conftest import Load, Refused

PART = "agentsim: 1\nsteps: [{include: part.yaml}]\n"


def told(folder: Path, text: str) -> tuple[Problem, ...]:
    file = folder / "w.yaml"
    file.write_text(text)
    with pytest.raises(Problems) as caught:
        load(Source(str(file), ("cerebras",)))
    return caught.value.problems


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty"),
        ("# later\n", "empty"),
        ("~\n", "empty"),
        ("- a\n", "no mapping"),
        ("text\n", "no mapping"),
    ],
)
def test_an_included_file_without_a_mapping(tmp_path: Path, text: str, what: str) -> None:
    """Refused at its own first line, as where it is the main file: line 1, column 1."""
    (tmp_path / "part.yaml").write_text(text)
    for main in (PART, PART.replace("part.yaml", "part.yaml, params: {a: 1}")):
        (problem,) = told(tmp_path, main)
        assert problem.message == f"the file is {what}"
        assert problem.place is not None
        assert (Path(problem.place.file).name, problem.place.line) == ("part.yaml", 1)


def test_what_an_include_names_is_said(tmp_path: Path) -> None:
    (tmp_path / "d.yaml").mkdir()
    os.mkfifo(tmp_path / "p.yaml")  # nobody writes into it: opening it would wait for ever
    text = "agentsim: 1\nsteps: [{include: d.yaml}, {include: p.yaml}, {include: q.yaml}]\n"
    folder, pipe, nothing = told(tmp_path, text)
    assert folder.message == "the file `d.yaml` is a folder, not a file"
    assert pipe.message == "the file `p.yaml` is no regular file"
    assert nothing.message == "the file `q.yaml` is not there"
    assert not any("d.yaml`?" in it.hint or "p.yaml`?" in it.hint for it in (folder, pipe))


def test_a_folder_in_the_place_of_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "d").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Problems, match="`d` is a folder, not a file; there are: "):
        catalogue.find("workflows", "d")


@pytest.mark.parametrize("name", ["localtime", "Localtime", "posixrules", "Factory", "right/UTC"])
def test_a_file_beside_the_zones_is_none(refused: Refused, name: str) -> None:
    (problem,) = refused(f"timezone: {name}\nstart: 2026-06-01T00:00\nsteps: [{{wait: 1s}}]")
    assert problem.message == f"`timezone`: unknown zone `{name}`"


def test_a_century_ends_with_its_date(graph: Load, refused: Refused) -> None:
    """From 29 February 2028: 2128 has that day too; it is taken as 1 March."""
    text = "start: 2028-02-29T00:00\ntimezone: UTC\nsteps: [{wait: {until: 2128-%s}}]"
    graph(text % "03-01T00:00")
    assert "100 years" in refused(text % "03-01T00:01")[0].message


def test_rare_tools_beyond_the_most_are_set_to_it() -> None:
    """Log-normal, p50 1 and p90 20: sigma = ln(20) / 1.2816 = 2.337, so that a share of
    1 - Phi(ln(1000) / 2.337 = 2.955) = 0.16 % lies beyond 1,000: more than 1 in 1,000. With a p90
    of 10 sigma is 1.797 and the share 1 - Phi(3.845) = 0.006 %."""
    with pytest.raises(ValueError, match="at most 1,000"):
        values.tools_of({"p50": 1, "p90": 20})
    found = values.tools_of({"p50": 1, "p90": 10})
    assert found.high == 1000.0
    assert found.at(0.9) == pytest.approx(10.0)
    split = values.tools_of({"p50": 1, "p90": 10, "per": {"task": "60%"}})
    assert isinstance(split, PerTask)
    assert isinstance(split.inner, Capped)
    assert (split.between, split.high) == (0.6, 1000.0)


def test_harnesses_are_many() -> None:
    assert unknown_name("zz", ["a"], None, "harness").hint == "known harnesses: a"


@pytest.mark.parametrize("name", ["co\u200bder", "co\u00a0der"])
def test_a_letter_that_nobody_sees_is_said(name: str) -> None:
    letter = f"U+{ord(name[2]):04X}"
    for problem in (unknown_name(name, ["coder"], None), unknown_key(name, ["coder"], None)):
        assert f"an invisible character, {letter}" in problem.hint
        assert "did you mean `coder`?" in problem.hint


NOTE = "has no value and counts as not written"


def test_a_key_with_nothing_behind_it(graph: Load) -> None:
    """Each key with its line; what expressions use (`params`, items) may be nothing."""
    text = """
    pools:
    params: {none: }
    steps:
      - {wait: 1h, timeout: }
      - {agent: coder, turns: , output: 10}
      - {each: [{a: }, {a: $(none)}], do: [{wait: 1s}]}
      - {person: you, reads: 40 loc, approves: ~}
    """
    found = [note for note in graph(text).notes if NOTE in note]
    places = [("pools", 2), ("timeout", 5), ("turns", 6), ("approves", 8)]
    assert found == [f"`{key}` (line {line}) {NOTE}" for key, line in places]


def test_a_key_with_nothing_in_an_included_file(tmp_path: Path) -> None:
    (tmp_path / "part.yaml").write_text("agentsim: 1\nsteps:\n  - {wait: 1s, timeout: }\n")
    (tmp_path / "w.yaml").write_text(PART)
    notes = load(Source(str(tmp_path / "w.yaml"), ("cerebras",))).notes
    assert [it for it in notes if NOTE in it] == [
        f"`timeout` (line 3 of {tmp_path / 'part.yaml'}) {NOTE}"
    ]
