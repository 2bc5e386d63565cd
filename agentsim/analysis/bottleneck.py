"""What bound the run: the largest group of the breakdown, and one plain sentence about it.

All that one person's part takes is one group (noticing, waiting for them, switching, work, off
hours), and so are all tools together and every pool by itself. What was waited for a place of a
capped `each` belongs to the cap, or to what those in its places wait for themselves: see
`_cause`. `kind` is the largest single part within the group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentsim.analysis.findings import Bottleneck, PersonFindings
from agentsim.analysis.words import SLIVER, counted, listed, percent
from agentsim.records import PEOPLE, WAITS, Part

Key = tuple[Part, str]
Where = Mapping[Key, float]
"""Seconds on the critical path of the mean run, by part and by what they were spent at."""

Behind = Mapping[str, Where]
"""For the path of each capped `each`: how long somebody in its places waited for what while others
waited for a place; under (`CAP_WAIT`, its own path) how long others did. Any unit of time."""

_BY_NAME = frozenset((Part.POOL_WAIT, Part.CAP_WAIT))
_MOSTLY = 0.5
"""A cap gives way to what is waited for in its places for more than this share of that time."""

_NAMED = 3  # names in a list; the rest are counted


def bottleneck(
    where: Where,
    wall: float,
    people: Mapping[str, PersonFindings],
    behind: Behind | None = None,
) -> Bottleneck:
    """The largest group of `where`; of equal ones waiting before work, then the parts' order.

    `share` is that of the rows that the sentence names, `rows`: rows of "where the average goes"
    that are no slivers.
    """
    groups: dict[tuple[str, str], list[Key]] = {}
    for key, time in sorted(where.items()):
        if time > 0:
            groups.setdefault(_group_of(*_cause(key, behind or {})), []).append(key)
    if not groups or wall <= 0:
        return Bottleneck(Part.OTHER.label, "", 0.0, "Nothing takes any time.")
    found = max(groups.values(), key=lambda keys: _size(keys, where))
    causes = {key: _cause(key, behind or {}) for key in found}
    own = [key for key in found if causes[key] == key]
    part, what = max(own, key=lambda key: where[key], default=causes[found[0]])
    rows = sorted(
        [key for key in found if where[key] >= SLIVER * wall] or found, key=lambda key: -where[key]
    )
    share = min(1.0, sum(where[key] for key in rows) / wall)
    sentence = _sentence(_Group(part, what, share, rows, people))
    named = tuple((part.label, what) for part, what in rows)
    return Bottleneck(part.label, what, share, sentence, named)


def _size(keys: Sequence[Key], where: Where) -> tuple[float, bool]:
    """How much a group takes, and whether it only waits: what is waited for is what binds."""
    return sum(where[key] for key in keys), all(part in WAITS for part, _ in keys)


def _cause(key: Key, behind: Behind) -> Key:
    """What a stretch of time is put down to: itself, or what stands behind a cap.

    While items wait for a place, those in the places may wait for something scarce: then one more
    place would be one more in that queue, and the cap binds nothing. So the cap gives way to what
    somebody in its places waits for during more than half of that time, and if that is a cap as
    well, to what stands behind it.
    """
    part, path = key
    inside = behind.get(path, {}) if part is Part.CAP_WAIT else {}
    full = inside.get(key, 0.0)
    others = sorted(other for other in inside if other != key)
    most = max(others, key=lambda other: inside[other], default=key)
    if most == key or inside[most] <= _MOSTLY * full:
        return key
    # caps behind stand inside this `each`, so this ends
    return _cause(most, {it: own for it, own in behind.items() if it != path})


def _group_of(part: Part, what: str) -> tuple[str, str]:
    if part in PEOPLE:
        return "person", what
    return part.label, what if part in _BY_NAME else ""


@dataclass(frozen=True, slots=True)
class _Group:
    """What is one limit: its largest part, and the rows that are named, the largest first."""

    part: Part
    what: str
    share: float
    rows: Sequence[Key]
    people: Mapping[str, PersonFindings]

    @property
    def caps(self) -> list[str]:
        """The paths of the caps whose waits are put down to something else."""
        if self.part is Part.CAP_WAIT:
            return []
        return [what for part, what in self.rows if part is Part.CAP_WAIT]


def _sentence(group: _Group) -> str:
    name = group.what
    if group.part in PEOPLE:
        subject = "You are" if name == "you" else f"{name} is"
        told = _person(group)
    else:
        first, told = _SENTENCES[group.part]
        subject = first.replace("{}", name)
        told = told.replace("{}", name)
        if group.part is Part.TOOL:
            told = f" is {listed([what for _, what in group.rows], _NAMED)}"
        else:
            told = _capped(group, told)
    return f"{subject} the limit: {percent(group.share)} of the time{told}."


def _capped(group: _Group, told: str) -> str:
    """What the time is, of a wait for something that stands behind caps too."""
    names = [what for part, what in group.rows if part is not Part.CAP_WAIT or not group.caps]
    several = f" ({listed(names, _NAMED)})" if len(names) > 1 else ""
    if not group.caps:
        return f"{told}{several}"
    place = f"for a place under the cap on {listed(group.caps, _NAMED)}, whose holders wait for"
    it = _SCARCE[group.part].replace("{}", group.what)
    return f"{told}{several} or {place} it" if names else f" is waiting {place} {it}"


def _person(group: _Group) -> str:
    """` is you noticing and reading 225 lines`: every part of theirs that is a row."""
    name = group.what
    doing = {
        Part.PICKUP: "noticing",
        Part.PERSON_WAIT: "being busy with other items",
        Part.SWITCHING: "switching",
        Part.PERSON_WORK: _work(group.people.get(name)),
        Part.OFF_HOURS: "being off hours",
    }
    named = {part for part, _ in group.rows}
    said = [words for part, words in doing.items() if part in named]
    told = [f"{name} {listed(said)}"] if said else []
    if group.caps:
        caps = listed(group.caps, _NAMED)
        told.append(f"waiting for a place under the cap on {caps}, whose holders wait for {name}")
    return f" is {', and '.join(told)}"


def _work(person: PersonFindings | None) -> str:
    """What a person does at work, with how much of it there is in a run."""
    read = []
    if person is not None:
        read = [
            counted(amount, noun)
            for amount, noun in ((person.lines, "line"), (person.words, "word"))
            if amount >= 0.5
        ]
    if person is not None and person.reading and not read:
        return "reading"  # cut short before there was a line, or nothing but the fixed part
    return f"reading {listed(read)}" if read else "at work"


# part -> (who is the limit, what the time is); `{}` is what it was spent at
_SENTENCES: Mapping[Part, tuple[str, str]] = {
    Part.DECODE: ("Decoding is", ""),
    Part.PREFILL: ("Reading prompts is", ""),
    Part.LATENCY: ("The first token is", " is waiting for it"),
    Part.SLOT_WAIT: ("Slots are", " is waiting for one"),
    Part.QUOTA_WAIT: ("The quota is", " is waiting for it"),
    Part.RETRY: ("Failing and trying again is", " is waiting before a further try"),
    Part.MODEL_LOAD: ("Loading models is", ""),
    Part.COMPACTION: ("Compacting sessions is", ""),
    Part.TOOL: ("Tools are", ""),
    Part.POOL_WAIT: ("{} is", " is waiting for it"),
    Part.CAP_WAIT: ("The cap on {} is", " is waiting for a place under it"),
    Part.MERGE: ("Merging is", ""),
    Part.WAIT: ("Waiting is", " are the waits that the workflow asks for"),
    Part.OTHER: ("Other time is", ""),
}

_SCARCE: Mapping[Part, str] = {
    Part.SLOT_WAIT: "a slot",
    Part.QUOTA_WAIT: "the quota",
    Part.POOL_WAIT: "{}",
}
"""What can stand behind a cap, besides people."""
