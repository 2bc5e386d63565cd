"""Hours of the week as they are written: `09:00-17:30`, `Mon-Fri 09:00-12:30 13:15-17:30`."""

from __future__ import annotations

import itertools
import re

from agentsim.laws.hours import Stretch, stretches_of
from agentsim.spec import values
from agentsim.spec.clock import WEEKDAYS, Clock, clock_of
from agentsim.spec.problems import quoted

_TIME = "[0-9]{1,2}:[0-9]{2}"
_SPAN = rf"{_TIME}\s*-\s*{_TIME}"
_FORM = re.compile(rf"(?:([A-Za-z]+(?:\s*-\s*[A-Za-z]+)?)\s+)?({_SPAN}(?:\s+{_SPAN})*)")
_MIDNIGHT = re.compile("24:00")
_DAY = 86_400  # seconds

PATTERN = f"^([A-Za-z]{{3}}(\\s*-\\s*[A-Za-z]{{3}})?\\s+)?{_SPAN}(\\s+{_SPAN})*$"
"""The form, for a schema."""

_SUCH_AS = 'such as "Mon-Fri 09:00-12:30 13:15-17:30" or "22:00-06:00"'


def hours_of(value: object) -> tuple[str, tuple[Stretch, ...]]:
    """(as it is told, the stretches of the week) of one text or a list of them."""
    texts = value if isinstance(value, list) else [value]
    if not texts:
        raise values.fault("expected hours; got none", hint=_SUCH_AS)
    found = [_hours(text) for text in texts]
    stretches = tuple(sorted(one for own in found for one in own))
    for (day, _, end), (other, begin, _) in itertools.pairwise(stretches):
        if day == other and begin < end:
            raise values.fault(f"two stretches of {WEEKDAYS[day]} overlap", hint=_SUCH_AS)
    return ", ".join(" ".join(str(text).split()) for text in texts), stretches


def _hours(value: object) -> tuple[Stretch, ...]:
    found = _FORM.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        expected = "expected hours of a day, with weekdays or without"
        raise values.fault(f"{expected}; got {values.shown(value)}", hint=_SUCH_AS)
    days = tuple(range(7)) if found[1] is None else _days(found[1])
    spans = re.findall(rf"({_TIME})\s*-\s*({_TIME})", found[2])
    stretches: list[Stretch] = []
    for first, last in spans:
        begin, end = _second(first), _DAY if _MIDNIGHT.fullmatch(last) else _second(last)
        if begin == end:
            message = f"{quoted(f'{first}-{last}')} is no time at all"
            raise values.fault(message, hint='all day is "00:00-24:00"')
        stretches += stretches_of(days, begin, end)
    return tuple(stretches)


def _days(text: str) -> tuple[int, ...]:
    clock = clock_of(f"{text} 00:00")
    assert isinstance(clock, Clock)
    return clock.days


def _second(text: str) -> int:
    clock = clock_of(text)
    assert isinstance(clock, Clock)
    return clock.second
