"""Where results go: stdout or a file, whole or not at all, in the format that was asked for."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentsim.errors import Problem, Problems

if TYPE_CHECKING:
    from agentsim.report.blocks import Document

WIDEST = 120  # columns: a longer line is hard to follow
FORMATS = ("table", "json", "csv", "markdown")


@dataclass(frozen=True, slots=True)
class Output:
    """A result's format and target; `path` None is stdout."""

    format: str = "table"
    path: str | None = None
    no_color: bool = False

    def check(self) -> None:
        """Raises `Problems` now, before a long run, if the target can never be written."""
        if self.path is not None:
            _writable(self.path)

    def show(
        self,
        document: Callable[[], Document],
        data: Callable[[], dict[str, Any]],
        table: Callable[[], str] | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        """Writes the result; only what the format needs is made.

        Warnings stand in each format's text; they are repeated on stderr where that text is for a
        program or goes to a file.
        """
        self.write(self._text(document, data, table))
        if warnings and (self.path is not None or self.format in {"json", "csv"}):
            from agentsim.report.telling import wrapped
            from agentsim.report.text import safe

            told = (wrapped(f"warning: {safe(it)}", told_in()) for it in warnings)
            error("\n".join(told))

    def _text(
        self,
        document: Callable[[], Document],
        data: Callable[[], dict[str, Any]],
        table: Callable[[], str] | None,
    ) -> str:
        match self.format:
            case "json":
                from agentsim.report import json_

                return json_.text(data())
            case "csv" if table is not None:
                return table()
            case "markdown":
                from agentsim.report import markdown

                return markdown.draw(document())
            case "table":
                from agentsim.report import terminal

                return terminal.draw(document(), self.width(), self.colour())
        # a command offers only the forms that it has: this is a fault of ours
        raise ValueError(f"this has no {self.format} form")

    def write(self, text: str) -> None:
        """`text` to the target as it is."""
        if self.path is None:
            put(text)
        else:
            write_whole(self.path, text)

    def _is_read(self) -> bool:
        return self.path is None and _is_terminal(sys.stdout)

    def colour(self) -> bool:
        """Only on a terminal, and only if nobody said no."""
        wanted = not self.no_color and not os.environ.get("NO_COLOR")
        return wanted and os.environ.get("TERM") != "dumb" and self._is_read()

    def room(self) -> int | None:
        """Columns for a row of a table; None where it goes to a file, a pipe or another format.

        What is read later, or by a program, is never cut.
        """
        return self.width() if self.format == "table" and self._is_read() else None

    def width(self) -> int:
        """The terminal's, within reason; 80 for a file or a pipe."""
        return min(shutil.get_terminal_size().columns, WIDEST) if self._is_read() else 80


def put(text: str) -> None:
    """`text` to stdout; a reader that went away (`| head`) is no error.

    Raises `Problems` where it cannot be written: a full disk.
    """
    try:
        _say(sys.stdout, text)
    except OSError as fault:
        raise unwritten(fault) from None


def unwritten(fault: OSError) -> Problems:
    """That stdout cannot be written; what is left for it goes nowhere."""
    _silence(sys.stdout)
    hint = "what it goes to may be full"
    message = f"cannot write to stdout: {fault.strerror or fault}"
    return Problems([Problem("cannot-write", message, hint=hint)])


def told_in() -> int | None:
    """Columns in which stderr is read; None where that is no terminal, and nothing is wrapped."""
    if not _is_terminal(sys.stderr):
        return None
    return min(shutil.get_terminal_size().columns, WIDEST)


def error(text: str) -> None:
    """A line or more to stderr; where that cannot be written there is nobody to tell."""
    try:
        _say(sys.stderr, text.rstrip("\n") + "\n")
    except OSError:
        _silence(sys.stderr)


def _say(stream: Any, text: str) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
    except OSError as fault:
        if fault.errno != errno.EINVAL or os.name != "nt":  # how Windows says broken pipe
            raise
        _silence(stream)


def _silence(stream: Any) -> None:
    """What is left in the buffer goes nowhere: else the interpreter's end fails on it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def write_whole(path: str, text: str) -> None:
    """Puts `text` in place of the file at once: a reader sees the old one or the new one.

    Raises `Problems` where the folder is missing, not writable, or full. A character device is
    written to directly; a link is followed.
    """
    target = _writable(path)
    data = text.encode("utf-8", "backslashreplace")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        _replace(target, data)
    except BrokenPipeError:
        return
    except OSError as fault:
        hint = "make room there, or name another place" if fault.errno == errno.ENOSPC else ""
        raise _cannot(path, fault.strerror or str(fault), hint) from None


def _replace(target: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _mode(target: Path) -> int:
    """The rights that the file has, or that a new one would get."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _writable(path: str) -> Path:
    """The file behind `path`, or `Problems` that say why it cannot be written."""
    if not path:
        raise _cannot(path, "that is no name", "name a file, or leave it out")
    try:
        target = Path(os.path.realpath(path))
        folder = target.parent
        if target.is_dir():
            inside = os.path.join(path, "answer.txt")
            raise _cannot(path, "it is a folder", f"name a file in it, such as {inside}")
        if _is_strange(path):
            hint = "without -o the result goes to stdout, which may be a pipe"
            raise _cannot(path, "it is no regular file", hint)
        if not folder.is_dir():
            raise _cannot(path, f"there is no folder {str(folder)!r}", f"mkdir -p {folder}")
        if target.exists() and not target.is_file():
            return target
        if not os.access(folder, os.W_OK | os.X_OK):
            hint = "name a file in a folder that you may write to"
            raise _cannot(path, f"the folder {str(folder)!r} is not writable", hint)
    except (OSError, ValueError) as fault:
        raise _cannot(path, str(fault)) from None
    return target


def _is_strange(path: str) -> bool:
    """Whether `path` is a pipe, a socket or a disk: to open it may wait for ever, or do harm.

    It is looked at by its own name: behind `/dev/stdout` may be a pipe that has none.
    """
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISCHR(mode))


def _cannot(path: str, why: str, hint: str = "") -> Problems:
    return Problems([Problem("cannot-write", f"cannot write {path!r}: {why}", hint=hint)])
