"""What a server does, as figures: speed over context and over streams, and what a call takes.

Everything is computed from the laws of the plan, so it is what a simulation would show; nothing
here is drawn: where a plan has a distribution the median stands for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from agentsim.chance import Distribution
from agentsim.graph import ServerPlan

DEEP = 32_000  # tokens: the context of an agent in the middle of its work
DEPTHS = (0, 8_000, 32_000, 64_000, 128_000, 256_000, 512_000, 1_000_000)
_UNKNOWN_ENDS = 128_000  # tokens: how far the figures go where a profile gives no context
_NEAR = 1.1  # a context that is less above the last depth needs no row of its own
STREAMS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_CROWD = 32  # streams: how far the figures go where a profile gives no slots
EXAMPLES = ((25_000, 500), (100_000, 50), (500, 5_000))
"""Calls as (input, output): an agent's first, a short answer to a long text, the reverse."""

# The scale of a public discussion (May 2026): acceptable from 100 tok/s of prefill and 10 of
# decode, ok-ish at 200-400 and 15-25, wonderful at thousands and 100. Both must hold.
_SCALE = (("wonderful", 1000.0, 100.0), ("ok-ish", 200.0, 15.0), ("acceptable", 100.0, 10.0))
TOO_SLOW = "too slow"
_NEARLY = 1 - 1e-6  # a rate that was computed may lie a little below what was written
_LITTLE = 0.01  # tokens


@dataclass(frozen=True, slots=True)
class Depth:
    """One stream at `context` tokens: tok/s, and seconds to read a cold prompt of that length.

    `measured`: not beyond the longest context that the source measured; None: it does not say.

    `prefill` None: reading takes no time that depends on the prompt, or it is not known apart.
    """

    context: int
    decode: float
    prefill: float | None
    read: float
    measured: bool | None


@dataclass(frozen=True, slots=True)
class Crowd:
    """`streams` at once: tok/s of each and of all at empty context, and whether that was measured.

    `each_deep`, `total_deep`: the same at 32k of context each; None where so much does not fit.
    """

    streams: int
    each: float
    total: float
    each_deep: float | None
    total_deep: float | None
    measured: bool


@dataclass(frozen=True, slots=True)
class Room:
    """How many `calls` of `context` tokens (input and output) are in service at once.

    `limit`: `slots`, or `kv`, the memory for contexts.
    """

    context: int
    calls: int
    limit: str


@dataclass(frozen=True, slots=True)
class Example:
    """A call alone on an idle server, nothing cached: seconds to the first token, and in all."""

    input: int
    output: int
    first: float
    total: float
    money: float | None
    fits: bool


@dataclass(frozen=True, slots=True)
class Rated:
    """One profile as a row: tok/s of one stream at empty context and at 32k (None: too long).

    `..._deep_known`: that at 32k was measured; where the source does not say how far it measured:
    it follows a slope that the profile gives.
    `first_token` is the median in seconds where that is measured instead of a prefill rate.
    `total8` is tok/s of eight streams together; None: one at a time, not shared, not measured.
    """

    name: str
    model: str
    decode: float
    decode_deep: float | None
    decode_deep_known: bool
    prefill: float | None
    prefill_deep: float | None
    prefill_deep_known: bool
    first_token: float | None
    total8: float | None
    fit: str | None
    context: int | None
    quota: bool
    grade: str
    as_of: str


def rated(plan: ServerPlan) -> Rated:
    """The row of a profile."""
    deep = DEEP if plan.context is None or plan.context >= DEEP else None
    eight = [crowd for crowd in crowds(plan) if crowd.streams == 8 and crowd.measured]
    return Rated(
        name=plan.profile,
        model=plan.about.model,
        decode=decode_rate(plan, 0),
        decode_deep=None if deep is None else decode_rate(plan, deep),
        decode_deep_known=_known(plan, plan.decode.slope > 0.0)
        and "per_context_token" not in plan.about.left_out,
        prefill=prefill_rate(plan, 0),
        prefill_deep=None if deep is None else prefill_rate(plan, deep),
        prefill_deep_known=_known(plan, prefill_rate(plan, 0) != prefill_rate(plan, DEEP)),
        first_token=None if plan.first_token is None else median(plan.first_token),
        total8=eight[0].total if eight else None,
        fit=fit(plan),
        context=plan.context,
        quota=bool(plan.limits),
        grade=plan.about.grade,
        as_of=plan.about.as_of,
    )


def decode_rate(plan: ServerPlan, context: float) -> float:
    """tok/s of one stream after `context` tokens: p / (s(1) + c * context)."""
    step = plan.decode.step(1) + plan.decode.slope * context
    return plan.decode.per_step / step if step else math.inf


def prefill_rate(plan: ServerPlan, depth: float) -> float | None:
    """tok/s at which the next token after `depth` is read; None where reading takes no time."""
    if plan.prefill is None:
        return None
    # The difference of two prompts is free of the fixed part; a small one is the slope there.
    seconds = plan.prefill.seconds
    part = seconds(2 * _LITTLE, depth) - seconds(_LITTLE, depth)
    return _LITTLE / part if part > 0.0 else None


def fit(plan: ServerPlan) -> str | None:
    """How good it is for agents, one stream at empty context; the lower of both speeds counts.

    Where the time to the first token is what was measured, reading is an agent's first prompt
    over that time. None where nothing says how long reading takes.
    """
    decode = decode_rate(plan, 0)
    prefill = prefill_rate(plan, 0)
    if plan.first_token is not None:
        first = EXAMPLES[0][0]
        prefill = first / max(before_output(plan, first), 1e-9)
    if prefill is None:
        return None
    for name, reads, writes in _SCALE:
        if prefill >= reads * _NEARLY and decode >= writes * _NEARLY:
            return name
    return TOO_SLOW


def _known(plan: ServerPlan, slopes: bool) -> bool:
    """Whether a figure at 32k is more than that at empty context said again."""
    deepest = plan.about.deepest
    if plan.context is not None and plan.context < DEEP:
        return False
    return slopes if deepest is None else deepest >= DEEP


def depths(plan: ServerPlan) -> tuple[Depth, ...]:
    """Speed against context, up to the longest that it has."""
    longest = plan.context or _UNKNOWN_ENDS
    known = [at for at in DEPTHS if at <= longest]
    if longest > known[-1] * _NEAR:
        known.append(longest)
    deepest = plan.about.deepest
    return tuple(
        Depth(
            context=at,
            decode=decode_rate(plan, at),
            prefill=prefill_rate(plan, at),
            read=before_output(plan, at),
            measured=None if deepest is None else at <= deepest,
        )
        for at in known
    )


def crowds(plan: ServerPlan) -> tuple[Crowd, ...]:
    """Speed against the number of streams; empty where calls do not share the server."""
    if not plan.shared or plan.slots == 1:
        return ()
    most = _CROWD if plan.slots is None else plan.slots
    counts = sorted({streams for streams in STREAMS if streams <= most} | {most})
    return tuple(_crowd(plan, streams) for streams in counts)


def _crowd(plan: ServerPlan, streams: int) -> Crowd:
    knots = plan.decode.knots
    # A fit holds wherever it was fitted; a single knot says nothing about several streams.
    measured = knots is None or knots[0][0] <= streams <= knots[-1][0]
    fits = (plan.context is None or plan.context >= DEEP) and streams <= _calls(plan, DEEP)[0]
    each = _each(plan, streams, 0)
    deep = _each(plan, streams, DEEP) if fits else None
    return Crowd(
        streams=streams,
        each=each,
        total=streams * each,
        each_deep=deep,
        total_deep=None if deep is None else streams * deep,
        measured=measured,
    )


def _each(plan: ServerPlan, streams: int, context: int) -> float:
    """tok/s of each of so many streams: p / (s(B) + c * T), T the sum of their contexts."""
    step = plan.decode.step(streams) + plan.decode.slope * streams * context
    return plan.decode.per_step / step if step else math.inf


def rooms(plan: ServerPlan) -> tuple[Room, ...]:
    """How many calls of a context are in service at once; empty where nothing limits that."""
    if plan.slots is None and plan.kv is None:
        return ()
    found = []
    for row in depths(plan):
        if row.context:
            calls, limit = _calls(plan, row.context)
            found.append(Room(row.context, int(calls), limit))
    return tuple(found)


def _calls(plan: ServerPlan, context: int) -> tuple[float, str]:
    """Most calls of `context` tokens at once, and what limits them; slots where both do."""
    slots = math.inf if plan.slots is None else plan.slots
    memory = math.inf if plan.kv is None else plan.kv // context
    return (slots, "slots") if slots <= memory else (memory, "kv")


def before_output(plan: ServerPlan, tokens: int) -> float:
    """Seconds until the first step of decoding (or the first token) of a cold prompt, alone."""
    if plan.first_token is not None:
        return median(plan.first_token) + plan.per_input_token * tokens
    reading = plan.prefill.seconds(tokens, 0) if plan.prefill else 0.0
    return median(plan.latency) + reading


def example(plan: ServerPlan, tokens: int, output: int) -> Example:
    """A call of `tokens` input and `output` alone, nothing cached."""
    before = before_output(plan, tokens)
    factor = 1.0 if plan.spread is None else median(plan.spread)
    came = 0 if plan.first_token is None else 1
    steps = max(0, output - came)
    first = before + (0.0 if came else factor * plan.decode.alone(min(1, output), tokens))
    written = plan.cache.kind != "none"
    price = plan.price
    return Example(
        input=tokens,
        output=output,
        first=first,
        total=before + factor * plan.decode.alone(steps, tokens),
        money=None if price is None else price.of(tokens).cost(tokens, 0, output, written),
        fits=(plan.context is None or tokens + output <= plan.context)
        and (plan.max_output is None or output <= plan.max_output),
    )


def examples(plan: ServerPlan) -> tuple[Example, ...]:
    """The example calls."""
    return tuple(example(plan, tokens, output) for tokens, output in EXAMPLES)


def median(spread: Distribution | None) -> float:
    """The typical value; 0 where there is none."""
    return 0.0 if spread is None else spread.at(0.5)
