"""`python -m agentsim`: the same as the command `agentsim`."""

from __future__ import annotations

import sys

from agentsim.cli import main

if __name__ == "__main__":
    sys.exit(main())
