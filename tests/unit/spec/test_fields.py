"""No field is ignored: a value that is changed changes the graph, or is refused."""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentsim.errors import Problems
from agentsim.graph import Graph
from agentsim.spec import values
from agentsim.spec.definitions import MODELS
from agentsim.spec.load import Source, load_tree
from agentsim.spec.model import Model, names_of
from agentsim.spec.quantity import QuantityFaults
from agentsim.spec.reader import read
from agentsim.spec.steps import KINDS, LISTS
from agentsim.spec.tree import Path as At
from agentsim.spec.tree import Tree
from agentsim.spec.workflow import Workflow

CASES = Path(__file__).resolve().parents[2] / "cases" / "valid"
FILES = [
    CASES / f"{name}.yaml" for name in ("every-kind", "distributions", "items", "words", "needs")
]


def leaves(value: Any, at: At = ()) -> Iterator[At]:
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*at, key))
    else:
        yield at


def other(value: Any) -> Any:
    """Another value of the same sort: the first digit grown, a yes that is a no, another word."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    swaps = {"yes": "no", "no": "yes", "any": "all", "all": "any", "go on": "fail", "fail": "go on"}
    if value in swaps:
        return swaps[value]
    grown = re.sub(r"\d", lambda digit: str(int(digit[0]) % 9 + 1), value, count=1)
    return grown if grown != value else f"{value}x"


def changed(tree: Tree, at: At) -> Tree:
    value = copy.deepcopy(tree.value)
    inner: Any = value
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = other(inner[at[-1]])
    return dataclasses.replace(tree, value=value)


def loaded(tree: Tree) -> Graph:
    graph = load_tree(tree, Source("w.yaml", ("cerebras",)))
    return dataclasses.replace(graph, assumed=(), notices=())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_changed_value_changes_the_graph_or_is_refused(file: Path) -> None:
    tree = read(file.read_text("utf-8"), str(file))
    plain = loaded(tree)
    ignored = []
    for at in leaves(tree.value):
        if "note" in at or (at[0], at[-1]) == ("params", "unused"):
            continue
        try:
            graph = loaded(changed(tree, at))
        except Problems:
            continue
        if graph == plain:
            ignored.append(at)
    assert not ignored


def test_the_file_of_every_kind_has_every_field() -> None:
    """So that the test above reaches them all, save what other tests do."""
    tree = read((CASES / "every-kind.yaml").read_text("utf-8"), "w.yaml")
    assert isinstance(tree.value, dict)
    written = {str(key) for at in keys(tree.value) for key in at}
    models: list[type[Model]] = [*MODELS.values(), Workflow]
    models += [kind.model for kind in KINDS.values()]
    wanted = {name for model in models for name in names_of(model)}
    elsewhere = {"like", "size", "skim", "prose"}  # presets, sizes, refused, the file of words
    assert wanted - written <= elsewhere


def keys(value: Any, at: At = ()) -> Iterator[At]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*at, key)
            yield from keys(inner, (*at, key))
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, at)


def test_the_table_of_kinds_is_complete() -> None:
    """DESIGN section 5 names these, and `do` for a group."""
    named = {"call", "agent", "tool", "person", "wait", "parallel", "each", "attempts", "loop"}
    assert set(KINDS) == named | {"choose", "merge", "include", "do"}
    for name, kind in KINDS.items():
        assert kind.name == name
        assert name in names_of(kind.model)
        assert set(LISTS[name]) - set(kind.inserted) <= set(names_of(kind.model))


def test_every_field_has_a_description_and_an_example() -> None:
    models: list[type[Model]] = [*MODELS.values(), Workflow]
    for model in [*models, *(kind.model for kind in KINDS.values())]:
        for name, field in model.model_fields.items():
            assert field.description, f"{model.__name__}.{name}"
            assert field.examples, f"{model.__name__}.{name}"


@pytest.mark.parametrize(("value", "wanted"), [("yes", True), ("no", False), (True, True)])
def test_yes_and_no(value: object, wanted: bool) -> None:
    assert values.flag(value) is wanted


@pytest.mark.parametrize(
    ("read_", "value", "message"),
    [
        (values.flag, "maybe", "expected yes or no"),
        (values.flag, 1, "expected yes or no"),
        (values.name, "a/b", "no dots, slashes"),
        (values.name, " a", "without spaces around it"),
        (values.name, "a" * 81, "longer than 80"),
        (values.name, "a\u202eb", "an invisible character, U+202E"),
        (values.name, 7, "expected a name"),
        (values.shares, [], "list of shares by round"),
        (values.shares, [50, 2], "expected a share"),
        (values.retry_of, {"trys": 2}, "unknown key `trys`"),
        (values.retry_of, {"wait": "1s"}, "expected `tries`"),
        (values.retry_of, {"tries": 2, "wait": "1"}, "duration"),
        (values.retry_of, -1, "from 0 to"),
        (values.when_of, [], "empty list"),
        (values.when_of, "approve", "expected a verdict"),
        (values.or_of, "go", "go on, fail"),
        (values.ids_of, "a", "expected a list of ids"),
        (values.mix_of, {"a": "60%", "b": "60%"}, "add up to 120 %"),
        (values.prompt_of, {"a": {"p50": 1}}, "one fixed value"),
        (values.units_of, {"ci": 0}, "more than 0"),
        (values.duration_of, "200000d", "too large"),
    ],
)
def test_a_refused_value_says_what_was_expected(read_: Any, value: object, message: str) -> None:
    with pytest.raises(QuantityFaults, match=re.escape(message)):
        read_(value)


def test_all_faults_of_a_list_are_told_at_their_entries() -> None:
    with pytest.raises(QuantityFaults) as caught:
        values.shares(["10%", "x", "200%"])
    assert [at for at, _ in caught.value.faults] == [(1,), (2,)]
