"""What a run means: the answer as data. Seconds, tokens, dollars; shares as 0..1.

`report` draws these and computes nothing; `--json` writes them under names of its own, which
docs/model.md explains under "The answer". `experiment` fills `levers` and `sensitivity`, which need
further runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agentsim.analysis.binds import Binding
from agentsim.analysis.carries import Carries
from agentsim.analysis.gate import BudgetFindings
from agentsim.analysis.misses import MissFindings
from agentsim.errors import Notice


@dataclass(frozen=True, slots=True)
class Stat:
    """A distribution over `n` values; `ci95` is the Monte Carlo interval of the mean."""

    mean: float
    ci95: tuple[float, float]
    sd: float
    p5: float
    p50: float
    p80: float
    p90: float
    p95: float
    p99: float
    min: float
    max: float
    n: int
    p50_error: float = 0.0
    """Half width of the 95 % interval of the median by order statistics; below, of the p90."""
    p90_error: float = 0.0


@dataclass(frozen=True, slots=True)
class Share:
    """One row of "where the average goes": seconds on the critical path, in the mean run.

    `ci95` is of the seconds, by Student's t over the runs; None where nothing is known of it.
    """

    kind: str  # a Part's label
    what: str  # the tool, person, server or pool it was spent at; "" where there is but one
    seconds: float
    share: float
    ci95: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """The largest limit. `share` is that of `rows`, which are rows of `where`: (kind, what)."""

    kind: str
    what: str
    share: float
    sentence: str
    rows: tuple[tuple[str, str], ...] = ()


LEVERS = 6
"""Levers that an answer tells with their figures: the most helpful."""

WORTH = 0.005
"""A smaller share of the run that is saved is not worth naming."""


@dataclass(frozen=True, slots=True)
class Lever:
    """What one change would save of the mean wall time, in seconds, and what that leaves."""

    what: str
    change: str
    saves: float
    ci95: tuple[float, float]
    leaves: float
    note: str = ""
    kind: str = ""
    """decode prefill first_token tools tool merge harness people lines pickup switch slot pool
    person cap cap_and_slot quota max_output fewer"""
    runs: int = 0
    """How many of the replications were run again with the change."""
    typical: float | None = None
    """What it leaves of the typical (median) run, seconds; None where that was not looked at."""
    typical_saves_ci95: tuple[float, float] = (0.0, 0.0)
    """The 95 % interval of what it saves of the typical run, seconds."""

    @property
    def is_worth(self) -> bool:
        """Whether it saves so much that it is worth naming, by chance or not."""
        return self.saves >= WORTH * (self.saves + self.leaves)

    @property
    def helps(self) -> bool:
        """Whether it surely saves, and so much that it is worth naming."""
        return self.is_worth and self.ci95[0] > 0


@dataclass(frozen=True, slots=True)
class Sway:
    """How far one assumed value moves the typical (median) wall time, in seconds.

    `tried`: the two ends of its range as one writes them, in the order of `low` and `high`.
    """

    value: str
    low: float
    high: float
    key: str = ""
    tried: tuple[object, object] | None = None


@dataclass(frozen=True, slots=True)
class StepFindings:
    kind: str
    runs: float
    time: Stat | None
    wait: Stat | None
    started: Stat | None
    ended: Stat | None
    breakdown: dict[str, float]


@dataclass(frozen=True, slots=True)
class KvFindings:
    """Memory for contexts, in tokens: what there is, the mean over the wall time, the most held.

    `wait`: seconds a run that calls wait for memory, all added up; `wait_share`: what that is of
    all that they wait for a slot or memory, 0 where they wait for neither.
    """

    capacity: int
    mean: float
    max: int
    wait: float
    wait_share: float


@dataclass(frozen=True, slots=True)
class LoadFindings:
    """Loading a server's model: how often in a run and the seconds that it takes, means per run.

    `wait`: seconds a run that calls wait for another model of the machine to leave its memory or to
    be loaded before, all added up; `wait_share`: what that is of all that they wait before service.
    `beside`: the share of the wall time in which several models of the machine served at once.
    """

    count: float
    seconds: float
    wait: float
    wait_share: float
    beside: float


@dataclass(frozen=True, slots=True)
class ServerFindings:
    profile: str
    roles: tuple[str, ...]
    busy: float
    slots_busy: float | None
    streams_mean: float
    streams_max: int
    wait: Stat | None
    hit_rate: float | None
    tok_s_stream: float | None
    tok_s_total: float | None
    tok_s_useful: float | None
    quota_wait: float
    rate: float | None = None
    """tok/s of one stream at empty context, as the profile or `--rates` says."""
    grade: str = ""
    """How good the profile's source is: A (raw file), B (third party), C (older or blog)."""
    tok_s_effective: float | None = None
    """As `tok_s_stream`, with the waits for its quotas counted in; None where it has no quota."""
    failing: float | None = None  # share of its calls' time: failed tries, and waits after these
    kv: KvFindings | None = None
    """None where memory for contexts has no limit."""
    loads: LoadFindings | None = None
    """None where its model is always in memory."""
    misses: dict[str, MissFindings] | None = None  # by cause; None: no prompt cache
    can_serve: Carries | None = None  # None: not asked

    @property
    def waits_for(self) -> str:
        """What its calls mostly wait for before service: `memory`, `model`; empty: a slot."""
        memory = 0.0 if self.kv is None else self.kv.wait_share
        model = 0.0 if self.loads is None else self.loads.wait_share
        most = max(memory, model)
        if not most or most < 1.0 - memory - model:
            return ""
        return "memory" if memory == most else "model"


@dataclass(frozen=True, slots=True)
class PoolFindings:
    busy: float
    wait: Stat | None
    queue_mean: float
    queue_max: int


@dataclass(frozen=True, slots=True)
class PersonFindings:
    """`busy` is work over the time in which the run lasted; seconds and counts are means per run.

    `work` (seconds) is reading and deciding. `reading` is the part of it that goes by the amount to
    read; None where no piece of theirs does (a step that gives a `time` means both by it). Both,
    and `lines` and `words`, hold what was done of pieces that were cut short.
    `switches` counts the pieces before which switching took time, `switching` its seconds.
    """

    busy: float
    wait: Stat | None
    pickup: float
    switching: float
    work: float
    items: float
    queue_mean: float
    queue_max: int
    lines_per_hour: float | None
    lines: float
    times_needed: float
    switches: float = 0.0
    reading: float | None = None
    words: float = 0.0
    asked: float | None = None
    """The share of runs in which they are needed at all; None: not known."""

    @property
    def attention(self) -> float:
        """Seconds of their time that the mean run takes: switching, reading, deciding."""
        return self.work + self.switching


@dataclass(frozen=True, slots=True)
class CallFindings:
    attempts: float
    done: float
    rejected: float
    failed: float
    cancelled: float
    decode_only: float | None  # seconds a token between the first and the last
    inclusive: float | None  # seconds a token, all of the call


@dataclass(frozen=True, slots=True)
class TokenFindings:
    input: float
    cached: float
    thinking: float
    output: float  # visible + thinking
    wasted: float


@dataclass(frozen=True, slots=True)
class DefectFindings:
    """Defects in the work of the runs that did not fail: what a failed one made goes to nobody.

    Means per run, regressions among them: `written`, those `found` at any time, those `mended`.
    `none`: the share of these runs in which none is left.
    """

    escaped: Stat
    written: float
    found: float
    mended: float
    none: float


@dataclass(frozen=True, slots=True)
class QualityFindings:
    """How good what comes out is, where attempts say how often they succeed, or defects count."""

    success: float | None
    """Share of runs that did not fail and in which what was picked is right; None: no attempts."""
    ci95: tuple[float, float] | None = None
    """Wilson's interval of it; None where nothing is drawn, and below six runs."""
    defects: DefectFindings | None = None
    """None where they are not modelled, and where every run fails."""
    unpicked: float = 0.0
    """Share of runs in which nothing could be picked, at least once: no attempt succeeded."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a profile does not say and a run needs, and which way that makes the answer err."""

    profile: str
    key: str  # the key of the profile that would say it
    errs: str  # quick slow cheap dear either
    effect: str  # what this run does without it


@dataclass(frozen=True, slots=True)
class Findings:
    workflow: str
    hardware: dict[str, str]
    seed: int
    replications: int
    assumed: list[dict[str, Any]]
    notices: list[Notice]
    """What to beware of, the weightiest first."""
    done: float
    failed: float
    reasons: dict[str, float]
    verdicts: dict[str, float]
    wall: Stat
    without_people: Stat
    busy: Stat
    first_output: Stat | None
    finish: dict[str, str] | None
    budget: BudgetFindings | None
    breakdown: dict[str, float]
    where: list[Share]
    bottleneck: Bottleneck
    steps: dict[str, StepFindings]
    calls: CallFindings
    tokens: TokenFindings
    cost_total: float | None
    cost_by_role: dict[str, float]
    servers: dict[str, ServerFindings]
    pools: dict[str, PoolFindings]
    people: dict[str, PersonFindings]
    exact: bool
    unpriced: tuple[str, ...] = ()
    """Profiles that were called and give no price: `cost_total` leaves them out."""
    plans: dict[str, float] = field(default_factory=dict)
    """Those of them that are paid by the month, which is spread over no run: dollars a month."""
    paid: dict[str, float] = field(default_factory=dict)
    """Dollars of the mean run by how it is paid: `tokens`, `rent`, `own` (a machine)."""
    wall_done: Stat | None = None
    """The wall time of the runs that did not fail; None where all failed. `wall` is of all."""
    quality: QualityFindings | None = None
    """None where no step says how often it succeeds, and no defects are modelled."""
    left_out: list[LeftOut] = field(default_factory=list)
    """What the profiles do not say and the run needs; `warnings` tells it in sentences."""
    compaction_decode: float = 0.0
    """Seconds of the breakdown's `compaction` that are decoding: a faster model shortens them."""
    longest: float | None = None
    """The share of all time that the longest 5 % of the runs hold; None below twenty runs."""
    failed_ci95: tuple[float, float] | None = None
    """Wilson's interval of `failed`; None where nothing is drawn, and below six runs."""
    levers: list[Lever] = field(default_factory=list)
    sensitivity: list[Sway] = field(default_factory=list)
    granted: dict[str, tuple[str, ...]] = field(default_factory=dict)  # profile -> its `assumed`
    binding: Binding | None = None
    """Where a quota binds with fewer at once than there are; only with the levers."""

    @property
    def is_alone(self) -> bool:
        """Whether there is but one run, or all are the same: then nothing is an average."""
        return self.exact or self.replications == 1

    @property
    def warnings(self) -> list[str]:
        """The sentences of `notices`."""
        return [it.text for it in self.notices]

    @property
    def whole_cost(self) -> float | None:
        """Dollars of the mean run; None where that is not known of all that was called."""
        return None if self.unpriced else self.cost_total

    @property
    def attention(self) -> float:
        """Seconds of people's time that the mean run takes: a budget's `person`, in the mean."""
        return sum(it.attention for it in self.people.values())
