"""Values that are given on the command line, read by the same strict rules as a file.

`--set loops=2` takes one value, `--vary loops=0:6` a range of whole numbers or a list.
"""

from __future__ import annotations

import re
from dataclasses import replace

from agentsim.errors import Place, Problem, Problems
from agentsim.spec.problems import given, quoted
from agentsim.spec.reader import read
from agentsim.spec.tree import Value

MAX_SPREAD = 10_000  # values of one --vary

_END = r"[-+]?[0-9]{1,18}(?:[eE]\+?[0-9]{1,2})?"
_RANGE = re.compile(rf"({_END}):({_END})(?::({_END}))?")
_DOTTED = re.compile(r"(-?\d+)\.\.+(-?\d+)")
# What is meant as a range: numbers of any form between colons, with a unit or without.
_NEARLY = r"\s*[-+$]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*[A-Za-z%/]*\s*"
_BROKEN_RANGE = re.compile(rf"{_NEARLY}(?::{_NEARLY}){{1,2}}")
_IS_A_RANGE = "a range is of whole numbers, such as 0:6 or 0:12:4"
_WRITTEN = (
    "one value, such as 3 or 90s, or a list in brackets: [1, 2]; a text that holds a bracket, a "
    "colon or a comma in quotes"
)
_EMPTY = frozenset(("", "~", "null", "Null", "NULL"))


def scalar(text: str, option: str = "--set") -> Value:
    """The value of `name=text`: a scalar, or a list or mapping in brackets. Raises `Problems`.

    `option` is `--set name`; the place of what is wrong is the whole of it, `--set name=text`.
    """
    try:
        return _scalar(text, option)
    except Problems as fault:
        place = given(f"{option}=", text)
        raise Problems(_of_option(problem, place) for problem in fault.problems) from None


def _of_option(problem: Problem, place: Place | None) -> Problem:
    """At the option, and with a hint about it: none about the indents of a file."""
    hint = _WRITTEN if problem.code == "yaml-syntax" else problem.hint
    return replace(problem, place=place, hint=hint)


def _scalar(text: str, option: str) -> Value:
    value = read(text, option).value
    bracket = text.strip()[:1] in {"[", "{"}
    if isinstance(value, list | dict) and not bracket:
        hint = "put a text with a colon in quotes, a list or mapping in brackets"
        raise _refused("bad-value", f"{quoted(text)} is not one value", option, hint)
    if value is None and text.strip() not in _EMPTY:
        raise _refused("bad-value", f"{quoted(text)} is only a comment", option, "quote it")
    return value


def spread(text: str, option: str = "--vary") -> list[Value]:
    """The values of `name=text`. Raises `Problems`; there are 1 to 10,000.

    `0:6` is 0 to 6, both included; `0:6:2` goes by twos, `6:0:-1` down; `0:1e4:1e3` too; `a,b,c`
    is a list of values. A time such as `09:30` alone reads as a range: put it in quotes.
    """
    found = _RANGE.fullmatch(text.strip())
    if found is not None:
        step = 1 if found[3] is None else _whole(found[3])
        return _range(_whole(found[1]), _whole(found[2]), step, text, option)
    dotted = _DOTTED.fullmatch(text.strip())
    if dotted is not None:
        hint = f"a range is written {dotted[1]}:{dotted[2]}"
        raise _refused("bad-range", f"{quoted(text)} is no range", option, hint)
    if _BROKEN_RANGE.fullmatch(text.strip()):
        hint = f"{_IS_A_RANGE}; else list the values: 0.1,0.2,0.3 or 5%,10%"
        raise _refused("bad-range", f"{quoted(text)} is no range of whole numbers", option, hint)
    if text.strip().endswith(","):
        raise _refused("bad-range", f"{quoted(text)} ends with a comma", option, "leave it out")
    values = _listed(text, option)
    if not values:
        raise _refused("bad-range", "no values", option, "such as 0:6 or 1,2,5")
    if len(values) > MAX_SPREAD:
        message = f"{len(values):,} values; at most {MAX_SPREAD:,}"
        raise _refused("bad-range", message, option, "name fewer of them")
    odd = [value for value in values if isinstance(value, str) and _BROKEN_RANGE.fullmatch(value)]
    if odd and any(isinstance(value, int | float) for value in values):
        hint = "write its values out, or give the range alone"
        raise _refused("bad-range", f"the range {quoted(odd[0])} stands in a list", option, hint)
    if any(isinstance(value, dict) for value in values) and "{" not in text:
        raise _refused("bad-range", f"{quoted(text)} is no list of values", option, "quote texts")
    return values


def _whole(text: str) -> int:
    """`-12`, or `1e4`: its exponent is not negative, so it is whole."""
    digits, _, power = text.lower().partition("e")
    return int(digits) * int(10 ** int(power or 0))


def _range(first: int, last: int, step: int, text: str, option: str) -> list[Value]:
    if step == 0:
        raise _refused("bad-range", f"{quoted(text)} has a step of 0", option, _IS_A_RANGE)
    if (last - first) * step < 0:
        hint = f"from {first} to {last} the step is {'negative' if last < first else 'positive'}"
        raise _refused("bad-range", f"{quoted(text)} never arrives", option, hint)
    values = range(first, last + (1 if step > 0 else -1), step)
    # len() of a range fails beyond sys.maxsize
    if (last - first) // step >= MAX_SPREAD:
        message = f"{quoted(text)} is more than {MAX_SPREAD:,} values"
        least = abs(last - first) // MAX_SPREAD + 1
        hint = f"a longer step, such as {first}:{last}:{least if step > 0 else -least}"
        raise _refused("bad-range", message, option, hint)
    return list(values)


def _listed(text: str, option: str) -> list[Value]:
    try:
        values = read(f"[{text}]", option).value
    except Problems as fault:  # the bracket is ours: one column back
        raise Problems(_back(problem) for problem in fault.problems) from None
    if not isinstance(values, list):
        hint = "such as 1,2,5; a text with a bracket in quotes"
        raise _refused("bad-range", f"{quoted(text)} is no list of values", option, hint)
    return values


def _back(problem: Problem) -> Problem:
    place = problem.place
    if place is not None and place.line == 1 and place.column > 1:
        place = Place(place.file, 1, place.column - 1)
    return _of_option(problem, place)


def _refused(code: str, message: str, option: str, hint: str = "") -> Problems:
    return Problems([Problem(code, message, Place(option, 1, 1), hint)])
