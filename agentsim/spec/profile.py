"""What may stand in a hardware profile: the models, and what of the format is not simulated yet.

Every part of a profile (`decode`, `prefill`, a limit, ...) is a model of its own, checked one by
one, so that one file's faults are all told at once. What parts say together is `hardware`'s.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from agentsim.spec import profile_fields as kinds
from agentsim.spec import profile_money as money
from agentsim.spec.fields import Flag, Text, Units
from agentsim.spec.model import Model, may, need


class SourceFile(Model):
    """Where the figures come from."""

    url: Text = may("where the figures were read", "https://example.org/bench.csv", "")
    as_of: kinds.AsOf = may("when they were measured or published", "2026-02", "")
    grade: kinds.Grade = may(
        "A raw file or provider, B one third party, C older model or blog", "A", ""
    )
    measured_to: kinds.TokenCount = may("the longest context that was measured", "64k")


class FitFile(Model):
    """A decode step of B streams takes a + b*B + d*sqrt(B)."""

    a: kinds.Seconds = need("the part of a step that is always there", "2.3ms")
    b: kinds.Seconds = may("more for each stream", "0.17ms", 0.0)
    d: kinds.Seconds = may("more for the root of the streams", "1.9ms", 0.0)


class DecodeFile(Model):
    """How output tokens are made."""

    rate: kinds.Rate = may("tok/s of one stream at empty context", "800 tok/s")
    step: kinds.StepTable = may("time of a step, or by number of streams", "{1: 17ms, 8: 50ms}")
    per_stream: kinds.RateTable = may("tok/s of each stream by their number", "{1: 83 tok/s}")
    total: kinds.RateTable = may("tok/s of all streams by their number", "{1: 83 tok/s}")
    fit: Any = may("a step takes a + b*B + d*sqrt(B)", "{a: 2.3ms, b: 0.17ms, d: 1.9ms}")
    per_context_token: kinds.Slope = may(
        "more time of a step for each token of context", "191ns", 0.0
    )
    tokens_per_step: kinds.PerStep = may("tokens that a step makes (speculation)", "2.5")
    shared: kinds.Shared = may("whether calls slow each other down", "yes")
    spread: kinds.Spread = may("factor on a call's decode time", "20%")
    jitter: kinds.Jitter = may("the spread of single tokens: their cv", "20%")


SPEEDS = ("rate", "step", "per_stream", "total", "fit")
"""Keys of `decode` that give the speed: one of them is needed."""


class PrefillFile(Model):
    """How input tokens that no cache holds are read."""

    rate: kinds.PrefillRate = need("tok/s, or a table by tokens already read", "2525 tok/s")
    per_context_token: kinds.Slope = may(
        "more time of a token for each one before it", "6.9ns", 0.0
    )
    fixed: kinds.Seconds = may("time of a prompt of any length", "50ms", 0.0)
    schedule: kinds.Schedule = may("whether decoding waits for prompts", "exclusive")
    chunk: kinds.TokenCount = may("tokens of a prompt that a step carries, with chunked", "2048")


class DegradesFile(Model):
    """A cache that does not find all that it should hold."""

    after: kinds.Seconds = may("so long after the start of the run", "2h", 0.0)
    to: kinds.Chance = need("the share of lookups that still find what is held", "50%")


class CacheFile(Model):
    """What a server remembers of prompts."""

    kind: kinds.CacheKind = need("none, ttl, lru or slot", "ttl")
    ttl: kinds.Ttl = may("how long after its last use a prompt is kept", "5m")
    block: Units = may("hits are whole multiples of so many tokens", "128", 1)
    covers: kinds.Covers = may(
        "prompt (what was sent; so ttl) or all (what was answered too; so lru and slot)", "prompt"
    )
    capacity: kinds.TokenCount = may("tokens of all sessions that an lru holds", "500k")
    evicts: kinds.Evicts = may(
        "what a full lru drops: entries (whole ones) or tokens (as few as it has to)", "entries"
    )
    degrades: DegradesFile | None = may(
        "from when on it finds what it holds only at times", "{after: 2h, to: 50%}"
    )


class WindowFile(Model):
    """A quota for each of the stretches of time that follow one another."""

    size: kinds.Span = need("how long a window is", "10s")
    allow: kinds.Allowed = need("how much each window allows", "2")
    anchor: kinds.Seconds = may("a window begins so long after the start of the run", "5s", 0.0)


class SessionWindowFile(Model):
    """A quota for a time that opens at the first use after the last one was over."""

    size: kinds.Span = need("how long it is open", "5h")
    allow: kinds.Allowed = need("how much it allows while it is open", "2M")
    resume_delay: kinds.Seconds = may("what waited for a reset goes on so much later", "10m", 0.0)


class LimitFile(Model):
    """One quota: a bucket that is refilled, a window, or a session window."""

    count: kinds.Counted = need(f"what it counts: {', '.join(kinds.COUNTS)}", "requests")
    bucket: kinds.Amount = may("how much it holds", "30k")
    refill: kinds.Refill = may("how fast it fills", "500/s")
    window: WindowFile | None = may("so much in each stretch of time", "{size: 10s, allow: 2}")
    session_window: SessionWindowFile | None = may(
        "so much in a time that opens at first use", "{size: 5h, allow: 2M}"
    )
    reserve: kinds.Reserve = may(
        "max_output: the longest answer is taken up front", "max_output", False
    )
    refund: Flag = may("whether what was reserved and not used comes back", "yes", False)
    account: kinds.Account = may("servers that name the same account share it", "team")
    on_limit: kinds.OnLimit = may("what becomes of a call that finds no room", "reject", "wait")


class RetryFile(Model):
    """How a call that has failed asks again; after the last try its step fails."""

    waits: kinds.Pauses = may("the time before each further try", "[2s, 4s, 8s]")
    first: kinds.Pause = may("the time before the second try", "1s")
    factor: kinds.Factor = may("each further wait is so many times the last; 2", "2")
    at_most: kinds.Pause = may("no wait is longer", "60s")
    jitter: kinds.Jitter = may("each wait is up to so much shorter or longer", "50%")
    tries: kinds.Tries = may("how often it asks in all", "6")


class RejectFile(RetryFile):
    """How a call that a quota has rejected asks again; after the last try it fails."""

    wait: kinds.UntilReset = may("it waits until there is room", "reset")


class OutageFile(Model):
    """A time at which a server is not there."""

    since: kinds.Seconds = need("when it begins, from the start of the run", "1h", alias="from")
    lasts: kinds.Lasting = need("how long it lasts", "20m", alias="for")


class FaultsFile(Model):
    """Calls that do not end well, by shares of all calls, and when they ask again."""

    error: kinds.Chance = may("calls that end after their latency without an answer", "1%", 0.0)
    overload: kinds.Chance = may("calls that are turned away before service", "2%", 0.0)
    dropped: kinds.Chance = may("calls whose stream breaks in the middle", "1%", 0.0)
    timeout: kinds.Limit = may("a call is cut so long after its service began", "90s")
    outage: Any = may("times at which the server is not there", "[{from: 1h, for: 20m}]")
    retry: RetryFile | None = may("when a failed call asks again", "{first: 1s, tries: 3}")


class ThrottleFile(Model):
    """Hardware that slows down when it has worked for long."""

    after: kinds.Lasting = need("time at work after which it is slow", "10m")
    factor: kinds.Slowed = need("the share of its speed that is left", "60%")
    recover: kinds.Lasting = need("time without work after which it is as before", "5m")


class TierFile(Model):
    """Other prices for some calls: those with more input, or at some hours."""

    above: kinds.TokenCount = may("for calls with more input than that", "200k")
    hours: money.Hours = may("for calls that end within them", '"Mon-Fri 09:00-17:00"')
    input: money.Dollars = need("of new input", "6")
    output: money.Dollars = need("of output, thinking included", "22.5")
    cached: money.OtherDollars = may("of input that was cached; else that of input", "0.60")
    cache_write: money.OtherDollars = may(
        "of input that enters the cache; else that of input", "7.5"
    )


class PlanFile(Model):
    """A plan that is paid by the month, whatever is called."""

    per_month: money.Cost = need("dollars a month", "$200")


class PriceFile(Model):
    """Dollars per million tokens; or a plan, rent by the hour, or a machine that is bought."""

    input: money.OtherDollars = may("of new input", "3")
    output: money.OtherDollars = may("of output, thinking included", "15")
    cached: money.OtherDollars = may("of input that was cached; else that of input", "0.30")
    cache_write: money.OtherDollars = may(
        "of input that enters the cache; else that of input", "3.75"
    )
    tiers: Any = may("other prices for some calls", "[{above: 200k, input: 6, output: 22.5}]")
    timezone: money.Zone = may("the zone of `hours`; that of the workflow", "UTC")
    plan: Any = may("paid by the month, whatever is called", "{per_month: 200}")
    per_hour: money.Cost = may("rent, dollars an hour", "2.5")
    buy: money.Cost = may("what the machine is bought for, dollars", "4000")
    years: money.Years = may("how long it is used", "3")
    watts: money.Watts = may("what it draws while it is used", "150")
    per_kwh: money.Cost = may("dollars a kilowatt hour", "0.30")
    hours_per_week: money.WeekHours = may("how long it is used in a week", "40")
    paid: money.Paid = may("the hours that are paid: wall, or use (calls in service)", "use")


class ProfileFile(Model):
    """A hardware profile. Parts that are mappings are checked by their own models."""

    agentsim: kinds.Version = need("the version of the format", "1")
    name: Text = may("what is shown as its title", "My box", "")
    model: Text = may("the model that it serves", "gpt-oss-120b", "")
    source: Any = may("where the figures come from", "{url: ..., as_of: 2026-02, grade: A}")
    note: Text = may("what to know about the figures", "Measured to 32k of context.", "")
    assumed: kinds.Texts = may(
        "what is not measured, a sentence each", '["One slot: a setting."]', ()
    )
    decode: Any = need("how output tokens are made", "{rate: 800 tok/s}")
    prefill: Any = may("how input tokens are read, or none", "{rate: 2525 tok/s}")
    latency: kinds.Latency = may("before a prompt is read", "{p50: 20ms, p90: 60ms}")
    first_token: kinds.FirstToken = may("measured time to the first token", "0.3s")
    slots: kinds.Slots = may("calls in service at once", "8")
    kv: kinds.TokenCount = may("tokens of all contexts in memory at once", "500k")
    machine: kinds.Account = may("profiles that name it share its memory for models", "spark")
    load: kinds.Latency = may("time to load the model into memory", "20s")
    keep_alive: kinds.Ttl = may("how long it stays there without a call", "5m")
    models_in_memory: kinds.Slots = may("models that `machine` holds at once; 1", "1")
    context: kinds.TokenCount = may("the longest context in tokens", "131k")
    max_output: kinds.TokenCount = may("the longest answer in tokens", "32k")
    cache: Any = may("what it remembers of prompts", "{kind: ttl, ttl: 5m}")
    limits: Any = may("quotas", "[{count: requests, bucket: 1000, refill: 1000/min}]")
    on_reject: Any = may("what a rejected call does", "{waits: [2s, 4s, 8s]}")
    faults: Any = may("calls that do not end well", "{error: 1%, retry: {first: 1s, tries: 3}}")
    throttle: ThrottleFile | None = may(
        "it slows down when it has worked for long", "{after: 10m, factor: 60%, recover: 5m}"
    )
    price: Any = may("dollars per million tokens", "{input: 3, output: 15}")


LATER = MappingProxyType(
    {
        "": {
            "hours": "`hours`, hardware that is there at some hours only",
            "mix": "`mix`, calls spread over several profiles",
        },
        "plan": {"windows": "`windows`, which stand in `limits` as quotas of their own"},
    }
)
"""By part: keys that the format has and this version cannot simulate."""
