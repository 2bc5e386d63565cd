"""A workflow written out with every preset and default in its place, each with its source.

What is written loads to a graph with the same steps, names and draws: nothing is assumed any more.
Expressions stay as they were written, so `--set` and `--vary` work on it as on the original.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from agentsim.graph import Graph
from agentsim.spec import catalogue
from agentsim.spec.cast import PARTED, Defined
from agentsim.spec.definitions import MODELS
from agentsim.spec.flow import flow, scalar
from agentsim.spec.includes import mentions
from agentsim.spec.load import Source, program_of
from agentsim.spec.outline import ROOT
from agentsim.spec.quality import ALIKE
from agentsim.spec.reader import read_file
from agentsim.spec.tree import Path, Tree

if TYPE_CHECKING:
    from agentsim.spec.scope import Program

WIDTH = 88  # letters of a line, beyond which a mapping is written below its key

Line = tuple[str, str]
"""What is written, and the comment behind it."""


def full(source: Source) -> str:
    """The workflow of a source as YAML. Raises `Problems` as `load` does."""
    path = catalogue.find("workflows", source.workflow)
    tree = read_file(path)
    program, graph = program_of(tree, source, path.stem)
    lines = list(_Writer(tree, source, program, graph).lines())
    return "".join(f"{text}  # {note}\n" if note else f"{text}\n" for text, note in lines)


class _Writer:
    def __init__(self, tree: Tree, source: Source, program: Program, graph: Graph) -> None:
        assert isinstance(tree.value, dict)
        self._file: dict[Any, Any] = tree.value
        self._source, self._graph = source, graph
        self._tree, self._cast, self._rows = program.tree, program.cast, program.rows

    def lines(self) -> Iterator[Line]:
        """The whole file, in the order of the original; what it lacks stands before the steps."""
        yield "# Every preset and default is written out here, with its source.", ""
        for notes in self._graph.notes:
            yield f"# {notes}", ""
        for key, value in self._file.items():
            if key == "steps":
                yield from self._lacking()
            yield from self._top(key, self._steps(value) if key == "steps" else value)

    def _steps(self, written: Any) -> Any:
        """The steps as they were written; with those of other files in their place, filled in."""
        whole = self._tree.value
        assert isinstance(whole, dict)
        return self._put_in(whole["steps"], ROOT) if mentions(written) else written

    def _put_in(self, value: Any, at: Path) -> Any:
        if isinstance(value, list):
            return [self._put_in(part, (*at, i)) for i, part in enumerate(value)]
        if not isinstance(value, dict):
            return value
        found = {key: self._put_in(part, (*at, key)) for key, part in value.items()}
        if "include" in value:
            group = {key: part for key, part in found.items() if key not in ("include", "params")}
            return {"id": self._rows[at].id, **group}
        return found

    def _top(self, key: str, value: Any) -> Iterator[Line]:
        if key in MODELS:
            yield from self._section(key)
        elif key == "quality" and isinstance(value, dict):
            yield from self._quality(value)
        elif key == "params" and isinstance(value, dict):
            chosen = dict(self._source.sets)
            yield from _entry("params", {k: chosen.get(k, v) for k, v in value.items()}, 0)
        else:
            yield from _entry(key, value, 0)

    def _lacking(self) -> Iterator[Line]:
        if "name" not in self._file:
            yield f"name: {scalar(self._graph.name)}", "the name of the file"
        if "start" in self._file and "timezone" not in self._file:
            yield "timezone: UTC", "not given"
        if "quality" not in self._file:
            yield from self._quality({})
        for kind in MODELS:
            if kind not in self._file:
                yield from self._section(kind)

    def _quality(self, written: dict[Any, Any]) -> Iterator[Line]:
        """What the file says of defects, with what is assumed."""
        assumed = self._cast.assumed.get(ALIKE)
        if assumed is not None:
            written = {**written, "correlation": assumed.value}
        if written:
            yield from _entry("quality", written, 0, assumed.source if assumed else "")

    def _section(self, kind: str) -> Iterator[Line]:
        found = self._cast.found(kind)
        if found:
            yield f"{kind}:", ""
        for defined in found:
            rows = list(self._definition(defined))
            yield f"  {scalar(defined.name)}:" + ("" if rows else " {}"), ""
            yield from rows

    def _definition(self, defined: Defined) -> Iterator[Line]:
        defaults = self._defaults(defined)
        for key in defined.raw:
            value = self._written(defined, key)
            if key in defaults and isinstance(value, dict):
                value = {**value, **defaults.pop(key)[0]}
            yield from _entry(key, value, 4, _source(defined, key) or self._size_of(key, value))
        for key, (value, source) in defaults.items():
            yield from _entry(key, value, 4, source)

    def _defaults(self, defined: Defined) -> dict[str, tuple[Any, str]]:
        """Field -> (value, source) of what neither the file nor a preset gives.

        Working hours cannot be written yet: that there are none stands in the head of the file.
        """
        found: dict[str, tuple[Any, str]] = {}
        own = f"{defined.kind}/{defined.name}/"
        for assumed in self._cast.assumed.values():
            if not assumed.key.startswith(own):
                continue
            key, *inner = assumed.key.removeprefix(own).split("/")
            if key in ("hours", "types") or (key in defined.raw and not inner):
                continue
            value: Any = int(assumed.value) if assumed.value.isdigit() else assumed.value
            if inner:
                value = {**found.get(key, ({}, ""))[0], inner[0]: value}
            found[key] = (value, assumed.source)
        return found

    def _written(self, defined: Defined, key: str) -> Any:
        """A field as the file has it, expressions included; of a preset as that has it."""
        value = defined.raw[key]
        tree, base = defined.spots.get(key, (None, ()))
        if tree is not self._tree or key in _patched(defined, self._source):
            return value
        if defined.name not in self._file.get(defined.kind, {}):
            return value  # of a file that is included
        own = _at(self._file, (*base, key))
        return {**value, **own} if isinstance(own, dict) and key in PARTED else own

    def _size_of(self, key: str, value: Any) -> str:
        if key != "size" or not isinstance(value, str):
            return ""
        factors = (
            f"{part.what.removeprefix(f'size {value}: ')} {part.value} ({part.source})"
            for part in self._cast.assumed.values()
            if part.key.startswith(f"sizes/{value}/")
        )
        return "; ".join(factors)


def _source(defined: Defined, key: str) -> str:
    """Where a field of a preset comes from, or those parts of it that the file has left."""
    if (why := defined.why.get(key)) is not None:
        return why.source
    parts = {p.partition("/")[2]: why for p, why in defined.why.items() if p.startswith(f"{key}/")}
    return f"{', '.join(parts)}: {next(iter(parts.values())).source}" if parts else ""


def _patched(defined: Defined, source: Source) -> set[str]:
    """The fields of a definition that a patch has changed."""
    parts = (key.split("/") for key, _ in source.patch)
    return {part[2] for part in parts if part[:2] == [defined.kind, defined.name]}


def _at(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _entry(key: Any, value: Any, indent: int, note: str = "") -> Iterator[Line]:
    """`key: value`, on one line where it is short and holds no steps."""
    head = f"{' ' * indent}{scalar(key)}:"
    text = flow(value)
    note = " ".join(note.split())
    if not isinstance(value, dict | list) or not value or _is_short(value, head, text):
        yield f"{head} {text}", note
    elif isinstance(value, dict):
        yield head, note
        for inner, part in value.items():
            yield from _entry(inner, part, indent + 2)
    else:
        yield head, note
        for part in value:
            yield from _bullet(part, indent + 2)


def _is_short(value: dict[Any, Any] | list[Any], head: str, text: str) -> bool:
    holds_steps = isinstance(value, list) and any(isinstance(part, dict) for part in value)
    return not holds_steps and len(head) + len(text) < WIDTH


def _bullet(value: Any, indent: int) -> Iterator[Line]:
    """An entry of a list; the first line of a mapping carries the dash."""
    if not isinstance(value, dict) or not value:
        yield f"{' ' * indent}- {flow(value)}", ""
        return
    rows = [row for key, part in value.items() for row in _entry(key, part, indent + 2)]
    for i, (text, note) in enumerate(rows):
        yield (f"{' ' * indent}- {text[indent + 2 :]}" if i == 0 else text), note
