"""What a file says that cannot be meant: refused or told, with a reason and a way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim.errors import Problems
from agentsim.spec.catalogue import names
from agentsim.spec.hardware import load_profile, profile_of
from agentsim.spec.reader import read
from tests.unit.spec.conftest import Load, Refused


@pytest.mark.parametrize(
    ("decode", "words"),
    [
        ("{step: {1: 10ms, 2: 5ms}}", "a step of 2 streams is 50 % shorter than one of 1"),
        ("{step: {1: 10ms, 2: 5ms}, shared: no}", "50 % shorter"),
        # 1/50 and 1/60 s a step: 1 - 50/60
        ("{per_stream: {1: 50 tok/s, 2: 60 tok/s}}", "16.7 % shorter"),
        # 1/100 and 4/500 s
        ("{total: {1: 100 tok/s, 4: 500 tok/s}}", "20 % shorter"),
        # each 4 % below the row before it, together 7.84 %
        ("{step: {1: 10ms, 2: 9.6ms, 4: 9.216ms}}", "a step of 4 streams is 7.84 % shorter"),
    ],
)
def test_a_step_of_more_streams_is_not_quicker(decode: str, words: str) -> None:
    with pytest.raises(Problems) as caught:
        profile_of(read(f"agentsim: 1\ndecode: {decode}\n", "box.yaml"), "box")
    (problem,) = caught.value.problems
    assert problem.code == "bad-value"
    assert words in problem.message
    assert "5 %" in problem.hint
    assert problem.place is not None
    assert (problem.place.line, problem.place.column > 16) == (2, True)


def test_scatter_of_a_measured_table_is_taken_and_told() -> None:
    """9.5 of 10 ms is 5 % less, which is allowed."""
    text = "agentsim: 1\ndecode: {step: {1: 10ms, 2: 9.5ms, 4: 20ms}}\n"
    plan = profile_of(read(text, "box.yaml"), "box").plan
    assert plan.decode.step(2) == 0.0095
    told = [note for note in plan.about.notes if "shorter" in note]
    assert len(told) == 1
    assert "5 % shorter than one of 1" in told[0]


def test_no_profile_that_ships_contradicts_itself() -> None:
    for name in names("hardware"):
        notes = load_profile(name).plan.about.notes
        odd = [note for note in notes if "shorter" in note or "not used" in note]
        # 77.28 ms of 32 streams after 78.58 of 16: its note tells it too
        assert len(odd) == (name == "m2-ultra-qwen3-30b")


@pytest.mark.parametrize(
    ("decode", "unused"),
    [
        ("{step: {1: 10ms, 2: 20ms, 8: 30ms}, shared: no}", "for 2, 8 streams is not used"),
        ("{step: {1: 10ms, 2: 20ms}}", ""),
        ("{step: 10ms, shared: no}", ""),
    ],
)
def test_rows_that_nothing_uses_are_told(decode: str, unused: str) -> None:
    plan = profile_of(read(f"agentsim: 1\ndecode: {decode}\n", "box.yaml"), "box").plan
    told = [note for note in plan.about.notes if "not used" in note]
    assert len(told) == bool(unused)
    assert all(unused in note for note in told)


@pytest.mark.parametrize(
    "wait",
    [
        "{values: [1s, 2s], weights: [1e308, 1e308]}",
        "{mixture: [{weight: 1e308, value: 1s}, {weight: 1e308, value: 2s}]}",
    ],
)
def test_weights_that_no_sum_holds(refused: Refused, wait: str) -> None:
    problems = refused(f"steps: [{{wait: {wait}}}]")
    assert len(problems) == 2
    for problem in problems:
        assert "the weight `1e+308` is too large: at most 1,000,000,000,000" in problem.message


@pytest.mark.parametrize("number", ["0", "00", "000", "-1"])
def test_servers_of_a_profile_are_counted_from_1(
    refused: Refused, tmp_path: Path, number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a long path is shortened in the message
    Path("box.yaml").write_text("agentsim: 1\ndecode: {rate: 100 tok/s}\n", encoding="utf-8")
    (problem,) = refused("steps: [{call: main, input: 1, output: 1}]", f"box.yaml#{number}")
    assert problem.code == "bad-value"
    assert f"`{number}` is none" in problem.message
    assert f"box.yaml#{number}" in str(problem.place)


def test_an_empty_zone_is_none(refused: Refused) -> None:
    (problem,) = refused('timezone: ""\nsteps: [{wait: 1s}]')
    assert problem.code == "bad-value"
    assert "unknown zone" in problem.message
    assert "Europe/Amsterdam" in problem.hint


@pytest.mark.parametrize(
    ("step", "hint"),
    [
        ("{tool: ci, time: 3m}", "did you mean `tests`? Or define it under `tools:`"),
        ("{wait: 1s, uses: {ci: 1}}", "define it under `pools:`"),
        ("{agent: codr}", "did you mean `coder`? Or define it under `agents:`"),
        ("{person: yuo, time: 1m}", "did you mean `you`? Or define it under `people:`"),
    ],
)
def test_what_is_not_defined_can_be_defined(refused: Refused, step: str, hint: str) -> None:
    (problem,) = refused(f"steps: [{step}]")
    assert problem.code == "unknown-name"
    assert problem.hint == hint


TOOLS = "tools: {t: {time: 1s, fails: 50%}, calm: {time: 1s}}\nsteps:\n"
LATE = "  - {wait: 1s, when: failed}\n"


@pytest.mark.parametrize(
    ("steps", "hint"),
    [
        (f"  - {{tool: t}}\n  - {{tool: calm}}\n{LATE}", "add `or: go on` to `t` (line 4)"),
        (f"  - {{tool: t}}\n  - {{tool: t}}\n{LATE}", "to `t-2` (line 5)"),
        (f"  - {{do: [{{tool: t}}], id: g}}\n{LATE}", "to `g` (line 4)"),
        ("  - {tool: t}\n  - do:\n    - {wait: 1s, when: failed}\n", "to `t` (line 4)"),
        (f"  - {{wait: 2s, timeout: 1s, id: w}}\n{LATE}", "to `w` (line 4)"),
        (f"  - {{loop: 2, do: [{{tool: t}}]}}\n{LATE}", "to `loop` (line 4)"),
        # a request may outgrow its context, but a tool that fails is meant
        (f"  - {{tool: t}}\n  - {{agent: coder}}\n{LATE}", "to `t` (line 4)"),
        (f"  - {{agent: coder}}\n{LATE}", "to `coder` (line 4)"),
        (f"  - {{tool: calm}}\n{LATE}", "no step before it can fail"),
    ],
)
def test_where_going_on_is_missing(refused: Refused, steps: str, hint: str) -> None:
    (problem,) = refused(TOOLS + steps)
    assert problem.code == "never-runs"
    assert hint in problem.hint


MINE = "tools: {tests: {time: 70s}, mine: {time: 1s}}\n"


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ("[{agent: coder}, {tool: tests}]", True),  # 6 % of a coder's tool runs (docs/facts.md)
        ("[{agent: coder}, {tool: mine}]", False),  # only a coder runs it: that is what is changed
        ("[{agent: coder, tools: {tests: 6%}}, {tool: tests}]", False),  # the file says so itself
        ("[{tool: tests}]", False),
    ],
)
def test_a_tool_under_the_name_of_a_preset_that_an_agent_runs_too(
    graph: Load, steps: str, told: bool
) -> None:
    notes = [note for note in graph(f"{MINE}steps: {steps}").notes if "also run by" in note]
    assert len(notes) == told
    assert all("`tests`" in note and "by coder, in 6 % of its tool runs" in note for note in notes)
