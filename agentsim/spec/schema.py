"""The JSON Schemas of both file formats, made from the models and the tables of kinds.

Draft 2020-12. A kind of step, a definition or a field stands here because its model does; what a
later version brings is left out until a reader takes it. Editors use the schemas through the line
`# yaml-language-server: $schema=...`; the program itself does not read them.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from agentsim.spec import profile
from agentsim.spec.definitions import LATER, MODELS
from agentsim.spec.model import Model
from agentsim.spec.profile_prices import NEEDED
from agentsim.spec.reader import read
from agentsim.spec.shape_table import FIELDS, reader_in, rows
from agentsim.spec.shapes import (
    EXPRESSION,
    NAME,
    Definitions,
    Schema,
    Shape,
    guessed,
    ref,
    takes,
)
from agentsim.spec.steps import KINDS
from agentsim.spec.steps.attempts import PickFields
from agentsim.spec.workflow import LATER as WORKFLOW_LATER
from agentsim.spec.workflow import Workflow

Format = Literal["workflow", "hardware"]
FORMATS: tuple[Format, ...] = ("workflow", "hardware")

# The parts of a profile are mappings that the reader checks one by one.
PARTS: Mapping[str, type[Model]] = MappingProxyType(
    {
        "source": profile.SourceFile,
        "decode": profile.DecodeFile,
        "fit": profile.FitFile,
        "prefill": profile.PrefillFile,
        "cache": profile.CacheFile,
        "limits": profile.LimitFile,
        "on_reject": profile.RejectFile,
        "faults": profile.FaultsFile,
        "outage": profile.OutageFile,
        "price": profile.PriceFile,
        "tiers": profile.TierFile,
        "plan": profile.PlanFile,
    }
)
LISTED = frozenset({"limits", "outage", "tiers"})

# A step with keys beside its own: the words that may stand for it, the model of these keys, and
# the kinds that it may be of.
MIXED: Mapping[str, tuple[tuple[str, ...], type[Model], tuple[str, ...]]] = MappingProxyType(
    {"attempts.pick": (("first",), PickFields, ("person", "agent"))}
)


class Field(NamedTuple):
    """A field as it is written: its key, what pydantic knows of it, and the model it is of."""

    key: str
    info: FieldInfo
    model: type[Model]

    @property
    def example(self) -> str:
        return str((self.info.examples or [""])[0])


def fields_of(model: type[Model], later: Collection[str] = ()) -> Iterator[Field]:
    """The fields of a model that this version takes."""
    for name, info in model.model_fields.items():
        key = info.alias or name
        if key not in later and key not in model.later:
            yield Field(key, info, model)


def reader_of(info: FieldInfo) -> tuple[Any, bool]:
    """(the function that reads a field, whether it may be left empty); None: it has no own one."""
    found = reader_in(info.metadata)
    empty = False
    if found is None and get_origin(info.annotation) in (Union, UnionType):
        for part in get_args(info.annotation):
            empty = empty or part is NoneType
            found = reader_in(getattr(part, "__metadata__", ())) or found
    return found, empty


def model_in(info: FieldInfo) -> type[Model] | None:
    """The model of a field that is a mapping with fields of its own."""
    kinds = [info.annotation, *get_args(info.annotation)]
    found = (one for one in kinds if isinstance(one, type) and issubclass(one, Model))
    return next(found, None)


def shapes_of(field: Field, definitions: Definitions) -> tuple[Shape, ...]:
    """The forms of a field's value that its reader takes; none where it has no reader."""
    reader, _ = reader_of(field.info)
    if reader is None:
        return ()
    owners = (f"{base.__name__}.{field.key}" for base in field.model.__mro__)
    row = next((FIELDS[owner] for owner in owners if owner in FIELDS), None) or rows().get(reader)
    if row is None:
        return tuple(guessed(reader, read(field.example, "example").value, definitions))
    return tuple(shape for shape in row(definitions) if takes(reader, shape.probe))


def schema(which: Format) -> Schema:
    """The JSON Schema of a format."""
    made = _Workflow().whole() if which == "workflow" else _Hardware().whole()
    titles = {"workflow": "agentsim workflow", "hardware": "agentsim hardware profile"}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": titles[which]}
    note = f"Made by `agentsim schema {which}`: make it again with a new version."
    return head | {"$comment": note} | made


def text(which: Format) -> str:
    """The schema as it stands in a file."""
    return json.dumps(schema(which), indent=1, ensure_ascii=False) + "\n"


class _Maker(ABC):
    fills = True

    def __init__(self) -> None:
        self.definitions = Definitions(self.fills)
        self.made = self.definitions.found
        tokens = self.made["tokens-value"]
        self.made["whole-tokens"] = {
            "if": {"type": "number"},
            "then": {"type": "integer"},
        } | tokens
        flag: Schema = {"enum": [True, False, "yes", "no"]}
        filled = self.definitions.text(EXPRESSION)
        self.made["flag"] = {"anyOf": [flag, filled]} if self.fills else flag

    def model(self, model: type[Model], later: Collection[str] = ()) -> Schema:
        """A mapping with the fields of a model and no other keys."""
        fields = list(fields_of(model, later))
        needed = [field.key for field in fields if field.info.is_required()]
        found: Schema = {
            "description": first_line(model),
            "properties": {field.key: self.field(field) for field in fields},
            "additionalProperties": False,
        }
        if needed:
            found["required"] = needed
        return self.definitions.or_filled({"type": "object"}) | found

    def field(self, field: Field) -> Schema:
        """The value of a field, with what it is, an example, and what it is when left out."""
        info = field.info
        found = dict(self.value(field))
        found["description"] = info.description or ""
        example = read(field.example, "example").value
        found["examples"] = [json.loads(json.dumps(example))]  # JSON's keys are texts
        if not info.is_required() and info.default not in (None, (), ""):
            found["default"] = info.default
        return found

    def value(self, field: Field) -> Schema:
        """What may stand as the value of a field."""
        _, empty = reader_of(field.info)
        if (inner := model_in(field.info)) is not None:
            own = self.model(inner)
            return {"anyOf": [own, {"type": "null"}]} if empty else own
        if (special := self.special(field)) is not None:
            return special
        shapes = shapes_of(field, self.definitions)
        if not shapes:
            return {}
        found = self.merged([shape.schema for shape in shapes])
        found += [{"type": "null"}] if empty else []
        return found[0] if len(found) == 1 else {"anyOf": found}

    def merged(self, found: list[Schema]) -> list[Schema]:
        """With the words as one list, beside which an expression may stand for one of them."""
        words = [word for one in found if one.keys() == {"enum"} for word in one["enum"]]
        if not words:
            return found
        rest = [one for one in found if one.keys() != {"enum"}]
        rest += [self.definitions.text(EXPRESSION)] if self.fills else []
        return [{"enum": words}, *rest]

    @abstractmethod
    def special(self, field: Field) -> Schema | None:
        """What the field holds where pydantic does not know; None: nothing special."""

    def finish(self, found: Schema) -> Schema:
        """With the definitions that it uses, and those that these use."""
        used: set[str] = set()
        todo = _refs(found)
        while todo:
            used |= todo
            todo = {name for one in todo for name in _refs(self.made[one])} - used
        return found | {"$defs": {name: self.made[name] for name in sorted(used)}}


class _Workflow(_Maker):
    def whole(self) -> Schema:
        """A workflow file; each kind of step is a schema of its own, told apart by its key."""
        for name, kind in KINDS.items():
            made = self.model(kind.model, kind.refused)
            self.made[f"step-{name}"] = made
        for name, kind in KINDS.items():
            properties = self.made[f"step-{name}"]["properties"]
            for key in (key for key in kind.lists if key in properties):
                example = properties[key]["examples"][0]
                properties[key] |= self._inside(f"{name}.{key}", example)
        for section, model in MODELS.items():
            self.made[section] = self.model(model, LATER.get(section, {}))
        self.made["step"] = self._step()
        self.made["steps"] = self.definitions.or_filled({"type": "array"}) | {"items": ref("step")}
        whole = self.model(Workflow, WORKFLOW_LATER)
        return self.finish(whole | {"type": "object"})

    def special(self, field: Field) -> Schema | None:
        if field.key == "params":  # of the file, or those that an `include` gives
            return {"type": ["object", "null"]}
        if field.model is not Workflow:
            return None
        names = {"propertyNames": {"pattern": NAME}}
        either = {"type": ["object", "string", "null"], "pattern": EXPRESSION}
        if field.key in MODELS:
            return either | names | {"additionalProperties": ref(field.key)}
        return ref("steps") if field.key == "steps" else None

    def _inside(self, where: str, example: Any) -> Schema:
        """Steps, or one of them with more keys, as the example shows."""
        if isinstance(example, list):
            return ref("steps")
        if where not in MIXED:
            return {"type": ["object", "string"]}
        words, more, kinds = MIXED[where]
        found = []
        for kind in kinds:
            made = self.made[f"step-{kind}"]
            both = {**made["properties"], **self.model(more)["properties"]}
            found.append(made | {"properties": both})
        return {"anyOf": [*self.merged([{"enum": list(words)}]), *found]}

    def _step(self) -> Schema:
        """By the kind key; `do` counts only where there is no other."""
        others = [name for name in KINDS if name != "do"]
        rules = [{"if": {"required": [name]}, "then": ref(f"step-{name}")} for name in others]
        no_other = {"not": {"anyOf": [{"required": [name]} for name in others]}}
        if "do" in KINDS:
            only = {"required": ["do"], **no_other}
            rules.append({"if": only, "then": ref("step-do")})
        named = {name: {"description": first_line(kind.model)} for name, kind in KINDS.items()}
        kind = {"anyOf": [{"required": [name]} for name in KINDS]}
        return {
            "description": "a step: one kind key, whose value is its argument, and fields",
            "type": ["object", "string"],
            "pattern": EXPRESSION,
            "properties": named,
            "if": {"type": "object"},
            "then": kind,
            "allOf": [{"if": {"type": "object"}, "then": rule} for rule in rules],
        }


class _Hardware(_Maker):
    fills = False

    def whole(self) -> Schema:
        """A hardware profile."""
        later = profile.LATER
        for name, model in PARTS.items():
            self.made[name] = self.model(model, later.get(name, {}))
        one = [{"required": [speed]} for speed in profile.SPEEDS]
        self.made["decode"]["oneOf"] = one
        self.made["price"]["oneOf"] = [{"required": list(keys)} for keys in NEEDED]
        return self.finish(self.model(profile.ProfileFile, later[""]))

    def special(self, field: Field) -> Schema | None:
        if field.key not in PARTS or reader_of(field.info)[0] is not None:
            return None
        part = ref(field.key)
        if field.key in LISTED:
            return {"type": "array", "items": part}
        return {"anyOf": [{"enum": ["none"]}, part]} if field.key == "prefill" else part


def first_line(model: type[Model]) -> str:
    """What a model is, in a sentence."""
    return (model.__doc__ or "").strip().partition("\n")[0]


def _refs(found: Any) -> set[str]:
    """The names of the definitions that a schema refers to."""
    if isinstance(found, list):
        return {name for part in found for name in _refs(part)}
    if not isinstance(found, dict):
        return set()
    inner = {name for part in found.values() for name in _refs(part)}
    own = found.get("$ref")
    return inner | {own.removeprefix("#/$defs/")} if isinstance(own, str) else inner
