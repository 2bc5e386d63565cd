"""Errors in the words of the format: no names of ours, no rounded figures, a hint."""

from __future__ import annotations

import pytest

from agentsim.spec import values
from agentsim.spec.definitions import MODELS
from agentsim.spec.model import Model
from agentsim.spec.quantity import QuantityFaults
from agentsim.spec.schema import fields_of, model_in
from agentsim.spec.steps import KINDS
from agentsim.spec.workflow import Workflow
from tests.unit.spec.conftest import Load, Refused


@pytest.mark.parametrize("given", ["5k", "none", "[1]", "7", "yes"])
@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("agents: {w: {turns: 2, output: 9, compact: X}}", "at, to, time, output"),
        ("agents: {w: {turns: 2, output: 9, asks: X}}", "who, chance, time"),
        ("people: {w: {reads: X}}", "fixed, prose, code"),
        ("budget: X", "wall, without_people, person, money, chance"),
        ("caps: X", "agents, tools, spawns, held"),
        ("quality: X", "defects, regressions, finds, correlation"),
    ],
)
def test_a_mapping_that_is_none(refused: Refused, given: str, text: str, keys: str) -> None:
    (problem,) = refused(f"{text.replace('X', given)}\nsteps: [{{wait: 1s}}]")
    assert f"expected a mapping ({keys}): " in problem.message
    assert problem.hint.startswith("such as `")
    for leak in ("Input should", "Def", "instance", "dictionary"):
        assert leak not in problem.message


def test_all_definitions_within_definitions_are_tried_above() -> None:
    """Whoever adds one adds it there."""
    models: list[type[Model]] = [Workflow, *MODELS.values(), *(it.model for it in KINDS.values())]
    inner = {field.key for model in models for field in fields_of(model) if model_in(field.info)}
    assert inner == {"compact", "asks", "reads", "budget", "caps", "quality"}


def test_a_run_of_constants_that_no_stored_time_holds(refused: Refused) -> None:
    """36500 days are 99.93 years of 365.25 days: three are 299.8, and 64 bits hold 285."""
    (problem,) = refused("steps:\n" + "  - {wait: 36500d}\n" * 4)
    assert problem.message == "`wait-3`: a run takes at least 300 years up to its end"
    assert problem.place is not None
    assert problem.place.line == 5
    assert "285 years" in problem.hint


@pytest.mark.parametrize(
    "steps",
    [
        "[{wait: 36500d}, {wait: 36500d}]",
        "[{loop: 2, do: [{wait: 36500d}]}]",
        "[{wait: 36500d, timeout: 1s, or: go on}, {wait: 36500d}, {wait: 36500d}]",
        "[{tool: t}, {wait: 36500d}, {wait: 36500d}, {wait: 36500d}]",  # it may fail before
        "[{wait: {exponential: 36500d}}, {wait: 36500d}, {wait: 36500d}]",
    ],
)
def test_runs_that_may_be_shorter(graph: Load, steps: str) -> None:
    graph(f"tools: {{t: {{time: 1s, fails: 100%}}}}\nsteps: {steps}")


def test_rounds_count(refused: Refused) -> None:
    (problem,) = refused("steps: [{loop: 3, do: [{wait: 36500d}]}]")
    assert problem.message == "`loop`: a run takes at least 300 years up to its end"


def test_figures_are_shown_as_they_are(refused: Refused) -> None:
    (problem,) = refused("steps: [{loop: 1000001, do: [{wait: 1s}]}]")
    assert problem.message.endswith("from 0 to 10,000; got 1,000,001")
    assert problem.hint == "such as `loop: 4`"


@pytest.mark.parametrize(
    ("number", "text"),
    [(1e10, "10,000,000,000"), (1e-6, "0.000001"), (1000001, "1,000,001"), (2.50, "2.5"),
     (0.1, "0.1"), (0, "0"), (-1234.5, "-1,234.5")],
)  # fmt: skip
def test_plain_digits(number: float, text: str) -> None:
    assert values.plain(number) == text


def test_a_number_in_quotes_is_a_text(refused: Refused) -> None:
    (problem,) = refused('steps: [{loop: "3", do: [{wait: 1s}]}]')
    assert problem.message.endswith("got the text `3`")
    (problem,) = refused(
        "params: {n: 2}\nsteps: [{loop: $(n), do: [{wait: 1s}]}]", sets=(("n", "3"),)
    )
    assert problem.message.endswith("got the text `3`")


def test_the_version_in_quotes() -> None:
    with pytest.raises(QuantityFaults) as caught:
        values.version("1")
    ((_, problem),) = caught.value.faults
    assert problem.message.endswith("got the text `1`")
    assert problem.hint == "leave the quotes out: `agentsim: 1`"


def test_brackets_that_are_closed(refused: Refused) -> None:
    """800 brackets, a figure, 800 brackets: 1,601 letters."""
    (problem,) = refused(f'steps: [{{wait: "$({"(" * 800}1{")" * 800})s"}}]')
    assert problem.message.endswith("has 1,601 letters")
    assert problem.hint == "an expression has at most 1,000 letters"
    (problem,) = refused(f'steps: [{{wait: "$({"(" * 800}1{")" * 700})s"}}]')
    assert problem.message.endswith("is not closed")
