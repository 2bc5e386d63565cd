"""What expressions can compute with: operators and functions that cannot run away.

Every answer in between is checked: a finite number that a float can hold, or a text of at most
64 KiB. So no power, product or rounding takes long, and no infinity gets out.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from agentsim.spec.scalars import LONGEST_TEXT

MAX_BITS = 1024  # of a whole number: a float holds no more
MAX_DIGITS = 30  # that `round` is asked for


class Failed(Exception):
    """An expression without an answer; `expression` is its text once it is known."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint or "look at the values of its names, which it cannot compute with"
        self.expression = ""

    def of(self, expression: str) -> Failed:
        """The same, of that expression."""
        self.expression = expression
        return self


def check(value: Any) -> Any:
    """`value` if it may come out of an expression. `Failed` for infinity, complex, functions."""
    if isinstance(value, int):
        if not _fits(value):
            raise Failed("the number is too large")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise Failed("the answer is infinite or not a number")
    elif isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            raise Failed("makes a text of more than 64 KiB")
    elif isinstance(value, complex):
        raise Failed("the answer is not a real number")
    elif value is not None and not isinstance(value, list | dict):
        raise Failed("the answer is a function, not a value", "call it: name(...)")
    return value


def _fits(whole: int) -> bool:
    try:
        float(whole)  # looks at the length first, so this is cheap for any number
    except OverflowError:
        return False
    return True


def _arithmetic(sign: str, compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def of_numbers(left: Any, right: Any) -> Any:
        for side in (left, right):
            if not isinstance(side, int | float):
                raise Failed(f"{sign} needs numbers, not {_kind(side)}")
        return check(compute(left, right))

    return of_numbers


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        return check(left + right)
    return _plus(left, right)


def _power(base: Any, exponent: Any) -> Any:
    # the bits of a power of whole numbers are known before it is computed
    if isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1:
        if exponent > 0 and (base.bit_length() - 1) * exponent > MAX_BITS:
            raise Failed("the number is too large")
        if exponent < -MAX_BITS:
            return 0.0
    return base**exponent


def _order(sign: str, compute: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def of_alike(left: Any, right: Any) -> bool:
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        if not numbers and not (isinstance(left, str) and isinstance(right, str)):
            raise Failed(f"{sign} cannot compare {_kind(left)} with {_kind(right)}")
        return compute(left, right)

    return of_alike


def _kind(value: Any) -> str:
    kinds = {str: "a text", list: "a list", dict: "a mapping", type(None): "nothing"}
    return kinds.get(type(value), "a number")


def _sign(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def of_number(value: Any) -> Any:
        if not isinstance(value, int | float):
            raise Failed(f"a sign needs a number, not {_kind(value)}")
        return compute(value)

    return of_number


def _round(value: Any, digits: Any = 0) -> Any:
    # rounding a whole number to -n digits computes 10 ** n
    if abs(digits) > MAX_DIGITS:
        raise Failed(f"round takes up to {MAX_DIGITS} digits")
    return round(value, digits) if digits else round(value)


def _checked(
    name: str, compute: Callable[..., Any], takes: str, such_as: str
) -> Callable[..., Any]:
    """`compute`, with words of ours where it has no answer: what it `takes`."""

    def of_values(*values: Any) -> Any:
        try:
            return check(compute(*values))
        except (TypeError, ValueError):
            raise Failed(f"{name} takes {takes}", f"such as {name}({such_as})") from None

    return of_values


_plus = _arithmetic("+", operator.add)

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: _add,
    ast.Sub: _arithmetic("-", operator.sub),
    ast.Mult: _arithmetic("*", operator.mul),
    ast.Div: _arithmetic("/", operator.truediv),
    ast.FloorDiv: _arithmetic("//", operator.floordiv),
    ast.Mod: _arithmetic("%", operator.mod),
    ast.Pow: _arithmetic("**", _power),
    ast.USub: _sign(operator.neg),
    ast.UAdd: _sign(operator.pos),
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: _order("<", operator.lt),
    ast.LtE: _order("<=", operator.le),
    ast.Gt: _order(">", operator.gt),
    ast.GtE: _order(">=", operator.ge),
}

_SEVERAL = "two or more numbers, or a list of them that is not empty"
_FUNCTIONS: tuple[tuple[str, Callable[..., Any], str, str], ...] = (
    ("min", min, _SEVERAL, "loops, 4"),
    ("max", max, _SEVERAL, "loops, 4"),
    ("round", _round, "a number, and how many digits to keep", "2.55, 1"),
    ("abs", abs, "one number", "-3"),
    ("floor", math.floor, "one number", "2.5"),
    ("ceil", math.ceil, "one number", "2.5"),
    ("sqrt", math.sqrt, "one number of 0 or more", "16"),
    ("int", int, "one number, or a text that is a whole number", "2.5"),
    ("float", float, "one number, or a text that is a number", "2"),
)
FUNCTIONS: dict[str, Callable[..., Any]] = {row[0]: _checked(*row) for row in _FUNCTIONS}
