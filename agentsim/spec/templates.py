"""Finding and parsing expressions in a text: `$(loops - 1)`, `${45 * slow}`, and `$$(` for `$(`.

The syntax tree holds nothing but names, numbers, texts, arithmetic, comparisons, `a if b else c`,
`item.field` and calls of the functions of `operations`; anything else is refused here.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from functools import lru_cache
from keyword import iskeyword
from typing import NamedTuple, TypeAlias

from agentsim.spec.operations import FUNCTIONS, OPERATORS, Failed, check
from agentsim.spec.problems import quoted, unknown_name

ITEM_NAMES = frozenset({"item", "index"})  # known only inside an `each`
MAX_EXPRESSION = 1_000  # letters
MAX_NESTING = 40  # levels of its syntax tree

CONSTANTS = {"true": True, "false": False}
_OPENING = {"(": ")", "[": "]", "{": "}"}
_NODES = (
    ast.Constant,
    ast.Name,
    ast.Load,
    ast.UnaryOp,
    ast.BinOp,
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.Compare,
    ast.IfExp,
    ast.Call,
    ast.Attribute,
    *OPERATORS,
)
ESCAPE_HINT = "for a plain text write $$( or $${"
PLAIN_HINT = f"numbers, texts, names, arithmetic, comparisons and functions; {ESCAPE_HINT}"


class Bad(Exception):
    """A text that is no allowed expression."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint or PLAIN_HINT


class Parsed(NamedTuple):
    """An expression: its text, its syntax tree, the names that it uses."""

    text: str
    node: ast.expr
    names: frozenset[str]


Piece: TypeAlias = str | Parsed | Bad


def is_name(text: object) -> bool:
    """Whether a param may have this name: expressions could not tell others apart."""
    if not isinstance(text, str):
        return False
    taken = text in FUNCTIONS or text in CONSTANTS or text in ITEM_NAMES
    return text.isidentifier() and text.isascii() and not iskeyword(text) and not taken


def pieces(text: str) -> tuple[Piece, ...]:
    """`text` cut into plain text (escapes undone) and expressions, or what is wrong with them."""
    return _kept(text) if len(text) <= MAX_EXPRESSION else _pieces(text)


def _pieces(text: str) -> tuple[Piece, ...]:
    found: list[Piece] = []
    plain: list[str] = []
    at = 0
    while (sign := text.find("$", at)) >= 0:
        plain.append(text[at:sign])
        if text.startswith(("$$(", "$${"), sign):
            plain.append(text[sign + 1 : sign + 3])
            at = sign + 3
        elif text.startswith(("$(", "${"), sign):
            end = _end(text, sign + 1)
            if end is None:
                return (*found, _unclosed(text[sign:]))
            found += ["".join(plain)] if any(plain) else []
            plain.clear()
            found.append(_parsed(text[sign + 2 : end]))
            at = end + 1
        else:
            plain.append("$")
            at = sign + 1
    plain.append(text[at:])
    return (*found, "".join(plain)) if any(plain) else tuple(found)


_kept = lru_cache(maxsize=4096)(_pieces)  # short texts only: the memory is bounded


def _end(text: str, start: int, most: int = MAX_EXPRESSION) -> int | None:
    """Where the bracket that opens at `start` closes; brackets in quotes do not count.

    None where it does not, in so many letters.
    """
    closing: list[str] = []
    quote = ""
    skip = False
    for at in range(start, min(len(text), start + most + 2)):
        letter = text[at]
        if skip:
            skip = False
        elif quote:
            skip = letter == "\\"
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in _OPENING:
            closing.append(_OPENING[letter])
        elif letter in ")]}":
            if letter != closing.pop():
                return None
            if not closing:
                return at
    return None


def _unclosed(text: str) -> Bad:
    end = _end(text, 1, len(text)) if len(text) > MAX_EXPRESSION else None
    if end is not None:
        hint = f"an expression has at most {MAX_EXPRESSION:,} letters"
        return Bad(f"the expression {quoted(text)} has {end - 2:,} letters", hint)
    hint = f"with a comma inside braces or brackets, quote the whole value; {ESCAPE_HINT}"
    return Bad(f"{quoted(text)} is not closed", hint)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Parsed | Bad:
    if not text.strip():
        return Bad("an empty expression", ESCAPE_HINT)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            node = ast.parse(text.replace("\n", " ").strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        why = fault.msg if isinstance(fault, SyntaxError) else "it is nested too deep"
        hint = f"a sign is missing, or a comma, or one too many; {ESCAPE_HINT}"
        why = "it cannot be read as one" if why == "invalid syntax" else why
        return Bad(f"{quoted(text)} is not an expression: {why}", hint)
    try:
        names = frozenset(_allowed(node, text))
    except Bad as fault:
        return fault
    return Parsed(text, node, names - CONSTANTS.keys())


def _allowed(node: ast.AST, text: str) -> Iterator[str]:
    """The names that an expression uses. `Bad` if it holds more than expressions may."""
    level: list[ast.AST] = [node]
    for _ in range(MAX_NESTING):
        inner: list[ast.AST] = []
        for part in level:
            _check_node(part, text)
            if isinstance(part, ast.Name):
                yield part.id
            inner += part.args if isinstance(part, ast.Call) else ast.iter_child_nodes(part)
        if not inner:
            return
        level = inner
    raise Bad(f"{quoted(text)} is nested too deep")


def _check_node(node: ast.AST, text: str) -> None:
    if not isinstance(node, _NODES):
        hint = ""
        if isinstance(node, ast.List | ast.Tuple):
            hint = f"give the list as a param, `params: {{sizes: [1, 2]}}`; {ESCAPE_HINT}"
        raise Bad(f"{quoted(text)}: a {_word(node)} cannot stand in an expression", hint)
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bytes | complex) or node.value is ...:
            raise Bad(f"{quoted(text)}: {quoted(node.value)} is neither a number nor a text")
        try:
            check(node.value)
        except Failed as fault:
            raise Bad(f"{quoted(text)}: {fault}") from None
    if isinstance(node, ast.Call):
        _check_call(node, text)
    if isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Name | ast.Attribute):
        raise Bad(f"{quoted(text)}: only `item.field` can be asked of a name")


def _check_call(node: ast.Call, text: str) -> None:
    if node.keywords or any(isinstance(part, ast.Starred) for part in node.args):
        raise Bad(f"{quoted(text)}: a function takes plain values only")
    if not isinstance(node.func, ast.Name):
        raise Bad(f"{quoted(text)}: only functions can be called")
    if node.func.id not in FUNCTIONS:
        problem = unknown_name(node.func.id, FUNCTIONS, None, "function")
        raise Bad(f"{quoted(text)}: {problem.message}", problem.hint or ESCAPE_HINT)


def _word(node: ast.AST) -> str:
    """`ListComp` as `list comp`: near enough to what people call it."""
    name = type(node).__name__
    return "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip()
