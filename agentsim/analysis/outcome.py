"""A tally: one replication boiled down to what the answer needs, small enough to send and keep.

Whole nanoseconds and tokens stay whole, so that sums over replications are exact and their order
does not matter. Waits of zero are counted, not kept: `count - len(waits)` of them were zero.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

from agentsim.records import Defects, Kept, Loads, Outcome, Verdict


class MissTally(NamedTuple):
    """Calls that read again what a cache had held and lost, by one cause; see `misses`."""

    cause: str
    calls: int
    tokens: int
    time: int
    """Nanoseconds of reading."""
    money: float


class ServerTally(NamedTuple):
    """One server's calls. Nanoseconds and tokens; `money` in dollars by role, as in the plan.

    `busy`: at least one call in service; `area`: the sum of the times in service; `most`: the
    most at once. `decoding` over `gaps`: time between tokens, and how many such gaps there were.
    `lasted` over `made`: whole time of calls that made tokens, and those tokens.
    """

    calls: int
    done: int
    rejected: int
    failed: int
    cancelled: int
    busy: int
    area: int
    most: int
    waits: array[int]
    quota_wait: int
    fresh: int
    cached: int
    thinking: int
    visible: int
    wasted: int
    decoding: int
    gaps: int
    lasted: int
    made: int
    deepest: int
    """The longest context of any call, tokens, what it made included; where it is asked for."""
    money: tuple[float, ...]
    sessions: int = 0
    """How many sessions the calls were in; counted where the server has no cache."""
    useful: int = 0
    """Visible tokens of the calls that were not wasted."""
    kept: Kept | None = None
    """What was held of its memory for contexts, and waited for it; None where it has no limit."""
    loads: Loads | None = None
    """How its model was loaded; None where it is always in memory."""
    together: int = 0
    """The most tokens of context in service at once, where memory has no limit: the first runs."""
    refused: int = 0
    """Nanoseconds that rejected calls waited before they asked again, resets left out."""
    turned: int = 0
    """Calls that failed at the very instant at which they came."""
    failing: int = 0
    """Where calls may fail: nanoseconds of the tries that did, and of the waits after these."""
    whole: int = 0
    """Those of all its tries, waits included."""
    misses: tuple[MissTally, ...] = ()


class PoolTally(NamedTuple):
    """One pool: tool runs that asked for it, what they waited, units x nanoseconds held."""

    asked: int
    waits: array[int]
    held: float
    queue: int


class PersonTally(NamedTuple):
    """One human role: nanoseconds by what they were spent on, lines and words read.

    `work` is reading and deciding; `over_lines` that part of it in which lines were read.
    `reading` is what the `read` pieces took that go by an amount (one with a `time` has no such
    part). `switches`: pieces before which switching took time.
    """

    asked: int
    pieces: int
    waits: array[int]
    pickup: int
    switches: int
    switching: int
    work: int
    read: int
    reading: int
    over_lines: int
    lines: float
    words: float
    queue: int


class Tally(NamedTuple):
    """One replication.

    `path` is the critical path: (step, part, what, nanoseconds), adding up to `wall`. `visits`
    holds four numbers each: the step's rank (for an item of an `each`, -1 - rank), when it began,
    when it ended (-1: cancelled) and what it waited, from the start (-1: it was cancelled, or is no
    step that waits).
    `behind` says what those in the places of a capped `each` waited for (rows of `behind.Caps`).
    """

    replication: int
    outcome: Outcome
    reason: str
    verdict: Verdict | None
    wall: int
    people_part: int
    """Nanoseconds of the critical path that a run without people would not have."""
    idle_part: int
    """Nanoseconds of the critical path in which nothing was done."""
    first_output: int  # nanoseconds from the start, -1 where nothing was shown
    path: list[tuple[int, int, str, int]]
    behind: list[tuple[int, int, str, int]]
    visits: array[int]
    servers: tuple[ServerTally, ...]
    pools: tuple[PoolTally, ...]
    people: tuple[PersonTally, ...]
    notes: dict[str, int]
    spans: int
    success: bool | None = None
    """Whether what was picked of attempts is right, and the run did not fail; None: no attempts."""
    compaction_decode: int = 0
    """Nanoseconds of the critical path that are decoding by calls that compact: in `path` they
    count as compaction."""
    defects: Defects | None = None
    """What is in the work at the end; None where no defects are modelled."""

    @property
    def without_people(self) -> int:
        """Nanoseconds: the wall time less what the critical path spent on people."""
        return self.wall - self.people_part

    @property
    def busy(self) -> int:
        """Nanoseconds: the wall time less all waiting on the critical path."""
        return self.wall - self.idle_part

    @property
    def attention(self) -> int:
        """Nanoseconds of people's time that the run took: switching, reading, deciding."""
        return sum(person.work + person.switching for person in self.people)

    @property
    def output(self) -> int:
        """Tokens that were made: thinking and visible."""
        return sum(server.thinking + server.visible for server in self.servers)

    @property
    def money(self) -> float:
        """Dollars, of servers whose prices are known."""
        return sum(sum(server.money) for server in self.servers)
