"""What bound the run: the largest group of the breakdown, and one plain sentence about it.

All that one person's part takes is one group (noticing, waiting for them, switching, work, off
hours), and so are all tools together and every pool and limit by itself. `kind` is the largest
single part within the group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agentsim.analysis.findings import Bottleneck, PersonFindings, ServerFindings
from agentsim.analysis.words import counted, listed, number, percent
from agentsim.records import PEOPLE, Part

Where = Mapping[tuple[Part, str], float]
"""Seconds on the critical path of the mean run, by part and by what they were spent at."""

_BY_NAME = frozenset((Part.POOL_WAIT, Part.CAP_WAIT))
_MENTIONED = 0.05
"""A person's part is named in the sentence from this share of their group on."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Parts that are one limit: the largest first, its share, and what was spent at what."""

    part: Part
    what: str
    share: float
    parts: Mapping[tuple[Part, str], float]
    servers: Mapping[str, ServerFindings]
    people: Mapping[str, PersonFindings]


def bottleneck(
    where: Where,
    wall: float,
    servers: Mapping[str, ServerFindings],
    people: Mapping[str, PersonFindings],
) -> Bottleneck:
    """The largest group of `where`; of equal ones the first in the order of the parts."""
    groups: dict[tuple[str, str], dict[tuple[Part, str], float]] = {}
    for (part, what), time in sorted(where.items()):
        if time > 0:
            groups.setdefault(_group_of(part, what), {})[part, what] = time
    if not groups or wall <= 0:
        return Bottleneck(Part.OTHER.label, "", 0.0, "Nothing takes any time.")
    parts = max(groups.values(), key=lambda group: sum(group.values()))
    part, what = max(parts, key=lambda key: parts[key])
    group = _Group(part, what, min(1.0, sum(parts.values()) / wall), parts, servers, people)
    sentence = _person if part in PEOPLE else _SENTENCES[part]
    return Bottleneck(part.label, what, group.share, sentence(group))


def _group_of(part: Part, what: str) -> tuple[str, str]:
    if part in PEOPLE:
        return "person", what
    return part.label, what if part in _BY_NAME else ""


def _person(group: _Group) -> str:
    """`You are the limit: 65 % of the time is you noticing and reading 225 lines.`"""
    name = group.what
    time = sum(group.parts.values())
    lines = group.people[name].lines if name in group.people else 0.0
    work = f"reading {counted(lines, 'line')}" if lines >= 0.5 else "at work"
    doing = {
        Part.PICKUP: "noticing",
        Part.PERSON_WAIT: "being busy with something else",
        Part.SWITCHING: "switching",
        Part.PERSON_WORK: work,
        Part.OFF_HOURS: "being off hours",
    }
    said = [
        words
        for part, words in doing.items()
        if group.parts.get((part, name), 0.0) >= _MENTIONED * time
    ]
    subject = "You are" if name == "you" else f"{name} is"
    return f"{subject} the limit: {percent(group.share)} of the time is {name} {listed(said)}."


def _decode(group: _Group) -> str:
    server = group.servers.get(group.what)
    rate = server.tok_s_stream if server else None
    speed = f" at {number(rate)} tok/s" if rate else ""
    return f"Decoding is the limit: {percent(group.share)} of the time{speed}{_mostly(group)}."


def _tool(group: _Group) -> str:
    if len(group.parts) == 1:
        return f"Tools are the limit: {percent(group.share)} of the time is {group.what}."
    return f"Tools are the limit: {percent(group.share)} of the time{_mostly(group)}."


def _mostly(group: _Group) -> str:
    """Where several names stand behind a group, the one with the most."""
    return f", most of it {group.what}" if len(group.parts) > 1 else ""


def _plain(subject: str, tail: str) -> Callable[[_Group], str]:
    """A sentence with the share, and `{}` for what the time was spent at."""

    def sentence(group: _Group) -> str:
        first = subject.replace("{}", group.what)
        last = tail.replace("{}", group.what)
        return f"{first} the limit: {percent(group.share)} of the time{last}{_mostly(group)}."

    return sentence


_SENTENCES: Mapping[Part, Callable[[_Group], str]] = {
    Part.DECODE: _decode,
    Part.PREFILL: _plain("Reading prompts is", ""),
    Part.LATENCY: _plain("The first token is", " is waiting for it"),
    Part.SLOT_WAIT: _plain("Slots are", " is waiting for a free one"),
    Part.QUOTA_WAIT: _plain("The quota is", " is waiting for it"),
    Part.RETRY: _plain("Failing and trying again is", " is waiting before a further try"),
    Part.MODEL_LOAD: _plain("Loading models is", ""),
    Part.COMPACTION: _plain("Compacting sessions is", ""),
    Part.TOOL: _tool,
    Part.POOL_WAIT: _plain("{} is", " is waiting for it"),
    Part.CAP_WAIT: _plain("The cap on {} is", " is waiting for a place under it"),
    Part.MERGE: _plain("Merging is", ""),
    Part.WAIT: _plain("Waiting is", " are the waits that the workflow asks for"),
    Part.OTHER: _plain("Other time is", ""),
}
