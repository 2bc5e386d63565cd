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
        self.hint = hint
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


def _checked(compute: Callable[..., Any]) -> Callable[..., Any]:
    def of_values(*values: Any) -> Any:
        return check(compute(*values))

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

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": _checked(min),
    "max": _checked(max),
    "round": _checked(_round),
    "abs": _checked(abs),
    "floor": _checked(math.floor),
    "ceil": _checked(math.ceil),
    "sqrt": _checked(math.sqrt),
    "int": _checked(int),
    "float": _checked(float),
}
