"""What ends a command from outside: Ctrl-C, SIGTERM, SIGHUP. Imports nothing that takes long."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

SAID = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}
"""Signal -> what is said when it ended us. Not every system has each of them."""

SAME = 1.0  # seconds after the first signal in which more mean the same (`timeout` sends two)
LOOK = 0.1  # seconds between looks at whether what was raised is still on its way
PATIENCE = 5.0  # seconds for cleaning up, then the end comes without it


class Stopped(BaseException):
    """Raised by a signal; no KeyboardInterrupt, which click would tell in its own words."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextlib.contextmanager
def heeded() -> Iterator[None]:
    """Signals that would end the process raise `Stopped`, so that it cleans up behind itself.

    What somebody else has chosen (`nohup` ignores SIGHUP) stays; so does all in a side thread.
    """
    before = {}
    handler = _Handler()
    hook = sys.unraisablehook

    def quietly(lost: sys.UnraisableHookArgs) -> None:
        """A stop within a callback of the import machinery is raised again: no word about it."""
        if not issubclass(lost.exc_type, Stopped):
            hook(lost)

    try:
        sys.unraisablehook = quietly
        with contextlib.suppress(ValueError):  # signals belong to the main thread
            for name in SAID:
                number = getattr(signal, name, None)
                if number and signal.getsignal(number) in _UNTOUCHED:
                    before[number] = signal.signal(number, handler)
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
        handler.rest()
        sys.unraisablehook = hook


_UNTOUCHED = (signal.SIG_DFL, signal.default_int_handler)


class _Handler:
    """The first signal raises; the end comes even where what it raised is caught on its way.

    Modules that try an import without saying which exception they expect swallow it silently.
    """

    def __init__(self) -> None:
        self._first: float | None = None
        self._raised: Callable[[], Stopped | None] = lambda: None

    def __call__(self, number: int, _: FrameType | None) -> None:
        if self._first is None:
            self._first = time.monotonic()
            if hasattr(signal, "setitimer"):
                signal.signal(signal.SIGALRM, lambda *_: self._look(number))
                signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)
            self._raise(number)
        elif time.monotonic() - self._first >= SAME:
            os._exit(128 + number)  # workers see that we are gone

    def _raise(self, number: int) -> NoReturn:
        stop = Stopped(number)
        self._raised = weakref.ref(stop)
        try:
            raise stop
        finally:
            del stop  # else this frame, in its own traceback, would keep it alive

    def _look(self, number: int) -> None:
        """Raises again what nobody holds any longer; ends all where cleaning up takes too long."""
        assert self._first is not None
        if time.monotonic() - self._first >= PATIENCE:
            os._exit(128 + number)
        if self._raised() is None:
            self._raise(number)

    def rest(self) -> None:
        if self._first is not None and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)


def tell(fault: BaseException) -> int | None:
    """Says on stderr what stopped us; the exit code, or None if no stop is behind `fault`."""
    number = _number(fault)
    if number is None:
        return None
    if hasattr(signal, "setitimer"):  # it has arrived: nobody need look whether it got lost
        signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        sys.stderr.write(SAID[signal.Signals(number).name] + "\n")
        sys.stderr.flush()
    except OSError:  # the terminal hung up; what is left must not fail the interpreter's end
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return 128 + number


def _number(fault: BaseException) -> int | None:
    """The signal behind `fault`, however deep: Python 3.11 wraps what is raised in a class body."""
    seen: set[int] = set()
    todo: list[BaseException | None] = [fault]
    while todo:
        link = todo.pop()
        if link is None or id(link) in seen:
            continue
        if isinstance(link, Stopped):
            return link.number
        if isinstance(link, KeyboardInterrupt):
            return int(signal.SIGINT)
        seen.add(id(link))
        todo += [link.__context__, link.__cause__]
    return None
