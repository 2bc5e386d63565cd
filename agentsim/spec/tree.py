"""What was read from a file: plain data, and beside it the place of every value and key."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from agentsim.errors import Place

Key: TypeAlias = str | int | float
Value: TypeAlias = bool | int | float | str | list[Any] | dict[Any, Any] | None
Path: TypeAlias = tuple[str | int, ...]

# What YAML 1.2 and editors count as the end of a line; its library and str.splitlines know more.
_LINE_END = re.compile("\r\n|[\r\n]")


class Lines:
    """Where lines of a text begin, for places of the YAML library, which counts some too many.

    Looked at only where a text holds one of the signs that end a line for the library alone.
    """

    def __init__(self, text: str) -> None:
        self._starts: list[int] | None = None
        if _MORE_ENDS.search(text):
            self._starts = [0, *(found.end() for found in _LINE_END.finditer(text))]

    def at(self, line: int, column: int, index: int) -> tuple[int, int]:
        """Line and column, from 0, of a mark with these figures; `index` counts letters."""
        if self._starts is None:
            return line, column
        row = bisect_right(self._starts, index) - 1
        return row, index - self._starts[row]


_MORE_ENDS = re.compile("[\x85\u2028\u2029]")


def _key(part: str | int, keys: Mapping[Key, object]) -> Key | None:
    """The key that is meant; a checker may hand back the number of a table's key as text."""
    if part in keys:
        return part
    return next((key for key in keys if str(key) == part), None)


class Spot(NamedTuple):
    """Where a value begins (counted from 0, as the YAML library does), and its inner spots."""

    line: int
    column: int
    parts: dict[Key, Spot] | list[Spot] | None = None
    keys: dict[Key, tuple[int, int]] | None = None
    file: str | None = None
    """Where it stands in another file than what is around it: included."""

    def inner(self, part: str | int) -> Spot | None:
        """The spot of one key or index, or None where there is none."""
        parts: Any = self.parts  # mypy loses the type of a tuple that holds itself
        found: Spot | None = None
        if isinstance(parts, dict):
            key = _key(part, parts)
            found = None if key is None else parts[key]
        elif isinstance(parts, list) and isinstance(part, int) and 0 <= part < len(parts):
            found = parts[part]
        return found


@dataclass(frozen=True)
class Tree:
    """`value` is plain data: dict, list, str, int, float, bool, None; nothing in it is shared.

    `filled`: expressions were filled in before; only strings of the type `expressions.Waiting`
    are still to be filled.
    """

    value: Value
    file: str
    text: str
    root: Spot
    filled: bool = False

    @property
    def mapping(self) -> dict[Any, Any]:
        """The value where it is a mapping; else an empty one."""
        return self.value if isinstance(self.value, dict) else {}

    @cached_property
    def lines(self) -> Sequence[str]:
        """The lines of the whole file, for an excerpt."""
        return _LINE_END.split(self.text)

    def place(self, path: Path = ()) -> Place:
        """Where the value at `path` begins; for a path that does not exist, its nearest parent.

        An aliased value stands where the alias is written; what is inside it, where it is
        written itself (at the anchor), since there it has to be mended.
        """
        spot, _, file = self._reach(path)
        return Place(file, spot.line + 1, spot.column + 1)

    def key_place(self, path: Path) -> Place:
        """Where the last key of `path` is written in its mapping; for a list, its element."""
        parent, missing, file = self._reach(path[:-1])
        if path and not missing and parent.keys is not None:
            key = _key(path[-1], parent.keys)
            if key is not None:
                line, column = parent.keys[key]
                return Place(file, line + 1, column + 1)
        return self.place(path)

    def spot(self, path: Path) -> Spot:
        """Where the value at `path` begins, with what is inside it."""
        spot, missing, file = self._reach(path)
        return Spot(spot.line, spot.column, file=file) if missing else spot

    def sub(self, path: Path) -> Tree:
        """The tree below `path`, with its places. KeyError or IndexError if it does not exist."""
        value: Any = self.value
        for part in path:
            value = value[part]
        spot, missing, file = self._reach(path)
        root = Spot(spot.line, spot.column) if missing else spot
        return Tree(value, file, self.text, root, self.filled)

    def _reach(self, path: Path) -> tuple[Spot, bool, str]:
        """(the nearest spot, whether it is only a parent's, the file in which it stands)."""
        spot, file = self.root, self.file
        for part in path:
            inner = spot.inner(part)
            if inner is None:
                return spot, True, file
            spot = inner
            file = spot.file or file
        return spot, False, file
