"""What a command says when it cannot do its work, and the exit code that goes with it."""

from __future__ import annotations

import contextlib
import errno
import platform
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

import agentsim
from agentsim.cli import exits, stops
from agentsim.cli.output import error, put, told_in, unwritten
from agentsim.errors import EngineFault, Place, Problem, Problems

READ = 1 << 20  # bytes of a file that are read for its excerpts; a longer one is refused anyway


def tell(fault: BaseException, as_json: bool = False) -> int | None:
    """Writes what happened to stderr; the exit code, or None for what is none of our business."""
    if (code := stops.tell(fault)) is not None:
        return code
    match fault:
        case Problems(problems=found):
            _problems(found, as_json)
            return exits.USAGE
        case EngineFault():
            told = Problem("cannot-go-on", str(fault), fault.place, fault.hint)
            _problems([told], as_json)
            return exits.USAGE
        case BrokenPipeError():
            return exits.DONE
        case OSError(errno=errno.ENOSPC):
            _problems(unwritten(fault).problems, as_json)
            return exits.USAGE
        case Exception():
            error(_bug(fault))
            return exits.FAULT
    return None


def _problems(found: Sequence[Problem], as_json: bool) -> None:
    from agentsim.report import telling

    if as_json:
        from agentsim.report import json_

        with contextlib.suppress(Problems):  # stdout may be what is wrong
            put(json_.text(json_.problems(found)))
    error(telling.problems(found, excerpts(found), _more(found), told_in()))


def _more(found: Sequence[Problem]) -> str:
    """A code of which `explain` says more than the message; "" where there is none.

    What stands in a file can be looked up; a mistyped word of the command line is plain enough.
    """
    from agentsim.spec.explained import worth_explaining

    return worth_explaining([it.code for it in found if it.place is not None and it.place.line])


def excerpts(found: Sequence[Problem]) -> dict[Place, str]:
    """For each place that can be read: its line with a caret below."""
    from agentsim.spec.problems import excerpt

    places = {problem.place for problem in found if problem.place is not None}
    lines = {file: _lines(file) for file in {place.file for place in places}}
    return {place: text for place in places if (text := excerpt(lines[place.file], place))}


def _lines(file: str) -> list[str]:
    try:
        path = Path(file)
        if not path.is_file():
            return []
        with path.open("rb") as stream:
            text = stream.read(READ).decode("utf-8", "replace")
    except (OSError, ValueError):
        return []
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _bug(fault: Exception) -> str:
    """Writes down what we need to know; the sentences that say where it is."""
    told = "\n".join(
        [
            f"agentsim {agentsim.__version__}",
            f"Python {sys.version.split()[0]} ({platform.python_implementation()})",
            f"{platform.system()} {platform.release()} {platform.machine()}",
            f"arguments: {sys.argv[1:]}",
            "",
            "".join(traceback.format_exception(fault)),
        ]
    )
    head = (
        "agentsim: a fault of ours, not of your file: "
        f"{type(fault).__name__}: {str(fault).splitlines()[0] if str(fault) else ''}"
    ).rstrip(": ")
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="backslashreplace",
            prefix="agentsim-fault-", suffix=".txt", delete=False,
        ) as file:  # fmt: skip
            file.write(told)
    except OSError:
        return f"{head}\n\n{told}\nPlease paste all of this into a bug report."
    return f"{head}\nPlease paste {file.name} into a bug report."
