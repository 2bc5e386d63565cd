"""The parts of a profile in plain words: what it was given as, with every unit."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from types import MappingProxyType

from agentsim.analysis import hardware
from agentsim.chance import Distribution
from agentsim.graph import LimitPlan, RetryPlan, ServerPlan
from agentsim.laws.prefill import Prefill
from agentsim.laws.price import Price, Tier
from agentsim.records import SECOND
from agentsim.report import show
from agentsim.report.text import name, safe

NONE = "-"
LONGEST = 60  # columns of a value beside its label
GRADES = MappingProxyType(
    {
        "A": "A, raw file or the provider",
        "B": "B, one third party",
        "C": "C, older model, aggregator or blog",
    }
)
_SCHEDULES = MappingProxyType(
    {
        "exclusive": "one prompt at a time, decoding waits",
        "chunked": "one prompt at a time, {:,} tokens with each step",
        "separate": "does not hold up decoding",
    }
)
_COUNTED = MappingProxyType({"uncached_input": "input that is not cached", "total": "all tokens"})


def facts(plan: ServerPlan) -> tuple[tuple[str, str], ...]:
    """(label, value) rows, none wider than fits beside its label."""
    rows = (
        *_source(plan),
        *_decode(plan),
        *_before(plan),
        *_fit(plan),
        *_limits(plan),
        *_throttle(plan),
        *_faults(plan),
        *_money(plan),
    )
    return tuple((label, name(value, LONGEST)) for label, value in rows)


def speed(per_second: float) -> str:
    """tok/s with one decimal below 100: what tells 21.9 from 24.5. A slow one in two figures."""
    if 0.0 < per_second < 0.995:
        return f"{Decimal(f'{per_second:.2g}'):f}"
    return f"{per_second:.1f}" if per_second < 99.95 else show.number(per_second)


def _source(plan: ServerPlan) -> Iterator[tuple[str, str]]:
    about = plan.about
    if about.model:
        yield "model", safe(about.model)
    when = f", {safe(about.as_of)}" if about.as_of else ""
    yield "source", f"{GRADES.get(about.grade, 'not given')}{when}"


def _decode(plan: ServerPlan) -> Iterator[tuple[str, str]]:
    law = plan.decode
    pace = f"{speed(law.rate)} tok/s, {_time(law.step(1))} a step"
    yield "decode", pace + (f" of {law.per_step:g} tokens" if law.per_step != 1 else "")
    if plan.thinks:
        yield "", f"a step makes {plan.thinks:g} tokens of thinking, {law.per_step:g} of the rest"
    if law.fit:
        parts = zip(law.fit, ("", " x B", " x root of B"), strict=True)
        yield "", "B streams: " + " + ".join(f"{_time(it)}{of}" for it, of in parts if it)
    if law.slope:
        yield "", f"+ {_time(law.slope)} a step for each token of context"
    else:
        yield "", "the same at any context (no slope given)"
    if not plan.shared:
        yield "", "calls do not slow each other down"
    if plan.spread is not None:
        low, high = plan.spread.at(0.1), plan.spread.at(0.9)
        yield "", f"a call takes {low:.2f} to {high:.2f} times that (8 in 10)"
    if plan.jitter:
        yield "", f"single tokens spread by {100 * plan.jitter:.3g} %, more of them by less"


def _before(plan: ServerPlan) -> Iterator[tuple[str, str]]:
    if plan.first_token is not None:
        yield "first token", _spread(plan.first_token)
        if plan.per_input_token:
            yield "", f"+ {_time(plan.per_input_token)} a token of input, cached or not"
        return
    if plan.latency is not None:
        yield "latency", _spread(plan.latency)
    law = plan.prefill
    if law is None:
        yield "prefill", "takes no time"
        return
    if isinstance(law, Prefill):
        rate = f"{show.number(1 / law.per_token)} tok/s" if law.per_token else "no time a token"
        slope = f" + {_time(law.slope)} a token for each before it" if law.slope else ""
        yield "prefill", rate + slope
    else:
        yield "prefill", "a table of rates by depth"
    fixed = getattr(law, "fixed", 0.0)
    if fixed:
        yield "", f"+ {_time(fixed)} a prompt"
    yield "", _SCHEDULES[plan.schedule].format(plan.chunk)


def _fit(plan: ServerPlan) -> Iterator[tuple[str, str]]:
    found = hardware.fit(plan)
    if found is not None:
        small = plan.context is not None and plan.context < hardware.DEEP
        yield "fit for agents", found + (", but it holds little context" if small else "")


def _limits(plan: ServerPlan) -> Iterator[tuple[str, str]]:
    if plan.slots is not None:
        yield "slots", "one call at a time" if plan.slots == 1 else f"{plan.slots:,} calls at once"
    if plan.kv is not None:
        yield "memory", f"{plan.kv:,} tokens of all contexts at once"
    yield from _machine(plan)
    if plan.context is not None:
        yield "context", f"{plan.context:,} tokens"
    if plan.max_output is not None:
        yield "longest answer", f"{plan.max_output:,} tokens"
    yield "prompt cache", _cache(plan)
    if plan.cache.finds < 1.0:
        since = f", from {show.exact(plan.cache.after / SECOND)} on" if plan.cache.after else ""
        yield "", f"finds what it holds in {show.share(plan.cache.finds)} of the lookups{since}"
    for i, limit in enumerate(plan.limits):
        yield "" if i else "quotas", _quota(limit)
        if limit.reserve:
            back = "given back" if limit.refund else "not given back"
            yield "", f"  the longest answer is reserved, {back}"
        if limit.resume_delay:
            late = show.exact(limit.resume_delay / SECOND)
            yield "", f"  resumed {late} after a reset"
        if limit.rejects:
            yield "", "  a call that finds no room is rejected"
        elif limit.spare:
            yield "", f"  a call that finds no room goes to the role {limit.spare}"
    if any(limit.rejects for limit in plan.limits):
        yield "rejected calls", _retries(plan.on_reject)


def _throttle(plan: ServerPlan) -> Iterator[tuple[str, str]]:
    throttle = plan.throttle
    if throttle is None:
        return
    after, recover = show.exact(throttle.after / SECOND), show.exact(throttle.recover / SECOND)
    yield "when hot", f"after {after} at work {100 * throttle.factor:.6g} % of its speed"
    yield "", f"until it has been idle for {recover}"


def _faults(plan: ServerPlan) -> Iterator[tuple[str, str]]:
    faults = plan.faults
    if faults is None:
        return
    shares = (
        (faults.error, "end in an error"),
        (faults.overload, "are turned away"),
        (faults.dropped, "break in the middle"),
    )
    rows = [f"{100 * share:.6g} % of the calls {what}" for share, what in shares if share]
    if faults.timeout is not None:
        rows.append(f"a call is cut after {show.exact(faults.timeout / SECOND)} of service")
    for began, over in faults.outages[:3]:
        lasts, since = show.exact((over - began) / SECOND), show.exact(began / SECOND)
        rows.append(f"not there for {lasts}, from {since} on")
    if len(faults.outages) > 3:
        rows.append(f"and {len(faults.outages) - 3:,} more outages")
    for i, row in enumerate(rows):
        yield "" if i else "faults", row
    yield "failed calls", _retries(faults.retry)


def _machine(plan: ServerPlan) -> Iterator[tuple[str, str]]:
    machine = plan.machine
    if machine is None:
        return
    if machine.name:
        models = "1 model" if machine.places in (None, 1) else f"{machine.places} models"
        yield "machine", f"{safe(machine.name)}, {models} in memory"
    if machine.load is not None:
        yield "loading", _spread(machine.load)
    if machine.keep is not None:
        yield "", f"leaves memory {show.duration(machine.keep / SECOND)} after its last call"


def _cache(plan: ServerPlan) -> str:
    cache = plan.cache
    if cache.kind == "none":
        return "none"
    what = "prompts and answers" if cache.answers else "prompts"
    blocks = f", in blocks of {cache.block}" if cache.block > 1 else ""
    if cache.kind == "slot":
        return f"{what}, the last one of each slot{blocks}"
    if cache.kind == "lru":
        goes = ", cut to what fits" if cache.tails else ""
        return f"{what}, {cache.capacity:,} tokens, the last used{goes}{blocks}"
    return f"{what}, until {show.duration(cache.ttl / SECOND)} after the last use{blocks}"


def _retries(plan: RetryPlan | None) -> str:
    if plan is None:
        return "fail"
    if plan.reset:
        most = "" if plan.tries is None else f", {plan.tries:,} tries in all"
        return f"ask again when there is room{most}"
    waits = [show.exact(wait / SECOND) for wait in plan.waits]
    told = ", ".join(waits if len(waits) <= 3 else [*waits[:2], "...", waits[-1]])
    jitter = "" if plan.jitter is None else f" +-{show.share(plan.jitter.high - 1)}"
    return f"{len(waits) + 1:,} tries in all, after {told}{jitter}" if waits else "fail"


def _quota(limit: LimitPlan) -> str:
    what = _COUNTED.get(limit.count, limit.count)
    shown = show.number if limit.count == "requests" else show.tokens
    holds = f"{what}: {shown(limit.holds)}"
    if limit.kind == "bucket":
        return f"{holds}, refilled {shown(limit.refill * show.MINUTE)} a minute"
    size = show.exact(limit.size / SECOND)
    if limit.kind == "window":
        anchor = show.exact(limit.anchor / SECOND)
        return f"{holds} in each {size}" + (f", from {anchor} on" if limit.anchor else "")
    return f"{holds} in {size} from the first use"


def _money(plan: ServerPlan) -> Iterator[tuple[str, str]]:
    if plan.monthly is not None:
        yield "plan", f"{show.money(plan.monthly)} a month, of which no run has a part"
    if (hourly := plan.hourly) is not None:
        what = "own machine" if hourly.own else "rent"
        of = "in which a call is in service" if hourly.used else "of the run"
        yield what, f"{show.money(hourly.rate)} for each hour {of}"
    if plan.price is not None:
        yield "per M tokens", _prices(plan.price)
        for tier in plan.price.tiers:
            yield from _tier(tier)


def _tier(tier: Tier) -> Iterator[tuple[str, str]]:
    """Which calls, a line an hours' text, and their prices."""
    if tier.above >= 0:
        yield "", f"above {tier.above:,} tokens of input:"
    if tier.hours is not None:
        zone = f"({safe(tier.hours.zone)})" if tier.hours.zone else "(where the run is)"
        *before, last = safe(tier.hours.text).split(", ")
        yield from (("", text) for text in before)
        yield "", f"{last} {zone}:"
    yield "", _prices(tier.price)


def _prices(price: Price) -> str:
    parts = [("input", price.input), ("cached", price.cached), ("cache write", price.cache_write)]
    known = [*parts, ("output", price.output)]
    return ", ".join(f"{what} {show.money(it)}" for what, it in known if it is not None)


def _spread(spread: Distribution) -> str:
    """`318 ms typical, 1 in 10 over 482 ms`."""
    typical, high = spread.at(0.5), spread.at(0.9)
    if spread.low == spread.high:
        return show.duration(typical)
    return f"{show.duration(typical)} typical, 1 in 10 over {show.duration(high)}"


def _time(seconds: float) -> str:
    """Three or four figures in ns, us, ms or s: steps and slopes are far below what people wait."""
    if seconds >= 9999.5:
        return f"{seconds:,.0f} s"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.4g} {unit}"
    return f"{seconds * 1e9:.4g} ns"
