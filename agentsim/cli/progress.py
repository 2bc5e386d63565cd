"""A line on stderr that says how far a long command is; nothing where stderr is no terminal."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator

Told = Callable[[str, int, int], None]
"""(what is being done, how many are done, of how many)."""

PATIENCE = 0.5  # seconds without a word: a quick answer should not flicker


@contextlib.contextmanager
def progress(colour: bool = True) -> Iterator[Told | None]:
    """Gives a callback to tell how far the work is, or None if nobody would see it.

    NO_COLOR has the last word on `colour`: rich would not ask it, since it is told.
    """
    if not sys.stderr.isatty():
        yield None
        return
    shown = _Shown(colour and not os.environ.get("NO_COLOR"))
    try:
        yield shown.tell
    finally:
        shown.stop()


class _Shown:
    """A rich progress line that is made only when the work takes longer than `PATIENCE`."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour
        self._began = time.monotonic()
        self._stop: Callable[[], None] | None = None
        self._update: Callable[[str, int, int], None] | None = None

    def tell(self, what: str, done: int, total: int) -> None:
        if self._update is None:
            if time.monotonic() - self._began < PATIENCE:
                return
            self._open()
        assert self._update is not None
        self._update(what, done, total)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        console = Console(stderr=True, no_color=not self._colour, markup=False, emoji=False)
        columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()
        line = Progress(*columns, console=console, transient=True)
        line.start()
        self._stop = line.stop

        def update(what: str, done: int, total: int) -> None:
            shown = line.tasks[0] if line.tasks else None
            if shown is not None and shown.description == what:
                line.update(shown.id, completed=done, total=total or None)
                return
            if shown is not None:  # what follows has a length of its own
                line.remove_task(shown.id)
            line.add_task(what, completed=done, total=total or None)

        self._update = update

    def stop(self) -> None:
        if self._stop is not None:
            self._stop()
