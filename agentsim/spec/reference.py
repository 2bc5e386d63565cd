"""The reference of both formats in Markdown: every kind and every field, made from the models."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from agentsim.spec import profile
from agentsim.spec.definitions import LATER, MODELS
from agentsim.spec.flow import flow
from agentsim.spec.model import Model
from agentsim.spec.schema import (
    LISTED,
    MIXED,
    PARTS,
    Field,
    Format,
    fields_of,
    first_line,
    model_in,
    shapes_of,
)
from agentsim.spec.shapes import Definitions
from agentsim.spec.steps import KINDS
from agentsim.spec.steps.base import COMMON_LATER, StepFields
from agentsim.spec.workflow import LATER as WORKFLOW_LATER
from agentsim.spec.workflow import Workflow

HEAD = """\
# Reference

<!-- Made by `agentsim schema -f markdown`; `make schemas` writes it again. -->

Every key of the files, from the program's own tables. What it all means, and how values,
distributions and expressions are written, is explained in [format.md](format.md#values). Where
nothing stands under *default*, a preset or [format.md](format.md) says what is taken, if anything.
"""
_TITLES: Mapping[Format, str] = {"workflow": "Workflow files", "hardware": "Hardware profiles"}
_COLUMNS = ("key", "what it is", "value", "default", "example")


def text(formats: Iterable[Format]) -> str:
    """The page for these formats."""
    parts = {"workflow": _workflow, "hardware": _hardware}
    lines = [HEAD]
    for which in formats:
        lines += [f"## {_TITLES[which]}", "", *parts[which]()]
    return "\n".join(lines).rstrip() + "\n"


def _workflow() -> Iterator[str]:
    definitions = Definitions(fills=True)
    yield from _model(Workflow, definitions, WORKFLOW_LATER)
    for section, model in MODELS.items():
        yield from (f"### `{section}`", "", f"{first_line(model)}", "")
        yield from _model(model, definitions, LATER.get(section, {}))
    yield from ("### Steps", "", "Fields of every kind:", "")
    common = list(fields_of(StepFields, COMMON_LATER))
    yield from _table(common, definitions, ())
    known = {field.key for field in common}
    for name, kind in KINDS.items():
        own = [one for one in fields_of(kind.model, kind.refused) if one.key not in known]
        own.sort(key=lambda one: one.key != name)
        yield from (f"### Step `{name}`", "", first_line(kind.model), "")
        yield from _table(own, definitions, kind.lists)
        yield from _inner(own, definitions)
        for key in kind.lists:
            if (mixed := MIXED.get(f"{name}.{key}")) is not None:
                words, more, kinds = mixed
                told = _either([f"`{word}`" for word in words])
                steps = _either([f"a [{one}](#step-{one}) step" for one in kinds])
                yield from (f"`{key}` is {told}, or {steps} with these keys too:", "")
                yield from _model(more, definitions, ())


def _hardware() -> Iterator[str]:
    definitions = Definitions(fills=False)
    yield from _model(profile.ProfileFile, definitions, profile.LATER[""])
    for name, model in PARTS.items():
        title = f"An entry of `{name}`" if name in LISTED else f"`{name}`"
        yield from (f"### {title}", "", first_line(model), "")
        yield from _model(model, definitions, profile.LATER.get(name, {}))


def _model(model: type[Model], definitions: Definitions, later: Collection[str]) -> Iterator[str]:
    fields = list(fields_of(model, later))
    yield from _table(fields, definitions, ())
    yield from _inner(fields, definitions)


def _inner(fields: Sequence[Field], definitions: Definitions) -> Iterator[str]:
    """The tables of fields that are mappings with keys of their own; of inherited ones once."""
    for field in fields:
        if (inner := model_in(field.info)) is not None and field.key in _own(field.model):
            yield from (f"Keys of `{field.key}`: {_lower(first_line(inner))}", "")
            yield from _model(inner, definitions, ())


def _own(model: type[Model]) -> set[str]:
    """Keys that a model does not take over from one that has a table already."""
    if any(issubclass(model, kind.model) for kind in KINDS.values()):
        defined = {key for base in MODELS.values() for key in base.model_fields}
        return set(model.model_fields) - defined
    return set(model.model_fields)


def _table(
    fields: Iterable[Field], definitions: Definitions, lists: Collection[str]
) -> Iterator[str]:
    yield _row(_COLUMNS)
    yield _row(["---"] * len(_COLUMNS))
    for field in fields:
        yield _row(_cells(field, definitions, lists))
    yield ""


def _cells(field: Field, definitions: Definitions, lists: Collection[str]) -> list[str]:
    info = field.info
    default = "" if info.is_required() else _default(info.default)
    return [
        f"`{field.key}`",
        info.description or "",
        _value(field, definitions, lists),
        "needed" if info.is_required() else default,
        _code(field.example),
    ]


def _value(field: Field, definitions: Definitions, lists: Collection[str]) -> str:
    """The type of a field in words."""
    if field.key in lists or (field.model is Workflow and field.key == "steps"):
        one = field.example.startswith("{")
        return "a [step](#steps) with more keys" if one else "a list of [steps](#steps)"
    shapes = shapes_of(field, definitions)
    if shapes:
        return _either([shape.words for shape in shapes if shape.words])
    if field.model is Workflow and field.key in MODELS:
        return f"names, each with [keys](#{field.key})"
    if field.key in LISTED:
        return "a list"
    return "`none` or a mapping" if field.key == "prefill" else "a mapping"


def _default(value: object) -> str:
    """As it would be written; nothing where there is none."""
    if value in (None, (), "") and not isinstance(value, bool):
        return ""
    written = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
    whole = isinstance(written, float) and written.is_integer()
    return f"`{flow(int(written) if whole and isinstance(written, float) else written)}`"


def _either(words: Sequence[str]) -> str:
    """`a, b or c`; with semicolons where the words hold commas of their own."""
    if len(words) < 2:
        return "".join(words)
    if any("," in one for one in words):
        return "; or ".join(words)
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _code(words: str) -> str:
    return f"`{words}`" if words else ""


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
