"""The kinds of value that a field of a hardware profile may hold, as types for the models.

As in `values`: each reads what was written into base numbers, or says what it expected.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import PlainValidator

from agentsim import units
from agentsim.chance import Distribution, lognormal_mean_cv
from agentsim.spec import values
from agentsim.spec.problems import quoted
from agentsim.spec.quantity import QuantityFaults, Unit, quantity
from agentsim.spec.values import below, fault, plain, shown, within

MOST_ROWS = 200
MOST_TRIES = 1000
"""Of one call: more would be a run that does nothing else."""
GRADES = ("A", "B", "C")
COUNTS = ("requests", "input", "uncached_input", "output", "total")

# Speeds beyond these are typing errors; within them no time overflows and none rounds to nothing.
_SLOWEST, _FASTEST = 1e-6, 1e9  # per second
_LONGEST_STEP = 1e6  # seconds
_STEEPEST = 0.01  # seconds a token


def rate(value: object) -> float:
    """Tokens per second of `800 tok/s`."""
    return rate_within(one(units.token_rate, value), value)


def _refill(value: object) -> float:
    """Tokens or requests per second; `check_counted` knows which of them are meant."""
    return rate_within(one(units.rate, value), value)


def check_counted(key: str, value: object, count: str) -> None:
    """Raises `QuantityFaults` where `bucket`, `allow` or `refill` counts something else.

    A number without a unit counts what the quota counts.
    """
    if key == "refill":
        one(units.request_rate if count == "requests" else units.token_rate, value)
    elif count == "requests" and isinstance(value, str) and "tok" in value:
        raise fault(f"a quota of requests holds requests, not tokens; got {shown(value)}")


def step_within(seconds: float, tokens: float) -> bool:
    """Whether a step that makes so many `tokens` of a stream is as quick or slow as a rate may be.

    The digits that division loses do not count.
    """
    return tokens / _FASTEST <= seconds * (1.0 + 1e-9) and seconds <= tokens / _SLOWEST * 1.000001


RATES = f"from {plain(_SLOWEST)} to {plain(_FASTEST)} tok/s of one stream"


def rate_within(number: float, written: object) -> float:
    """`number` per second if hardware can be so fast or slow; else raises `QuantityFaults`."""
    if not _SLOWEST <= number <= _FASTEST:
        limits = f"from {plain(_SLOWEST)} to {plain(_FASTEST)} a second"
        got = plain(number) if isinstance(written, float) else quoted(written)
        raise fault(f"expected a rate {limits}; got {got}")
    return number


def step_time(value: object) -> float:
    """Seconds of one decode step; above 0."""
    seconds = one(within(units.duration, _LONGEST_STEP, "seconds"), value)
    if seconds <= 0.0:
        raise fault(f"a step takes more than 0 seconds; got {shown(value)}")
    return seconds


def _slope(value: object) -> float:
    """Seconds a token of context: measured ones are 50 ns to 1 us, so ms are a wrong unit."""
    return one(within(units.duration, _STEEPEST, "seconds"), value)


def _per_input(value: object) -> float:
    return one(within(units.duration, 1.0, "seconds"), value)


def _seconds(value: object) -> float:
    return one(values.seconds, value)


def _amount(value: object) -> float:
    number = one(within(units.tokens, values.MOST_TOKENS, "tokens or requests"), value)
    if number <= 0.0:
        raise fault(f"a bucket holds more than 0; got {shown(value)}")
    return number


def _allowed(value: object) -> float:
    number = one(within(units.tokens, values.MOST_TOKENS, "tokens or requests"), value)
    if number < 1.0:
        raise fault(f"a window allows 1 or more; got {shown(value)}")
    return number


def _span(value: object) -> float:
    """Seconds, 1 ms or more: how long a window is."""
    seconds = one(values.seconds, value)
    if seconds < 0.001:
        raise fault(f"a window is 1 ms or longer; got {shown(value)}")
    return seconds


def _per_step(value: object) -> float | tuple[float, float]:
    """Tokens that a step makes, of all text, or of thinking and of what is to be seen."""
    if not isinstance(value, dict):
        return _tokens_of_step(value)
    expected = "{thinking: 2, visible: 3}: the kinds of text that a run tells apart"
    for key in value:
        if key not in ("thinking", "visible"):
            with below(key):
                raise fault(f"expected {expected}; got {shown(key)}")
    if len(value) < 2:
        raise fault(f"expected {expected}; got {shown(value)}")
    found = []
    for key in ("thinking", "visible"):
        with below(key):
            found.append(_tokens_of_step(value[key]))
    return found[0], found[1]


def _tokens_of_step(value: object) -> float:
    number = one(values.count, value)
    if not 1 <= number <= 1000:
        raise fault(f"expected tokens that a step makes, 1 to 1,000; got {shown(value)}")
    return number


def _some_tokens(value: object) -> int:
    number = one(values.tokens, value)
    if number < 1 or number != int(number):
        raise fault(f"expected whole tokens, 1 or more, such as 131k; got {shown(value)}")
    return int(number)


def one(read: Unit, value: object) -> float:
    """One fixed value: no list, no mapping."""
    try:
        return read(value)
    except QuantityFaults:
        raise
    except ValueError as error:
        raise fault(str(error)) from None


Rows = tuple[tuple[float, float], ...]


def _table(value: dict[Any, Any], key_of: Unit, read: Unit, expected: str) -> Rows:
    """A mapping as rows sorted by key: a table means the same in whatever order it is written."""
    if not 1 <= len(value) <= MOST_ROWS:
        raise fault(f"expected a table of 1 to {MOST_ROWS} rows, {expected}; got {len(value)}")
    rows: dict[float, float] = {}
    found: list[Any] = []
    for key, entry in value.items():
        try:
            with below(key):
                at = key_of(key)
                if at in rows:
                    raise fault(f"a second row for {shown(key)}")
                rows[at] = read(entry)
        except QuantityFaults as error:
            found += error.faults
    if found:
        raise QuantityFaults(found)
    return tuple(sorted(rows.items()))


def _streams(key: object) -> float:
    return values.whole(key, 1, 1_000_000, "a number of streams, such as 8")


def _slots(key: object) -> int:
    return values.whole(key, 1, 1_000_000, "such as 8")


def by_streams(read: Unit, expected: str) -> Any:
    """One value (the same for any number of streams), or a table by number of streams."""

    def table(value: object) -> Rows:
        if isinstance(value, dict):
            return _table(value, _streams, read, expected)
        return ((1, read(value)),)

    return PlainValidator(table)


def _by_depth(value: object) -> float | Rows:
    """One prefill rate, or a table of rates by tokens already read."""
    if isinstance(value, dict):
        return _table(value, lambda key: one(units.tokens, key), rate, "{0: 2.4k tok/s, ...}")
    return rate(value)


def _spread(value: object) -> Distribution:
    """A factor on a call's decode time: `20%` (log-normal of mean 1) or a distribution."""
    if isinstance(value, str) and value.strip().endswith("%"):
        return lognormal_mean_cv(1.0, one(units.share, value))
    if not isinstance(value, dict):
        raise fault(f"expected a share or a distribution around 1; got {shown(value)}")
    found = quantity(value, values.count)
    middle, mean = found.at(0.5), found.mean
    # else the rate that is written down would be that of no call
    if not (0.8 <= middle <= 1.25 and 0.8 <= mean <= 2.0):
        raise fault(
            "expected a factor around 1, such as {p50: 1, p90: 1.4}: median 0.8 to 1.25, mean 0.8 "
            f"to 2; got a median of {middle:.3g} and a mean of {mean:.3g}"
        )
    return found


def _first_token(value: object) -> tuple[Distribution, float]:
    """Seconds to the first token, and seconds more for each token of input."""
    if not isinstance(value, dict) or "per_input_token" not in value:
        return values.duration_of(value), 0.0
    with below("per_input_token"):
        slope = _per_input(value["per_input_token"])
    rest = {key: entry for key, entry in value.items() if key != "per_input_token"}
    if rest.keys() == {"value"}:
        with below("value"):
            return values.duration_of(rest["value"]), slope
    return values.duration_of(rest), slope


def _schedule(value: object) -> str:
    return values.one_of(value, ("exclusive", "chunked", "separate"), "a schedule")


def _cache_kind(value: object) -> str:
    return values.one_of(value, ("none", "ttl", "lru", "slot"), "a kind of cache")


def _on_limit(value: object) -> str | tuple[str]:
    """`wait` or `reject`; the role of `{fallback: role}` by itself."""
    if isinstance(value, dict):
        if value.keys() != {"fallback"}:
            raise fault(f"expected `{{fallback: role}}`; got {shown(value)}")
        with below("fallback"):
            return (values.name(value["fallback"]),)
    return values.one_of(value, ("wait", "reject"), "what a call does at the limit")


def _pause(value: object) -> float:
    """Seconds before a further try; above 0."""
    seconds = one(values.seconds, value)
    if seconds <= 0.0:
        raise fault(f"a wait takes more than 0 seconds; got {shown(value)}")
    return seconds


def _slowed(value: object) -> float:
    share = one(units.share, value)
    if not 0.0 < share < 1.0:
        raise fault(f"expected a share of the speed between 0 and 100 %; got {shown(value)}")
    return share


def _lasting(value: object) -> float:
    """Seconds above 0."""
    seconds = one(values.seconds, value)
    if seconds <= 0.0:
        raise fault(f"expected a time of more than 0 seconds; got {shown(value)}")
    return seconds


def _pauses(value: object) -> tuple[float, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_TRIES - 1:
        such = f"a list of 1 to {MOST_TRIES - 1} times, such as [2s, 4s, 8s]"
        raise fault(f"expected {such}; got {shown(value)}")
    return values.each_of(value, _pause)


def _factor(value: object) -> float:
    number = one(values.count, value)
    if not 1.0 <= number <= 100.0:
        raise fault(f"expected a factor from 1 to 100; got {shown(value)}")
    return number


def _share(value: object) -> float:
    return one(units.share, value)


def _tries(value: object) -> int:
    return values.whole(value, 1, MOST_TRIES, "such as 6")


def _reserve(value: object) -> bool:
    if value == "max_output":
        return True
    if value is False or value in ("no", "none"):
        return False
    raise fault(f"expected max_output or none; got {shown(value)}")


def _version(value: object) -> int:
    if isinstance(value, bool) or value != 1:
        raise fault(f"expected version 1 of the format; got {shown(value)}")
    return 1


def _as_of(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise fault(f"expected a date, such as 2026-02; got {shown(value)}")
    text = str(value)
    if not any(_is_date(text, form) for form in ("%Y", "%Y-%m", "%Y-%m-%d")):
        raise fault(f"expected a date, such as 2026-02 or 2026-02-28; got {shown(value)}")
    return text


def _is_date(text: str, form: str) -> bool:
    try:
        return datetime.strptime(text, form).strftime(form) == text
    except ValueError:
        return False


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise fault(f"expected a list of sentences; got {shown(value)}")
    return values.each_of(value, values.text)


def choice(names: tuple[str, ...], what: str) -> Any:
    return PlainValidator(lambda value: values.one_of(value, names, what))


# A field that may be absent is `X | None` inside; an empty `rate:` is taken out before, and told.
Rate = Annotated[float | None, PlainValidator(rate)]
Refill = Annotated[float | None, PlainValidator(_refill)]
Slope = Annotated[float, PlainValidator(_slope)]
Seconds = Annotated[float, PlainValidator(_seconds)]
Ttl = Annotated[float | None, PlainValidator(_seconds)]
Amount = Annotated[float | None, PlainValidator(_amount)]
Allowed = Annotated[float, PlainValidator(_allowed)]
Span = Annotated[float, PlainValidator(_span)]
PerStep = Annotated[float | tuple[float, float] | None, PlainValidator(_per_step)]
TokenCount = Annotated[int | None, PlainValidator(_some_tokens)]
Slots = Annotated[int | None, PlainValidator(_slots)]
Shared = Annotated[bool | None, PlainValidator(values.flag)]
StepTable = Annotated[Rows | None, by_streams(step_time, "{1: 17.3ms, 8: 49.6ms}")]
RateTable = Annotated[Rows | None, by_streams(rate, "{1: 83 tok/s, 8: 22.2 tok/s}")]
PrefillRate = Annotated[float | Rows, PlainValidator(_by_depth)]
Latency = Annotated[Distribution | None, PlainValidator(values.duration_of)]
Spread = Annotated[Distribution | None, PlainValidator(_spread)]
FirstToken = Annotated[tuple[Distribution, float] | None, PlainValidator(_first_token)]
Schedule = Annotated[str | None, PlainValidator(_schedule)]
CacheKind = Annotated[str, PlainValidator(_cache_kind)]
OnLimit = Annotated[str | tuple[str], PlainValidator(_on_limit)]
Pause = Annotated[float | None, PlainValidator(_pause)]
Pauses = Annotated[tuple[float, ...] | None, PlainValidator(_pauses)]
Factor = Annotated[float | None, PlainValidator(_factor)]
Jitter = Annotated[float | None, PlainValidator(_share)]
Chance = Annotated[float, PlainValidator(_share)]
Slowed = Annotated[float, PlainValidator(_slowed)]
Lasting = Annotated[float, PlainValidator(_lasting)]
Limit = Annotated[float | None, PlainValidator(_lasting)]
Tries = Annotated[int | None, PlainValidator(_tries)]
UntilReset = Annotated[str | None, choice(("reset",), "what is waited for")]
Grade = Annotated[str, choice(GRADES, "a grade")]
Counted = Annotated[str, choice(COUNTS, "what a quota counts")]
Covers = Annotated[str | None, choice(("prompt", "all"), "what a cache covers")]
Evicts = Annotated[str | None, choice(("entries", "tokens"), "what a full cache drops")]
AsOf = Annotated[str, PlainValidator(_as_of)]
Account = Annotated[str | None, PlainValidator(values.name)]
Reserve = Annotated[bool, PlainValidator(_reserve)]
Version = Annotated[int, PlainValidator(_version)]
Texts = Annotated[tuple[str, ...], PlainValidator(_texts)]
