"""The JSON Schemas take all that the program takes, and refuse the usual typing errors."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import agentsim
from agentsim import units
from agentsim.spec import definitions, profile, schema, shapes, values, workflow
from agentsim.spec.model import Model
from agentsim.spec.reader import read, read_file
from agentsim.spec.shapes import Definitions
from agentsim.spec.steps import KINDS
from agentsim.spec.steps.base import COMMON_LATER

ROOT = Path(agentsim.__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases"
SCHEMAS = {which: schema.schema(which) for which in schema.FORMATS}
VALID: list[tuple[Path, schema.Format]] = [
    *((path, "workflow") for path in sorted((ROOT / "workflows").glob("*.yaml"))),
    *((path, "hardware") for path in sorted((ROOT / "hardware").glob("*.yaml"))),
    *((path, "workflow") for path in sorted((CASES / "valid").glob("*.yaml"))),
]


def keyed(value: Any) -> Any:
    """As JSON has it, where every key is a text."""
    if isinstance(value, dict):
        return {str(key): keyed(part) for key, part in value.items()}
    return [keyed(part) for part in value] if isinstance(value, list) else value


def errors(which: schema.Format, text: str) -> list[str]:
    found = Draft202012Validator(SCHEMAS[which]).iter_errors(keyed(read(text, "f.yaml").value))
    return [f"{error.json_path}: {error.message}" for error in found]


def steps(text: str) -> list[str]:
    return errors("workflow", f"agentsim: 1\nsteps:\n- {text}\n")


def all_models() -> Iterator[tuple[str, type[Model], set[str], dict[str, Any]]]:
    """(where, model, keys of a later version, its schema) of every mapping of both formats."""
    flow, hardware = SCHEMAS["workflow"], SCHEMAS["hardware"]
    yield "workflow", workflow.Workflow, set(workflow.LATER), flow
    for name, kind in KINDS.items():
        yield name, kind.model, set(kind.refused), flow["$defs"][f"step-{name}"]
    for name, model in definitions.MODELS.items():
        yield name, model, set(definitions.LATER[name]), flow["$defs"][name]
    yield "profile", profile.ProfileFile, set(profile.LATER[""]), hardware
    for name, model in schema.PARTS.items():
        later = set(profile.LATER.get(name, {}))
        yield name, model, later, hardware["$defs"][name]


def all_fields() -> Iterator[tuple[str, schema.Field, dict[str, Any]]]:
    """(where, field, its schema) of every field, those of mappings inside too."""
    for name, model, later, made in all_models():
        yield from _fields(name, model, later, made)


def _fields(
    name: str, model: type[Model], later: set[str], made: dict[str, Any]
) -> Iterator[tuple[str, schema.Field, dict[str, Any]]]:
    for field in schema.fields_of(model, later):
        own = made["properties"][field.key]
        yield f"{name}.{field.key}", field, own
        if (inner := schema.model_in(field.info)) is not None:
            holder = next(part for part in own.get("anyOf", [own]) if "properties" in part)
            yield from _fields(f"{name}.{field.key}", inner, set(), holder)


FIELDS = list(all_fields())


# --- what is right ----------------------------------------------------------------------------


@pytest.mark.parametrize("which", schema.FORMATS)
def test_the_committed_file_is_what_the_models_say(which: schema.Format) -> None:
    file = ROOT / "agentsim" / "schemas" / f"{which}.schema.json"
    assert file.read_text("utf-8") == schema.text(which), "`make schemas` writes it again"


@pytest.mark.parametrize("which", schema.FORMATS)
def test_it_is_a_schema_of_the_draft_that_it_names(which: schema.Format) -> None:
    assert SCHEMAS[which]["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(SCHEMAS[which])


@pytest.mark.parametrize(("path", "which"), VALID, ids=lambda one: getattr(one, "stem", one))
def test_what_ships_and_every_valid_case_pass(path: Path, which: schema.Format) -> None:
    found = Draft202012Validator(SCHEMAS[which]).iter_errors(keyed(read_file(path).value))
    assert [f"{error.json_path}: {error.message}" for error in found] == []


@pytest.mark.parametrize(
    ("path", "which"),
    [row for row in VALID if "cases" not in row[0].parts],
    ids=lambda one: getattr(one, "stem", one),
)
def test_what_ships_names_its_schema_by_a_path_that_is_right(
    path: Path, which: schema.Format
) -> None:
    first = path.read_text("utf-8").splitlines()[0]
    _, _, named = first.partition("# yaml-language-server: $schema=")
    assert (path.parent / named).resolve() == ROOT / "agentsim/schemas" / f"{which}.schema.json"


def test_every_field_says_what_it_is_with_an_example_that_passes() -> None:
    assert len(FIELDS) > 150
    for where, field, made in FIELDS:
        assert made["description"], where
        assert field.example, where
        whole = Draft202012Validator({**made, "$defs": _defs(where)})
        assert [error.message for error in whole.iter_errors(keyed(made["examples"][0]))] == []


def test_every_type_has_a_shape() -> None:
    both = Definitions(fills=True)
    silent = [
        where
        for where, field, _ in FIELDS
        if schema.reader_of(field.info)[0] is not None and not schema.shapes_of(field, both)
    ]
    assert silent == []


def test_a_type_without_a_row_is_known_by_what_its_reader_takes() -> None:
    def guess(reader: Callable[[Any], Any], example: Any) -> list[str]:
        found = shapes.guessed(reader, example, Definitions(fills=False))
        return [shape.schema["type"] for shape in found]

    assert guess(lambda value: values.whole(value, 1, 9), 4) == ["integer"]
    assert guess(values.signed, 4) == ["number"]  # of which whole numbers are some
    assert guess(values.flag, True) == ["boolean", "string"]
    assert guess(lambda value: values.one_of(value, ("life", "call"), "which"), "life") == [
        "string"
    ]
    assert guess(values.duration_of, "10m") == ["integer", "string", "object"]
    assert guess(values.ids_of, ["a"]) == ["array"]


def test_every_mapping_of_steps_or_parts_has_a_schema() -> None:
    """What pydantic knows as `Any` is a list of steps, a section, or a part of a profile."""
    empty = {where for where, _, made in FIELDS if set(made) == {"description", "examples"}}
    assert empty == set()


def _defs(where: str) -> dict[str, Any]:
    of_hardware = where.split(".", maxsplit=1)[0] in {"profile", *schema.PARTS}
    defs: dict[str, Any] = SCHEMAS["hardware" if of_hardware else "workflow"]["$defs"]
    return defs


# --- what the readers take ---------------------------------------------------------------------

NUMBERS = ("0", "7", "05", "1.5", ".5", "5.", "1e3", "2E-1", "+5", "-5", "-0", "0.0", "100", "250")
NAMES = (
    *("", "%", "k", "M", "K", "x", "$", " k tok", "ktokens", "loc", " loc", "lines", "k words"),
    *(f"{gap}{unit}" for unit in units._SECONDS for gap in ("", " ")),
    *("h30m", "h 30m", "h30", "s s", "tok/s", " tok / s", "/h", "k/min", " req/day", "loc/h"),
    *("wpm", " wpm", "words/min", "/fortnight", "tok", "item/s", " % ", "s/s"),
)
TEXTS = [f"{number}{name}" for number, name in itertools.product(NUMBERS, NAMES)]
PLAIN: list[Any] = [0, 1, 7, 0.5, 1.5, 250, -1, -0.5, 1e3, True, False, None]
PLAIN += [[], {}, "", " ", "$5", "$ .5"]


def takes(read_one: Callable[[Any], Any], value: Any) -> bool:
    try:
        read_one(value)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "read_one"),
    [
        ("duration", units.duration),
        ("tokens", units.tokens),
        ("lines", units.lines),
        ("words", units.words),
        ("money", units.money),
        ("rate", units.rate),
        ("line-rate", units.line_rate),
        ("word-rate", units.word_rate),
        ("count", values.count),
        ("number", values.signed),
    ],
)
def test_a_scalar_is_taken_by_the_schema_and_the_reader_alike(
    name: str, read_one: Callable[[Any], float]
) -> None:
    made = Draft202012Validator(Definitions(fills=False).found[f"{name}-value"])

    # what no pattern says: that a unit stands twice, that a rate is nothing
    def unsaid(value: Any) -> bool:
        text = str(value)
        return text.endswith("s s") or ("rate" in name and not re.search("[1-9]", text))

    tried = [value for value in (*TEXTS, *PLAIN) if not unsaid(value)]
    differ = [value for value in tried if made.is_valid(value) != takes(read_one, value)]
    assert differ == []
    assert sum(takes(read_one, value) for value in tried) >= 5


def test_a_share_is_refused_above_all_and_below_nothing() -> None:
    made = Draft202012Validator(Definitions(fills=False).found["share-value"])
    missed = [v for v in (*TEXTS, *PLAIN) if takes(units.share, v) and not made.is_valid(v)]
    assert missed == []
    assert not any(made.is_valid(one) for one in ("101%", "250%", "-5%", "5 k", 1.5, -0.5, True))
    assert all(made.is_valid(one) for one in ("100%", "99.5 %", "0.85", 0.85, 0, 1))


VALUES = [
    *PLAIN, *TEXTS[::7], "yes", "no", "all", "any", "changes", "go on", "coder", "a b", "a.b",
    "1h30m", "400 loc", "900 words", "800 tok/s", "85%", "2026-02", "none", "wait", "max_output",
    ["a", "b"], ["10%", 0.5], [1, 2], [""], {"p50": "4s", "p90": "20s"}, {"p50": 3, "p90.5": 9},
    {"p50": "40 loc", "p90": "90 loc"}, {"p50": "900 words", "p99": "2k words"}, {"value": "4s"},
    {"value": {"value": 4}}, {"mean": "4s", "cv": 0.5}, {"min": 1, "mode": 2, "max": 9},
    {"uniform": ["1s", "9s"]}, {"values": [1, 9], "weights": ["75%", 1]}, {"values": ["1s"]},
    {"exponential": "4s"}, {"exponential": {"mean": "4s"}}, {"poisson": 3}, {"geometric": 3},
    {"geometric": {"p": "30%"}}, {"p50": 1, "p90": 1.4, "at_most": 2, "per": "task"},
    {"p50": "4s", "p90": "9s", "at_least": 0, "per": {"task": "68%"}},
    {"mixture": [{"weight": "90%", "value": "1s"}, {"weight": 1, "p50": "4s", "p90": "20s"}]},
    {"tries": 2}, {"tries": 2, "wait": "1m"}, {"within": "10m"}, {"until": "09:00"}, {"a": 1},
    {"a": "5k", "b": 100}, {"a": "50%"}, {"1": "17ms", "8": "50ms"}, {"0": "2k tok/s"},
    {"value": "1s", "per_input_token": "1us"}, {"p50": "1s", "p90": "2s", "per_input_token": 0},
    {"p50": 4, "mean": 3}, {"fallback": "small"}, {"work": "1m"}, ["anna", "sam"],
]  # fmt: skip


READ = [row for row in FIELDS if schema.reader_of(row[1].info)[0] is not None]


@pytest.mark.parametrize(("where", "field", "made"), READ, ids=[row[0] for row in READ])
def test_no_value_that_a_field_takes_is_refused(
    where: str, field: schema.Field, made: dict[str, Any]
) -> None:
    """An editor that underlines what runs is worse than none."""
    read_one, empty = schema.reader_of(field.info)
    example = keyed(made["examples"][0])
    whole = Draft202012Validator({**made, "$defs": _defs(where)})
    tried = [value for value in (*VALUES, example) if takes(read_one, _numbered(value))]
    assert [value for value in tried if not whole.is_valid(value)] == []
    assert tried
    assert whole.is_valid(None) is empty


def _numbered(value: Any) -> Any:
    """As YAML reads it: a table's keys are numbers."""
    if not isinstance(value, dict):
        return value
    return {int(key) if key.isdigit() else key: part for key, part in value.items()}


# --- what is wrong ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "{tol: tests}",  # no kind
        "{tool: tests, agent: coder}",  # two kinds
        "{tool: tests, tme: 5s}",  # a misspelt field
        "{agent: coder, turns: many}",
        "{agent: coder, turns: 2.5}",  # half a turn
        "{agent: coder, output: {p50: 180, p09: 900, mean: 4}}",  # of two distributions
        "{agent: coder, output: {p50: 180, p_90: 900}}",
        "{agent: coder, output: {mean: 180}}",  # without its cv
        "{agent: coder, approves: 200%}",
        "{agent: coder, when: aproved}",
        "{agent: coder, reads: change}",
        "{agent: coder, compact: {to: 40k}}",  # without `at`
        "{agent: coder, compact: {at: 160k, too: 40k}}",
        "{agent: a/b}",
        "{wait: 90}",  # no unit
        "{wait: 90 sec}",
        "{wait: -5s}",
        "{loop: 4}",  # nothing to do
        "{loop: 4, do: {tool: tests}}",  # a mapping for a list
        "{loop: 4, do: [{tol: tests}]}",  # the same faults deeper
        "{parallel: [tests]}",
        "{each: 3, do: [{tool: tests}], release: wave}",
        "{call: main, input: 2k}",  # no output
        "{tool: tests, retry: {times: 2}}",
        "{tool: tests, or: goon}",
        "{tool: tests, needs: build}",
        "{person: you, reads: 900}",  # lines or words?
        "{do: [{wait: 1s}], own: 5}",
        "tests",
    ],
)
def test_a_wrong_step_is_refused(text: str) -> None:
    assert steps(text)


@pytest.mark.parametrize(
    "text",
    [
        "steps: []",  # no version
        "agentsim: 2\nsteps: []",
        "agentsim: 1",  # no steps
        "agentsim: 1\nsteps: {tool: tests}",
        "agentsim: 1\nsteps: []\nstep: []",
        "agentsim: 1\nsteps: []\nbudget: {wall: 4}",
        "agentsim: 1\nsteps: []\nbudget: {walls: 4h}",
        "agentsim: 1\nsteps: []\ntools: {a.b: {time: 1s}}",
        "agentsim: 1\nsteps: []\ntools: [tests]",
        "agentsim: 1\nsteps: []\npools: {ci: {}}",
        "agentsim: 1\nsteps: []\npools: {ci: {capacity: two}}",
        "agentsim: 1\nsteps: []\npeople: {dev: {reads: {code: 400}}}",
        "agentsim: 1\nsteps: []\nagents: {a: {size: XL}}",
    ],
)
def test_a_wrong_workflow_is_refused(text: str) -> None:
    assert errors("workflow", text)


@pytest.mark.parametrize(
    "text",
    [
        "agentsim: 1",  # no decode
        "agentsim: 1\ndecode: {}",
        "agentsim: 1\ndecode: {rate: 800}",
        "agentsim: 1\ndecode: {rate: 800 tok/s, step: 5ms}",  # two speeds
        "agentsim: 1\ndecode: {step: {one: 5ms}}",
        "agentsim: 1\ndecode: {rate: $(r)}",  # no expressions in profiles
        "agentsim: 1\ndecode: {rate: 800 tok/s}\nslots: 0",
        "agentsim: 1\ndecode: {rate: 800 tok/s}\ncache: {kind: tl, ttl: 5m}",
        "agentsim: 1\ndecode: {rate: 800 tok/s}\ncache: {ttl: 5m}",
        "agentsim: 1\ndecode: {rate: 800 tok/s}\nprefill: 2k tok/s",
        "agentsim: 1\ndecode: {rate: 800 tok/s}\nlimits: {count: requests}",
        "agentsim: 1\ndecode: {rate: 800 tok/s}\nlimits: [{count: calls}]",
        "agentsim: 1\ndecode: {rate: 800 tok/s}\nprice: {input: 3}",
        "agentsim: 1\ndecode: {rate: 800 tok/s}\ncontext: 1.5",
    ],
)
def test_a_wrong_profile_is_refused(text: str) -> None:
    assert errors("hardware", text)


@pytest.mark.parametrize(
    "text",
    [
        "{agent: $(who), turns: $(n * 4), task: $(n)k, approves: ['$(n)%'], id: 'a${n}'}",
        "{each: $(files), do: [{wait: '${item}s'}], limit: $(n), join: $(n)}",
        "{loop: $(n), do: $(steps)}",
        "{agent: coder, compact: $(c), output: {p50: $(n), p90: $(n * 3)}, keeps_thinking: $(b)}",
        "$(step)",
    ],
)
def test_an_expression_may_stand_for_any_value(text: str) -> None:
    assert steps(text) == []


def test_what_comes_later_is_refused() -> None:
    for name, kind in KINDS.items():
        known = SCHEMAS["workflow"]["$defs"][f"step-{name}"]["properties"]
        assert not known.keys() & ({*COMMON_LATER, *kind.refused} - {name})


KEYS = re.compile(r"expect: (?:unknown-key|no-kind|two-kinds) ")
STRANGE = [
    path
    for path in sorted((CASES / "invalid").glob("*.yaml"))
    if KEYS.search(path.read_text("utf-8"))
]


@pytest.mark.parametrize("path", STRANGE, ids=lambda path: path.stem)
def test_a_key_that_the_program_does_not_know_is_unknown_here_too(path: Path) -> None:
    assert errors("workflow", path.read_text("utf-8"))
