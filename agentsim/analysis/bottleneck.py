"""What bound the run: the largest group of the breakdown, and one plain sentence about it.

All that one person's part takes is one group (noticing, waiting for them, switching, work, off
hours), and so are all tools together and every pool by itself. What was waited for a place of a
capped `each` belongs to the cap, or to what those in its places wait for themselves: see
`_cause`. `kind` is the largest single part within the group. All that is of the average run; where
typical runs are bound by something else, the sentence says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from agentsim.analysis.estimate import FEWEST, interval
from agentsim.analysis.findings import Bottleneck, PersonFindings
from agentsim.analysis.limits import SHARED, TAKEN, Group, Instead, sentence, subject
from agentsim.analysis.room import Behind
from agentsim.analysis.where import Key
from agentsim.analysis.words import SLIVER, percent
from agentsim.records import PEOPLE, WAITS, Part

Where = Mapping[Key, float]
"""Seconds on the critical path of the mean run, by part and by what they were spent at."""

_BY_NAME = frozenset((Part.POOL_WAIT, Part.CAP_WAIT))
_MODELS = {
    Part.DECODE: "decoding",
    Part.PREFILL: "reading prompts",
    Part.LATENCY: "latency",
    Part.COMPACTION: "compacting",
}
_MOSTLY = 0.5
"""A cap gives way to what is waited for in its places for more than this share of that time, and
to what takes more than this share of what one more place would give."""


def bottleneck(
    where: Where,
    wall: float,
    people: Mapping[str, PersonFindings],
    behind: Behind | None = None,
    beside: Behind | None = None,
    instead: Instead = MappingProxyType({}),
) -> Bottleneck:
    """The largest group of `where`; of equal ones waiting before work, then the parts' order.

    `behind` and `beside`: what is scarce to those in the places of each cap, as `room` has it.
    `instead`: servers, by role, whose calls wait for something else than a slot.
    `share` is that of the rows that the sentence names, `rows`: rows of "where the average goes"
    that are no slivers.
    """
    causes = {key: _cause(key, behind or {}, beside or {}) for key in where}
    found = _largest(where, causes)
    if not found or wall <= 0:
        return Bottleneck(Part.OTHER.label, "", 0.0, "Nothing takes any time.")
    own = [key for key in found if causes[key] == key]
    part, what = max(own, key=lambda key: where[key], default=causes[found[0]])
    rows = sorted(
        [key for key in found if where[key] >= SLIVER * wall] or found, key=lambda key: -where[key]
    )
    share = min(1.0, sum(where[key] for key in rows) / wall)
    with_it = _taken((beside or {}).get(what, {})) if part is Part.CAP_WAIT else ()
    told = sentence(Group(part, what, share, rows, people, with_it, instead))
    told += _models(where, wall, part, share)
    named = tuple((part.label, what) for part, what in rows)
    return Bottleneck(part.label, what, share, told, named)


def _models(where: Where, wall: float, part: Part, share: float) -> str:
    """What the models take in all, where that is more than the largest group, which is not theirs.

    Decoding and reading are two things to mend, so that neither may be the largest alone.
    """
    total = sum(time for (own, _), time in where.items() if own in _MODELS) / wall
    if part in _MODELS or total <= share:
        return ""
    own = max((it for it, _ in where if it in _MODELS), key=lambda it: _of_part(it, where))
    most = percent(_of_part(own, where) / wall)
    return f" The models take more in all: {percent(total)}, of which {most} {_MODELS[own]}."


def _of_part(part: Part, where: Where) -> float:
    return sum(time for (own, _), time in where.items() if own is part)


def also_typical(
    found: Bottleneck,
    runs: Sequence[Where],
    behind: Behind,
    beside: Behind,
    instead: Instead = MappingProxyType({}),
) -> Bottleneck:
    """`found`, with a sentence on typical runs where something else binds those.

    `runs`: where the time of each typical run goes, seconds. That another group takes more of them
    must not be chance: the 95 % interval of the difference, run by run, lies above nothing.
    """
    if len(runs) < FEWEST:
        return found
    where: dict[Key, float] = {}
    for run in runs:
        for key, time in run.items():
            where[key] = where.get(key, 0.0) + time
    causes = {key: _cause(key, behind, beside) for key in where}
    own, of_mean = _largest(where, causes), _group_of(Part[found.kind.upper()], found.what)
    if not own or _group_of(*causes[own[0]]) == of_mean:
        return found
    others = [key for key in where if _group_of(*causes[key]) == of_mean]
    if interval([_sum(own, run) - _sum(others, run) for run in runs])[0] <= 0:
        return found
    name = subject(*causes[max(own, key=lambda key: where[key])], instead)
    share = percent(_sum(own, where) / sum(where.values()))
    told = f"{found.sentence} That is the average; in typical runs it is {name}, "
    told += f"with {share} of their time."
    return replace(found, sentence=told)


def _sum(keys: Sequence[Key], where: Where) -> float:
    return sum(where.get(key, 0.0) for key in keys)


def _largest(where: Where, causes: Mapping[Key, Key]) -> list[Key]:
    """The keys of the group that takes most; none where nothing takes time."""
    groups: dict[tuple[str, str], list[Key]] = {}
    for key, time in sorted(where.items()):
        if time > 0:
            groups.setdefault(_group_of(*causes[key]), []).append(key)
    return max(groups.values(), key=lambda keys: _size(keys, where), default=[])


def _size(keys: Sequence[Key], where: Where) -> tuple[float, bool]:
    """How much a group takes, and whether it only waits: what is waited for is what binds."""
    return sum(where[key] for key in keys), all(part in WAITS for part, _ in keys)


def _cause(key: Key, behind: Behind, beside: Behind) -> Key:
    """What a stretch of time is put down to: itself, or what stands behind a cap.

    While items wait for a place, those in the places may wait for something scarce: then one more
    place would be one more in that queue, and the cap binds nothing. So the cap gives way to what
    somebody in its places waits for during more than half of that time, and if that is a cap as
    well, to what stands behind it. It also gives way to a machine that those in its places share,
    where that takes more than half of what one more place would give.
    """
    part, path = key
    if part is not Part.CAP_WAIT:
        return key
    inside = behind.get(path, {})
    full = inside.get(key, 0.0)
    others = sorted(other for other in inside if other != key)
    most = max(others, key=lambda other: inside[other], default=key)
    if most != key and inside[most] > _MOSTLY * full:
        # caps behind stand inside this one, so this ends
        return _cause(most, {it: own for it, own in behind.items() if it != path}, beside)
    lost = {it: share for it, share in beside.get(path, {}).items() if it[0] in SHARED}
    machine = max(sorted(lost), key=lambda it: lost[it], default=key)
    return machine if machine != key and lost[machine] > _MOSTLY else key


def _taken(beside: Where) -> tuple[Key, ...]:
    """What was all taken for most of the time in which a place was waited for, the most first."""
    found = [key for key in beside if key[0] in TAKEN and beside[key] > _MOSTLY]
    return tuple(sorted(found, key=lambda key: (-beside[key], key)))


def _group_of(part: Part, what: str) -> tuple[str, str]:
    if part in PEOPLE:
        return "person", what
    return part.label, what if part in _BY_NAME else ""
