"""What happened in a run, as points in time: all durations and figures are computed from these.

Times are whole nanoseconds from the start of the run. A span carries *marks*, `(part, until)`,
that telescope: the first part lasts from `began` to its `until`, the next from there to its own.
The last mark is the end. So parts add up exactly, and a breakdown cannot lose time.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

SECOND = 1_000_000_000  # nanoseconds


class Part(IntEnum):
    """What a stretch of time was spent on: the kinds of the breakdown, in their order."""

    DECODE = 0
    PREFILL = 1
    LATENCY = 2
    SLOT_WAIT = 3
    QUOTA_WAIT = 4
    RETRY = 5
    MODEL_LOAD = 6
    COMPACTION = 7
    TOOL = 8
    POOL_WAIT = 9
    CAP_WAIT = 10
    PERSON_WAIT = 11
    PICKUP = 12
    SWITCHING = 13
    PERSON_WORK = 14
    OFF_HOURS = 15
    MERGE = 16
    WAIT = 17
    OTHER = 18

    @property
    def label(self) -> str:
        """The name in files and JSON: `slot_wait`."""
        return self.name.lower()


PEOPLE = frozenset(
    (Part.PERSON_WAIT, Part.PICKUP, Part.SWITCHING, Part.PERSON_WORK, Part.OFF_HOURS)
)
"""Time that a run without people would not have."""

WAITS = frozenset(
    (
        Part.SLOT_WAIT,
        Part.QUOTA_WAIT,
        Part.RETRY,
        Part.POOL_WAIT,
        Part.CAP_WAIT,
        Part.PERSON_WAIT,
        Part.PICKUP,
        Part.OFF_HOURS,
        Part.WAIT,
    )
)
"""Time in which the critical path did nothing: `busy` is the wall time less these."""


class Verdict(IntEnum):
    """What a review or a test says; of several the worst (the largest) counts."""

    APPROVED = 0
    CHANGES = 1
    FAILED = 2
    REJECTED = 3

    @property
    def label(self) -> str:
        return self.name.lower()


class Outcome(IntEnum):
    """How a span, a visit or a run ended."""

    DONE = 0
    FAILED = 1
    REJECTED = 2
    CANCELLED = 3
    EXPIRED = 4

    @property
    def label(self) -> str:
        return self.name.lower()


Place = tuple[int, ...]
"""Where in its repetitions a step ran: item and round numbers from the outside in, from 0."""

Mark = tuple[Part, int]


class Why(IntEnum):
    """Why what a cache has held is to be read again."""

    EXPIRED = 0
    EVICTED = 1
    """By what somebody else sent."""
    TOO_LARGE = 2
    """Its context is larger than the cache: it was sent, and never held."""
    UNLOADED = 3
    """The model left memory meanwhile."""
    DEGRADED = 4
    """The cache does not find all that it should hold."""


class Loss(NamedTuple):
    """Tokens of a prompt that a cache has held and lost; `since`: when they were last used."""

    tokens: int
    since: int
    why: Why


class Miss(NamedTuple):
    """Of a call: tokens read that its cache has held, why, and what that cost.

    `since`: nanosecond of their last use. `time`: nanoseconds of reading them; `money`: dollars
    more than cached ones cost.
    """

    tokens: int
    since: int
    why: Why
    time: int
    money: float


class CallFacts(NamedTuple):
    """Of one request to a server. Tokens are whole; `money` is dollars, 0.0 without a price."""

    role: str
    session: int
    fresh: int
    cached: int
    thinking: int
    visible: int
    wasted: int
    streams: int
    """Sequences in service with it (itself included) when it began to decode."""
    money: float
    shown: int
    """Nanosecond of its first visible token; -1 when it showed none."""
    decoding: int
    """Nanoseconds between its first and its last token."""
    cut: int
    """Tokens that were asked for and cut away (context, max_output)."""
    compaction: bool
    """It shortens a session: the breakdown counts its work as compaction."""
    again: bool = False
    """It was sent back or failed, and the same request was sent again."""
    miss: Miss | None = None
    """What it read though the cache had held it; None: nothing."""


class WorkFacts(NamedTuple):
    """Of one tool run or wait: units held of each pool (index, units), tokens returned.

    `given`: nanosecond at which the units of each pool were given, in the order of `uses`; shorter
    where it was cut short while it waited for the next.
    """

    uses: tuple[tuple[int, float], ...]
    returned: int
    cut: int
    attempt: int
    given: tuple[int, ...]


class PersonFacts(NamedTuple):
    """Of one piece of a person's work: which of them, lines and words read, what was said.

    Of one that was cut short, what had been read by then.
    """

    person: int
    lines: float
    words: float
    verdict: Verdict | None


Facts = CallFacts | WorkFacts | PersonFacts | None


class Span(NamedTuple):
    """One frame's stretch of life, cut into consecutive parts.

    `step` is the node's rank in the graph; `who` the agent, tool or person by name;
    `resource` the server, tool, pool or person that it used. `cause` is the index of the span
    before it on its chain, -1 for the start: `began == spans[cause].marks[-1][1]`, or 0.
    """

    step: int
    place: Place
    who: str
    resource: str
    began: int
    marks: tuple[Mark, ...]
    cause: int
    outcome: Outcome
    facts: Facts

    @property
    def ended(self) -> int:
        return self.marks[-1][1] if self.marks else self.began


class Visit(NamedTuple):
    """One passage through a step of any kind: when it began and ended, and what it said.

    `waited` is what an item of an `each` waited for the limit, in nanoseconds.
    """

    step: int
    place: Place
    began: int
    ended: int
    verdict: Verdict | None
    outcome: Outcome
    waited: int


class Peak(NamedTuple):
    """Maxima of one resource: the longest queue and the most in use.

    One name may be of several things. A trace holds pools and then people last, in their order.
    """

    resource: str
    queue: int
    in_use: float


class Kept(NamedTuple):
    """The memory for contexts of one server (its number): `area` in tokens x nanoseconds held,
    the `most` held at once, and nanoseconds that calls `waited` for it while a slot was free."""

    server: int
    area: int
    most: int
    waited: int


class Loads(NamedTuple):
    """The model of one server (its number), where it may have to be loaded: how often it was, and
    nanoseconds: `time` of loading, what calls `waited` for another model to leave or to be loaded
    before, and `beside`, in which several models of its machine served at once."""

    server: int
    loads: int
    time: int
    waited: int
    beside: int


class Defects(NamedTuple):
    """What is in the work when a run ends, of the lines that count: how many defects were put in.

    Regressions are among them. `found` at any time; what is not `mended` escapes.
    """

    written: int
    found: int
    mended: int

    @property
    def escaped(self) -> int:
        return self.written - self.mended


class Trace(NamedTuple):
    """One replication, or one arriving item of it.

    `last` is the index of the span that ended last on the deciding chain, -1 when nothing ran.
    `reason` says why a run failed, `verdict` is the run's last verdict. `notes` counts what
    happened that the answer must mention (cuts, raised outputs), by code.
    """

    replication: int
    item: int
    spans: list[Span]
    visits: list[Visit]
    peaks: list[Peak]
    outcome: Outcome
    reason: str
    verdict: Verdict | None
    began: int
    ended: int
    last: int
    notes: dict[str, int]
    success: bool | None = None
    """Whether all that was picked of attempts is right; None where there were none."""
    defects: Defects | None = None
    """None where no step puts any in or looks for any."""
    kept: tuple[Kept, ...] = ()
    """Of each server whose memory is counted."""
    loads: tuple[Loads, ...] = ()
    """Of each server whose model may have to be loaded."""
