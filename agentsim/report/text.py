"""Names and sentences that come from files, made safe to show.

A workflow's name is somebody else's text: it may hold terminal escapes, letters that turn the
writing direction, or three hundred characters. What is shown is one line that does none of that.
"""

from __future__ import annotations

import re
import unicodedata

_ESCAPES = re.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # commands such as the window's title
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # strings to the device
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # colours, cursor, erase
    r"|\x1b[ -/]*[0-~]?"  # all others
)
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_STACKED = 2  # marks over one letter; more would run into the lines above and below


def safe(text: object) -> str:
    """`text` on one line, without escapes and control characters.

    What turns the writing direction, and what is no letter at all, is shown as an escape
    (`\\u202e`), so that a reader sees that it is there.
    """
    raw = str(text)
    if raw.isascii() and raw.isprintable():
        return raw.strip()
    shown: list[str] = []
    stacked = 0
    for letter in _ESCAPES.sub("", raw):
        category = unicodedata.category(letter)
        stacked = stacked + 1 if category in {"Mn", "Me"} else 0
        if stacked <= _STACKED:
            shown.append(_letter(letter, category))
    return " ".join("".join(shown).split())


def _letter(letter: str, category: str) -> str:
    if letter.isspace() or category in {"Zl", "Zp"}:
        return " "
    if letter in _TURNING or category in {"Cs", "Co", "Cn"}:
        return letter.encode("unicode_escape", "surrogatepass").decode("ascii")
    return "" if category in {"Cc", "Cf"} else letter


def columns(text: str) -> int:
    """Columns that `text` takes in a terminal: wide letters two, marks over letters none."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(letter: str) -> int:
    if unicodedata.category(letter) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def name(text: object, most: int = 40) -> str:
    """A name from a file: `safe`, and at most `most` columns wide with `...` where it is cut."""
    clean = safe(text)
    if columns(clean) <= most:
        return clean
    shown: list[str] = []
    room = most - 3
    for letter in clean:
        room -= _columns(letter)
        if room < 0:
            break
        shown.append(letter)
    return "".join(shown).rstrip() + "..."


def listed(names: list[str], most: int = 5) -> str:
    """`a, b and c`; more than `most` are counted: `a, b and 7 more`."""
    shown = names if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
