"""What serves the models: one `ServerPlan` a simulated endpoint."""

from __future__ import annotations

from dataclasses import dataclass

from agentsim.chance import Distribution
from agentsim.laws.decode import Decode
from agentsim.laws.prefill import PrefillLaw
from agentsim.laws.price import Hourly, Price
from agentsim.records import SECOND


@dataclass(frozen=True, slots=True)
class CachePlan:
    """`kind` is a row of laws.caches; `ttl` in nanoseconds; `answers`: answers are kept too.

    `capacity` in tokens; `tails`: what goes is cut at its end, and only as much of it as has to.
    From `after` on (nanoseconds) only the share `finds` of all lookups finds what is held.
    """

    kind: str = "none"
    ttl: int = 0
    block: int = 1
    answers: bool = False
    capacity: int = 1
    tails: bool = False
    after: int = 0
    finds: float = 1.0


Terms = tuple[str, str, float, float, int, int, int]
"""What makes two quotas of one account the same one."""


@dataclass(frozen=True, slots=True)
class LimitPlan:
    """One quota: what it counts, and how. `reserve` takes the call's max_output up front.

    `kind` is a row of laws.quotas; size, anchor and resume_delay are nanoseconds, and 0 where the
    kind has none.
    """

    count: str  # requests input uncached_input output total
    holds: float  # the most that one call can take: what a bucket holds, what a window allows
    refill: float  # of a bucket, per second
    reserve: bool
    refund: bool
    account: str  # shared by all servers that name it; else `#` and the server's own name
    kind: str = "bucket"
    size: int = 0  # of a window
    anchor: int = 0  # a window begins so long after the start
    resume_delay: int = 0
    """After a reset, what waited for it goes on so much later: somebody resumes it by hand."""
    rejects: bool = False
    """A request that finds no room is sent back at once, and does not wait for it."""
    spare: str = ""
    """A role: where there is no room its server serves the call. `fallback` is that server's
    number, once the roles are bound."""
    fallback: int = -1

    @property
    def refuses(self) -> bool:
        """Whether nobody waits for room in it."""
        return self.rejects or bool(self.spare)

    @property
    def terms(self) -> Terms:
        how = (self.holds, self.refill, self.size, self.anchor, self.resume_delay)
        return (self.count, self.kind, *how)

    @property
    def words(self) -> str:
        """Without what it counts: `100 filled by 60 a minute`, `2 in each 10 s`."""
        holds = f"{self.holds:,.10g}"
        if self.kind == "bucket":
            return f"{holds} filled by {60 * self.refill:,.6g} a minute"
        if self.kind == "window":
            anchor = f" from {_time(self.anchor)} on" if self.anchor else ""
            return f"{holds} in each {_time(self.size)}{anchor}"
        delay = f", resumed {_time(self.resume_delay)} late" if self.resume_delay else ""
        return f"{holds} in {_time(self.size)} from the first use{delay}"

    @property
    def gives_back(self) -> bool:
        """Whether what was reserved and not made comes back; what was not reserved never does."""
        return self.reserve and self.refund


def _time(nanoseconds: int) -> str:
    """In the largest unit that it is a whole number of, up to days; else in seconds."""
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if nanoseconds and not nanoseconds % (size * SECOND):
            return f"{nanoseconds // (size * SECOND):,} {unit}"
    return f"{nanoseconds / SECOND:,.10g} s"


@dataclass(frozen=True, slots=True)
class RetryPlan:
    """How a call that was sent back asks again.

    `waits` (nanoseconds) stand before the second, third, ... try; each is multiplied by a draw of
    `jitter`. `reset`: it waits until there is room instead, however often, or `tries` times in all.
    """

    waits: tuple[int, ...] = ()
    jitter: Distribution | None = None
    reset: bool = False
    tries: int | None = None


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """Calls that do not end well: shares of them, by what becomes of them (`laws.faults.Fate`).

    `timeout`: nanoseconds from the start of service after which a call is cut. `outages`: from and
    to, in nanoseconds of the run, in order. `retry`: when a failed call asks again; None: never.
    """

    overload: float = 0.0
    error: float = 0.0
    dropped: float = 0.0
    timeout: int | None = None
    outages: tuple[tuple[int, int], ...] = ()
    retry: RetryPlan | None = None

    @property
    def chance(self) -> float:
        """The share of calls that chance lets fail; time-outs and outages come on top."""
        return self.overload + self.error + self.dropped


@dataclass(frozen=True, slots=True)
class MachinePlan:
    """Where a server's model is loaded. Servers that name the same machine share its memory.

    In a file `name` is empty where none is given; in a graph it is that of one machine. `keep`: the
    nanoseconds that a model stays in memory without a call; None: until its room is needed.
    """

    name: str
    places: int | None
    """Models in memory at once; None: not given (in a graph there always is a number)."""
    load: Distribution | None
    keep: int | None


@dataclass(frozen=True, slots=True)
class ThrottlePlan:
    """Hardware that slows down: after so many nanoseconds at work everything goes at `factor` of
    its speed, until it has been idle for `recover` nanoseconds in one go."""

    after: int
    factor: float
    recover: int


@dataclass(frozen=True, slots=True)
class About:
    """Where figures come from. `grade` A (raw file), B (third party), C (older or a blog)."""

    title: str
    model: str = ""
    grade: str = ""
    as_of: str = ""
    url: str = ""
    notes: tuple[str, ...] = ()
    deepest: int | None = None
    """The longest context, in tokens, at which the profile was measured."""
    left_out: tuple[str, ...] = ()
    """Keys that the file does not have, of those that have a part in the answer; `decode` where
    it gives no speed of several streams. What is written as `none` or 0 is not left out."""
    empty: tuple[str, ...] = ()
    """A sentence for each key with nothing behind it, which counts as not written."""
    assumed: tuple[str, ...] = ()
    """What was not measured, as the file says it; stands in `notes` too."""
    note: str = ""
    """What the file says is to be known of it; the last of `notes`."""


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """One endpoint. Times are seconds, prices dollars, `context` and `max_output` tokens.

    Before the output stands either `latency` + `prefill` (then n tokens take n decode steps) or
    `first_token` + `per_input_token` (then n tokens take n - 1 steps). `shared`: calls decode
    together in a batch; else every call has the speed of one stream. `slots` None: no limit; so is
    `kv`, the tokens of all contexts that fit into its memory at once.
    """

    name: str
    profile: str
    roles: tuple[str, ...]
    decode: Decode
    prefill: PrefillLaw | None
    latency: Distribution | None
    first_token: Distribution | None
    per_input_token: float
    spread: Distribution | None
    slots: int | None
    shared: bool
    schedule: str  # exclusive chunked separate
    context: int | None
    max_output: int | None
    cache: CachePlan
    limits: tuple[LimitPlan, ...]
    price: Price | None
    about: About
    on_reject: RetryPlan | None = None
    """What a call does that a quota has sent back; None: it fails."""
    kv: int | None = None
    machine: MachinePlan | None = None
    chunk: int = 0
    """Tokens of a prompt that a step carries; of `chunked` only."""
    thinks: float = 0.0
    """Tokens of thinking that a step makes, where they are others than `decode.per_step`."""
    jitter: float = 0.0
    """The cv of a single token's time."""
    faults: FaultPlan | None = None
    throttle: ThrottlePlan | None = None
    hourly: Hourly | None = None
    """What its machine costs by the hour. `price`, `hourly`, `monthly`: at most one is given."""
    monthly: float | None = None
    """Dollars a month of a plan, which no run has a part of."""

    @property
    def known_as(self) -> str:
        """Its name in an answer: the first role bound to it."""
        return self.roles[0] if self.roles else self.name

    @property
    def is_priced(self) -> bool:
        """Whether it is known what a run costs there."""
        return self.price is not None or self.hourly is not None

    @property
    def paid(self) -> str:
        """How what a run costs there is paid: `tokens`, `rent`, `own`; "" where it is not known."""
        if self.hourly is not None:
            return "own" if self.hourly.own else "rent"
        return "tokens" if self.price is not None else ""

    @property
    def is_open(self) -> bool:
        """Nothing but a quota can hold up a call, no other call changes its speed, and none fails.

        Working agents ahead, and trying a run without its quotas, both rest on that.
        """
        doors = self.slots is not None or self.kv is not None or self.machine is not None
        return not doors and not self.shared and self.faults is None
