"""What a profile says of calls that are not served: when they ask again, and how often."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.chance import uniform
from agentsim.graph import LimitPlan, RetryPlan
from agentsim.records import SECOND
from agentsim.spec.problems import quoted
from agentsim.spec.profile import RejectFile, RetryFile
from agentsim.spec.profile_parts import Parts

_GROWS = ("waits", "first")
_WAYS = (*_GROWS, "wait")
_GOES_WITH = {
    "factor": ("first",),
    "at_most": ("first",),
    "jitter": _GROWS,
    "tries": ("first", "wait"),
}
_SUCH = "such as `{}: {{first: 1s, factor: 2, at_most: 60s, jitter: 50%, tries: 6}}`"


def reject_plan(parts: Parts, limits: Sequence[LimitPlan]) -> RetryPlan | None:
    """How a rejected call asks again; None where it does not, or where that is wrong."""
    file = parts.part(RejectFile, "`on_reject`", "on_reject")
    if file is None:
        return None
    if not any(limit.rejects for limit in limits) and not parts.problems:
        message = "no quota of this profile rejects a call"
        hint = "`on_limit: reject` in an entry of `limits`"
        parts.bad(("on_reject",), message, hint, at_key=True)
    if not _is_whole(parts, file, _WAYS, "on_reject"):
        return None
    if file.wait is not None:
        return RetryPlan(reset=True, tries=file.tries)
    return _plan(file)


def retry_plan(parts: Parts, file: RetryFile, *path: str) -> RetryPlan | None:
    """How a failed call asks again; None where that is wrong."""
    return _plan(file) if _is_whole(parts, file, _GROWS, *path) else None


def _is_whole(parts: Parts, file: RetryFile, ways: tuple[str, ...], *path: str) -> bool:
    """Whether it says just once how it waits; what does not go with that is reported."""
    raw, key = parts.raw(*path), path[-1]
    given = [key for key in raw if key in ways]
    if not given:
        names = [quoted(way) for way in ways]
        message = f"{quoted(key)} needs one of {', '.join(names[:-1])} and {names[-1]}"
        parts.wrong("missing-key", path, message, hint=_SUCH.format(key))
        return False
    for other in given[1:]:
        message = f"{quoted(given[0])} and {quoted(other)} both say how it waits"
        parts.bad((*path, other), message, "keep one of them", at_key=True)
    for other in raw:
        if other in _GOES_WITH and given[0] not in _GOES_WITH[other]:
            with_ = [quoted(way) for way in _GOES_WITH[other] if way in ways]
            message = f"{quoted(other)} goes with {' or '.join(with_)}, not with {quoted(given[0])}"
            parts.bad((*path, other), message, "leave it out", at_key=True)
    if given[0] == "first" and file.tries is None:
        message = "`first` needs `tries`: how often it asks in all"
        parts.wrong("missing-key", path, message, hint=_SUCH.format(key))
        return False
    return True


def _plan(file: RetryFile) -> RetryPlan:
    jitter = uniform(1.0 - file.jitter, 1.0 + file.jitter) if file.jitter else None
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
