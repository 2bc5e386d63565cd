"""The command line. Importing it loads nothing; `--version` and `--help` import no command."""

from __future__ import annotations

import contextlib
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


def _main(given: list[str]) -> int:
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
