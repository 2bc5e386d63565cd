"""Telling people what is wrong: codes, nearest names, excerpts with a caret, order and number.

Everything here is pure: text and `Problem`s in, text and `Problem`s out; nothing is printed.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Sequence
from types import MappingProxyType

from agentsim.errors import Place, Problem, Problems

SHOWN = 50  # problems that are shown of one input; beyond that people mend and run again
WIDTH = 100  # columns of an excerpt
LISTED = 30  # names that a hint lists when none is near
LISTED_OF_MANY = 12  # and of more than these
LONGEST_NAME = 80  # letters of a name that is shown or compared: similarity is quadratic in them


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The one of `names` that `name` was most likely meant to be, or None; ties by the alphabet."""
    if not 0 < len(name) <= LONGEST_NAME:
        return None
    plain = {_plain(known): known for known in sorted(names, reverse=True)}
    meant = _plain(name)
    begun = [known for known in plain if known.startswith(meant)] if len(meant) >= 3 else []
    held = [known for known in plain if meant in known] if len(meant) >= 4 else []
    close = difflib.get_close_matches(meant, sorted(plain), n=1, cutoff=0.6)
    for found in (sorted(begun, key=len), close, sorted(held, key=len)):
        if found:
            return plain[found[0]]
    return None


def by_nearness(name: str, names: Iterable[str]) -> list[str]:
    """All of `names`, those first that are most like `name`; ties by the alphabet."""
    near, meant = nearest(name, known := sorted(names)), _plain(name[:LONGEST_NAME])
    likeness = {it: difflib.SequenceMatcher(None, meant, _plain(it)).ratio() for it in known}
    return sorted(known, key=lambda it: (it != near, -likeness[it]))


def _plain(name: str) -> str:
    """Case, hyphens and underscores are where people differ without meaning to."""
    return name.casefold().replace("_", "").replace("-", "")


# What people call those whom the presets name otherwise.
_MEANT = MappingProxyType(
    {
        **dict.fromkeys(("me", "i", "myself", "human", "user"), "you"),
        **dict.fromkeys(("colleague", "coworker", "peer"), "teammate"),
        **dict.fromkeys(("pytest", "test", "ci", "unit-tests", "suite"), "tests"),
        **dict.fromkeys(("bash", "sh", "terminal", "command", "grep"), "shell"),
        **dict.fromkeys(("write", "patch"), "edit"),
        **dict.fromkeys(("search", "fetch", "browser"), "web"),
        **dict.fromkeys(("developer", "programmer", "implementer", "writer"), "coder"),
        **dict.fromkeys(("researcher", "scout"), "explorer"),
        **dict.fromkeys(("architect",), "planner"),
        **dict.fromkeys(("critic",), "reviewer"),
        **dict.fromkeys(("qa",), "tester"),
    }
)


_PLURALS = MappingProxyType({"person": "people", "harness": "harnesses", "merge queue": "queues"})
_DEFINED = frozenset({"tool", "pool", "person", "agent", "merge queue"})
"""What a file defines itself, each in a section of its own."""


def given(option: str, text: object) -> Place:
    """The place of what was given on the command line: `--set lines=abc`."""
    shown = str(text)
    cut = shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 3] + "..."
    return Place(f"{option}{visible(cut)}", 0, 0)


def unknown_key(
    key: object,
    known: Iterable[str],
    place: Place | None,
    inside: str = "",
    later: Iterable[str] = (),
) -> Problem:
    """A key that may not stand `inside` (say "an agent"), with the nearest one as the hint.

    `later` are keys that are refused themselves, since this version cannot simulate them.
    """
    where = f" in {inside}" if inside else ""
    names, coming = list(known), set(later)
    hint = _did_you_mean(str(key), names, "keys")
    near = nearest(str(key), [*names, *coming])
    if near in coming:
        hint = f"{quoted(near)} is the nearest, but this version cannot simulate it yet"
    hint = _otherwise(str(key), inside) or hint
    first, colon, _ = str(key).partition(":")
    if colon and first.strip() in names:
        hint = f"put a space after the colon: `{first.strip()}: ...`"
    hint = _with_invisible(str(key), hint)
    return Problem("unknown-key", f"unknown key {quoted(key)}{where}", place, hint)


_ATTEMPTS = "`attempts: 3` does the work of its `do` several times over, each in its own worktree"
_SUBAGENT = (
    "a subagent stands among the `tools` of an agent, with its share: `tools: {helper: 20%}`; or "
    "as a step in its `do`"
)
_UNTIL = '`wait: {until: "09:00"}` as a step before it, or in its `do`, waits for a time of day'
_OTHERWISE = MappingProxyType(
    {
        **dict.fromkeys(("best_of", "worktrees"), ("", _ATTEMPTS)),
        **dict.fromkeys(("subagent", "subagents"), ("", _SUBAGENT)),
        **dict.fromkeys(("every", "at"), (" step", _UNTIL)),
    }
)
"""What people write that is written otherwise: where (how that is called ends so), and how."""


def _otherwise(key: str, inside: str) -> str:
    where, hint = _OTHERWISE.get(key, ("", ""))
    return hint if f" {inside}".endswith(where) else ""


def unknown_name(
    name: object, known: Iterable[str], place: Place | None, what: str = "name"
) -> Problem:
    """A reference to a `what` (say "agent") that is not defined; the nearest one is the hint."""
    names = list(known)
    meant = _MEANT.get(str(name).casefold())
    plural = _PLURALS.get(what, f"{what}s")
    hint = _did_you_mean(str(name), names, plural)
    if meant in names:
        hint = f"did you mean {quoted(meant)}?"
    if what in _DEFINED:
        define = f"define it under `{plural}:`"
        hint = f"{hint}{' Or ' if hint.endswith('?') else '; or '}{define}" if hint else define
    hint = _with_invisible(str(name), hint) or f"there are no {plural} here to name"
    return Problem("unknown-name", f"unknown {what} {quoted(name)}", place, hint)


def invisible(text: str) -> str:
    """The first letter of `text` that nobody sees, or that only looks like a space: `U+200B`."""
    return next((f"U+{ord(it):04X}" for it in text if not it.isprintable()), "")


def _with_invisible(name: str, hint: str) -> str:
    found = invisible(name)
    told = f"it holds an invisible character, {found}: type it anew" if found else ""
    return "; ".join(part for part in (told, hint) if part)


def _did_you_mean(name: str, known: Sequence[str], plural: str) -> str:
    near = nearest(name, known)
    if near is not None:
        return f"did you mean {quoted(near)}?"
    if not known:
        return ""
    if len(known) <= LISTED:
        return f"known {plural}: {', '.join(sorted(known))}"
    likest = ", ".join(by_nearness(name, known)[:LISTED_OF_MANY])
    return f"{len(known)} {plural} are known, the likest first: {likest}, ..."


LEAVE_OUT = "leave it out: this version would not heed it"


def not_yet(what: str, place: Place | None, hint: str = LEAVE_OUT) -> Problem:
    """Something of the format that a later version will simulate; it is never ignored silently."""
    return Problem("not-yet", f"not yet: {what}", place, hint)


def quoted(value: object) -> str:
    """For a message: in backquotes, control characters escaped, cut to 80 letters."""
    text = str(value)
    cut = text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 3] + "..."
    return f"`{visible(cut)}`"


def visible(text: str) -> str:
    """`text` with everything escaped that would move, hide or colour what a terminal shows."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(letter) for letter in text)


def _visible(letter: str) -> str:
    # control, format (bidirectional overrides), surrogate, private, unassigned, line separators
    if unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        return letter.encode("unicode_escape", "surrogatepass").decode("ascii")
    return letter


def _columns(letter: str) -> int:
    """Columns that a visible letter takes in a terminal."""
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def line_of(place: Place, home: str) -> str:
    """`line 4`, with the file where that is not `home`, the one that is run."""
    where = "" if place.file == home else f" of {place.file}"
    return f"line {place.line}{where}"


def excerpt(lines: Sequence[str], place: Place) -> str:
    """The line of `place` with its number, and a caret below; at most 100 columns wide.

    `lines` are those of the whole file (`Tree.lines`). Empty text if the file has no such line.
    A place behind the end of the line puts the caret behind its last letter.
    """
    if not 1 <= place.line <= len(lines):
        return ""
    margin = f"{place.line:5d} | "
    source = lines[place.line - 1]
    at = min(max(place.column, 1) - 1, len(source))
    room = WIDTH - len(margin)
    if len(source) <= room and _width(visible(source)) <= room:
        before, after = visible(source[:at]), visible(source[at:])
        caret = _width(before)
    else:
        before, caret = _before(source[:at], room // 2)
        after = _after(source[at:], room - caret)
    bar = " " * (len(margin) - 2) + "| "
    return f"{margin}{before}{after}".rstrip() + f"\n{bar}{' ' * caret}^"


def _width(shown: str) -> int:
    return sum(map(_columns, shown))


def _before(text: str, room: int) -> tuple[str, int]:
    """As much of the end of `text` as goes into `room` columns, and how many it takes."""
    tail = text[-room:]  # a letter takes a column, save combining ones: those may be cut
    shown: list[str] = []
    used = 0
    for letter in reversed([_visible(letter) for letter in tail]):
        columns = sum(map(_columns, letter))
        if used + columns > room - 3:
            shown.append("...")
            return "".join(reversed(shown)), used + 3
        shown.append(letter)
        used += columns
    return "".join(reversed(shown)), used


def _after(text: str, room: int) -> str:
    shown: list[str] = []
    used = 0
    for letter in map(_visible, text[: room + 1]):
        columns = sum(map(_columns, letter))
        if used + columns > room - 3:
            return "".join(shown) + "..."
        shown.append(letter)
        used += columns
    return "".join(shown)


def arrange(problems: Iterable[Problem]) -> list[Problem]:
    """Sorted by file, line and column (those without a place last), each thing said once."""
    unique = {(p.code, p.message, p.place): p for p in reversed(list(problems))}
    return sorted(unique.values(), key=_order)


def _order(problem: Problem) -> tuple[bool, str, int, int, str, str]:
    place = problem.place or Place("", 0, 0)
    missing = problem.place is None
    return missing, place.file, place.line, place.column, problem.code, problem.message


def capped(problems: Sequence[Problem], most: int = SHOWN) -> tuple[Sequence[Problem], str]:
    """The first `most` problems, and a sentence about the rest ("" if there is none)."""
    more = len(problems) - most
    if more <= 0:
        return problems, ""
    return problems[:most], f"and {more} more problem{'s' if more > 1 else ''}"


def refuse(problems: Iterable[Problem]) -> None:
    """Raises all of `problems` at once, arranged; does nothing if there is none."""
    arranged = arrange(problems)
    if arranged:
        raise Problems(arranged)
