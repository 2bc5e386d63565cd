"""Readers of the kinds of value that a field of a workflow may hold.

Each reads what was written into what the graph wants (seconds, tokens, lines, shares, a
distribution) and says what it expected where it cannot. Its faults carry the path inside
the value, so an error points at the `p90:` that is wrong and not at the step around it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from agentsim import units
from agentsim.chance import Constant, Distribution, PerTask, capped
from agentsim.errors import Problem
from agentsim.records import Verdict
from agentsim.spec.problems import LEAVE_OUT, invisible, nearest, quoted
from agentsim.spec.quantity import QuantityFaults, quantity

HUNDRED_YEARS = 3.2e9  # seconds
MOST_TOKENS = 1e12
MOST_COUNT = 1e9
LONGEST_ID = 80
_NOT_IN_NAMES = frozenset("./=#,")


def fault(
    message: str, *path: str | int, hint: str = "", code: str = "bad-value"
) -> QuantityFaults:
    """One thing that is wrong, at `path` inside the value."""
    if code == "not-yet":
        hint = hint or LEAVE_OUT
    return QuantityFaults([(path, Problem(code, message, None, hint))])


@contextmanager
def below(*path: str | int) -> Iterator[None]:
    """What is wrong in here stands below `path` in the value that is being read."""
    try:
        yield
    except QuantityFaults as error:
        raise QuantityFaults([((*path, *at), problem) for at, problem in error.faults]) from None


def shown(value: object) -> str:
    """A value of a file as it is named in a message."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, str) and _looks_like_a_number(value):
        return f"the text {quoted(value)}"
    return "a list" if isinstance(value, list) else quoted(value)


def _looks_like_a_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def plain(number: float) -> str:
    """A number in plain digits, with commas: `1,000,001`, `0.000001`, `0.25`."""
    if not math.isfinite(number):
        return str(number)
    return f"{Decimal(repr(float(number))).normalize():,f}"


def within(read: Callable[[object], float], most: float, of: str = "") -> Callable[[object], float]:
    """`read`, refusing what is larger than anybody means; `of`: what it counts ("seconds")."""

    def limited(value: object) -> float:
        number = read(value)
        if number > most:
            limit = f"at most {plain(most)} {of}".rstrip()
            raise ValueError(f"{quoted(value)} is too large: {limit}")
        return number

    return limited


def _plain(value: object) -> float:
    expected = "expected a number of 0 or more, such as 6 or 22"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{expected}; got {shown(value)}")
    if not 0 <= value < math.inf:
        raise ValueError(f"{expected}; got {plain(value)}")
    return float(value)


seconds = within(units.duration, HUNDRED_YEARS, "seconds")
tokens = within(units.tokens, MOST_TOKENS, "tokens")
count = within(_plain, MOST_COUNT)
lines = within(units.lines, MOST_COUNT, "lines")
words = within(units.words, MOST_COUNT, "words")


def duration_of(value: object) -> Distribution:
    """Seconds, as a constant or a distribution."""
    return quantity(value, seconds, counted="seconds")


def tokens_of(value: object) -> Distribution:
    """Tokens; a constant is whole."""
    return quantity(value, tokens, whole=True)


def count_of(value: object) -> Distribution:
    """A plain count; a constant is whole."""
    return quantity(value, count, whole=True)


def turns_of(value: object) -> Distribution:
    """A count of turns, of which there is at least one."""
    found = count_of(value)
    if found.high < 1.0:
        raise fault(f"expected at least 1, such as 22; got {shown(value)}")
    return found


MOST_TOOLS = 1000.0
"""Tool runs of one turn. Recorded ones have some ten; each run is kept while its turn lasts."""


def tools_of(value: object) -> Distribution:
    """A count of tool runs of one turn: hardly ever more than 1,000, and then 1,000."""
    found = count_of(value)
    if found.high <= MOST_TOOLS:
        return found
    if max(found.mean, found.at(0.999)) > MOST_TOOLS:
        hint = f"`at_most: {MOST_TOOLS:.0f}`" if isinstance(value, dict) else ""
        raise fault(
            f"expected at most {MOST_TOOLS:,.0f} tool runs of a turn, such as 3; "
            f"got {plain(found.mean) if isinstance(found, Constant) else 'more in some turns'}",
            hint=hint,
        )
    if isinstance(found, PerTask):
        return PerTask(capped(found.inner, at_most=MOST_TOOLS), found.between)
    return capped(found, at_most=MOST_TOOLS)


def lines_of(value: object) -> Distribution:
    """Lines of code."""
    return quantity(value, lines)


def fixed(read: Callable[[object], float], expected: str) -> Callable[[object], float]:
    """A reader of one fixed value where a distribution may not stand."""

    def one(value: object) -> float:
        if isinstance(value, dict | list):
            raise fault(f"expected one fixed value: {expected}; got {shown(value)}")
        try:
            return read(value)
        except ValueError as error:
            raise fault(str(error)) from None

    return one


def above_zero(read: Callable[[object], float], expected: str) -> Callable[[object], float]:
    """`fixed`, refusing 0."""
    one = fixed(read, expected)

    def above(value: object) -> float:
        number = one(value)
        if number <= 0.0:
            raise fault(f"expected more than 0: {expected}; got {shown(value)}")
        return number

    return above


def whole(value: object, least: int = 0, most: int = 10**9, expected: str = "such as 3") -> int:
    """A whole number as written (`3`), within its limits."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise fault(f"expected a whole number, {expected}; got {shown(value)}")
    if not least <= value <= most:
        raise fault(f"expected a whole number from {least} to {most:,}; got {plain(value)}")
    return int(value)


def tokens_fixed(value: object) -> int:
    """A fixed, whole number of tokens."""
    number = fixed(tokens, "tokens, such as 12k")(value)
    if number != int(number):
        raise fault(f"expected whole tokens, such as 12k; got {shown(value)}")
    return int(number)


def version(value: object) -> int:
    """The version of the format, which is 1."""
    if value == 1 and not isinstance(value, bool):
        return 1
    hint = "leave the quotes out: `agentsim: 1`" if value == "1" else "it needs a later agentsim"
    raise fault(f"this version reads the format `agentsim: 1`; got {shown(value)}", hint=hint)


def signed(value: object) -> float:
    """A number, which may be negative."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > MOST_COUNT:
        raise fault(f"expected a number, such as 10; got {shown(value)}")
    return float(value)


def flag(value: object) -> bool:
    """`yes`, `no`, `true`, `false`."""
    if isinstance(value, bool):
        return value
    if value in ("yes", "no"):
        return value == "yes"
    raise fault(f"expected yes or no; got {shown(value)}")


def name(value: object) -> str:
    """A name or id: text without dots and slashes, at most 80 letters."""
    if not isinstance(value, str):
        hint = f'put it in quotes: "{value}"' if isinstance(value, int | float) else ""
        raise fault(f"expected a name, such as coder; got {shown(value)}", hint=hint)
    if found := invisible(value):
        hint = "type it anew: it may have come along with a copied text"
        raise fault(f"the name {quoted(value)} holds an invisible character, {found}", hint=hint)
    if not value.strip() or value != value.strip() or not value.isprintable():
        raise fault(f"expected a name without spaces around it, such as coder; got {quoted(value)}")
    if len(value) > LONGEST_ID:
        message = f"the name {quoted(value)} is longer than {LONGEST_ID} letters"
        raise fault(message, hint="shorten it; `note:` takes any text")
    if signs := sorted(_NOT_IN_NAMES & set(value)):
        raise fault(
            f"the name {quoted(value)} holds {quoted(signs[0])}: no dots, slashes, commas, = or #",
            hint="paths join names with dots, and options use = and #; a hyphen will do",
        )
    return value


def text(value: object) -> str:
    """Free text, such as a title or a note."""
    if not isinstance(value, str):
        raise fault(f"expected text; got {shown(value)}")
    return value


def one_of(value: object, names: Collection[str], what: str) -> str:
    """`value` if it is one of `names`; the nearest as the hint else."""
    if isinstance(value, str) and value in names:
        return value
    near = nearest(value, names) if isinstance(value, str) else None
    hint = f"did you mean {quoted(near)}?" if near else ""
    raise fault(f"expected {what}: {', '.join(names)}; got {shown(value)}", hint=hint)


def share(value: object) -> float:
    """A share 0..1, as `85%` or 0.85."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 1 < value <= 100:
        message = f"expected a share, such as 85% or 0.85, from 0 to 1; got {plain(value)}"
        raise fault(message, hint=f"did you mean `{plain(value)}%`?")
    return fixed(units.share, "a share, such as 85%")(value)


def shares(value: object) -> tuple[float, ...]:
    """One share, or a list by round whose last one holds on."""
    if not isinstance(value, list):
        return (share(value),)
    if not value:
        raise fault("expected a share or a list of shares by round, such as [10%, 30%, 60%]")
    return each_of(value, share)


CLEAN = "when clean"


def approves_of(value: object) -> tuple[float, ...]:
    """Shares by round; none of them for `when clean`, which goes by what is found."""
    if value == CLEAN:
        return ()
    if isinstance(value, str) and value.strip()[:1].isalpha():
        near = f"did you mean `{CLEAN}`?" if nearest(value, (CLEAN, "clean")) else ""
        expected = f"expected a share, such as 85%, or `{CLEAN}`"
        raise fault(f"{expected}; got {shown(value)}", hint=near)
    return shares(value)


def each_of(value: list[Any], read: Callable[[object], Any]) -> tuple[Any, ...]:
    """Every entry of a list read; all faults together, each at its entry."""
    found: list[Any] = []
    faults: list[tuple[tuple[str | int, ...], Problem]] = []
    for i, entry in enumerate(value):
        try:
            found.append(read(entry))
        except QuantityFaults as error:
            faults += [((i, *path), problem) for path, problem in error.faults]
    if faults:
        raise QuantityFaults(faults)
    return tuple(found)


def entries(value: object, read: Callable[[object], Any], expected: str) -> tuple[Any, ...]:
    """A mapping of names as (name, read value) pairs, in order."""
    if not isinstance(value, dict):
        raise fault(f"expected a mapping, {expected}; got {shown(value)}")
    found: list[tuple[str, Any]] = []
    faults: list[tuple[tuple[str | int, ...], Problem]] = []
    for key, entry in value.items():
        try:
            found.append((name(key), read(entry)))
        except QuantityFaults as error:
            faults += [((key, *path), problem) for path, problem in error.faults]
    if faults:
        raise QuantityFaults(faults)
    return tuple(found)


def prompt_of(value: object) -> tuple[tuple[str, int], ...]:
    """A number of tokens (a block without a name), or named blocks in order."""
    if isinstance(value, dict):
        return entries(value, tokens_fixed, "such as {harness: 18k, coder: 6k}")
    return (("", tokens_fixed(value)),)


def mix_of(value: object) -> tuple[tuple[str, float], ...]:
    """Tools and their shares of all tool runs; together at most 100 %."""
    if isinstance(value, list):
        hint = "such as `tools: {helper: 20%}`; an agent may stand there, too"
        raise fault("expected tools with their shares of all tool runs; got a list", hint=hint)
    found = entries(value, share, "such as {shell: 85%, tests: 15%}")
    total = math.fsum(part for _, part in found)
    if total > 1.0 + 1e-9:
        message = f"the shares of the tools add up to {100 * total:g} %, more than 100 %"
        raise fault(message, hint="each is a share of all tool runs; what is left runs none")
    return found


def units_of(value: object) -> tuple[tuple[str, float], ...]:
    """Units of pools, such as {ci: 1}."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if isinstance(entry, dict):
                raise fault(
                    "not yet: work in a shared pool ({work:, at_most:})", key, code="not-yet"
                )
    return entries(value, above_zero(count, "units of a pool, such as 1"), "such as {ci: 1}")


def retry_of(value: object) -> tuple[int, float]:
    """`2` or `{tries: 2, wait: 10s}`: further tries, and seconds before each."""
    if not isinstance(value, dict):
        return whole(value, 0, 1000, "further tries, such as 2"), 0.0
    for key in value:
        if key not in ("tries", "wait"):
            near = nearest(str(key), ("tries", "wait"))
            hint = f"did you mean {quoted(near)}?" if near else "keys: tries, wait"
            raise fault(f"unknown key {quoted(key)} in `retry`", key, hint=hint, code="unknown-key")
    if "tries" not in value:
        message = "expected `tries`, such as {tries: 2, wait: 10s}"
        raise fault(message, hint="or only how many: `retry: 2`", code="missing-key")
    with below("tries"):
        tries = whole(value["tries"], 0, 1000, "further tries, such as 2")
    with below("wait"):
        return tries, fixed(seconds, "a duration, such as 10s")(value.get("wait", 0))


VERDICTS = {verdict.label: verdict for verdict in Verdict}


def when_of(value: object) -> tuple[Verdict, ...] | bool:
    """A verdict, a list of verdicts, or yes/no."""
    if isinstance(value, bool) or value in ("yes", "no"):
        return flag(value)
    given = value if isinstance(value, list) else [value]
    what = "a verdict (or yes/no)"
    found = each_of(given, lambda entry: VERDICTS[one_of(entry, VERDICTS, what)])
    if not found:
        raise fault(f"expected {what}, such as `changes`; got an empty list")
    return found


def or_of(value: object) -> bool:
    """`go on` (true) or `fail` (false)."""
    return one_of(value, ("go on", "fail"), "what happens after a failure") == "go on"


def ids_of(value: object) -> tuple[str, ...]:
    """A list of ids."""
    if not isinstance(value, list):
        raise fault(f"expected a list of ids, such as [build, lint] or []; got {shown(value)}")
    return each_of(value, _needed)


def _needed(value: object) -> str:
    if isinstance(value, str) and "." in value and all(value.split(".")):
        message = f"`needs` are of the same list of steps; got the path {quoted(value)}"
        raise fault(message, hint=f"name the step that it stands in: {quoted(value.split('.')[0])}")
    return name(value)
