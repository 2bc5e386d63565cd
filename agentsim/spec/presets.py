"""The presets that ship: definitions in the format itself, each value with its source and range.

coder:
  is:  {turns: {p50: 22, p90: 60}, ...}
  why: {turns: {source: "...", range: [low, high]}, ...}
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from agentsim.spec.reader import read
from agentsim.spec.tree import Tree

KINDS = ("agents", "tools", "people", "sizes", "harnesses")


@dataclass(frozen=True, slots=True)
class Why:
    """Where a preset's value comes from, and the span that a sensitivity check tries."""

    source: str
    low: Any = None
    high: Any = None


@dataclass(frozen=True, slots=True)
class Preset:
    """One entry: its fields as anyone would write them, and why they are what they are."""

    name: str
    fields: dict[str, Any]
    why: dict[str, Why]
    tree: Tree


def preset(kind: str, name: str) -> Preset | None:
    """The preset of this kind (one of `KINDS`) and name, if there is one."""
    return _all(kind).get(name)


def names(kind: str) -> tuple[str, ...]:
    """All presets of a kind."""
    return tuple(_all(kind))


@cache
def _all(kind: str) -> dict[str, Preset]:
    file = resources.files("agentsim.spec").joinpath("presets", f"{kind}.yaml")
    tree = read(file.read_text("utf-8"), f"presets/{kind}.yaml")
    assert isinstance(tree.value, dict)
    return {name: _preset(name, entry, tree) for name, entry in tree.value.items()}


def _preset(name: str, entry: dict[str, Any], tree: Tree) -> Preset:
    why = {
        field: Why(note["source"], *note.get("range", (None, None)))
        for field, note in entry.get("why", {}).items()
    }
    return Preset(name, entry["is"], why, tree)
