"""What an unquoted word of YAML means: the core schema of YAML 1.2.2, section 10.3.2.

`yes`, `no`, `on`, `off`, `1:30` and dates stay text; `010` is ten; `1e3` is a number.
"""

from __future__ import annotations

import math
import re
from typing import TypeAlias

LONGEST_NUMBER = 400  # characters: int() of a text is quadratic in its length
LONGEST_TEXT = 64 * 1024

Scalar: TypeAlias = bool | int | float | str | None

TOO_LARGE = "is a digit too many? Put it in quotes if it is a text"
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# The alternatives are told apart by their first letters, so no text is scanned twice.
_NUMBER = re.compile(
    r"(?P<hexadecimal>0x[0-9a-fA-F]+)|(?P<octal>0o[0-7]+)"
    r"|(?P<decimal>[-+]?[0-9]+)"
    r"|(?P<real>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
)
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMBER_START = frozenset("0123456789+-.")
_BASES = {"hexadecimal": 16, "octal": 8, "decimal": 10}
_TAGS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "null": (type(None),),
}


class Refused(Exception):
    """A scalar that is not read; `code` is one that `explained` knows."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


def resolve(text: str) -> Scalar:
    """The value of an unquoted scalar. `Refused` for .inf, .nan and what no float can hold."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_START:
        return text
    if _NOT_FINITE.fullmatch(text):
        raise Refused("bad-number", f"{text} is not a number that can be used", "quote a text")
    found = _NUMBER.fullmatch(text)
    if found is None:
        return text
    if len(text) > LONGEST_NUMBER:
        message = f"a number of {len(text)} characters (400 are read)"
        raise Refused("too-long", message, "put it in quotes if it is a text")
    return _number(text, found.lastgroup or "")


def _number(text: str, form: str) -> int | float:
    if form == "real":
        real = float(text)
        if math.isinf(real):
            raise Refused("bad-number", f"{text[:40]} is too large a number", TOO_LARGE)
        return real
    whole = int(text, _BASES[form])
    try:
        float(whole)  # everything later computes in floats
    except OverflowError:
        raise Refused("bad-number", f"{text[:40]}... is too large a number", TOO_LARGE) from None
    return whole


def tagged(text: str, plain: bool, tag: str) -> Scalar:
    """The value of a scalar with one of the core tags (`str int float bool null`), by its name."""
    if tag == "str":
        return text
    value = resolve(text) if tag in _TAGS and plain else None
    if tag in _TAGS and plain and _is(value, _TAGS[tag]):
        return float(value) if tag == "float" and isinstance(value, int) else value
    raise Refused("custom-tag", f"the tag !!{tag} does not fit here", "leave the tag out")


def _is(value: Scalar, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))
