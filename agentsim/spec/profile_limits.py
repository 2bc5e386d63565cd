"""What a profile says of its quotas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentsim.graph import LimitPlan
from agentsim.records import SECOND
from agentsim.spec.problems import quoted
from agentsim.spec.profile import LATER, LimitFile
from agentsim.spec.profile_fields import check_counted
from agentsim.spec.profile_parts import Parts
from agentsim.spec.quantity import QuantityFaults
from agentsim.spec.tree import Path
from agentsim.spec.values import shown

KINDS = ("bucket", "window", "session_window")
_BUCKET = "such as `{count: requests, bucket: 1000, refill: 1000/min}`"


def limit_plans(parts: Parts) -> Iterator[LimitPlan]:
    """The quotas of a profile, in order; those that are wrong are reported and left out."""
    value = parts.raw().get("limits", [])
    if not isinstance(value, list):
        message = f"`limits`: expected a list of quotas; got {shown(value)}"
        hint = "such as `limits: [{count: requests, bucket: 60, refill: 60/min}]`"
        parts.bad(("limits",), message, hint)
        return
    seen: dict[LimitPlan, int] = {}
    for i, raw in enumerate(value):
        path = ("limits", i)
        file = parts.part(LimitFile, "a quota", *path)
        if file is None or not LATER.get("limits", {}).keys().isdisjoint(raw):
            continue
        _check_counted(parts, file, raw, path)
        if file.reserve and file.count not in ("output", "total"):
            message = f"a quota of {file.count} has no output to reserve"
            parts.bad((*path, "reserve"), message, "count output or total")
        if "refund" in raw and not file.reserve:
            message = "nothing is reserved, so nothing is given back"
            parts.bad((*path, "refund"), message, "add `reserve: max_output`", at_key=True)
        if file.count == "requests" and file.bucket is not None and file.bucket < 1.0:
            message = "a bucket of less than one request never lets a call through"
            parts.bad((*path, "bucket"), message, "such as `bucket: 1`")
        if not _one_kind(parts, raw, path):
            continue
        plan = limit_plan(file)
        if plan is not None and not _repeats(parts, plan, seen, path):
            seen[plan] = i
            yield plan


def limit_plan(file: LimitFile) -> LimitPlan | None:
    """The quota; None where a part of it is missing."""
    kind, holds, refill, size, anchor, delay = "bucket", file.bucket, file.refill or 0.0, 0, 0, 0
    if file.window is not None:
        kind, holds, size = "window", file.window.allow, round(file.window.size * SECOND)
        anchor = round(file.window.anchor * SECOND) % size
    elif file.session_window is not None:
        window = file.session_window
        kind, holds, size = "session_window", window.allow, round(window.size * SECOND)
        delay = round(window.resume_delay * SECOND)
    if holds is None or (kind == "bucket" and not refill):
        return None
    return LimitPlan(
        count=file.count,
        kind=kind,
        holds=holds,
        reserve=file.reserve,
        refund=file.refund,
        account=file.account or "",
        refill=refill,
        size=size,
        anchor=anchor,
        resume_delay=delay,
        rejects=file.on_limit == "reject",
        spare=file.on_limit[0] if isinstance(file.on_limit, tuple) else "",
    )


def _one_kind(parts: Parts, raw: dict[Any, Any], path: Path) -> bool:
    """Whether it is a quota of just one kind, with all that the kind needs."""
    given = [key for key in raw if key in KINDS]
    if not given and "refill" not in raw:
        message = "a quota needs one of `bucket` with `refill`, `window` or `session_window`"
        parts.wrong("missing-key", path, message, hint=_BUCKET)
        return False
    for key in given[1:]:
        message = f"{quoted(given[0])} and {quoted(key)} are two quotas"
        hint = "write an entry of its own for each: a call needs room in all of them"
        parts.bad((*path, key), message, hint, at_key=True)
    if "refill" in raw and given and "bucket" not in given:
        message = f"a {given[0].replace('_', ' ')} is full again when the next begins"
        parts.bad((*path, "refill"), message, "`refill` goes with `bucket`", at_key=True)
        return False
    if given[:1] == ["bucket"] or not given:
        for key in ("bucket", "refill"):
            if key not in raw:
                parts.wrong("missing-key", path, f"a quota needs {quoted(key)}", hint=_BUCKET)
                return False
    return len(given) == 1


def _repeats(parts: Parts, plan: LimitPlan, seen: dict[LimitPlan, int], path: Path) -> bool:
    """Whether it says again what another entry says, or something else of the same quota."""
    other = next((it for it in seen if _same(it, plan)), None)
    if other is not None:
        message = f"the same quota of {plan.count} stands in entry {seen[other] + 1}"
        parts.bad(path, message, "keep one of them: a call would be counted twice")
        return True
    other = next((it for it in seen if _contradict(it, plan)), None)
    if other is None:
        return False
    if plan.kind == "bucket":
        message = (
            f"entry {seen[other] + 1} fills the quota of {plan.count} as fast, and "
            f"holds {other.holds:,.10g}, not {plan.holds:,.10g}"
        )
        hint = "keep one: the smaller bucket of the two is the only one to be felt"
        parts.bad((*path, "bucket"), message, hint)
        return True
    message = (
        f"entry {seen[other] + 1} allows {other.holds:,.10g} of {plan.count} in the same windows, "
        f"not {plan.holds:,.10g}"
    )
    hint = "keep one: the smaller of the two is the only one to be felt"
    parts.bad((*path, plan.kind, "allow"), message, hint)
    return True


def _check_counted(parts: Parts, file: LimitFile, raw: dict[Any, Any], path: Path) -> None:
    """Requests are not refilled in tokens, nor tokens in requests."""
    is_requests = file.count == "requests"
    for at in (("bucket",), ("refill",), ("window", "allow"), ("session_window", "allow")):
        value: Any = raw
        for key in at:
            value = value.get(key) if isinstance(value, dict) else None
        try:
            if value is not None:
                check_counted(at[-1], value, file.count)
        except QuantityFaults as error:
            such = "`bucket: 100`, `refill: 100/min` or `refill: 100 req/min`"
            hint = such if is_requests else "`refill: 30k/min` or `refill: 30k tok/min`"
            if at[-1] == "allow":
                hint = "`allow: 100`" if is_requests else "`allow: 2M`"
            for _, problem in error.faults:
                message = f"{quoted('.'.join(at))} of a quota of {file.count}: {problem.message}"
                parts.bad((*path, *at), message, hint)


def _same(one: LimitPlan, other: LimitPlan) -> bool:
    return (one.account, *one.terms) == (other.account, *other.terms)


def _contradict(one: LimitPlan, other: LimitPlan) -> bool:
    """Whether two quotas are one that is given two sizes.

    A quota a minute and one a day fill otherwise, and both count.
    """
    return one.holds != other.holds and _rest(one) == _rest(other)


def _rest(limit: LimitPlan) -> tuple[object, ...]:
    return (limit.account, limit.count, limit.kind, limit.refill, limit.size, limit.anchor)
