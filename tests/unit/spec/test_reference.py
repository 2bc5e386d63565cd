"""docs/reference.md is what the models say, and every example in it is right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import agentsim
from agentsim.spec import Source, reference, schema
from agentsim.spec.definitions import LATER, MODELS
from agentsim.spec.hardware import profile_of
from agentsim.spec.load import load_tree
from agentsim.spec.model import Model
from agentsim.spec.profile import LATER as PROFILE_LATER
from agentsim.spec.profile import ProfileFile
from agentsim.spec.reader import read
from agentsim.spec.steps import KINDS
from agentsim.spec.workflow import LATER as WORKFLOW_LATER
from agentsim.spec.workflow import Workflow

ROOT = Path(agentsim.__file__).resolve().parents[1]

# What an example of a field names: pools, sessions, steps before it, a verdict.
AROUND = """
agentsim: 1
tools: {lint: {time: 1s}}
pools: {ci: {capacity: 9}, staging: {capacity: 9}}
queues: {trunk: {ci: 1m}}
steps:
- {call: main, id: chat, input: 100, output: 10}
- {agent: coder, id: first}
- {tool: tests, id: build, approves: 50%}
- {tool: lint, id: lint}
"""
# Beside which other fields an example makes sense; `None` leaves one out.
BESIDE: dict[str, dict[str, str | None]] = {
    "each.release": {"limit": "2"},
    "attempts.correlation": {"succeeds": "60%"},
    "call.session": {"prompt": None},
    "agent.session": {"session": "first"},
    "agent.fork": {"session": "first"},
    "person.time": {"decides": None},
    "person": {"time": "5m"},
    "tools": {"time": "5s"},
    "compact.time": {"output": None},
}
# Where a field makes sense only inside another step.
INSIDE = {"agent.returns": "agent: coder, do: [{}]"}
BUDGET = {"budget.chance": {"wall": "4h"}}
TOP = list(schema.fields_of(Workflow, WORKFLOW_LATER))
WHOLE = list(schema.fields_of(ProfileFile, PROFILE_LATER[""]))


def needed(model: type[Model]) -> dict[str, str]:
    """The fields without which there is nothing, with their examples."""
    fields = schema.fields_of(model)
    return {field.key: field.example for field in fields if field.info.is_required()}


def written(fields: dict[str, str | None]) -> str:
    return "{" + ", ".join(f"{k}: {v}" for k, v in fields.items() if v is not None) + "}"


def filled(where: str, model: type[Model], field: schema.Field) -> str:
    """A mapping with this field as its example has it, and those that it needs."""
    kind = where.rpartition(".")[0]
    beside = {**BESIDE.get(kind, {}), **BESIDE.get(where, {})}
    given: dict[str, str | None] = {**beside, **needed(model), field.key: field.example}
    if field.key in ("decides", "reads") and kind == "person":
        given.pop("time")
    return written(given)


def step_examples() -> list[tuple[str, str]]:
    found = []
    for name, kind in KINDS.items():
        for field in schema.fields_of(kind.model, kind.refused):
            where = f"{name}.{field.key}"
            found.append((where, filled(where, kind.model, field)))
    return found


@pytest.fixture(autouse=True)
def review(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the file that examples include."""
    text = "agentsim: 1\nparams: {rounds: 1}\nsteps: [{loop: $(rounds), do: [{wait: 1s}]}]\n"
    (tmp_path / "review.yaml").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)


def loads(text: str) -> None:
    load_tree(read(text, "example.yaml"), Source("example.yaml", ("claude-opus",)))


@pytest.mark.parametrize(("where", "text"), step_examples(), ids=lambda one: str(one)[:40])
def test_the_example_of_a_field_of_a_step_loads(where: str, text: str) -> None:
    around = AROUND
    if where == "choose.chance" or where.endswith(".chance"):
        loads(f"{around}- choose: [{text}]\n")
        return
    if where in INSIDE:
        text = f"{{{INSIDE[where].replace('{}', text)}}}"
    if "session: implement" in text or "{session: implement" in text:
        around = around.replace("id: first", "id: implement")
    loads(f"{around}- {text}\n")


@pytest.mark.parametrize("where", schema.MIXED)
def test_the_examples_of_keys_beside_those_of_a_step_are_right(where: str) -> None:
    _, more, kinds = schema.MIXED[where]
    name, _, key = where.partition(".")
    own = {one: text for one, text in needed(KINDS[name].model).items() if one != key}
    for field in schema.fields_of(more):
        for kind in kinds:
            inside = {**BESIDE.get(kind, {}), **needed(KINDS[kind].model)}
            text = written({**inside, field.key: field.example})
            loads(f"{AROUND}- {written({**own, 'succeeds': '60%', key: text})}\n")


def definition_examples() -> list[tuple[str, str, str]]:
    found = []
    for section, model in MODELS.items():
        for field in schema.fields_of(model, LATER[section]):
            where = f"{section}.{field.key}"
            found.append((where, section, filled(where, model, field)))
            if (inner := schema.model_in(field.info)) is not None:
                for own in schema.fields_of(inner):
                    text = filled(f"{field.key}.{own.key}", inner, own)
                    key = f"{where}.{own.key}"
                    found.append((key, section, f"{{{field.key}: {text}}}"))
    return found


USING = {
    "tools": "tool: x",
    "pools": "wait: 1s, uses: {x: 1}",
    "people": "person: x, time: 1m",
    "agents": "agent: x, turns: 2, output: 100",
    "queues": "merge: x",
    "harnesses": "agent: coder, harness: x",
}


@pytest.mark.parametrize(
    ("where", "section", "text"), definition_examples(), ids=lambda one: str(one)[:40]
)
def test_the_example_of_a_field_of_a_definition_loads(where: str, section: str, text: str) -> None:
    around = AROUND.replace("agentsim: 1", f"agentsim: 1\n{section}: {{x: {text}}}")
    lines = around.splitlines()
    if section in ("tools", "pools", "queues"):  # AROUND has some of its own
        own = next(
            line for line in lines if line.startswith(f"{section}: {{") and "x: " not in line
        )
        lines.remove(own)
        lines = [line.replace(f"{section}: {{x", own.removesuffix("}") + ", x") for line in lines]
    loads("\n".join([*lines, f"- {{{USING[section]}}}", ""]))


@pytest.mark.parametrize("field", TOP, ids=lambda field: field.key)
def test_the_example_of_a_key_of_the_file_loads(field: schema.Field) -> None:
    given = {**needed(Workflow), field.key: field.example}
    loads("".join(f"{key}: {value}\n" for key, value in given.items()))
    if (inner := schema.model_in(field.info)) is not None:
        for own in schema.fields_of(inner):
            beside = BUDGET.get(f"{field.key}.{own.key}", {})
            text = written({**beside, own.key: own.example})
            loads(f"agentsim: 1\nsteps: []\n{field.key}: {text}\n")


def profile(**parts: str) -> None:
    if "on_reject" in parts:
        parts = {"limits": f"[{REJECTS}]", **parts}
    given = {"agentsim": "1", "decode": "{rate: 800 tok/s}", "slots": "4", **parts}
    text = "".join(f"{key}: {value}\n" for key, value in given.items() if value)
    profile_of(read(text, "p.yaml"), "p")


@pytest.mark.parametrize("field", WHOLE, ids=lambda field: field.key)
def test_the_example_of_a_key_of_a_profile_is_right(field: schema.Field) -> None:
    beside = {"keep_alive": {"load": "20s"}, "models_in_memory": {"machine": "spark"}}
    profile(**{field.key: field.example, **beside.get(field.key, {})})


REJECTS = "{count: requests, bucket: 9, refill: 9/s, on_limit: reject}"
GROWS = {"first": "1s", "tries": "6"}
PAID = {"input": "3", "output": "15"}
OWN = {"buy": "1", "years": "1", "watts": "1", "per_kwh": "1", "hours_per_week": "1"}
PART_NEEDS: dict[str, dict[str, str]] = {
    "cache": {"ttl": "5m"},
    **{
        f"cache.{key}": {"kind": "lru", "capacity": "1k", "ttl": ""}
        for key in ("capacity", "evicts")
    },
    "limits": {"bucket": "1000", "refill": "100/s"},
    **{f"limits.{kind}": {"bucket": "", "refill": ""} for kind in ("window", "session_window")},
    **{f"on_reject.{key}": GROWS for key in ("first", "factor", "at_most", "jitter", "tries")},
    "faults.retry": {"error": "1%"},
    "limits.reserve": {"count": "output"},
    "limits.refund": {"count": "output", "reserve": "max_output"},
    **{f"price.{key}": PAID for key in ("input", "output", "cached", "cache_write", "tiers")},
    "price.timezone": {**PAID, "tiers": "[{hours: '09:00-17:00', input: 3, output: 15}]"},
    **{f"price.{key}": OWN for key in OWN},
    "price.paid": {"per_hour": "2.5"},
    "tiers": {"above": "200k"},
    "decode": {"rate": "800 tok/s"},
    "prefill.chunk": {"schedule": "chunked"},
    "decode.tokens_per_step": {"step": "17ms", "rate": ""},
    **{f"decode.{speed}": {"rate": ""} for speed in ("step", "per_stream", "total", "fit")},
}


def part_examples() -> list[tuple[str, str, dict[str, str]]]:
    found = []
    for name, model in schema.PARTS.items():
        later = PROFILE_LATER.get(name, {})
        for field in schema.fields_of(model, later):
            where = f"{name}.{field.key}"
            beside = {**needed(model), **PART_NEEDS.get(name, {}), **PART_NEEDS.get(where, {})}
            given = {k: v for k, v in {**beside, field.key: field.example}.items() if v}
            found.append((where, name, given))
    return found


@pytest.mark.parametrize(("where", "name", "given"), part_examples(), ids=lambda one: str(one)[:30])
def test_the_example_of_a_part_of_a_profile_is_right(
    where: str, name: str, given: dict[str, Any]
) -> None:
    text = written(given)
    if name == "fit":
        profile(decode=f"{{fit: {text}}}")
    elif name == "tiers":
        profile(price=f"{{input: 1, output: 1, tiers: [{text}]}}")
    elif name == "plan":
        profile(price=f"{{plan: {text}}}")
    elif name == "outage":
        profile(faults=f"{{outage: [{text}]}}")
    elif name in schema.LISTED:
        profile(**{name: f"[{text}]"}, max_output="32k")
    else:
        profile(**{name: text})


def test_the_page_is_what_the_models_say() -> None:
    page = (ROOT / "docs" / "reference.md").read_text("utf-8")
    assert page == reference.text(schema.FORMATS), "`make schemas` writes it again"


def test_the_page_names_every_kind_and_every_field_in_its_own_table() -> None:
    page = reference.text(schema.FORMATS)
    for name, kind in KINDS.items():
        part = page.partition(f"### Step `{name}`\n")[2].partition("\n### ")[0]
        common = page.partition("Fields of every kind:")[2].partition("\n### ")[0]
        for field in schema.fields_of(kind.model, kind.refused):
            assert f"\n| `{field.key}` | " in part + common, f"{name}.{field.key}"
    assert (
        "| `turns` | calls in one run of it | a whole number above 0, or a distribution |" in page
    )
    assert (
        "| `per_context_token` | more time of a step for each token of context | a time | `0` |"
        in page
    )
