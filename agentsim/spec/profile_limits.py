"""What a profile says of its quotas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentsim.graph import LimitPlan
from agentsim.spec.problems import quoted
from agentsim.spec.profile import LATER, LimitFile
from agentsim.spec.profile_fields import check_counted
from agentsim.spec.profile_parts import Parts
from agentsim.spec.quantity import QuantityFaults
from agentsim.spec.tree import Path
from agentsim.spec.values import shown


def limit_plans(parts: Parts) -> Iterator[LimitPlan]:
    """The quotas of `limits`, in order; a wrong one is noted and left out."""
    value = parts.raw().get("limits", [])
    if not isinstance(value, list):
        message = f"`limits`: expected a list of quotas; got {shown(value)}"
        hint = "such as `limits: [{count: requests, bucket: 60, refill: 60/min}]`"
        parts.bad(("limits",), message, hint)
        return
    seen: dict[tuple[Any, ...], int] = {}
    for i, raw in enumerate(value):
        path = ("limits", i)
        file = parts.part(LimitFile, "a quota", *path)
        if file is None or not LATER["limits"].keys().isdisjoint(raw):
            continue
        _check_counted(parts, file, raw, path)
        for key in ("bucket", "refill"):
            if key not in raw:
                message = f"a quota needs {quoted(key)}"
                hint = "such as `{count: requests, bucket: 1000, refill: 1000/min}`"
                parts.wrong("missing-key", path, message, hint)
        if file.reserve and file.count not in ("output", "total"):
            message = f"a quota of {file.count} has no output to reserve"
            parts.bad((*path, "reserve"), message, "count output or total")
        if "refund" in raw and not file.reserve:
            message = "nothing is reserved, so nothing is given back"
            parts.bad((*path, "refund"), message, "add `reserve: max_output`", at_key=True)
        if file.count == "requests" and file.bucket is not None and file.bucket < 1.0:
            message = "a bucket of less than one request never lets a call through"
            parts.bad((*path, "bucket"), message, "such as `bucket: 1`")
        if file.bucket is not None and file.refill is not None:
            quota = (file.count, file.bucket, file.refill, file.account)
            other = next((it for it in seen if _contradict(it, quota)), None)
            if other is not None and quota not in seen:
                message = (
                    f"entry {seen[other] + 1} fills the quota of {file.count} as fast, and "
                    f"holds {other[1]:,.10g}, not {file.bucket:,.10g}"
                )
                hint = "keep one: the smaller bucket of the two is the only one to be felt"
                parts.bad((*path, "bucket"), message, hint)
                continue
            if quota in seen:
                message = f"the same quota of {file.count} stands in entry {seen[quota] + 1}"
                parts.bad(path, message, "keep one of them: a call would be counted twice")
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


def _check_counted(parts: Parts, file: LimitFile, raw: dict[Any, Any], path: Path) -> None:
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
                parts.bad((*path, key), message, hint)


def _contradict(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether two quotas (count, bucket, refill, account) are one that is given two buckets.

    A quota a minute and one a day fill otherwise, and both count.
    """
    (count, bucket, *rest), (count2, bucket2, *rest2) = one, other
    return (count, rest) == (count2, rest2) and bucket != bucket2
