"""What is gathered while a replication's spans go by, and summed up at the end of the pass."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import zip_longest
from math import fsum
from operator import add, gt

from agentsim.analysis.misses import tally
from agentsim.analysis.outcome import PersonTally, PoolTally, ServerTally
from agentsim.graph import ServerPlan
from agentsim.laws.reading import Reading
from agentsim.records import (
    SECOND,
    WAITS,
    CallFacts,
    Mark,
    Miss,
    Outcome,
    Part,
    PersonFacts,
    WorkFacts,
)

BEFORE = frozenset(
    map(int, (Part.QUOTA_WAIT, Part.SLOT_WAIT, Part.RETRY, Part.CAP_WAIT, Part.POOL_WAIT))
)
"""What a call or a tool run waits for before it is in service."""

SERVED = frozenset(
    (
        Part.DECODE,
        Part.PREFILL,
        Part.LATENCY,
        Part.SLOT_WAIT,
        Part.QUOTA_WAIT,
        Part.MODEL_LOAD,
        Part.COMPACTION,
    )
)
"""Parts that are spent at a server."""

_PICKUP, _SWITCHING, _WORK = int(Part.PICKUP), int(Part.SWITCHING), int(Part.PERSON_WORK)


_DEPTH = frozenset({"context", "per_context_token"})
"""What a profile may leave out that only shows in long contexts."""

LOOKED_AT = 32
"""Replications in which the contexts in service at once are added up, where memory has no limit."""


class Calls:
    """The calls of one server while they are gathered."""

    __slots__ = (
        "again",
        "ends",
        "facts",
        "failing",
        "held",
        "ill",
        "lasted",
        "misses",
        "paused",
        "quota",
        "refused",
        "starts",
        "turned",
        "waits",
    )

    def __init__(self, holds: bool = False) -> None:
        """`holds`: it is asked how many tokens of context are in service at once."""
        self.held: list[tuple[int, int]] | None = [] if holds else None
        self.facts: list[CallFacts] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.lasted: list[int] = []
        self.ill: list[Outcome] = []  # of calls that did not end well
        self.again = 0  # of these, how many were rejected and sent again
        self.waits: array[int] = array("q")
        self.quota = 0
        self.turned = 0  # failed at the instant at which they came
        self.failing = self.paused = 0  # time of failed tries, and waits before the next ones
        self.refused = 0  # waited between rejected tries, but for a reset
        self.misses: list[tuple[str, Miss]] = []

    def ended_ill(self, outcome: Outcome, time: int, again: bool) -> None:
        """A try that did not end well; `again`: another one came after it."""
        self.ill.append(outcome)
        if outcome is Outcome.FAILED:
            self.failing += time
            self.turned += not time
        self.again += again and outcome is Outcome.REJECTED

    def between(self, part: Part, after: Outcome, time: int) -> None:
        """A wait between two tries of a call, after one that ended so."""
        if part == Part.QUOTA_WAIT:
            self.quota += time
        elif after is Outcome.REJECTED:
            self.refused += time
        else:
            self.paused += time


class Pool:
    """The uses of one pool while they are gathered."""

    __slots__ = ("asked", "held", "waits")

    def __init__(self) -> None:
        self.asked = 0
        self.waits: array[int] = array("q")
        self.held = 0.0

    def add(self, wait: int, units: float, held: int) -> None:
        """A tool run that waited so long for its units and held them so long (nanoseconds)."""
        self.asked += 1
        self.held += units * held
        if wait:
            self.waits.append(wait)

    def tally(self, queue: int) -> PoolTally:
        return PoolTally(self.asked, self.waits, self.held, queue)


def share(pools: Sequence[Pool], began: int, end: int, facts: WorkFacts) -> None:
    """A tool run's use of its pools, asked one after another: waiting for the next holds others."""
    asked = began
    for (pool, units), given in zip_longest(facts.uses, facts.given):
        if given is None:  # cut short while it waited for this one
            pools[pool].add(end - asked, 0.0, 0)
            return
        pools[pool].add(given - asked, units, end - given)
        asked = given


class Person:
    """The pieces of work of one human role while they are gathered."""

    __slots__ = (
        "asked",
        "lines",
        "over_lines",
        "parts",
        "pieces",
        "read",
        "reading",
        "switches",
        "waits",
        "words",
    )

    def __init__(self) -> None:
        self.asked = self.pieces = self.switches = self.read = self.reading = self.over_lines = 0
        self.lines = self.words = 0.0
        self.waits: array[int] = array("q")
        self.parts = [0] * len(Part)

    def add(
        self,
        began: int,
        marks: tuple[Mark, ...],
        outcome: Outcome,
        facts: PersonFacts,
        law: Reading | None,
    ) -> int:
        """Take one piece in; returns what it waited for the person to notice and to be free.

        `law`: how this person reads, where the piece goes by what there is to read.
        """
        parts, at = self.parts, began
        wait = work = idle = 0
        for part, until in marks:
            time = until - at
            parts[part] += time
            if part == Part.PERSON_WAIT:
                wait += time
            elif part == Part.PERSON_WORK:
                work += time
            elif part == Part.SWITCHING and time:
                self.switches += 1
            if part in WAITS:
                idle += time
            at = until
        self.asked += 1
        self.pieces += outcome is Outcome.DONE
        if wait:
            self.waits.append(wait)
        if facts.lines:
            self.lines += facts.lines
            self.over_lines += work
        self.words += facts.words
        if law is not None and (work or outcome is Outcome.DONE):
            # of a piece cut short there is no more reading than it had work
            self.read += 1
            reading = round(law.seconds(lines=facts.lines, words=facts.words) * SECOND)
            self.reading += min(reading, work)
        return idle

    def tally(self, queue: int) -> PersonTally:
        parts = self.parts
        return PersonTally(
            self.asked, self.pieces, self.waits, parts[_PICKUP], self.switches, parts[_SWITCHING],
            parts[_WORK], self.read, self.reading, self.over_lines, self.lines, self.words, queue,
        )  # fmt: skip


def before(marks: tuple[Mark, ...], began: int) -> tuple[int, int, int]:
    """When service began, and how long a slot and a quota were waited for before it."""
    at, slot, quota = began, 0, 0
    for part, until in marks:
        if part not in BEFORE:
            break
        if part == Part.SLOT_WAIT:
            slot += until - at
        elif part == Part.QUOTA_WAIT:
            quota += until - at
        at = until
    return at, slot, quota


def server_tally(plan: ServerPlan, calls: Calls) -> ServerTally:
    """Sum the columns of one server's calls."""
    count = len(calls.facts)
    if not count:
        none: array[int] = array("q")
        return ServerTally(0, 0, 0, 0, 0, 0, 0, 0, none, *(0,) * 11, (0.0,) * len(plan.roles))
    roles, sessions, fresh, cached, thinking, visible, wasted, _, money, _, decoding, *_ = zip(
        *calls.facts, strict=True
    )
    made = list(map(add, thinking, visible))
    lasted: Sequence[int] = calls.lasted
    gaps = sum(made) - count
    if min(made) < 2:
        # a call of one token has no gap; one of none tells nothing about a token's time
        decoding = tuple(time for time, n in zip(decoding, made, strict=True) if n > 1)
        lasted = tuple(time for time, n in zip(lasted, made, strict=True) if n)
        gaps = sum(n - 1 for n in made if n)
    useful = sum(visible)
    if any(wasted):  # of a call all is wasted or nothing
        useful = sum(own for own, lost in zip(visible, wasted, strict=True) if not lost)
    deepest = 0
    about = plan.about
    if about.deepest is not None or not _DEPTH.isdisjoint(about.left_out):
        deepest = max(map(add, map(add, fresh, cached), made))
    ill = calls.ill
    busy, most = in_service(calls.starts, calls.ends)
    return ServerTally(
        calls=count,
        done=count - len(ill),
        rejected=ill.count(Outcome.REJECTED),
        failed=ill.count(Outcome.FAILED) + ill.count(Outcome.REJECTED) - calls.again,
        cancelled=ill.count(Outcome.CANCELLED),
        busy=busy,
        area=sum(calls.ends) - sum(calls.starts),
        most=most,
        waits=calls.waits,
        quota_wait=calls.quota,
        fresh=sum(fresh),
        cached=sum(cached),
        thinking=sum(thinking),
        visible=sum(visible),
        wasted=sum(wasted),
        decoding=sum(decoding),
        gaps=gaps,
        lasted=sum(lasted),
        made=sum(made),
        deepest=deepest,
        money=_money(plan.roles, roles, money),
        sessions=len(set(sessions)) if plan.cache.kind == "none" else 0,
        useful=useful,
        refused=calls.refused,
        turned=calls.turned,
        failing=calls.failing + calls.paused if plan.faults is not None else 0,
        whole=sum(calls.lasted) + calls.paused if plan.faults is not None else 0,
        misses=tally(calls.misses),
        together=0 if calls.held is None else _together(calls.held),
    )


def holds_unlimited(plan: ServerPlan) -> bool:
    """Whether contexts may come to more than memory holds, and nothing is known of it."""
    return plan.context is not None and "kv" in plan.about.left_out


def _together(held: list[tuple[int, int]]) -> int:
    """The most at once of rows (when, tokens more or less); those that end make room first."""
    most = now = 0
    for _, tokens in sorted(held):
        now += tokens
        if now > most:  # noqa: PLR1730 - `max` is a call
            most = now
    return most


def _money(own: tuple[str, ...], roles: Sequence[str], money: Sequence[float]) -> tuple[float, ...]:
    if len(own) == 1:
        return (fsum(money),)
    return tuple(
        fsum(paid for role, paid in zip(roles, money, strict=True) if role == name) for name in own
    )


def in_service(starts: list[int], ends: list[int]) -> tuple[int, int]:
    """How long at least one of the intervals was open, and the most open at once.

    One that ends at an instant makes room for one that begins at it. Sorts both lists.
    """
    if not starts:
        return 0, 0
    starts.sort()
    ends.sort()
    if not any(map(gt, ends, starts[1:])):
        return sum(ends) - sum(starts), 1
    busy = most = over = 0
    since, end = starts[0], ends[0]
    for begun, start in enumerate(starts):
        if end <= start:
            while end <= start and over < begun:
                over += 1
                end = ends[over]
            if over == begun:
                busy += ends[over - 1] - since
                since = start
        if begun - over >= most:
            most = begun - over + 1
    return busy + ends[-1] - since, most
