"""What a profile says of calls that do not end well."""

from __future__ import annotations

from itertools import pairwise

from agentsim.graph import FaultPlan
from agentsim.records import SECOND
from agentsim.spec.problems import quoted
from agentsim.spec.profile import FaultsFile, OutageFile, ProfileFile
from agentsim.spec.profile_parts import Parts
from agentsim.spec.profile_retries import retry_plan
from agentsim.spec.values import shown

_SHARES = ("error", "overload", "dropped")
_MOST = 1000  # outages


def fault_plan(parts: Parts, whole: ProfileFile | None) -> FaultPlan | None:
    """None where no call fails: nothing is given, or nothing that ever happens."""
    file = parts.part(FaultsFile, "`faults`", "faults")
    if file is None:
        return None
    raw = parts.raw("faults")
    outages = _outages(parts) if "outage" in raw else ()
    retry = None if file.retry is None else retry_plan(parts, file.retry, "faults", "retry")
    if file.error + file.overload + file.dropped >= 1.0:
        message = "the shares of calls that fail come to 100 % or more: none would ever end well"
        key = next(key for key in _SHARES if key in raw)
        parts.bad(("faults", key), message, "such as `error: 1%`")
    if file.timeout is not None and whole is not None:
        _check_timeout(parts, file.timeout, whole)
    timeout = None if file.timeout is None else max(1, round(file.timeout * SECOND))
    plan = FaultPlan(file.overload, file.error, file.dropped, timeout, outages, retry)
    if plan.chance or timeout is not None or outages:
        return plan
    if retry is not None:
        message = "`retry` of calls that never fail"
        hint = "one of `error`, `overload`, `dropped`, `timeout` and `outage` says how they fail"
        parts.bad(("faults", "retry"), message, hint, at_key=True)
    return None


def _check_timeout(parts: Parts, timeout: float, whole: ProfileFile) -> None:
    """No call can be done before what stands before any output has passed."""
    least, key = 0.0, "latency"
    if whole.latency is not None:
        least = whole.latency.low
    elif whole.first_token is not None:
        least, key = whole.first_token[0].low, "first_token"
    if timeout < least:
        message = f"no call could be done: {quoted(key)} alone takes {least:.10g} s or more"
        parts.bad(("faults", "timeout"), message, f"more than {least:.10g}s")


def _outages(parts: Parts) -> tuple[tuple[int, int], ...]:
    """(from, to) in order; those that are wrong are reported and left out."""
    path = ("faults", "outage")
    value = parts.raw("faults")["outage"]
    if not isinstance(value, list):
        message = f"`outage`: expected a list of times; got {shown(value)}"
        parts.bad(path, message, "such as `outage: [{from: 1h, for: 20m}]`")
        return ()
    if len(value) > _MOST:
        parts.bad(path, f"{len(value):,} outages; at most {_MOST:,}")
        return ()
    found: list[tuple[int, int, int]] = []
    for i in range(len(value)):
        file = parts.part(OutageFile, "an outage", *path, i)
        if file is not None:
            began = round(file.since * SECOND)
            found.append((began, began + max(1, round(file.lasts * SECOND)), i))
    found.sort()
    for (_, over, _), (began, _, i) in pairwise(found):
        if began < over:
            message = f"an outage from {began / SECOND:.10g} s on, while another one is on"
            hint = "make one of the two, or let it begin when the other is over"
            parts.bad((*path, i), message, hint)
    return tuple((began, over) for began, over, _ in found)
