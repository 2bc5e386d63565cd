"""What `validate --full` writes loads to the same run, with nothing assumed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from agentsim.graph import Graph
from agentsim.spec import Source, load
from agentsim.spec.flow import flow
from agentsim.spec.reader import read
from agentsim.spec.writer import full

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted([*(ROOT / "workflows").glob("*.yaml"), *(ROOT / "tests/cases/valid").glob("*.yaml")])


def bare(graph: Graph) -> Graph:
    return dataclasses.replace(graph, assumed=(), notices=())


def again(source: Source, folder: Path) -> Graph:
    file = folder / "written.yaml"
    file.write_text(full(source), "utf-8")
    return load(dataclasses.replace(source, workflow=str(file), sets=(), patch=()))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_loads_to_the_same_graph(file: Path, tmp_path: Path) -> None:
    source = Source(str(file), ("cerebras",))
    written = again(source, tmp_path)
    assert bare(written) == bare(load(source))
    # hours cannot be written yet: their absence is all that is left to assume
    left = {one.key.rpartition("/")[2] for one in written.assumed if one.low is None}
    assert left <= {"hours", "types"}
    assert all(one.key.startswith("sizes/") for one in written.assumed if one.low is not None)


def test_set_values_stand_in_it_and_expressions_stay(tmp_path: Path) -> None:
    file = tmp_path / "w.yaml"
    text = 'agentsim: 1\nparams: {n: 2}\nsteps: [{loop: "${n + 1}", do: [{wait: $(n)s}]}]\n'
    file.write_text(text, "utf-8")
    source = Source(str(file), sets=(("n", 7),))
    assert bare(again(source, tmp_path)) == dataclasses.replace(bare(load(source)), name="w")
    assert "params: {n: 7}" in full(source)
    assert "$(n)s" in full(source)


def test_a_patched_value_stands_in_it(tmp_path: Path) -> None:
    file = tmp_path / "w.yaml"
    file.write_text("agentsim: 1\nname: x\nsteps: [{agent: coder}]\n", "utf-8")
    source = Source(str(file), patch=(("agents/coder/turns", {"p50": 5, "p90": 9}),))
    assert "turns: {p50: 5, p90: 9}" in full(source)
    assert bare(again(source, tmp_path)) == bare(load(source))


def test_every_assumed_value_carries_its_source() -> None:
    lines = full(Source(str(ROOT / "workflows" / "first.yaml"))).splitlines()
    turns = next(line for line in lines if "turns: {p50: 22" in line)
    assert "# judgement between TraceLab" in turns


@pytest.mark.parametrize(
    "value",
    [
        "plain", "two words", "1.2k", "85%", "$(n + 1)", "${n}", "yes", "null", "1e3", "010",
        "", " edge", "a: b", "a #b", "- a", "{a}", "[a]", "a,b", "09:30", "2026-11-30T10:00",
        "é", "line\nbreak", '"', "'", "\\", "*a", "&a", "!a", "?", "-", "1.5", ".5", "-3", "%a",
        "~", "@a", "0x1f", 5, 1.5, -2, 1e300, True, False, None, [], {}, [1, "a"],
        {"a": [1, {"b": "c d"}]}, {5: "a"},
    ],
)  # fmt: skip
def test_a_value_reads_back_as_it_was(value: object) -> None:
    assert read(f"x: {flow(value)}\ny: [{flow(value)}]", "f").value == {"x": value, "y": [value]}
