"""What a command reads must not be what it writes: an answer in place of the workflow."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from agentsim.errors import Problem, Problems


def spare(path: str | None, asked: Mapping[str, Any]) -> None:
    """Raises `Problems` where `path` is a file that is read for `asked`, the command's arguments.

    A link, or another way of writing the path, is seen through. What is not there yet is read by
    nobody, so nothing is looked up then.
    """
    if path is not None and os.path.isfile(path):
        keep(path, _inputs(asked))


def keep(path: str | None, files: Iterable[Path]) -> None:
    """Raises `Problems` where `path` is one of the files."""
    for file in files if path is not None and os.path.isfile(path) else ():
        with contextlib.suppress(OSError):
            if path is not None and os.path.samefile(path, file):
                message = f"cannot write {path!r}: this command reads it"
                hint = "give -o another name, or none to see the result here"
                raise Problems([Problem("cannot-write", message, hint=hint)])


def _inputs(asked: Mapping[str, Any]) -> Iterator[Path]:
    from agentsim.spec.arguments import scalar
    from agentsim.spec.load import Source, workflow_files
    from agentsim.spec.servers import profile_files

    sets: tuple[tuple[str, object], ...] = ()
    with contextlib.suppress(Problems):  # wrong ones are told where they are used
        sets = tuple((name, scalar(text)) for name, text in asked.get("sets", ()))
    files = [*asked.get("files", ()), *([asked["workflow"]] if "workflow" in asked else [])]
    for file in files:
        yield from workflow_files(Source(file, sets=sets))
    machines = asked.get("machines") or (asked.get("hardware", ()),)
    if files:
        yield from (file for machine in machines for file in profile_files(machine))
    if "name" in asked:  # of `hw show`
        yield from profile_files((asked["name"],))
