"""From the tree of a hardware profile to a server: what its parts say, and what they say together.

What a profile does not say is not made up: it is left out, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from agentsim.chance import Distribution
from agentsim.errors import Problem
from agentsim.graph import About, CachePlan, LimitPlan, ServerPlan
from agentsim.laws.decode import (
    Decode,
    knots_from_per_stream,
    knots_from_rate,
    knots_from_total,
)
from agentsim.laws.prefill import Prefill, PrefillLaw, table_from_rates
from agentsim.laws.price import Price
from agentsim.records import SECOND
from agentsim.spec.idle import without_empty
from agentsim.spec.model import At, Model, check, without
from agentsim.spec.problems import not_yet, quoted
from agentsim.spec.profile import (
    LATER,
    SPEEDS,
    CacheFile,
    DecodeFile,
    FitFile,
    LimitFile,
    PrefillFile,
    PriceFile,
    ProfileFile,
    SourceFile,
)
from agentsim.spec.profile_doubts import depth_notes, falls, gaps, idle_prices, notes
from agentsim.spec.profile_fields import RATES, Rows, check_counted, step_within
from agentsim.spec.quantity import QuantityFaults
from agentsim.spec.tree import Path, Tree
from agentsim.spec.values import shown

AS_MEASURED = ("rate", "per_stream", "total")

M = TypeVar("M", bound=Model)


class PlanReader:
    """One reading of one file: notes every problem in `problems` and goes on."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self._empty = without_empty(tree)
        self.problems: list[Problem] = []

    def plan(self, name: str) -> ServerPlan | None:
        """The server of a profile called `name`, without roles; None where it cannot be made."""
        whole = self._part(ProfileFile, "a profile")
        if not isinstance(self.tree.value, dict):
            return None
        decode_file, decode = self._decode()
        prefill_file, prefill = self._prefill()
        cache = self._cache()
        limits = tuple(self._limits())
        price = self._price()
        source = self._part(SourceFile, "`source`", "source") or SourceFile()
        self._before_the_output()
        if whole is None or decode_file is None or decode is None:
            return None
        shared = self._shared(decode_file, whole.slots)
        if whole.context and whole.max_output and whole.max_output > whole.context:
            message = "`max_output` must not exceed `context`"
            self._bad(("max_output",), message, f"at most {whole.context:,}")
        if whole.max_output is None and any(limit.reserve for limit in limits):
            message = "a quota reserves `max_output`, which is not given"
            self._bad(("limits",), message, "such as `max_output: 32k` at the top")
        first, per_input = whole.first_token or (None, 0.0)
        return ServerPlan(
            name=name,
            profile=name,
            roles=(),
            decode=decode,
            prefill=prefill,
            latency=_some(whole.latency),
            first_token=first,
            per_input_token=per_input,
            spread=decode_file.spread,
            slots=whole.slots,
            shared=shared,
            schedule=self._schedule(prefill_file, shared),
            context=whole.context,
            max_output=whole.max_output,
            cache=cache,
            limits=limits,
            price=price,
            about=self._about(
                name, whole, source, decode, prefill_file, shared, idle_prices(price, cache)
            ),
        )

    def _about(
        self,
        name: str,
        whole: ProfileFile,
        source: SourceFile,
        decode: Decode,
        prefill: PrefillFile | None,
        shared: bool,
        idle: list[str],
    ) -> About:
        """Where the figures come from, and what is to be known of them."""
        raw = self._raw()
        told = notes(raw, decode, whole.slots, shared)
        return About(
            title=whole.name or name,
            model=whole.model,
            grade=source.grade,
            as_of=source.as_of,
            url=source.url,
            notes=(*self._empty, *told, *depth_notes(prefill), *idle, *_sentences(whole)),
            deepest=source.measured_to,
            left_out=tuple(gaps(raw, decode, whole.slots, shared)),
            empty=tuple(self._empty),
        )

    def _decode(self) -> tuple[DecodeFile | None, Decode | None]:
        file = self._part(DecodeFile, "`decode`", "decode")
        raw = self._raw("decode")
        given = [key for key in raw if key in SPEEDS]
        if "decode" in self._raw() and isinstance(self._raw()["decode"], dict) and not given:
            message = f"`decode` needs a speed: one of {', '.join(SPEEDS)}"
            self._note("missing-key", ("decode",), message, "such as `rate: 800 tok/s`")
        for key in given[1:]:
            message = f"{quoted(given[0])} and {quoted(key)} both give the speed"
            self._bad(("decode", key), message, "keep one of them", at_key=True)
        if "tokens_per_step" in raw and given and given[0] in AS_MEASURED:
            message = f"{quoted(given[0])} is as measured, speculation included"
            hint = "`tokens_per_step` goes with `step` or `fit`"
            self._bad(("decode", "tokens_per_step"), message, hint, at_key=True)
        fit = self._part(FitFile, "`fit`", "decode", "fit") if "fit" in raw else None
        if file is None or len(given) != 1 or (given[0] == "fit" and fit is None):
            return file, None
        law = self._law(file, fit)
        if law is not None and law.knots is not None:
            self._check_falls(given[0], law.knots)
        return file, law

    def _law(self, file: DecodeFile, fit: FitFile | None) -> Decode | None:
        knots: Rows | None = file.step
        if file.rate is not None:
            knots = knots_from_rate(file.rate)
        elif file.per_stream is not None:
            knots = knots_from_per_stream(dict(file.per_stream))
        elif file.total is not None:
            knots = knots_from_total(dict(file.total))
        parts = (fit.a, fit.b, fit.d) if fit else None
        if parts is not None and not sum(parts):
            message = "`fit`: a step takes more than 0 seconds"
            self._bad(("decode", "fit"), message, "such as `fit: {a: 12ms, b: 1ms, d: 0s}`")
            return None
        per_step = file.tokens_per_step or 1.0
        self._check_speed(knots if parts is None else ((1.0, sum(parts)),), per_step)
        return Decode(knots, parts, file.per_context_token, per_step)

    def _check_speed(self, knots: Rows | None, per_step: float) -> None:
        """In whatever form a speed is given, the bounds are those of `rate`."""
        key = next(key for key in self._raw("decode") if key in SPEEDS)
        rows = self._raw("decode", key) if key != "fit" else {}
        for streams, step in knots or ():
            if not step_within(step, per_step):
                row = next((row for row in rows if float(row) == streams), None)
                message = f"{quoted(key)}: expected a speed {RATES}; got {per_step / step:.4g}"
                spot = ("decode", key, *(() if row is None else (row,)))
                self._bad(spot, message, "is a unit wrong (ns us ms s)?")

    def _check_falls(self, key: str, knots: Rows) -> None:
        """A step that makes more tokens cannot be quicker, save by the scatter of measurements."""
        rows = {float(streams): streams for streams in self._raw("decode", key)}
        for fall in falls(knots):
            if not fall.is_noise:
                hint = "a step of more streams takes as long or longer; up to 5 % less is scatter"
                what = "" if key == "step" else f" ({quoted(key)} as the time of a step)"
                row = (rows[fall.many],) if fall.many in rows else ()
                message = f"`decode`: {fall.words}{what}, which cannot be"
                self._bad(("decode", key, *row), message, hint)

    def _shared(self, file: DecodeFile, slots: int | None) -> bool:
        if file.shared is not None:
            return file.shared
        return slots is not None or file.rate is None

    def _prefill(self) -> tuple[PrefillFile | None, PrefillLaw | None]:
        value = self._raw().get("prefill", "none")
        if value == "none":
            return None, None
        file = self._part(PrefillFile, "`prefill`", "prefill")
        if file is None:
            return None, None
        if isinstance(file.rate, tuple):
            if "per_context_token" in self._raw("prefill"):
                message = "a table of rates by depth says already how reading slows down"
                self._bad(("prefill", "per_context_token"), message, "leave it out", at_key=True)
            return file, table_from_rates(dict(file.rate), file.fixed)
        return file, Prefill(file.fixed, 1.0 / file.rate, file.per_context_token)

    def _schedule(self, file: PrefillFile | None, shared: bool) -> str:
        given = file.schedule if file else None
        if given == "exclusive" and not shared:
            message = "`exclusive`: here decoding never waits, since calls do not share the server"
            self._bad(("prefill", "schedule"), message, "`shared: yes` in decode, or `slots`")
        return given or ("exclusive" if shared else "separate")

    def _before_the_output(self) -> None:
        """Either latency and prefill, or the measured time to the first token."""
        raw = self._raw()
        for key in ("latency", "prefill"):
            if "first_token" in raw and key in raw:
                message = f"`first_token` holds what {quoted(key)} says"
                hint = "give `first_token`, or `latency` and `prefill`"
                self._bad((key,), message, hint, at_key=True)

    def _cache(self) -> CachePlan:
        file = self._part(CacheFile, "`cache`", "cache")
        if file is None or file.kind == "none":
            for key in self._raw("cache"):
                if file and key != "kind":
                    hint = "leave it out, or `kind: ttl`"
                    self._bad(("cache", key), f"{quoted(key)} of no cache", hint, at_key=True)
            return CachePlan()
        if file.ttl is None:
            self._note("missing-key", ("cache",), "`cache` needs a `ttl`", "such as `ttl: 5m`")
            return CachePlan()
        return CachePlan("ttl", round(file.ttl * SECOND), file.block, file.covers == "all")

    def _limits(self) -> Iterator[LimitPlan]:
        value = self._raw().get("limits", [])
        if not isinstance(value, list):
            message = f"`limits`: expected a list of quotas; got {shown(value)}"
            hint = "such as `limits: [{count: requests, bucket: 60, refill: 60/min}]`"
            self._bad(("limits",), message, hint)
            return
        seen: dict[tuple[Any, ...], int] = {}
        for i, raw in enumerate(value):
            path = ("limits", i)
            file = self._part(LimitFile, "a quota", *path)
            if file is None or not LATER["limits"].keys().isdisjoint(raw):
                continue
            self._check_counted(file, raw, path)
            for key in ("bucket", "refill"):
                if key not in raw:
                    message = f"a quota needs {quoted(key)}"
                    hint = "such as `{count: requests, bucket: 1000, refill: 1000/min}`"
                    self._note("missing-key", path, message, hint)
            if file.reserve and file.count not in ("output", "total"):
                message = f"a quota of {file.count} has no output to reserve"
                self._bad((*path, "reserve"), message, "count output or total")
            if "refund" in raw and not file.reserve:
                message = "nothing is reserved, so nothing is given back"
                self._bad((*path, "refund"), message, "add `reserve: max_output`", at_key=True)
            if file.count == "requests" and file.bucket is not None and file.bucket < 1.0:
                message = "a bucket of less than one request never lets a call through"
                self._bad((*path, "bucket"), message, "such as `bucket: 1`")
            if file.bucket is not None and file.refill is not None:
                quota = (file.count, file.bucket, file.refill, file.account)
                other = next((it for it in seen if _contradict(it, quota)), None)
                if other is not None and quota not in seen:
                    message = (
                        f"entry {seen[other] + 1} fills the quota of {file.count} as fast, and "
                        f"holds {other[1]:,.10g}, not {file.bucket:,.10g}"
                    )
                    hint = "keep one: the smaller bucket of the two is the only one to be felt"
                    self._bad((*path, "bucket"), message, hint)
                    continue
                if quota in seen:
                    message = f"the same quota of {file.count} stands in entry {seen[quota] + 1}"
                    self._bad(path, message, "keep one of them: a call would be counted twice")
                    continue
                seen[quota] = i
                yield LimitPlan(
                    count=file.count,
                    bucket=file.bucket,
                    refill=file.refill,
                    reserve=file.reserve,
                    refund=file.refund,
                    account=file.account or "",
                )

    def _check_counted(self, file: LimitFile, raw: dict[Any, Any], path: Path) -> None:
        """Requests are not refilled in tokens, nor tokens in requests."""
        is_requests = file.count == "requests"
        for key in ("bucket", "refill"):
            try:
                if key in raw:
                    check_counted(key, raw[key], file.count)
            except QuantityFaults as error:
                such = "`bucket: 100`, `refill: 100/min` or `refill: 100 req/min`"
                hint = such if is_requests else "`refill: 30k/min` or `refill: 30k tok/min`"
                for _, problem in error.faults:
                    message = f"{quoted(key)} of a quota of {file.count}: {problem.message}"
                    self._bad((*path, key), message, hint)

    def _price(self) -> Price | None:
        if isinstance(self._raw().get("price"), list):
            place = self.tree.key_place(("price",))
            self.problems.append(not_yet("prices in tiers by context", place))
            return None
        raw = self._raw("price")
        if not LATER["price"].keys().isdisjoint(raw):  # a price of another form lacks nothing else
            without(raw, LATER["price"], At(self.tree, ("price",)), self.problems.append)
            return None
        file = self._part(PriceFile, "`price`", "price")
        if file is None:
            return None
        return Price(file.input, file.output, file.cached, file.cache_write)

    def _raw(self, *path: str) -> dict[Any, Any]:
        """The mapping at `path` as written; empty where there is none."""
        value: Any = self.tree.value
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}

    def _part(self, model: type[M], inside: str, *path: str | int) -> M | None:
        """The part of the file at `path`, checked; None where it is absent or wrong."""
        value: Any = self.tree.value
        for part in path:
            if isinstance(value, dict) and part not in value:
                return None
            if not isinstance(value, dict | list):
                return None  # told where that part itself is checked
            value = value[part]  # type: ignore[index]
        later = LATER.get("limits" if "limits" in path else str(path[-1]) if path else "", {})
        return check(model, value, At(self.tree, path), self.problems.append, inside, later)

    def _bad(self, path: Path, message: str, hint: str = "", at_key: bool = False) -> None:
        self._note("bad-value", path, message, hint, at_key)

    def _note(
        self, code: str, path: Path, message: str, hint: str = "", at_key: bool = False
    ) -> None:
        place = self.tree.key_place(path) if at_key else self.tree.place(path)
        self.problems.append(Problem(code, message, place, hint))


def _contradict(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether two quotas (count, bucket, refill, account) are one that is given two buckets.

    A quota a minute and one a day fill otherwise, and both count.
    """
    (count, bucket, *rest), (count2, bucket2, *rest2) = one, other
    return (count, rest) == (count2, rest2) and bucket != bucket2


def _some(given: Distribution | None) -> Distribution | None:
    """None for a constant 0, which says that there is no delay and takes no time."""
    return None if given is None or given.high == 0.0 else given


def _sentences(whole: ProfileFile) -> Iterator[str]:
    yield from whole.assumed
    if whole.note:
        yield whole.note.strip()
