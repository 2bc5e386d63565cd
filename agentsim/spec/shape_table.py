"""Which shapes the types of the models have: one row a type, in words and as schema.

A field's type is told by its reader. A type that only one field has may stand under that field.
Later forms of the design stand here too: a row's form counts only if the reader takes it. Of a type
without a row its reader is tried on values of each JSON type (`shapes.guessed`).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from pydantic import PlainValidator

from agentsim.spec.clock import PATTERN
from agentsim.spec.hours import PATTERN as HOURS
from agentsim.spec.profile_fields import COUNTS, GRADES
from agentsim.spec.shapes import NAME, Definitions, Schema, Shape, ref
from agentsim.spec.values import CLEAN, VERDICTS

Row = Callable[[Definitions], tuple[Shape, ...]]

VERDICT_WORDS = ", ".join(VERDICTS)


def _scalar(name: str, words: str, probe: Any) -> Row:
    return lambda _: (Shape(words, ref(f"{name}-value"), probe),)


def _quantity(name: str, words: str, probe: Any) -> Row:
    return lambda _: (Shape(f"{words}, or a distribution", ref(name), probe),)


def _text(words: str, pattern: str | None = None, probe: Any = "a") -> Row:
    return lambda d: (Shape(words, d.text(pattern), probe),)


def _choice(*words: str) -> Row:
    """Those words that the reader takes."""
    return lambda _: tuple(Shape(f"`{word}`", {"enum": [word]}, word) for word in words)


def _whole(least: int | None, most: int | None, words: str = "a whole number") -> Row:
    told = words if least is None and most is None else f"{words} from {least} to {most:,}"
    return lambda d: (Shape(told, d.whole(least, most), least),)


def _object(d: Definitions, needed: tuple[str, ...] = (), **keys: Schema) -> Schema:
    found = {"type": "object", "properties": keys, "additionalProperties": False}
    return d.or_filled(found | ({"required": list(needed)} if needed else {}))


def _named(d: Definitions, value: Schema) -> Schema:
    """A mapping of names."""
    names = {"propertyNames": {"pattern": NAME}, "additionalProperties": value}
    return d.or_filled({"type": "object"} | names)


def _list(d: Definitions, item: Schema, least: int = 0) -> Schema:
    found: Schema = {"type": "array", "items": item}
    return d.or_filled(found | ({"minItems": least} if least else {}))


def _table(d: Definitions, keys: str, value: Schema, words: str, probe: Any) -> Shape:
    rows = {"patternProperties": {keys: value}, "minProperties": 1, "maxProperties": 200}
    return Shape(words, d.or_filled({"type": "object"} | rows | {"additionalProperties": False}),
                 probe)  # fmt: skip


def _flag(_: Definitions) -> tuple[Shape, ...]:
    return (Shape("yes or no", ref("flag"), True),)


def _version(d: Definitions) -> tuple[Shape, ...]:
    return (Shape("1", d.or_filled({"type": "integer", "minimum": 1, "maximum": 1}), 1),)


def _prompt(d: Definitions) -> tuple[Shape, ...]:
    block = ref("whole-tokens")
    return (
        Shape("tokens", block, "18k"),
        Shape("named blocks of tokens in order", _named(d, block), {"a": "1k"}),
    )


def _uses(d: Definitions) -> tuple[Shape, ...]:
    work = _object(d, ("work",), work=ref("duration"), at_most=ref("count-value"))
    counted, either = _named(d, ref("count-value")), {"anyOf": [ref("count-value"), work]}
    return (
        Shape("pools with units of each", counted, {"a": 1}),
        Shape("or with work in a shared one", _named(d, either), {"a": {"work": "1m"}}),
    )


def _retry(d: Definitions) -> tuple[Shape, ...]:
    tries = d.whole(0, 1000)
    both = _object(d, ("tries",), tries=tries, wait=ref("duration-value"))
    return (
        Shape("a whole number", tries, 2),
        Shape("`{tries, wait}`", both, {"tries": 2, "wait": "1s"}),
    )


def _when(d: Definitions) -> tuple[Shape, ...]:
    verdict = d.words(*VERDICTS)
    return (
        Shape(f"a verdict ({VERDICT_WORDS})", {"enum": list(VERDICTS)}, "changes"),
        Shape("a list of them", _list(d, verdict, 1), ["changes"]),
        Shape("yes or no", ref("flag"), True),
    )


def _shares(d: Definitions) -> tuple[Shape, ...]:
    one = ref("share-value")
    return Shape("a share", one, 0.5), Shape("a list by round", _list(d, one, 1), [0.5])


def _rounds(d: Definitions) -> tuple[Shape, ...]:
    within = _object(d, ("within",), within=ref("duration-value"))
    return (
        Shape("a whole number from 0 to 10,000", d.whole(0, 10_000), 4),
        Shape("`{within: a time}`", within, {"within": "10m"}),
    )


def _waiting(d: Definitions) -> tuple[Shape, ...]:
    until = _object(d, ("until",), until=d.text(PATTERN))
    words = "`{until: a time of day, weekdays and a time, or a date and time}`"
    return (
        Shape("a time, or a distribution", ref("duration"), "10m"),
        Shape(words, until, {"until": "09:00"}),
    )


def _items(d: Definitions) -> tuple[Shape, ...]:
    listed = d.or_filled({"type": "array", "maxItems": 20_000})
    return (
        Shape("a whole number from 0 to 20,000", d.whole(0, 20_000), 2),
        Shape("a list of any values", listed, ["a"]),
    )


def _join(d: Definitions) -> tuple[Shape, ...]:
    return (
        *_choice("all", "any")(d),
        Shape("a whole number, 1 or more", d.whole(1, None), 2),
    )


def _reading(d: Definitions) -> tuple[Shape, ...]:
    return (
        *_choice("changes", "answer")(d),
        Shape("lines, or a distribution", ref("lines"), "400 loc"),
        Shape("words, or a distribution", ref("words"), "900 words"),
    )


def _person(d: Definitions) -> tuple[Shape, ...]:
    names = _list(d, ref("name"), 1)
    return Shape("a name", ref("name"), "you"), Shape("a list of names", names, ["a", "b"])


def _capacity(d: Definitions) -> tuple[Shape, ...]:
    row = _object(d, ("of",), hours={"type": "string"}, of=ref("count-value"))
    return (
        Shape("a number above 0", d.or_filled({"type": "number", "exclusiveMinimum": 0}), 2),
        Shape("a list by hours", _list(d, row, 1),
              [{"hours": "Mon-Fri 09:00-17:30", "of": 4}, {"of": 1}]),
        Shape("by time from the start", _named_times(d), {"0s": 1, "5s": 2}),
    )  # fmt: skip


def _named_times(d: Definitions) -> Schema:
    return d.or_filled({"type": "object", "additionalProperties": ref("count-value")})


def _only(word: str, *others: str) -> Row:
    return lambda d: (*_choice(word, *others)(d), *((Shape("", {"const": False}, False),)
                      if word == "no" else ()))  # fmt: skip


def _by_streams(name: str, words: str, probe: str) -> Row:
    one = ref(f"{name}-value")
    return lambda d: (
        Shape(words, one, probe),
        _table(d, r"^[0-9]+(\.0)?$", one, "a table by number of streams", {1: probe}),
    )


def _prefill_rate(d: Definitions) -> tuple[Shape, ...]:
    one = ref("token-rate-value")
    keys = d.found["tokens-value"]["pattern"]
    table = _table(d, keys, one, "a table of rates by tokens already read", {0: "2k tok/s"})
    return Shape("a rate", one, "2k tok/s"), table


def _first_token(d: Definitions) -> tuple[Shape, ...]:
    known = d.found["duration-distribution"]
    more = {"per_input_token": ref("duration-value")}
    both = known | {"properties": known["properties"] | more, "required": ["per_input_token"]}
    return (
        Shape("a time, or a distribution", ref("duration"), "1s"),
        Shape("with `per_input_token` in it", both, {"value": "1s", "per_input_token": "1us"}),
    )


def _spread(d: Definitions) -> tuple[Shape, ...]:
    percent = {"type": "string", "pattern": r"%\s*$"}
    return Shape("a share", percent, "20%"), Shape("a distribution around 1", ref("factor"),
                                                   {"p50": 1, "p90": 1.4})  # fmt: skip


def _per_step(d: Definitions) -> tuple[Shape, ...]:
    number = {"type": "number", "minimum": 1, "maximum": 1000}
    both = _object(d, ("thinking", "visible"), thinking=number, visible=number)
    return (
        Shape("a number from 1 to 1,000", number, 2.5),
        Shape("one by kind of text", both, {"thinking": 2, "visible": 3}),
    )


def _mark(d: Definitions) -> tuple[Shape, ...]:
    percent = {"type": "string", "pattern": r"%\s*$"}
    tokens = Shape("tokens", ref("whole-tokens"), "160k")
    return tokens, Shape("a share of the context", percent, "80%")


def _on_limit(d: Definitions) -> tuple[Shape, ...]:
    fallback = _object(d, ("fallback",), fallback=ref("name"))
    return (
        *_choice("wait", "reject")(d),
        Shape("`{fallback: role}`", fallback, {"fallback": "small"}),
    )


def _reserve(d: Definitions) -> tuple[Shape, ...]:
    nothing = Shape("", {"enum": ["none", "no", False]}, False)
    return (*_choice("max_output")(d), Shape("`none`", nothing.schema, "none"))


def _above_zero(most: int) -> Row:
    words = f"a number above 0, at most {most}"
    limits = {"type": "number", "exclusiveMinimum": 0, "maximum": most}
    return lambda _: (Shape(words, limits, 3),)


def _hours(d: Definitions) -> tuple[Shape, ...]:
    one = {"type": "string", "pattern": HOURS}
    example = "Mon-Fri 09:00-17:00"
    return (
        Shape("hours of the week", one, example),
        Shape("a list of them", _list(d, one, 1), [example]),
    )


def _cost(d: Definitions) -> tuple[Shape, ...]:
    return (Shape("dollars", ref("money-value"), 3),)


TYPES: dict[str, Row] = {
    "fields.Duration": _quantity("duration", "a time", "10m"),
    "fields.Tokens": _quantity("tokens", "tokens", "12k"),
    "fields.Tools": _quantity("count", "a whole number", 3),
    "fields.Turns": _quantity("count", "a whole number above 0", 3),
    "fields.Density": _scalar("density", "defects per lines", "32 per kloc"),
    "fields.Approves": lambda d: (*_shares(d), *_choice(CLEAN)(d)),
    "fields.Lines": _quantity("lines", "lines", "20 loc"),
    "fields.Seconds": _scalar("duration", "a time", "10m"),
    "fields.PositiveSeconds": _scalar("duration", "a time above 0", "10m"),
    "fields.Share": _scalar("share", "a share", 0.5),
    "fields.Dollars": _scalar("money", "dollars above 0", "$5"),
    "fields.Version": _version,
    "fields.Number": _scalar("number", "a number", 10),
    "fields.PerLine": _scalar("count", "a number above 0", 12),
    "fields.FixedTokens": lambda _: (Shape("tokens", ref("whole-tokens"), "12k"),),
    "fields.Units": _whole(1, 1_000_000),
    "fields.Flag": _flag,
    "fields.GoOn": _choice("go on", "fail"),
    "fields.Name": lambda _: (Shape("a name", ref("name"), "a"),),
    "fields.Text": _text("text"),
    "fields.Shares": _shares,
    "fields.Prompt": _prompt,
    "fields.Mix": lambda d: (Shape("names with a share each", _named(d, ref("share-value")),
                                   {"a": 0.5}),),
    "fields.Uses": _uses,
    "fields.Retry": _retry,
    "fields.When": _when,
    "fields.Ids": lambda d: (Shape("a list of ids", _list(d, ref("name")), ["a"]),),
    "definitions.Capacity": _capacity,
    "definitions.LineRate": _scalar("line-rate", "lines per time", "400 loc/h"),
    "definitions.WordRate": _scalar("word-rate", "words per time", "238 wpm"),
    "definitions.Sharing": _only("count", "processor"),
    "definitions.Preempt": _only("no", "resume", "restart"),
    "definitions.Mark": _mark,
    "definitions.Whole": _whole(1, 1_000_000),
    "definitions.Held": _choice("life", "call"),
    "definitions.Size": _choice("S", "M", "L"),
    "steps.parallel.Join": _join,
    "steps.each.Limit": _whole(1, 1_000_000),
    "profile_fields.Rate": _scalar("token-rate", "a rate", "800 tok/s"),
    "profile_fields.Refill": _scalar("rate", "a rate", "500/s"),
    "profile_fields.Slope": _scalar("duration", "a time", "191ns"),
    "profile_fields.Seconds": _scalar("duration", "a time", "50ms"),
    "profile_fields.Ttl": _scalar("duration", "a time", "5m"),
    "profile_money.Dollars": _cost,
    "profile_money.OtherDollars": _cost,
    "profile_money.Cost": _cost,
    "profile_money.Years": _above_zero(100),
    "profile_money.Watts": lambda _: (
        Shape("a number", {"type": "number", "minimum": 0, "maximum": 1_000_000}, 150),
    ),
    "profile_money.WeekHours": _above_zero(168),
    "profile_money.Zone": lambda d: (Shape("a time zone", d.text(), "UTC"),),
    "profile_money.Hours": _hours,
    "profile_money.Paid": _choice("wall", "use"),
    "profile_fields.Amount": _scalar("tokens", "a number above 0", "30k"),
    "profile_fields.Allowed": _scalar("tokens", "a number, 1 or more", "2"),
    "profile_fields.Span": _scalar("duration", "a time", "10s"),
    "profile_fields.PerStep": _per_step,
    "profile_fields.TokenCount": lambda _: (Shape("tokens", ref("whole-tokens"), "131k"),),
    "profile_fields.Slots": _whole(1, 1_000_000),
    "profile_fields.Shared": _flag,
    "profile_fields.StepTable": _by_streams("duration", "a time", "17ms"),
    "profile_fields.RateTable": _by_streams("token-rate", "a rate", "83 tok/s"),
    "profile_fields.PrefillRate": _prefill_rate,
    "profile_fields.Latency": _quantity("duration", "a time", "20ms"),
    "profile_fields.Spread": _spread,
    "profile_fields.FirstToken": _first_token,
    "profile_fields.Schedule": _choice("exclusive", "separate", "chunked"),
    "profile_fields.CacheKind": _choice("none", "ttl", "lru", "slot"),
    "profile_fields.OnLimit": _on_limit,
    "profile_fields.Pause": _scalar("duration", "a time above 0", "1s"),
    "profile_fields.Pauses": lambda _: (
        Shape("a list of times", {"type": "array", "items": ref("duration-value")}, ["2s"]),
    ),
    "profile_fields.Factor": lambda _: (
        Shape("a number from 1 to 100", {"type": "number", "minimum": 1, "maximum": 100}, 2),
    ),
    "profile_fields.Jitter": _scalar("share", "a share", "50%"),
    "profile_fields.Slowed": _scalar("share", "a share between 0 and 100 %", "60%"),
    "profile_fields.Lasting": _scalar("duration", "a time above 0", "20m"),
    "profile_fields.Tries": _whole(1, 1000),
    "profile_fields.UntilReset": _choice("reset"),
    "profile_fields.Grade": _choice(*GRADES),
    "profile_fields.Counted": _choice(*COUNTS),
    "profile_fields.Covers": _choice("prompt", "all"),
    "profile_fields.Evicts": _choice("entries", "tokens"),
    "profile_fields.AsOf": lambda _: (
        Shape("a date, such as 2026-02", {"type": ["string", "integer"]}, "2026-02"),
    ),
    "profile_fields.Account": _text("a name", NAME),
    "profile_fields.Reserve": _reserve,
    "profile_fields.Version": _version,
    "profile_fields.Texts": lambda _: (
        Shape("a list of texts", {"type": "array", "items": {"type": "string"}}, ["a"]),
    ),
}  # fmt: skip
"""`module.alias` below `agentsim.spec` -> its forms."""

FIELDS: dict[str, Row] = {
    "AttemptsStep.attempts": _whole(1, 10_000),
    "EachStep.each": _items,
    "EachStep.release": _choice("refill", "waves"),
    "LoopStep.loop": _rounds,
    "WaitStep.wait": _waiting,
    "PersonStep.person": _person,
    "PersonStep.reads": _reading,
    "AgentStep.reads": _choice("changes"),
}
"""`model.field` -> its forms, where no other field has them."""


def reader_in(metadata: Iterable[Any]) -> Callable[[Any], Any] | None:
    """The function that reads values of a type that is annotated so."""
    for one in metadata:
        if isinstance(one, PlainValidator):
            return one.func  # type: ignore[return-value]
    return None


@cache
def rows() -> dict[Any, Row]:
    """Reader -> its row."""
    return dict(_readers())


def _readers() -> Iterator[tuple[Any, Row]]:
    for name, row in TYPES.items():
        module, _, alias = name.rpartition(".")
        found = getattr(importlib.import_module(f"agentsim.spec.{module}"), alias, None)
        if (reader := reader_in(getattr(found, "__metadata__", ()))) is not None:
            yield reader, row
