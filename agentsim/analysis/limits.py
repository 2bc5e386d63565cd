"""The plain sentence about what bound the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from agentsim.analysis.findings import PersonFindings
from agentsim.analysis.where import Key
from agentsim.analysis.words import counted, listed, percent
from agentsim.records import PEOPLE, Part

Instead = Mapping[str, str]
"""By role: what the calls of a server wait for that is no slot, a key of `INSTEAD`."""

_NAMED = 3  # names in a list; the rest are counted


@dataclass(frozen=True, slots=True)
class Group:
    """What is one limit: its largest part, and the rows that are named, the largest first."""

    part: Part
    what: str
    share: float
    rows: Sequence[Key]
    people: Mapping[str, PersonFindings]
    beside: Sequence[Key] = ()
    """Of a cap: what else is all taken, so that one more place would only wait for it."""
    instead: Instead = field(default_factory=dict)

    @property
    def caps(self) -> list[str]:
        """The paths of the caps whose waits are put down to something else."""
        if self.part is Part.CAP_WAIT:
            return []
        return [what for part, what in self.rows if part is Part.CAP_WAIT]


def sentence(group: Group) -> str:
    """`Slots are the limit: 65 % of the time is waiting for one.`"""
    name = group.what
    if group.beside:
        return _together(group)
    if group.part in PEOPLE:
        who = "You are" if name == "you" else f"{name} is"
        told = _person(group)
    else:
        first, told = _of(group.part, name, group.instead)
        who = first.replace("{}", name)
        told = told.replace("{}", name)
        if group.part is Part.TOOL:
            told = f" is {listed([what for _, what in group.rows], _NAMED)}"
        else:
            told = _capped(group, told)
    return f"{who} the limit: {percent(group.share)} of the time{told}."


def subject(part: Part, what: str, instead: Instead = MappingProxyType({})) -> str:
    """The limit by itself, in mid-sentence: `you`, `decoding`, `the cap on files`."""
    if part in PEOPLE or part is Part.POOL_WAIT:
        return what
    first = _of(part, what, instead)[0].removesuffix(" is").removesuffix(" are")
    return (first[0].lower() + first[1:]).replace("{}", what)


def _of(part: Part, what: str, instead: Instead) -> tuple[str, str]:
    """Its words in `SENTENCES`; a wait before service may be for something else than a slot."""
    if part is Part.SLOT_WAIT and what in instead:
        return INSTEAD[instead[what]][:2]
    return SENTENCES[part]


def _together(group: Group) -> str:
    """A cap, and what there is no more of: neither helps without the other."""
    others = [TAKEN[part].replace("{}", what) for part, what in group.beside]
    names = listed([f"The cap on {group.what}", *others])
    rest = "the other" if len(others) == 1 else "the others"
    told = f"{percent(group.share)} of the time is waiting for a place under the cap"
    one = "either" if len(others) == 1 else "one of them"
    return f"{names} are the limit together: {told}, and more of {one} alone would wait for {rest}."


def _capped(group: Group, told: str) -> str:
    """What the time is, of a wait for something that stands behind caps too."""
    names = [what for part, what in group.rows if part is not Part.CAP_WAIT or not group.caps]
    several = f" ({listed(names, _NAMED)})" if len(names) > 1 else ""
    if not group.caps:
        return f"{told}{several}"
    under = f"for a place under the cap on {listed(group.caps, _NAMED)}"
    if group.part in SHARED:
        doing = f"{SHARED[group.part]} or waiting" if names else "waiting"
        return f"{told}{several} is {doing} {under}, whose holders slow each other down"
    place = f"{under}, whose holders wait for"
    it = SCARCE[group.part].replace("{}", group.what)
    if group.part is Part.SLOT_WAIT and group.what in group.instead:
        it = INSTEAD[group.instead[group.what]][2]
    return f"{told}{several} or {place} it" if names else f" is waiting {place} {it}"


def _person(group: Group) -> str:
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
SENTENCES: Mapping[Part, tuple[str, str]] = {
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
    Part.OTHER: ("What a harness does between calls is", ""),
}

INSTEAD: Mapping[str, tuple[str, str, str]] = {
    "memory": ("Memory for contexts is", " is waiting for it", "memory for contexts"),
    "model": (
        "Memory for models is",
        " is waiting for another model to leave it",
        "another model to leave memory",
    ),
}
"""By what calls wait for instead of a slot: its sentence, and its name in another one."""

SCARCE: Mapping[Part, str] = {
    Part.SLOT_WAIT: "a slot",
    Part.QUOTA_WAIT: "the quota",
    Part.POOL_WAIT: "{}",
}
"""What can stand behind a cap, besides people."""

SHARED: Mapping[Part, str] = {Part.DECODE: "decoding", Part.PREFILL: "reading prompts"}
"""What can stand behind a cap though nobody waits: a machine that does no more for one more."""

TAKEN: Mapping[Part, str] = {
    Part.SLOT_WAIT: "the slots of {}",
    Part.POOL_WAIT: "{}",
    Part.PERSON_WAIT: "{}",
}
"""What can be taken as a whole beside a cap, by what waiting for it would be."""
