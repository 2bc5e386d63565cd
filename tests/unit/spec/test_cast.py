"""Presets, `like`, sizes, and what is noted as assumed."""

from __future__ import annotations

import pytest

from agentsim.chance import Constant
from agentsim.graph import Agent, AgentPlan, Graph
from agentsim.spec import presets
from agentsim.spec.definitions import LATER, MODELS, ONE
from agentsim.spec.model import At, check
from tests.unit.spec.conftest import Load, Refused


def plan(graph: Graph, number: int = 0) -> AgentPlan:
    step = graph.root.steps[number]
    assert isinstance(step, Agent)
    return step.plan


def keys(graph: Graph) -> set[str]:
    return {assumed.key for assumed in graph.assumed}


def test_every_preset_is_a_definition_and_says_why() -> None:
    for kind in ("agents", "tools", "people"):
        for name in presets.names(kind):
            preset = presets.preset(kind, name)
            assert preset is not None
            problems: list[object] = []
            where = At(preset.tree, (name, "is"))
            model = check(
                MODELS[kind], preset.fields, where, problems.append, ONE[kind], LATER[kind]
            )
            assert model is not None, problems
            assert set(preset.fields) <= set(preset.why), f"{kind}/{name}"


def test_the_ends_of_a_range_can_be_put_in_its_place(graph: Load) -> None:
    """A sensitivity check does that with every value that has a range."""
    text = """
        steps:
          - agent: coder
          - {agent: tester, size: S}
          - {person: you, reads: changes}
          - tool: web
        """
    assumed = [one for one in graph(text).assumed if one.low is not None]
    assert len(assumed) > 20
    for one in assumed:
        for end in (one.low, one.high):
            patched = graph(text, patch=((one.key, end),))
            assert patched.root != graph(text).root or patched.people != graph(text).people, one.key


def test_a_patch_that_nothing_takes_is_refused(refused: Refused) -> None:
    (problem,) = refused("steps: [{agent: coder}]", patch=(("agents/codr/turns", 5),))
    assert "agents/codr/turns" in problem.message


def test_only_what_a_step_takes_is_assumed(graph: Load) -> None:
    found = keys(graph("steps: [{agent: coder, turns: 5, tools: {shell: 100%}}]"))
    assert "agents/coder/thinking" in found
    assert "agents/coder/turns" not in found  # the step says it
    assert {key for key in found if key.startswith("tools/")} == {
        "tools/shell/time",
        "tools/shell/returns",
    }
    assert not {key for key in found if key.startswith(("people/", "agents/reviewer"))}


def test_a_definition_of_the_file_takes_nothing_from_a_preset_of_its_name(refused: Refused) -> None:
    (problem,) = refused("agents: {coder: {output: 5}}\nsteps: [{agent: coder}]")
    assert problem.code == "missing-key"
    assert "like: coder" in problem.hint


def test_like_takes_a_preset_and_changes_some(graph: Load) -> None:
    found = graph("agents: {mine: {like: coder, turns: 5}}\nsteps: [{agent: mine}, {agent: coder}]")
    mine, coder = plan(found), plan(found, 1)
    assert (mine.name, mine.turns) == ("mine", Constant(5))
    assert (mine.output, mine.prompt) == (coder.output, coder.prompt)
    assert "agents/mine/output" in keys(found)
    assert "agents/mine/turns" not in keys(found)


def test_like_goes_on_through_definitions_of_the_file(graph: Load) -> None:
    found = graph(
        """
        agents:
          c: {like: b, turns: 5}
          b: {like: coder, turns: 6, output: 7}
          coder: {like: coder, thinking: 8}
        steps: [{agent: c}]
        """
    )
    assert (plan(found).turns, plan(found).output) == (Constant(5), Constant(7))
    assert plan(found).thinking == Constant(8)
    assert "agents/c/prompt" in keys(found)


def test_reading_speeds_are_changed_one_by_one(graph: Load) -> None:
    found = graph(
        """
        people: {sam: {like: you, reads: {code: 100 loc/h}}}
        steps: [{person: sam, reads: changes}]
        """
    )
    reading = found.people[0].reading
    assert reading.code == pytest.approx(100 / 3600)
    assert reading.fixed == 180  # of the preset, and the next line too
    assert reading.prose == pytest.approx(238 / 60)


def test_size_scales_turns_and_lines_of_the_definition(graph: Load) -> None:
    """sizes.yaml: S is 0.4 of the turns and 0.6 of the lines."""
    agent = "agents: {w: {turns: 10, output: 5, prompt: 0, writes: 50 loc}}"
    text = agent + "\nsteps: [{agent: w, size: S%s}]"
    small = plan(graph(text % ""))
    assert (small.turns, small.writes) == (Constant(4), Constant(30))
    own = plan(graph(text % ", turns: 10"))
    assert (own.turns, own.writes) == (Constant(10), Constant(30))
    assert "sizes/S/turns" in keys(graph(text % ""))
    assert plan(graph(text.replace("turns: 10", "turns: 1") % "")).turns == Constant(1)


def test_defaults_are_assumed_too(graph: Load) -> None:
    found = graph(
        """
        tools: {lint: {time: 5s}}
        people: {dev: {}}
        agents: {w: {turns: 2, output: 5, tools: {lint: 50%}, writes: 5 loc}}
        steps: [{agent: w}, {person: dev, reads: 5 loc}]
        """
    )
    assert keys(found) == {
        "tools/lint/returns",
        "agents/w/prompt",
        "agents/w/thinking",
        "agents/w/tokens_per_line",
        "people/dev/pickup",
        "people/dev/switch",
        "people/dev/hours",
        "people/dev/reads/code",
        "people/dev/decides",
    }


def test_what_a_person_without_hours_means_is_said(graph: Load) -> None:
    assert any("at all times" in note for note in graph("steps: [{person: you, time: 1m}]").notes)
    assert not graph("steps: [{wait: 1m}]").notes


def test_a_wrong_definition_is_refused_even_if_nobody_uses_it(refused: Refused) -> None:
    (problem,) = refused("tools: {lint: {time: 5}}\nsteps: []")
    assert (problem.code, str(problem.place)) == ("bad-value", "w.yaml:2:22")


def test_a_fault_in_what_is_liked_stands_where_it_was_written(refused: Refused) -> None:
    problems = refused("agents:\n  a: {like: coder, turns: x}\n  b: {like: a}\nsteps: [{agent: b}]")
    assert [str(problem.place) for problem in problems] == ["w.yaml:3:27"]


def test_assumed_values_are_written_as_in_a_file(graph: Load) -> None:
    values = {one.key: one for one in graph("steps: [{agent: coder}]").assumed}
    turns = values["agents/coder/turns"]
    assert turns.value == "{p50: 22, p90: 60, at_least: 1}"
    assert turns.what == "coder: turns"
    assert "TraceLab" in turns.source
