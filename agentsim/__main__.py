"""`python -m agentsim`: the same as the command `agentsim`."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    try:
        from agentsim.cli import main

        code = main()
    except KeyboardInterrupt:  # before `main` could answer to it
        sys.stderr.write("interrupted\n")
        code = 130
    sys.exit(code)
