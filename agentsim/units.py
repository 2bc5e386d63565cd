"""Quantities as people write them, read into base numbers: seconds, tokens, dollars, shares.

Every reader takes what YAML or the command line gives (text or a number) and raises `ValueError`
with one short sentence that says what was expected. Decimal arithmetic keeps `191ns` and `17.3ms`
the nearest float to what was written.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal, DecimalException

DURATION_UNITS = "ns us ms s m h d w"
_PER_UNITS = "ms s min h d w"

_SECONDS = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "µs": Decimal("1e-6"),  # the micro sign, U+00B5
    "μs": Decimal("1e-6"),  # the Greek letter, U+03BC
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "m": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86400),
    "w": Decimal(604800),
}
_PER = {
    **_SECONDS,
    "sec": Decimal(1),
    "second": Decimal(1),
    "min": Decimal(60),
    "minute": Decimal(60),
    "hour": Decimal(3600),
    "day": Decimal(86400),
    "week": Decimal(604800),
}
_MANY = {"": Decimal(1), "k": Decimal(10**3), "M": Decimal(10**6), "G": Decimal(10**9)}
_TOKEN_NAMES = ("", "tok", "token", "tokens")
_REQUEST_NAMES = ("", "req", "request", "requests")
_COUNTED_NAMES = (*_TOKEN_NAMES, *_REQUEST_NAMES[1:], "item", "items")
_LINE_NAMES = ("loc", "line", "lines")
_WORD_NAMES = ("word", "words")

_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_BARE = re.compile(rf"[+-]?{_NUMBER}")
_PIECE = re.compile(rf"\s*({_NUMBER})\s*([a-zµμ]+)")
_COUNT = re.compile(rf"({_NUMBER})\s*([kKMG]?)(?:\s*([A-Za-z]+))?")
_DENSITY = re.compile(rf"({_NUMBER})(?:\s*/\s*|\s+per\s+)(k?)loc")
_LONGEST = 64  # characters: no quantity is longer, and a huge number is refused unread


def duration(value: object) -> float:
    """Seconds of `90s`, `1h30m`, `250ms`, `3d`. A number without a unit is refused, save 0."""
    expected = f"expected a duration with a unit ({DURATION_UNITS}), such as 90s or 1h30m"
    text = _text(value, expected)
    if _BARE.fullmatch(text):
        if _finite(_decimal(text, expected), expected) == 0.0:
            return 0.0
        raise ValueError(f"{expected}; got {text} without a unit")
    total, at, seen = Decimal(0), 0, set[Decimal]()
    while at < len(text):
        piece = _PIECE.match(text, at)
        unit = _SECONDS.get(piece[2]) if piece else None
        if piece is None or unit is None:
            raise ValueError(f"{expected}; got {text!r}")
        if unit in seen:
            raise ValueError(f"{expected}; {text!r} names {piece[2]} twice")
        seen.add(unit)
        total += _product(_decimal(piece[1], expected), unit, expected)
        at = piece.end()
    return _finite(total, expected)


def tokens(value: object) -> float:
    """Tokens of `500`, `12k`, `1.5M`, `300 tokens`."""
    return _count(
        value, "expected tokens (k, M, G for more), such as 500, 12k or 1.5M", _TOKEN_NAMES
    )


def token_rate(value: object) -> float:
    """Tokens per second of `800 tok/s`, `500/s` or `100 tok/min`; above 0."""
    expected = f"expected tokens per time (tok or nothing, per {_PER_UNITS}), such as 800 tok/s"
    return _rate(value, expected, _TOKEN_NAMES)


def request_rate(value: object) -> float:
    """Requests per second of `100 req/min` or `100/min`; above 0."""
    expected = (
        f"expected requests per time (req or nothing, per {_PER_UNITS}), such as 100/min or "
        "100 req/min"
    )
    return _rate(value, expected, _REQUEST_NAMES)


def rate(value: object, *, bare: bool = False) -> float:
    """How many per second: `800 tok/s`, `3/h`, `100 tok/min`; above 0.

    A bare number is read as tok/s where `bare` allows it (as in `--rates 200`), else refused.
    """
    expected = (
        f"expected a rate per time (tok, req, items or nothing, per {_PER_UNITS}), "
        "such as 800 tok/s, 500/s, 100 tok/min or 3/h"
    )
    return _rate(value, expected, _COUNTED_NAMES, bare=bare)


def share(value: object) -> float:
    """A share 0..1 of `85%` or of a number 0..1."""
    expected = "expected a share, such as 85% or 0.85, from 0 to 1"
    text = _text(value, expected)
    whole = Decimal(100) if text.endswith("%") else Decimal(1)
    number = _decimal(text.removesuffix("%").rstrip(), expected) / whole
    if not 0 <= number <= 1:
        raise ValueError(f"{expected}; got {text}")
    return float(number)


def lines(value: object) -> float:
    """Lines of code of `400 loc`. A number without the unit is refused, save 0."""
    return _count(
        value, "expected lines of code with a unit (loc, lines), such as 400 loc", _LINE_NAMES
    )


def words(value: object) -> float:
    """Words of `900 words`. A number without the unit is refused, save 0."""
    return _count(value, "expected words with a unit (words), such as 900 words", _WORD_NAMES)


def line_rate(value: object) -> float:
    """Lines per second of `400 loc/h`; above 0."""
    expected = f"expected lines per time (loc or lines per {_PER_UNITS}), such as 400 loc/h"
    return _rate(value, expected, _LINE_NAMES)


def density(value: object) -> float:
    """Defects per line of `32 per kloc` or `0.03/loc`, at most 1. Without a unit only 0."""
    expected = "expected defects per lines of code (per kloc or loc), such as 32 per kloc"
    text = _text(value, expected)
    found = _DENSITY.fullmatch(text)
    if found is None:
        if _BARE.fullmatch(text) and _decimal(text, expected) == 0:
            return 0.0
        raise ValueError(f"{expected}; got {_got(text)}")
    number = _finite(_decimal(found[1], expected) / (1000 if found[2] else 1), expected)
    if number > 1.0:
        raise ValueError(f"{expected}; more than one in each line, got {text}")
    return number


def word_rate(value: object) -> float:
    """Words per second of `238 wpm` or `238 words/min`; above 0."""
    expected = f"expected words per time (wpm, or words per {_PER_UNITS}), such as 238 wpm"
    text = re.sub(r"\s*wpm$", " words/min", _text(value, expected))
    return _rate(text, expected, _WORD_NAMES)


def money(value: object) -> float:
    """Dollars of `$5` or `5`."""
    expected = "expected dollars ($ or no unit), such as $5 or 0.30"
    text = _text(value, expected)
    return _finite(_decimal(text.removeprefix("$").lstrip(), expected), expected)


def _text(value: object, expected: str) -> str:
    """What was written, as text without spaces around it."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{expected}; got {_shown(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{expected}; got {value}")
    try:
        text = str(value).strip()
    except ValueError:  # an int of thousands of digits, which Python does not print
        text = ""
    if not text or len(text) > _LONGEST:
        long = f"{text[:20]}... of {len(text)} characters, more than {_LONGEST}"
        raise ValueError(f"{expected}; got {long if text else 'nothing'}")
    return text


def _shown(value: object) -> str:
    names = {bool: "yes/no", list: "a list", dict: "a mapping", type(None): "nothing"}
    return names.get(type(value), type(value).__name__)


def _decimal(text: str, expected: str) -> Decimal:
    """The number that `text` is, not negative."""
    if not _BARE.fullmatch(text):
        raise ValueError(f"{expected}; got {text!r}")
    try:
        number = Decimal(text)
    except DecimalException:
        raise ValueError(f"{expected}; got {text!r}") from None
    if number < 0:
        raise ValueError(f"{expected}; it cannot be negative, got {text}")
    return number


def _product(number: Decimal, factor: Decimal, expected: str) -> Decimal:
    try:
        return number * factor
    except DecimalException:
        raise ValueError(f"{expected}; {number} is too large or too small") from None


def _finite(number: Decimal, expected: str) -> float:
    result = float(number)
    if not math.isfinite(result):
        raise ValueError(f"{expected}; {number} is too large")
    return result


def _count(value: object, expected: str, names: tuple[str, ...]) -> float:
    """A number with k, M or G and one of `names`; "" among the names allows a bare number."""
    text = _text(value, expected)
    found = _COUNT.fullmatch(text)
    if found is None:
        _decimal(text, expected)  # says so where it is only negative
        raise ValueError(f"{expected}; got {text!r}")
    number = _decimal(found[1], expected)
    if (found[3] or "") not in names and not (number == 0 and not found[3]):
        raise ValueError(f"{expected}; got {_got(text)}")
    return _finite(_product(number, _many(found[2]), expected), expected)


def _got(text: str) -> str:
    """What was written, and that its unit is missing where it is only a number."""
    return f"{text} without a unit" if _BARE.fullmatch(text) else repr(text)


def _many(suffix: str) -> Decimal:
    return _MANY["k" if suffix == "K" else suffix]


def _rate(value: object, expected: str, names: tuple[str, ...], *, bare: bool = False) -> float:
    text = _text(value, expected)
    amount, slash, per = (part.strip() for part in text.partition("/"))
    found = _COUNT.fullmatch(amount)
    if found is None:
        _decimal(amount, expected)
        raise ValueError(f"{expected}; got {text!r}")
    seconds = _PER.get(per) if slash else Decimal(1) if bare else None
    if seconds is None or (found[3] or "") not in names or (not slash and found[3]):
        raise ValueError(f"{expected}; got {_got(text)}")
    number = _product(_decimal(found[1], expected), _many(found[2]), expected)
    result = _finite(_product(number, 1 / seconds, expected), expected)
    if result == 0.0:
        raise ValueError(f"{expected}; it must be more than 0, got {text}")
    # Divided as floats: 400/3600 comes out as the nearest float, as it would by hand.
    return float(number) / float(seconds) if seconds >= 1 else result
