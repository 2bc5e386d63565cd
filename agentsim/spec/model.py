"""Models of what may be written, and their faults as problems with places and nearest names.

pydantic says which key is wrong; here that becomes a `Problem` at the line where it stands. A
field that the format has and this version cannot simulate is taken out before, as `not-yet`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Protocol, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from agentsim.errors import Place, Problem
from agentsim.spec.problems import nearest, not_yet, quoted, unknown_key
from agentsim.spec.quantity import QuantityFaults
from agentsim.spec.tree import Path, Tree
from agentsim.spec.values import shown

Report = Callable[[Problem], None]


class Model(BaseModel):
    """What a mapping may hold: no other keys, never changed. Built when first used."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
    later: ClassVar[tuple[str, ...]] = ()
    """Keys that are read only to be refused as of a later version: no hint offers them."""


def need(what: str, example: str, **more: Any) -> Any:
    """A field that must be given."""
    return Field(description=what, examples=[example], **more)


def may(what: str, example: str, default: Any = None, **more: Any) -> Any:
    """A field that may be given."""
    return Field(default, description=what, examples=[example], **more)


M = TypeVar("M", bound=Model)


class Where(Protocol):
    """Where the parts of a value were written."""

    def place(self, path: Path) -> Place | None:
        """Of the value at `path`."""

    def key_place(self, path: Path) -> Place | None:
        """Of the last key of `path`."""


class At:
    """The places of the value at `base` of a tree."""

    __slots__ = ("base", "tree")

    def __init__(self, tree: Tree, base: Path) -> None:
        self.tree, self.base = tree, base

    def place(self, path: Path = ()) -> Place:
        return self.tree.place((*self.base, *path))

    def key_place(self, path: Path) -> Place:
        return self.tree.key_place((*self.base, *path))


def names_of(model: type[Model]) -> list[str]:
    """The keys of a model as they are written."""
    return [field.alias or key for key, field in model.model_fields.items()]


def example_of(model: type[Model], key: str) -> tuple[str, str]:
    """(what a field is, an example of it), for messages and the reference."""
    for attribute, field in model.model_fields.items():
        if key in (attribute, field.alias):
            return field.description or "", (field.examples or [""])[0]
    return "", ""


def without(
    raw: Mapping[Any, Any], later: Mapping[str, str], where: Where, report: Report
) -> dict[Any, Any]:
    """`raw` less the keys of `later` (key -> what it is), each of which is a `not-yet`."""
    for key in raw:
        if key in later:
            report(not_yet(later[key], where.key_place((key,))))
    return {key: value for key, value in raw.items() if key not in later}


def check(
    model: type[M],
    raw: object,
    where: Where,
    report: Report,
    inside: str,
    later: Mapping[str, str] | None = None,
) -> M | None:
    """`raw` as a `model`, or None with its problems reported. `inside` names it in messages."""
    later = later or {}
    if not isinstance(raw, dict):
        keys = ", ".join(names_of(model)[:6])
        message = f"expected {inside} as a mapping ({keys}, ...); got {shown(raw)}"
        report(
            Problem(
                "bad-value", message, where.place(()), f"its keys: {', '.join(names_of(model))}"
            )
        )
        return None
    given = without(raw, later, where, report)
    try:
        return model.model_validate(given)
    except ValidationError as fault:
        errors = fault.errors(include_url=False)
    known = [*_offered(model), *later]
    near = {nearest(str(e["loc"][-1]), known) for e in errors if e["type"] == "extra_forbidden"}
    for error in errors:
        if error["type"] != "missing" or error["loc"][-1] not in near:
            for problem in _problems(error, model, later, where, inside):
                report(problem)
    return None


def clean(model: type[M], least: Mapping[Any, Any], more: Mapping[Any, Any]) -> M:
    """`least`, which must be right, with those keys of `more` that are right beside it.

    For looking further where a fault has been reported already.
    """
    kept = dict(least)
    found = model.model_validate(kept)
    for key, value in more.items():
        try:
            found = model.model_validate({**kept, key: value})
        except ValidationError:
            continue
        kept[key] = value
    return found


def _offered(model: type[Model]) -> list[str]:
    return [name for name in names_of(model) if name not in model.later]


def _inner(model: type[Model], path: Path) -> type[Model] | None:
    """The model of what stands at `path` in a mapping of `model`; None where it is no model."""
    for key in path:
        fields = {f.alias or name: f for name, f in model.model_fields.items()}
        found = fields.get(str(key))
        kinds = [] if found is None else [found.annotation, *get_args(found.annotation)]
        inner = [one for one in kinds if isinstance(one, type) and issubclass(one, Model)]
        if not inner:
            return None
        model = inner[0]
    return model


def _problems(
    error: ErrorDetails, model: type[Model], later: Mapping[str, str], where: Where, inside: str
) -> list[Problem]:
    path: Path = tuple(error["loc"])
    key = str(path[-1]) if path else ""
    if error["type"] == "extra_forbidden":
        place, around = where.key_place(path), _inner(model, path[:-1])
        if len(path) == 1 or around is None:
            return [unknown_key(key, _offered(model), place, inside, later)]
        return [unknown_key(key, _offered(around), place, quoted(path[-2]), around.later)]
    if error["type"] == "invalid_key":  # a number as a key: no key of ours is one
        return [unknown_key(key, _offered(model), where.key_place(path[:1]), inside, later)]
    what, example = example_of(_inner(model, path[:-1]) or model, key)
    if error["type"] == "missing":
        message = f"{quoted(key)} is missing in {inside}: {what}"
        return [Problem("missing-key", message, where.place(()), _such_as(key, example))]
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, QuantityFaults):
        found = [_placed(key, path, inner, problem, where) for inner, problem in cause.faults]
        return [_hinted(problem, key, example) for problem in found]
    inner = _inner(model, path)
    if error["type"] == "model_type" and inner is not None:
        what = f"a mapping ({', '.join(_offered(inner))}): {what}"
    message = f"{quoted(key)}: expected {what}; got {shown(error['input'])}"
    return [Problem("bad-value", message, where.place(path), _such_as(key, example))]


def _such_as(key: str, example: str) -> str:
    return f"such as `{key}: {example}`" if example else ""


def _hinted(problem: Problem, key: str, example: str) -> Problem:
    """With the field's example, where nothing else says how it is written."""
    if problem.code != "bad-value" or problem.hint or "such as" in problem.message:
        return problem
    return replace(problem, hint=_such_as(key, example))


def _placed(key: str, path: Path, inner: Path, problem: Problem, where: Where) -> Problem:
    at = (*path, *inner)
    is_key = problem.code == "unknown-key" or (problem.code == "not-yet" and inner)
    spot = where.key_place(at) if is_key else where.place(at)
    message = problem.message
    if problem.code != "not-yet":
        message = f"{quoted('.'.join(map(str, (key, *inner))))}: {message}"
    return Problem(problem.code, message, spot, problem.hint)
