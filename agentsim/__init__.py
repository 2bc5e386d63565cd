"""agentsim: how long agent workflows take, and why.

Importing the package loads nothing else: the parts are imported by those who use them.
"""

from __future__ import annotations

# For type checkers; the value is read when somebody asks (`__getattr__`), since looking it up
# costs more than the rest of this import.
__version__: str


def __getattr__(name: str) -> str:
    """The version of what is installed; of a bare source tree, `0+source`."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("agentsim-planner")
    except PackageNotFoundError:
        return "0+source"
