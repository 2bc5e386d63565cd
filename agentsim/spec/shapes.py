"""What a value may look like, as JSON Schema and in words: the plain quantities and distributions.

The readers of `units`, `values` and `quantity` decide what is accepted. A pattern here takes at
least what its reader takes (a test tries both on the same texts): an editor must never underline
what runs. Where JSON Schema cannot say it (a median within its limits), the reader alone refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentsim import units

Schema = dict[str, Any]

EXPRESSION = r"\$[({]"
"""A text that holds this may be anything once it is filled in."""

_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NOUGHT = r"(?:0+(?:\.0*)?|\.0+)(?:[eE][+-]?[0-9]+)?"
_ZERO = rf"[+-]?{_NOUGHT}"
_MANY = r"\s*[kKMG]?\s*"


def _any(names: Sequence[str]) -> str:
    """One of the names, longest first."""
    return "(?:" + "|".join(sorted(names, key=lambda name: (-len(name), name))) + ")"


def _whole(pattern: str) -> str:
    return rf"^\s*(?:{pattern})\s*$"


_TIME = _any(list(units._SECONDS))
_PER = _any(list(units._PER))
_LINES, _WORDS = _any(units._LINE_NAMES), _any(units._WORD_NAMES)
_COUNTED = _any([name for name in units._COUNTED_NAMES if name])
_POWER = _NUMBER.removesuffix("?")  # with an exponent: its size is not told from its digits
_PERCENT = rf"\+?(?:0*100(?:\.0*)?|0*[0-9]{{1,2}}(?:\.[0-9]*)?|\.[0-9]+|{_POWER})"

_RATE = rf"{_NUMBER}{_MANY}{_COUNTED}?\s*/\s*{_PER}"
_TOKEN_RATE = rf"{_NUMBER}{_MANY}(?:tokens|token|tok)?\s*/\s*{_PER}"
_WORD_RATE = rf"{_NUMBER}{_MANY}(?:wpm|{_WORDS}\s*/\s*{_PER})"
_LINE_RATE = rf"{_NUMBER}{_MANY}{_LINES}\s*/\s*{_PER}"
_NO_UNIT = rf"{_NOUGHT}\s*[kKMG]?"

Limits = tuple[float | None, float | None] | None

SCALARS: Mapping[str, tuple[str, str | None, Limits]] = {
    # name: (in words, pattern of a text, limits of a plain number; None: no number, no limit)
    "duration": (
        "a time with its unit, such as 90s or 1h30m",
        rf"{_ZERO}|(?:\s*{_NUMBER}\s*{_TIME})+",
        (0, 0),
    ),
    "tokens": ("tokens, such as 12k", rf"{_NUMBER}{_MANY}(?:tokens|token|tok)?", (0, None)),
    "count": ("a number", None, (0, None)),
    "number": ("a number", None, (None, None)),
    "lines": ("lines, such as 400 loc", rf"{_NUMBER}{_MANY}{_LINES}|{_NO_UNIT}", (0, 0)),
    "words": ("words, such as 900 words", rf"{_NUMBER}{_MANY}{_WORDS}|{_NO_UNIT}", (0, 0)),
    "share": (
        "a share, such as 85% or 0.85",
        rf"{_PERCENT}\s*%|\+?{_NUMBER}|{_ZERO}\s*%?",
        (0, 1),
    ),
    "money": ("dollars, such as $5", rf"\$?\s*(?:\+?{_NUMBER}|{_ZERO})", (0, None)),
    "token-rate": ("tokens per time, such as 800 tok/s", _TOKEN_RATE, None),
    "rate": ("a rate per time, such as 800 tok/s", _RATE, None),
    "line-rate": ("lines per time, such as 400 loc/h", _LINE_RATE, None),
    "word-rate": ("words per time, such as 238 wpm", _WORD_RATE, None),
    "density": (
        "defects per lines, such as 32 per kloc",
        rf"{_NUMBER}(?:\s*/\s*|\s+per\s+)k?loc|{_ZERO}",
        (0, 0),
    ),
    "weight": ("a weight, such as 3 or 75%", rf"\+?{_NUMBER}\s*%?", (0, None)),
}

QUANTITIES = ("duration", "tokens", "count", "lines", "words")
"""Those of which there may be distributions."""

NAME = r"^[^\s./=#,](?:[^./=#,]{0,78}[^\s./=#,])?$"


@dataclass(frozen=True, slots=True)
class Shape:
    """One way to write a value: in words, as a schema, and a value of that form.

    A reader that does not take `probe` does not have the form (it comes with a later version):
    then it stands neither in the schema nor in the reference.
    """

    words: str
    schema: Schema
    probe: Any


def ref(name: str) -> Schema:
    """What is defined under `$defs`."""
    return {"$ref": f"#/$defs/{name}"}


class Definitions:
    """The `$defs` of a schema. `fills`: texts may hold expressions (in a workflow file)."""

    def __init__(self, fills: bool) -> None:
        self.fills = fills
        self.found: dict[str, Schema] = {}
        for name, (words, pattern, limits) in SCALARS.items():
            self.found[f"{name}-value"] = self._scalar(words, pattern, limits)
        self.found["name"] = self.text(NAME) | {"description": "a name"}
        for name in (*QUANTITIES, "factor"):
            self._quantity(name)

    def text(self, pattern: str | None = None) -> Schema:
        """A text of that pattern, or with an expression in it."""
        if pattern is None:
            return {"type": "string"}
        return {"type": "string", "pattern": f"{pattern}|{EXPRESSION}" if self.fills else pattern}

    def or_filled(self, schema: Schema) -> Schema:
        """The schema of one JSON type, or a text that an expression fills."""
        if not self.fills or not isinstance(schema.get("type"), str):
            return schema
        return {**schema, "type": [schema["type"], "string"], "pattern": EXPRESSION}

    def words(self, *words: str) -> Schema:
        """One of these words."""
        found: Schema = {"enum": list(words)}
        return {"anyOf": [found, self.text(EXPRESSION)]} if self.fills else found

    def whole(self, least: int | None = 0, most: int | None = None) -> Schema:
        """A whole number within limits."""
        return self.or_filled({"type": "integer"} | _limits(least, most))

    def _scalar(self, words: str, pattern: str | None, limits: Limits) -> Schema:
        told: Schema = {"description": words}
        number = {} if limits is None else _limits(*limits)
        if pattern is None:
            return told | self.or_filled({"type": "number"} | number)
        text = self.text(_whole(pattern))
        text["patternErrorMessage"] = f"expected {words}"  # what editors show; others ignore it
        return told | text | ({} if limits is None else {"type": ["string", "number"]}) | number

    def _quantity(self, name: str) -> None:
        """`NAME`: a value or a distribution of it; a constant count is whole."""
        unit = ref(f"{'count' if name == 'factor' else name}-value")
        one = ref(f"{name}-value")
        if name == "tokens":
            value = self.found["tokens-value"]
            one = {"if": {"type": "number"}, "then": {"type": "integer"}} | value
        elif name == "count":
            one = self.whole()
        self.found[f"{name}-distribution"] = self._distribution(unit, name)
        part = self._distribution(unit, name)
        part["properties"] = {"weight": ref("weight-value")} | part["properties"]
        part["required"] = ["weight"]
        self.found[f"{name}-part"] = part
        shapes = [ref(f"{name}-distribution")]
        self.found[name] = {"anyOf": shapes if name == "factor" else [one, *shapes]}

    def _distribution(self, unit: Schema, name: str) -> Schema:
        mean = {"anyOf": [unit, _closed(mean=unit)]}
        geometric = {"anyOf": [unit, _closed(mean=unit), _closed(p=ref("share-value"))]}
        per = {"anyOf": [self.words("task"), _closed(task=ref("share-value"))]}
        inner = {"anyOf": [unit, ref("factor-distribution")]} if name == "factor" else ref(name)
        pair = {"type": "array", "items": unit, "minItems": 2, "maxItems": 2}
        return self.or_filled({"type": "object"}) | {
            "patternProperties": {r"^p[0-9]{1,2}(\.[0-9]+)?$": unit},
            "properties": {
                "value": inner,
                "mean": unit, "cv": ref("count-value"),
                "min": unit, "mode": unit, "max": unit,
                "uniform": self.or_filled(pair),
                "values": self.or_filled({"type": "array", "items": unit}),
                "weights": self.or_filled({"type": "array", "items": ref("weight-value")}),
                "exponential": mean, "poisson": mean,
                "geometric": geometric,
                "mixture": self.or_filled(
                    {"type": "array", "items": ref(f"{name}-part"), "minItems": 1, "maxItems": 50}
                ),
                "at_least": unit, "at_most": unit,
                "per": per,
            },
            "additionalProperties": False,
            "dependentRequired": {
                "mean": ["cv"], "cv": ["mean"], "weights": ["values"],
                "min": ["mode", "max"], "mode": ["min", "max"], "max": ["min", "mode"],
            },
            "if": {"type": "object"},
            "then": _ONE_FORM,
        }  # fmt: skip


_FORMS = ("value", "mean", "min", "uniform", "values", "exponential", "poisson", "geometric")
_HAS_QUANTILES = {"not": {"propertyNames": {"not": {"pattern": r"^p[0-9]"}}}}
_ONE_FORM: Schema = {
    "oneOf": [_HAS_QUANTILES, *({"required": [key]} for key in (*_FORMS, "mixture"))]
}
"""The keys of exactly one kind of distribution."""


_TRIED: dict[str, tuple[str, tuple[Any, ...]]] = {
    "number": ("a number", (0.5, 1.5, 2.5)),
    "integer": ("a whole number", (0, 1, 2, 5, 100)),
    "boolean": ("yes or no", (True, False)),
    "string": ("text", ("yes", "no", "a", "all", "5", "5k", "5s", "5%", "5 loc", "5 words", "5/h",
                        "$5", "09:00", "2026-11-30", "Mon-Fri 09:00-17:30", "Europe/Amsterdam")),
    "array": ("a list", ([], ["a"], ["a", "b"], [1], ["5%"], ["5s"], ["2026-11-30"])),
    "object": ("a mapping", ({}, {"a": 1}, {"a": "5%"}, {"a": "5k"}, {"0s": 1}, {"value": 1},
                             {"value": "5s"}, {"p50": 1, "p90": 2}, {"p50": "1s", "p90": "2s"},
                             {"p50": "1k", "p90": "2k"}, {"p50": "1 loc", "p90": "2 loc"})),
}  # fmt: skip


def guessed(reader: Callable[[Any], Any], example: Any, definitions: Definitions) -> list[Shape]:
    """The JSON types that a reader without a row takes: those of values that it was tried on."""
    found: list[Shape] = []
    for name, (words, values) in _TRIED.items():
        own = [example] if type(example) is type(values[0]) else []
        taken = [value for value in (*own, *values) if takes(reader, value)]
        if taken and not (name == "integer" and found):
            schema = definitions.or_filled({"type": name}) if name != "string" else {"type": name}
            found.append(Shape(words, schema, taken[0]))
    return found


def takes(reader: Callable[[Any], Any], value: Any) -> bool:
    """Whether a reader accepts a value."""
    try:
        reader(value)
    except (TypeError, ValueError):
        return False
    return True


def _closed(**keys: Schema) -> Schema:
    """A mapping with all of these keys and no others."""
    needed = {"required": list(keys), "additionalProperties": False}
    return {"type": "object", "properties": keys} | needed


def _limits(least: float | None, most: float | None) -> Schema:
    found: Schema = {}
    if least is not None:
        found["minimum"] = least
    if most is not None:
        found["maximum"] = most
    return found
