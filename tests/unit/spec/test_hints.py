"""Hints never lead to what is refused itself, and nearest names are those that people mean."""

from __future__ import annotations

import re

import pytest

from agentsim.errors import Place, Problem
from agentsim.spec import profile
from agentsim.spec.catalogue import names
from agentsim.spec.definitions import LATER, MODELS
from agentsim.spec.model import check
from agentsim.spec.problems import given, nearest, unknown_key, unknown_name
from agentsim.spec.steps import KINDS
from agentsim.spec.workflow import LATER as TOP_LATER
from agentsim.spec.workflow import Workflow
from tests.unit.spec.conftest import Load, Refused

HERE = Place("f", 1, 1)
PARTS = {
    "": profile.ProfileFile,
    "decode": profile.DecodeFile,
    "prefill": profile.PrefillFile,
    "cache": profile.CacheFile,
    "limits": profile.LimitFile,
    "price": profile.PriceFile,
}
ROOMS = [
    (Workflow, TOP_LATER),
    *((MODELS[kind], LATER[kind]) for kind in MODELS),
    *((kind.model, kind.refused) for kind in KINDS.values()),
    *((model, profile.LATER.get(part, {})) for part, model in PARTS.items()),
]


class _Nowhere:
    def place(self, path: object) -> Place:
        return HERE

    key_place = place


@pytest.mark.parametrize(("model", "later"), ROOMS)
def test_a_misspelt_key_of_a_later_version_is_not_offered(model: type, later: dict) -> None:
    for key in later:
        told: list[Problem] = []
        check(model, {f"{key}x": 1}, _Nowhere(), told.append, "here", later)
        (problem,) = (one for one in told if one.code == "unknown-key")
        assert f"did you mean `{key}`" not in problem.hint
        assert not re.search(rf"known keys:.*\b{key}\b", problem.hint)


def test_the_nearest_key_that_is_not_ready_is_said_to_be_so() -> None:
    problem = unknown_key("hour", ["turns"], HERE, "a person", ["hours"])
    assert problem.hint == "`hours` is the nearest, but this version cannot simulate it yet"


def test_a_misspelt_kind_is_offered(refused: Refused) -> None:
    for kind in KINDS:
        if kind != "do":
            (problem,) = refused(f"steps: [{{{kind}s: 1}}]")
            assert problem.hint == f"did you mean `{kind}`?", kind


def test_a_key_inside_a_definition_is_looked_up_there(refused: Refused) -> None:
    """`cod` is near to `code` of `reads`; among the keys of a person it is nearest to `count`."""
    (problem,) = refused("people: {dev: {reads: {cod: 5}}}\nsteps: [{wait: 1s}]")
    assert problem.hint == "did you mean `code`?"
    (problem,) = refused("people: {dev: {reads: {skm: 5}}}\nsteps: [{wait: 1s}]")
    assert problem.hint == "`skim` is the nearest, but this version cannot simulate it yet"


def test_a_choice_that_is_not_ready_is_not_offered(refused: Refused) -> None:
    (problem,) = refused("pools: {ci: {capacity: 1, sharing: procesor}}\nsteps: [{wait: 1s}]")
    assert "processor" not in problem.message + problem.hint


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("m3ultra", "m3-ultra-ds4"),
        ("M2Ultra", "m2-ultra"),
        ("groq", "groq-gpt-oss-20b"),
        ("opus", "claude-opus"),
        ("spark", "dgx-spark"),
        ("cerbras", "cerebras"),
        ("tok10", "tok100"),
        ("rtx-5090", "rtx-5090"),
        ("tpu-v9", None),
    ],
)
def test_the_profile_that_is_meant(name: str, meant: str | None) -> None:
    assert nearest(name, names("hardware")) == meant


@pytest.mark.parametrize(
    ("what", "kind", "name", "meant"),
    [
        ("person", "people", "me", "you"),
        ("person", "people", "colleague", "teammate"),
        ("tool", "tools", "pytest", "tests"),
        ("tool", "tools", "bash", "shell"),
        ("agent", "agents", "developer", "coder"),
        ("agent", "agents", "reviwer", "reviewer"),
    ],
)
def test_the_preset_that_is_meant(what: str, kind: str, name: str, meant: str) -> None:
    from agentsim.spec.presets import names as presets

    hint = unknown_name(name, presets(kind), HERE, what).hint
    assert hint == f"did you mean `{meant}`? Or define it under `{kind}:`"


def test_people_are_not_persons() -> None:
    assert unknown_name("qqq", ["you"], HERE, "person").hint.startswith("known people: you;")


def test_the_place_of_what_was_typed_is_what_was_typed(refused: Refused) -> None:
    text = "params: {lines: 4}\nsteps: [{wait: $(lines)s}]"
    (problem,) = refused(text, sets=(("line", "abc"),))
    assert str(problem.place) == "--set line=abc"
    assert str(problem).startswith("--set line=abc: unknown param `line`")
    (problem,) = refused("steps: [{call: main, input: 1, output: 1}]", "tok5", "small=tok5")
    assert str(problem.place) == "--hw small=tok5"
    (problem,) = refused("steps: [{call: main, input: 1, output: 1}]", rates=("fast",))
    assert str(problem.place) == "--rates fast"
    assert len(str(given("--set ", "x" * 9000))) < 100


def test_a_role_whose_profile_is_wrong_is_no_unknown_role(refused: Refused) -> None:
    (problem,) = refused("steps: [{call: main, input: 1, output: 1}]", "main=tok6")
    assert "no hardware profile `tok6`" in problem.message


def test_what_a_preset_knows_for_later_is_not_refused(graph: Load) -> None:
    """Presets carry what an agent `returns`; a file that says `like` takes all but that."""
    found = graph("agents: {mine: {like: explorer}}\nsteps: [{agent: mine}, {agent: planner}]")
    assert len(found.root.steps) == 2
