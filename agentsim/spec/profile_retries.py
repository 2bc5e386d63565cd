"""What a profile says of calls that are not served: when they ask again, and how often."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.chance import uniform
from agentsim.graph import LimitPlan, RetryPlan
from agentsim.records import SECOND
from agentsim.spec.problems import quoted
from agentsim.spec.profile import RejectFile
from agentsim.spec.profile_parts import Parts

_WAYS = ("waits", "first", "wait")
_GOES_WITH = {
    "factor": ("first",),
    "at_most": ("first",),
    "jitter": ("waits", "first"),
    "tries": ("first", "wait"),
}
_SUCH = "such as `on_reject: {first: 1s, factor: 2, at_most: 60s, jitter: 50%, tries: 6}`"


def reject_plan(parts: Parts, limits: Sequence[LimitPlan]) -> RetryPlan | None:
    """How a rejected call asks again; None where it does not, or where that is wrong."""
    file = parts.part(RejectFile, "`on_reject`", "on_reject")
    if file is None:
        return None
    if not any(limit.rejects for limit in limits) and not parts.problems:
        message = "no quota of this profile rejects a call"
        hint = "`on_limit: reject` in an entry of `limits`"
        parts.bad(("on_reject",), message, hint, at_key=True)
    raw = parts.raw("on_reject")
    given = [key for key in raw if key in _WAYS]
    if not given:
        message = "`on_reject` needs one of `waits`, `first` and `wait`"
        parts.wrong("missing-key", ("on_reject",), message, _SUCH)
        return None
    for key in given[1:]:
        message = f"{quoted(given[0])} and {quoted(key)} both say how it waits"
        parts.bad(("on_reject", key), message, "keep one of them", at_key=True)
    for key in raw:
        if key in _GOES_WITH and given[0] not in _GOES_WITH[key]:
            ways = " or ".join(map(quoted, _GOES_WITH[key]))
            message = f"{quoted(key)} goes with {ways}, not with {quoted(given[0])}"
            parts.bad(("on_reject", key), message, "leave it out", at_key=True)
    if given[0] == "first" and file.tries is None:
        message = "`first` needs `tries`: how often it asks in all"
        parts.wrong("missing-key", ("on_reject",), message, _SUCH)
        return None
    return _plan(file)


def _plan(file: RejectFile) -> RetryPlan:
    jitter = uniform(1.0 - file.jitter, 1.0 + file.jitter) if file.jitter else None
    if file.wait is not None:
        return RetryPlan(reset=True, tries=file.tries)
    waits = file.waits or ()
    if file.first is not None:
        factor = 2.0 if file.factor is None else file.factor
        waits = tuple(_growing(file.first, factor, file.at_most, (file.tries or 1) - 1))
    return RetryPlan(tuple(round(wait * SECOND) for wait in waits), jitter)


def _growing(first: float, factor: float, most: float | None, count: int) -> list[float]:
    """Waits of which each is so many times the last; none is longer than a year."""
    longest = 366 * 86_400.0 if most is None else most
    found, wait = [], first
    for _ in range(count):
        wait = min(wait, longest)
        found.append(wait)
        wait *= factor
    return found
