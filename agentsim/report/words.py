"""Plain words for the kinds of time: one row a kind, for all that people read."""

from __future__ import annotations

from types import MappingProxyType

from agentsim.records import PEOPLE, WAITS, Part
from agentsim.report.text import name, safe

# kind -> (without a name, with the name of what it was spent at)
_PARTS = MappingProxyType(
    {
        "decode": ("decode", "decode, {}"),
        "prefill": ("reading the prompt", "reading the prompt, {}"),
        "latency": ("first token", "first token, {}"),
        "slot_wait": ("waiting for a slot", "waiting for a slot, {}"),
        "quota_wait": ("waiting for the quota", "waiting for the quota, {}"),
        "retry": ("waiting to try again", "waiting to try again, {}"),
        "model_load": ("loading the model", "loading the model, {}"),
        "compaction": ("compacting", "compacting, {}"),
        "tool": ("tools", "{}"),
        "pool_wait": ("waiting for a pool", "waiting for {}"),
        "cap_wait": ("waiting under a cap", "waiting, cap on {}"),
        "person_wait": ("waiting for a person", "waiting for {}"),
        "pickup": ("noticing", "{}, noticing"),
        "switching": ("switching", "{}, switching"),
        "person_work": ("people at work", "{}, reading"),
        "off_hours": ("off hours", "{}, off hours"),
        "merge": ("merging", "merging, {}"),
        "wait": ("waiting", "waiting, {}"),
        "other": ("between calls", "{}, between calls"),
    }
)
_INSTEAD = MappingProxyType(
    {
        "memory": ("waiting for memory", "waiting for memory, {}"),
        "model": ("waiting for another model", "another model first, {}"),
    }
)
KINDS = tuple(part.label for part in Part)
"""All kinds of the breakdown, in the order of the answer."""

SLOT_WAIT = Part.SLOT_WAIT.label

WAITING = frozenset(part.label for part in WAITS)
OF_PEOPLE = frozenset(part.label for part in PEOPLE)

_LIMITS = MappingProxyType(
    {"wall": "", "without_people": "without people", "person": "of people", "money": ""}
)

PAID = MappingProxyType({"tokens": "tokens", "rent": "rent", "own": "own machine"})
"""How what a run costs is paid."""


def part(kind: str, what: str = "", reads: bool = True, most: int = 30) -> str:
    """A row's name in "where the average goes": `you, reading`, `tests`, `first token`.

    `reads`: whether there is anything to read in a person's work; else `dev, at work`.
    """
    bare, named = _PARTS.get(kind, (name(kind), f"{name(kind)}, {{}}"))
    if kind == "person_work" and not reads:
        named = "{}, at work"
    return name(named.replace("{}", safe(what)) if what else bare, most)


def instead(waits_for: str, what: str = "", most: int = 30) -> str:
    """The row of those that wait for something else than a slot: for memory, another model."""
    bare, named = _INSTEAD[waits_for]
    return name(named.replace("{}", safe(what)) if what else bare, most)


def lever(text: str) -> str:
    """A lever as people say it: `2x decode`; people are not halved but `you twice as fast`."""
    plain = safe(text)
    if plain.startswith("2x ") and plain.endswith(" at work"):
        return f"{plain.removeprefix('2x ').removesuffix(' at work')} twice as fast"
    return plain


def limit(key: str) -> str:
    """What a budget's limit is of; empty for the wall time and money, whose figures say it."""
    return _LIMITS.get(key, key.replace("_", " "))


def verb(person: str, you: str, other: str) -> str:
    """`You are` and `dev is`: a person's name with the verb that fits it."""
    return f"You {you}" if person == "you" else f"{name(person)} {other}"
