"""From the events of YAML's parser to plain values, with limits that hold while reading.

Scalars mean what YAML 1.2 says, duplicate keys are refused, aliases are written out (nothing is
shared) and counted. What is wrong is noted and reading goes on, save where it would take too
long. Merge keys (`<<`) are refused: YAML 1.2 has none, and `like:` says the same in words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from agentsim.errors import Place, Problem
from agentsim.spec import scalars
from agentsim.spec.problems import nearest, quoted
from agentsim.spec.tree import Key, Lines, Spot, Value

MAX_DEPTH = 60
MAX_VALUES = 200_000  # keys and values, aliases written out
MAX_ALIASES = 1_000
MAX_LETTERS = 8 * 1024 * 1024  # of all texts, aliases written out
MAX_PROBLEMS = 1_000  # reading ends there

TOO_DEEP = "a file of ours needs some ten levels: is a bracket or an indent wrong?"
_NO_ANCHOR = "an anchor stands before its aliases; a text that begins with * goes in quotes"
_CORE = "tag:yaml.org,2002:"


class Stopped(Exception):
    """Reading on would be of no use, or take too long; the problem is noted."""


class _Anchor(NamedTuple):
    value: Value
    spot: Spot
    values: int
    letters: int


class Builder:
    """Builds values and spots from events, and notes what is wrong."""

    def __init__(self, file: str, lines: Lines) -> None:
        self.problems: list[Problem] = []
        self._file, self._lines = file, lines
        self._events: Iterator[Event] = iter(())
        self._anchors: dict[str, _Anchor | None] = {}  # None: still open
        self._values = self._letters = self._aliases = 0

    def document(self, events: Iterator[Event]) -> tuple[Value, Spot]:
        """The one document of the stream; None at the start if there is none."""
        self._events = events
        next(events)
        if isinstance(next(events), StreamEndEvent):
            return None, Spot(0, 0)
        value, spot = self._node(next(events), 0)
        next(events)
        event = next(events)
        if isinstance(event, DocumentStartEvent):
            self._stop("several-documents", "a second document begins here", event, "one per file")
        return value, spot

    def _node(self, event: Event, depth: int) -> tuple[Value, Spot]:
        self._count(event, 1, 0)
        if isinstance(event, AliasEvent):
            return self._alias(event, depth)
        anchor: str | None = event.anchor  # type: ignore[attr-defined]
        values, letters = self._values - 1, self._letters
        if anchor is not None:
            self._anchors[anchor] = None
        value, spot = self._plain(event, depth)
        if anchor is not None:
            sizes = self._values - values, self._letters - letters
            self._anchors[anchor] = _Anchor(value, spot, *sizes)
        return value, spot

    def _plain(self, event: Event, depth: int) -> tuple[Value, Spot]:
        if isinstance(event, ScalarEvent):
            return self._scalar(event), Spot(*self._start(event))
        if depth >= MAX_DEPTH:
            self._stop("too-deep", f"nested more than {MAX_DEPTH} deep", event, TOO_DEEP)
        if isinstance(event, SequenceStartEvent):
            self._check_tag(event, event.tag, "seq")
            return self._sequence(event, depth)
        assert isinstance(event, MappingStartEvent)
        self._check_tag(event, event.tag, "map")
        return self._mapping(event, depth)

    def _sequence(self, start: Event, depth: int) -> tuple[list[Value], Spot]:
        values: list[Value] = []
        spots: list[Spot] = []
        while not isinstance(event := next(self._events), SequenceEndEvent):
            value, spot = self._node(event, depth + 1)
            values.append(value)
            spots.append(spot)
        return values, Spot(*self._start(start), spots)

    def _mapping(self, start: Event, depth: int) -> tuple[dict[Key, Value], Spot]:
        values: dict[Key, Value] = {}
        spots: dict[Key, Spot] = {}
        keys: dict[Key, tuple[int, int]] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._key(event, depth)
            value, spot = self._node(next(self._events), depth + 1)
            if key is None:
                continue
            if key in values:
                line, column = keys[key]
                first = f"first in line {line + 1}, column {column + 1}"
                message = f"the key {quoted(key)} stands twice: {first}"
                self._note("duplicate-key", message, event, "keep one of the two")
                continue
            values[key], spots[key] = value, spot
            keys[key] = self._start(event)
        return values, Spot(*self._start(start), spots, keys)

    def _key(self, event: Event, depth: int) -> Key | None:
        """The key, or None if it is refused (and noted)."""
        if isinstance(event, ScalarEvent) and event.value == "<<" and event.implicit[0]:
            hint = "write the keys out, or use `like:` where it may stand"
            self._note("merge-key", "merge keys (<<) are not read", event, hint)
            self._count(event, 1, 0)
            return None
        known = len(self.problems)
        key, _ = self._node(event, depth + 1)
        if isinstance(key, str | int | float) and not isinstance(key, bool):
            return key
        if len(self.problems) == known:  # else the key's own fault was noted
            what = "true or false" if isinstance(key, bool) else "empty"
            what = "a list or mapping" if isinstance(key, list | dict) else what
            hint = "put it in quotes if it is a text" if isinstance(key, bool) else "keys are names"
            if isinstance(event, MappingStartEvent):
                hint = 'if an expression is meant: "${name}" in quotes, or $(name)'
            self._note("bad-key", f"a key is {what}", event, hint)
        return None

    def _scalar(self, event: ScalarEvent) -> scalars.Scalar:
        text: str = event.value
        self._count(event, 0, len(text))
        if len(text) > scalars.LONGEST_TEXT:
            message = f"a text of {len(text)} letters (65,536 are read)"
            self._note("too-long", message, event, "shorten it; is a quote not closed?")
            return None
        tag = event.tag
        try:
            if tag is None:
                return scalars.resolve(text) if event.implicit[0] else text
            if tag == "!":
                return text
            if tag.startswith(_CORE):
                return scalars.tagged(text, event.style in (None, ""), tag.removeprefix(_CORE))
            self._custom(event, tag)
        except scalars.Refused as fault:
            self._note(fault.code, fault.message, event, fault.hint)
        return None

    def _alias(self, event: AliasEvent, depth: int) -> tuple[Value, Spot]:
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            hint = "write some out, or define the value once and name it"
            self._stop("too-many-aliases", f"more than {MAX_ALIASES:,} aliases", event, hint)
        line, column = self._start(event)
        name = event.anchor or ""
        anchor = self._anchors.get(name)
        if anchor is None:
            if name in self._anchors:
                hint = "write out there what is meant: a value cannot stand within itself"
                message = f"{quoted('*' + name)} holds itself"
                self._note("recursive-alias", message, event, hint)
            else:
                near = nearest(name, self._anchors)
                hint = f"did you mean {quoted('*' + near)}?" if near else _NO_ANCHOR
                self._note("unknown-alias", f"no anchor {quoted('&' + name)} above", event, hint)
            return None, Spot(line, column)
        self._count(event, anchor.values - 1, anchor.letters)
        spot = anchor.spot._replace(line=line, column=column)
        return self._copy(anchor.value, event, depth), spot

    def _copy(self, value: Any, event: Event, depth: int) -> Value:
        if not isinstance(value, list | dict):
            return value  # type: ignore[no-any-return]
        if depth >= MAX_DEPTH:
            self._stop("too-deep", f"nested more than {MAX_DEPTH} deep", event, TOO_DEEP)
        if isinstance(value, list):
            return [self._copy(part, event, depth + 1) for part in value]
        return {key: self._copy(part, event, depth + 1) for key, part in value.items()}

    def _check_tag(self, event: Event, tag: str | None, plain: str) -> None:
        if tag is not None and tag not in ("!", _CORE + plain):
            self._custom(event, tag)

    def _custom(self, event: Event, tag: str) -> None:
        shown = "!!" + tag.removeprefix(_CORE) if tag.startswith(_CORE) else tag
        self._note("custom-tag", f"the tag {quoted(shown)} is not read", event, "leave it out")

    def _count(self, event: Event, values: int, letters: int) -> None:
        self._values += values
        self._letters += letters
        if self._values > MAX_VALUES or self._letters > MAX_LETTERS:
            message = f"more than {MAX_VALUES:,} values, or 8 MiB of text, with aliases written out"
            hint = "fewer aliases of large parts; `each` runs the same steps for many items"
            self._stop("too-many-values", message, event, hint)

    def _note(self, code: str, message: str, event: Event, hint: str = "") -> None:
        line, column = self._start(event)
        place = Place(self._file, line + 1, column + 1)
        self.problems.append(Problem(code, message, place, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            raise Stopped

    def _stop(self, code: str, message: str, event: Event, hint: str = "") -> NoReturn:
        self._note(code, message, event, hint)
        raise Stopped

    def _start(self, event: Event) -> tuple[int, int]:
        mark: Any = event.start_mark
        return self._lines.at(mark.line, mark.column, mark.index)
