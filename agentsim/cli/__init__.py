"""The command line. Importing it loads nothing; `--version` and `--help` import no command."""

from __future__ import annotations

import contextlib
import errno
import io
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code (see `exits`); `None` takes what was typed."""
    try:
        return _main(list(sys.argv[1:] if arguments is None else arguments))
    except BaseException as fault:
        from agentsim.cli import stops

        if (code := stops.tell(fault)) is None:
            raise
        return code


class _Closed(io.TextIOBase):
    """What stands for a standard stream that the caller has closed: nobody can be told there."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "it is closed")


def _main(given: list[str]) -> int:
    sys.stdout = _Closed() if sys.stdout is None else sys.stdout
    sys.stderr = _Closed() if sys.stderr is None else sys.stderr
    if given in (["--version"], ["-V"]):  # answered before click is loaded: it takes 40 ms
        from agentsim import __version__

        with contextlib.suppress(OSError):  # a full disk: told below
            sys.stdout.write(f"agentsim {__version__}\n")
            sys.stdout.flush()
            return 0
    from agentsim.cli.stops import heeded

    with heeded():
        from agentsim.cli.app import start

        return start(given)
