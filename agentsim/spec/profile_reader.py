"""From the tree of a hardware profile to a server: what its parts say, and what they say together.

What a profile does not say is not made up: it is left out, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.chance import Distribution
from agentsim.graph import About, ServerPlan
from agentsim.laws.decode import (
    Decode,
    knots_from_per_stream,
    knots_from_rate,
    knots_from_total,
)
from agentsim.laws.prefill import Prefill, PrefillLaw, table_from_rates
from agentsim.spec.problems import quoted
from agentsim.spec.profile import (
    SPEEDS,
    DecodeFile,
    FitFile,
    PrefillFile,
    ProfileFile,
    SourceFile,
)
from agentsim.spec.profile_caches import cache_plan
from agentsim.spec.profile_doubts import (
    depth_notes,
    falls,
    gaps,
    idle_prices,
    notes,
    quantile_notes,
    room_notes,
)
from agentsim.spec.profile_faults import fault_plan
from agentsim.spec.profile_fields import RATES, Rows, step_within
from agentsim.spec.profile_limits import limit_plans
from agentsim.spec.profile_machine import machine_plan
from agentsim.spec.profile_parts import Parts
from agentsim.spec.profile_prices import prices_of
from agentsim.spec.profile_retries import reject_plan
from agentsim.spec.profile_throttle import throttle_plan

CHUNK = 2048
AS_MEASURED = ("rate", "per_stream", "total")


class PlanReader(Parts):
    """One reading of one file as a server."""

    def plan(self, name: str) -> ServerPlan | None:
        """The server of a profile called `name`, without roles; None where it cannot be made."""
        whole = self.part(ProfileFile, "a profile")
        if not isinstance(self.tree.value, dict):
            return None
        decode_file, decode = self._decode()
        prefill_file, prefill = self._prefill()
        cache = cache_plan(self)
        limits = tuple(limit_plans(self))
        on_reject = reject_plan(self, limits)
        paid = prices_of(self)
        source = self.part(SourceFile, "`source`", "source") or SourceFile()
        self._before_the_output()
        machine = None if whole is None else machine_plan(self, whole)
        faults = fault_plan(self, whole)
        if whole is None or decode_file is None or decode is None:
            return None
        shared = self._shared(decode_file, whole)
        if whole.context and whole.max_output and whole.max_output > whole.context:
            message = "`max_output` must not exceed `context`"
            self.bad(("max_output",), message, f"at most {whole.context:,}")
        if whole.max_output is None and any(limit.reserve for limit in limits):
            message = "a quota reserves `max_output`, which is not given"
            self.bad(("limits",), message, "such as `max_output: 32k` at the top")
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
            thinks=_kinds(decode_file)[0],
            jitter=decode_file.jitter or 0.0,
            slots=whole.slots,
            shared=shared,
            schedule=(schedule := self._schedule(prefill_file, shared)),
            chunk=_chunk(prefill_file) if schedule == "chunked" else 0,
            context=whole.context,
            max_output=whole.max_output,
            cache=cache,
            limits=limits,
            on_reject=on_reject,
            price=paid.price,
            hourly=paid.hourly,
            monthly=paid.monthly,
            kv=whole.kv,
            machine=machine,
            faults=faults,
            throttle=throttle_plan(self, whole, shared),
            about=self._about(
                *(name, whole, source, decode, prefill_file, shared),
                idle_prices(paid.price, cache),
                decode_file.spread,
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
        spread: Distribution | None,
    ) -> About:
        """Where the figures come from, and what is to be known of them."""
        raw = self.raw()
        told = notes(raw, decode, whole.slots, shared)
        drawn = {
            "latency": whole.latency,
            "first_token": whole.first_token[0] if whole.first_token else None,
            "spread": spread,
        }
        return About(
            title=whole.name or name,
            model=whole.model,
            grade=source.grade,
            as_of=source.as_of,
            url=source.url,
            notes=(
                *self.empty,
                *told,
                *room_notes(whole.kv, whole.context),
                *depth_notes(prefill),
                *quantile_notes(drawn),
                *idle,
                *_sentences(whole),
            ),
            deepest=source.measured_to,
            left_out=tuple(gaps(raw, decode, whole.slots, shared)),
            empty=tuple(self.empty),
            assumed=whole.assumed,
            note=whole.note.strip(),
        )

    def _decode(self) -> tuple[DecodeFile | None, Decode | None]:
        file = self.part(DecodeFile, "`decode`", "decode")
        raw = self.raw("decode")
        given = [key for key in raw if key in SPEEDS]
        if "decode" in self.raw() and isinstance(self.raw()["decode"], dict) and not given:
            message = f"`decode` needs a speed: one of {', '.join(SPEEDS)}"
            self.wrong("missing-key", ("decode",), message, "such as `rate: 800 tok/s`")
        for key in given[1:]:
            message = f"{quoted(given[0])} and {quoted(key)} both give the speed"
            self.bad(("decode", key), message, "keep one of them", at_key=True)
        if "tokens_per_step" in raw and given and given[0] in AS_MEASURED:
            message = f"{quoted(given[0])} is as measured, speculation included"
            hint = "`tokens_per_step` goes with `step` or `fit`"
            self.bad(("decode", "tokens_per_step"), message, hint, at_key=True)
        fit = self.part(FitFile, "`fit`", "decode", "fit") if "fit" in raw else None
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
            self.bad(("decode", "fit"), message, "such as `fit: {a: 12ms, b: 1ms, d: 0s}`")
            return None
        thinks, per_step = _kinds(file)
        steps = knots if parts is None else ((1.0, sum(parts)),)
        self._check_speed(steps, per_step)
        if thinks:
            self._check_speed(steps, thinks)
        return Decode(knots, parts, file.per_context_token, per_step)

    def _check_speed(self, knots: Rows | None, per_step: float) -> None:
        """In whatever form a speed is given, the bounds are those of `rate`."""
        key = next(key for key in self.raw("decode") if key in SPEEDS)
        rows = self.raw("decode", key) if key != "fit" else {}
        for streams, step in knots or ():
            if not step_within(step, per_step):
                row = next((row for row in rows if float(row) == streams), None)
                message = f"{quoted(key)}: expected a speed {RATES}; got {per_step / step:.4g}"
                spot = ("decode", key, *(() if row is None else (row,)))
                self.bad(spot, message, "is a unit wrong (ns us ms s)?")

    def _check_falls(self, key: str, knots: Rows) -> None:
        """A step that makes more tokens cannot be quicker, save by the scatter of measurements."""
        rows = {float(streams): streams for streams in self.raw("decode", key)}
        for fall in falls(knots):
            if not fall.is_noise:
                hint = "a step of more streams takes as long or longer; up to 5 % less is scatter"
                what = "" if key == "step" else f" ({quoted(key)} as the time of a step)"
                row = (rows[fall.many],) if fall.many in rows else ()
                message = f"`decode`: {fall.words}{what}, which cannot be"
                self.bad(("decode", key, *row), message, hint)

    def _shared(self, file: DecodeFile, whole: ProfileFile) -> bool:
        """What tells a machine that calls share: its name, slots, memory, speeds of several."""
        if file.shared is not None:
            return file.shared
        told = (whole.slots, whole.kv, whole.machine)
        return any(it is not None for it in told) or file.rate is None

    def _prefill(self) -> tuple[PrefillFile | None, PrefillLaw | None]:
        value = self.raw().get("prefill", "none")
        if value == "none":
            return None, None
        file = self.part(PrefillFile, "`prefill`", "prefill")
        if file is None:
            return None, None
        if isinstance(file.rate, tuple):
            if "per_context_token" in self.raw("prefill"):
                message = "a table of rates by depth says already how reading slows down"
                self.bad(("prefill", "per_context_token"), message, "leave it out", at_key=True)
            return file, table_from_rates(dict(file.rate), file.fixed)
        return file, Prefill(file.fixed, 1.0 / file.rate, file.per_context_token)

    def _schedule(self, file: PrefillFile | None, shared: bool) -> str:
        given = file.schedule if file else None
        if given in ("exclusive", "chunked") and not shared:
            message = f"`{given}`: here decoding never waits, since calls do not share the server"
            self.bad(("prefill", "schedule"), message, "`shared: yes` in decode, or `slots`")
        elif given != "chunked" and file and file.chunk is not None:
            message = "`chunk` counts only where prompts are read in chunks"
            self.bad(("prefill", "chunk"), message, "add `schedule: chunked`", at_key=True)
        return given or ("exclusive" if shared else "separate")

    def _before_the_output(self) -> None:
        """Either latency and prefill, or the measured time to the first token."""
        raw = self.raw()
        for key in ("latency", "prefill"):
            if "first_token" in raw and key in raw:
                message = f"`first_token` holds what {quoted(key)} says"
                hint = "give `first_token`, or `latency` and `prefill`"
                self.bad((key,), message, hint, at_key=True)


def _kinds(file: DecodeFile) -> tuple[float, float]:
    """Tokens that a step makes of thinking, 0 where as many as of the rest; and of the rest."""
    given = file.tokens_per_step
    if not isinstance(given, tuple):
        return 0.0, given or 1.0
    thinking, visible = given
    return (0.0 if thinking == visible else thinking), visible


def _chunk(file: PrefillFile | None) -> int:
    """Tokens of a prompt that a step carries, where nothing else is said."""
    return (file.chunk if file else None) or CHUNK


def _some(given: Distribution | None) -> Distribution | None:
    """None for a constant 0, which says that there is no delay and takes no time."""
    return None if given is None or given.high == 0.0 else given


def _sentences(whole: ProfileFile) -> Iterator[str]:
    yield from whole.assumed
    if whole.note:
        yield whole.note.strip()
