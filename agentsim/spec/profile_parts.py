"""A hardware profile while it is read: its parts as written or as models, and what is wrong."""

from __future__ import annotations

from typing import Any, TypeVar

from agentsim.errors import Problem
from agentsim.spec.idle import without_empty
from agentsim.spec.model import At, Model, check
from agentsim.spec.profile import LATER
from agentsim.spec.tree import Path, Tree

M = TypeVar("M", bound=Model)


class Parts:
    """One reading of one file: notes every problem in `problems` and goes on."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.empty = without_empty(tree)
        self.problems: list[Problem] = []

    def raw(self, *path: str) -> dict[Any, Any]:
        """The mapping at `path` as written; empty where there is none."""
        value: Any = self.tree.value
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}

    def part(self, model: type[M], inside: str, *path: str | int) -> M | None:
        """The part of the file at `path`, checked; None where it is absent or wrong."""
        value: Any = self.tree.value
        for part in path:
            if isinstance(value, dict) and part not in value:
                return None
            if not isinstance(value, dict | list):
                return None  # told where that part itself is checked
            value = value[part]  # type: ignore[index]
        later = LATER.get("limits" if "limits" in path else str(path[-1]) if path else "", {})
        return check(model, value, At(self.tree, path), self.problems.append, inside, later)

    def bad(self, path: Path, message: str, hint: str = "", at_key: bool = False) -> None:
        self.wrong("bad-value", path, message, hint=hint, at_key=at_key)

    def wrong(
        self, code: str, path: Path, message: str, hint: str = "", at_key: bool = False
    ) -> None:
        place = self.tree.key_place(path) if at_key else self.tree.place(path)
        self.problems.append(Problem(code, message, place, hint))
