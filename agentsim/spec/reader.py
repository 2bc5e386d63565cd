"""Strict YAML, with the place of every value: `read(text, file) -> Tree`.

PyYAML scans and parses (C-backed where it can be); what its events mean is decided in `document`,
so that no file, however written, takes long or much memory. All that is wrong is raised together;
a fault of syntax or a broken limit ends the reading.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import yaml
from yaml.events import Event

from agentsim.errors import Place, Problem, Problems
from agentsim.spec.document import MAX_DEPTH, TOO_DEEP, Builder, Stopped
from agentsim.spec.problems import quoted, refuse, visible
from agentsim.spec.tree import Lines, Spot, Tree, Value

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML built without libyaml: slower, the same marks
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

MAX_BYTES = 1024 * 1024
_NAME_A_FILE = "name a file of text that is there and may be read"
_NOT_YAML = (
    "two spaces an indent, a space after each colon; `agentsim init` writes one that is right"
)
# YAML's printable characters, less DEL and the byte order mark.
_REFUSED = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_HINTS = (
    ("mapping values", "a text that holds a colon and a space must be in quotes"),
    ("cannot start any token", "a text that begins with this sign must be in quotes"),
    ("end of stream", "a quote or bracket is not closed"),
    ("expected ',' or", "a bracket is not closed, or a comma is missing"),
    ("<document start>", "something stands behind the end of a value: a bracket, a quote?"),
    ("block", "lines of one list or mapping begin in the same column"),
    ("could not find expected ':'", "a key is followed by a colon and a space"),
)


def read_file(path: str | os.PathLike[str]) -> Tree:
    """The tree of a file. Raises `Problems`, also for a file that is missing or cannot be read."""
    file = os.fspath(path)
    shown = visible(file)
    start = Place(shown, 1, 1)
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):
            what = "a folder" if os.path.isdir(file) else "not a regular file"
            raise Problems(
                [Problem("file-unreadable", f"{quoted(shown)} is {what}", start, _NAME_A_FILE)]
            )
        with Path(file).open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        message = f"no file {quoted(shown)}"
        raise Problems([Problem("file-missing", message, start, _NAME_A_FILE)]) from None
    except (OSError, ValueError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else str(fault)
        message = f"cannot read {quoted(shown)}: {why}"
        raise Problems([Problem("file-unreadable", message, start, _NAME_A_FILE)]) from None
    return read(_decoded(data, shown), shown)


def told_apart(tree: Tree, has: str, other: str, message: str, hint: str) -> None:
    """Raises one problem where a file is of the other kind: it has `other` and not `has`.

    Each of its keys would be an unknown one else, and none of these problems would say why.
    """
    if other in tree.mapping and has not in tree.mapping:
        raise Problems([Problem("other-kind", message, tree.key_place((other,)), hint)])


def _decoded(data: bytes, file: str) -> str:
    _check_size(len(data), file)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as fault:
        before = data[: fault.start].decode("utf-8")
        message = f"not UTF-8 text: byte {data[fault.start]:#04x}"
        hint = "save the file as UTF-8"
        raise Problems(
            [Problem("bad-encoding", message, _place_in(before, len(before), file), hint)]
        ) from None


def read(text: str, file: str) -> Tree:
    """The tree of `text`; `file` is the name used in places. Raises `Problems`.

    An empty text is the value None.
    """
    _check_size(len(text), file)
    _check_characters(text, file)
    _check_size(len(text.encode("utf-8")), file)
    starts = Lines(text)
    builder = Builder(file, starts)
    value: Value = None
    spot = Spot(0, 0)
    try:
        value, spot = builder.document(_events(text))
    except Stopped:
        pass
    except yaml.MarkedYAMLError as fault:
        builder.problems.append(_syntax(fault, text, file, starts))
    except yaml.YAMLError as fault:
        builder.problems.append(
            Problem("yaml-syntax", f"not YAML: {fault}", Place(file, 1, 1), _NOT_YAML)
        )
    refuse(builder.problems)
    return Tree(value, file, text, spot)


def _check_size(size: int, file: str) -> None:
    if size > MAX_BYTES:
        message = "the file is larger than 1 MiB"
        hint = "split it: `include: part.yaml` takes the steps of another file"
        raise Problems([Problem("file-too-large", message, Place(file, 1, 1), hint)])


def _check_characters(text: str, file: str) -> None:
    found = _REFUSED.search(text)
    if found is None:
        return
    place = _place_in(text, found.start(), file)
    if found[0] == "\ufeff":
        problem = Problem("bad-encoding", "a byte order mark", place, "save as UTF-8 without BOM")
    elif found[0] == "\0":
        hint = "it is a binary file, or UTF-16; save it as UTF-8"
        problem = Problem("bad-character", "a NUL character", place, hint)
    else:
        message = f"a character that is no text: U+{ord(found[0]):04X}"
        problem = Problem("bad-character", message, place, "delete it, or write it as a word")
    raise Problems([problem])


def _place_in(text: str, at: int, file: str) -> Place:
    lines = Tree(None, file, text[:at], Spot(0, 0)).lines
    return Place(file, len(lines), len(lines[-1]) + 1)


def _events(text: str) -> Iterator[Event]:
    loader = _Loader(text)
    try:
        while (event := loader.get_event()) is not None:
            yield event
    finally:
        loader.dispose()


def _syntax(fault: yaml.MarkedYAMLError, text: str, file: str, starts: Lines) -> Problem:
    mark = fault.problem_mark or fault.context_mark
    row, column = starts.at(mark.line, mark.column, mark.index) if mark else (0, 0)
    place = Place(file, row + 1, column + 1)
    what = fault.problem or fault.context or "unknown fault"
    context = f" ({fault.context})" if fault.context and fault.problem else ""
    lines = Tree(None, file, text, Spot(0, 0)).lines
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    hint = next((hint for part, hint in _HINTS if part in what + context), _NOT_YAML)
    if line[place.column - 1 : place.column] == "\t":
        hint = "indent with spaces, not tabs"
    if "${" in line:
        hint = 'inside braces or brackets write $(name), or quote it: "${name}"'
    if "nesting depth" in what:  # the library's own limit, when it looks far ahead
        return Problem("too-deep", f"nested more than {MAX_DEPTH} deep", place, TOO_DEEP)
    return Problem("yaml-syntax", f"not YAML: {what}{context}", place, hint)
