"""Expressions in the texts of a file: `$(loops - 1)`, or quoted `"${45 * slow}m"`.

They are filled in on the raw tree, before anything is validated. A text that is one whole
expression keeps the type of its answer; otherwise the answer is put into the text. `$$(` and
`$${` are a plain `$(` and `${`. simpleeval computes (never `eval`), on what `templates` lets pass.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import simpleeval  # type: ignore[import-untyped, unused-ignore]

from agentsim.errors import Place, Problem
from agentsim.spec.document import MAX_LETTERS, MAX_PROBLEMS, MAX_VALUES
from agentsim.spec.operations import FUNCTIONS, OPERATORS, Failed, check
from agentsim.spec.problems import quoted, refuse, unknown_name
from agentsim.spec.scalars import LONGEST_TEXT
from agentsim.spec.templates import CONSTANTS, ESCAPE_HINT, ITEM_NAMES, Bad, Parsed, Piece, pieces
from agentsim.spec.tree import Path, Tree, Value


class Unfilled(str):
    """A text with an expression that failed, or that uses what failed: no value, told once."""

    __slots__ = ()


class Waiting(str):
    """A text of a filled tree with expressions that wait for names given later."""

    __slots__ = ()


def fill(
    tree: Tree,
    names: Mapping[str, Value],
    *,
    later: Collection[str] = (),
    leave: Collection[Path] = (),
    below: Sequence[str] = (),
    report: Callable[[Problem], None] | None = None,
) -> Tree:
    """`tree` with its expressions filled in, at the same places.

    Raises `Problems`; where `report` is given it is told of them instead, and texts that fail, or
    that use what failed, stay as they were written, as `Unfilled`. Too much text is raised all the
    same.

    A text with an expression that uses a name of `later` is left whole, as `Waiting`; a second
    call fills those, and needs all the names that they use. What is below a path of `leave` is
    left as it is (the body of an inner `each`, say, while the outer one's item is filled in).
    `below`: the tree is a param, the first of these, and which stand below it.
    """
    filler = _Filler(tree, names, frozenset(later), frozenset(leave), below)
    value = filler.value(tree.value, ())
    if report is None or filler.is_full:
        refuse(filler.problems)
    else:
        for problem in filler.problems:
            report(problem)
    return Tree(value, tree.file, tree.text, tree.root, filled=True)


def uses(value: Tree | Value) -> set[str]:
    """The names that the expressions in `value` use; what cannot be parsed counts for none.

    Of a filled tree only what still waits; in a plain value every text may hold expressions.
    """
    if isinstance(value, Tree):
        return set(_names(value.value, only_waiting=value.filled))
    return set(_names(value, only_waiting=False))


def _names(value: Value, only_waiting: bool) -> Iterator[str]:
    if isinstance(value, dict):
        for part in value.values():
            yield from _names(part, only_waiting)
    elif isinstance(value, list):
        for part in value:
            yield from _names(part, only_waiting)
    elif isinstance(value, str) and (isinstance(value, Waiting) or not only_waiting):
        for piece in pieces(value) if _may_hold(value) else ():
            if isinstance(piece, Parsed):
                yield from piece.names


def unfilled(value: Value, path: Path = ()) -> list[Path]:
    """Where the texts stand that could not be filled in."""
    if isinstance(value, dict):
        return [at for key, part in value.items() for at in unfilled(part, (*path, key))]
    if isinstance(value, list):
        return [at for i, part in enumerate(value) for at in unfilled(part, (*path, i))]
    return [path] if isinstance(value, Unfilled) else []


class _Filler:
    """One filling of one tree: notes what is wrong and counts what comes out."""

    def __init__(
        self,
        tree: Tree,
        names: Mapping[str, Value],
        later: frozenset[str],
        leave: frozenset[Path],
        below: Sequence[str],
    ) -> None:
        self.problems: list[Problem] = []
        self._tree, self._later, self._leave = tree, later, leave
        self._below = below
        self._known = {**CONSTANTS, **names}
        self._values = self._letters = 0
        self._full = False
        self._evaluator = simpleeval.SimpleEval(OPERATORS, FUNCTIONS, self._known)
        self._evaluator.nodes[ast.Attribute] = self._field

    def value(self, value: Value, path: Path) -> Value:
        """`value` filled in; what fails is noted and left as it was."""
        if len(self.problems) >= MAX_PROBLEMS:
            return value
        if path in self._leave:
            return value if self._tree.filled else _kept(value)
        if isinstance(value, dict):
            for key in value:
                self._check_key(key, path)
            return {key: self.value(part, (*path, key)) for key, part in value.items()}
        if isinstance(value, list):
            return [self.value(part, (*path, i)) for i, part in enumerate(value)]
        if isinstance(value, str) and (isinstance(value, Waiting) or not self._tree.filled):
            return self._text(value, path) if _may_hold(value) else value
        return value

    @property
    def is_full(self) -> bool:
        """Whether it gave up: reading on would be of no use."""
        return self._full or len(self.problems) >= MAX_PROBLEMS

    def _check_key(self, key: Any, path: Path) -> None:
        full = len(self.problems) >= MAX_PROBLEMS
        if full or self._tree.filled or not isinstance(key, str) or not _may_hold(key):
            return
        message = f"an expression in the key {quoted(key)}: only values can hold them"
        place = self._tree.key_place((*path, key))
        hint = "write the key out; its value may hold `$(...)`"
        self.problems.append(Problem("expression-in-key", message, place, hint))

    def _text(self, text: str, path: Path) -> Value:
        parts = pieces(text)
        known = len(self.problems)
        waits = self._check_names(parts, path)
        if len(self.problems) > known or self._full or self._is_of_failed(parts):
            return Unfilled(text)
        if waits:
            return Waiting(text)
        try:
            return self._joined(parts)
        except Failed as fault:
            message = f"{quoted(fault.expression)}: {fault}"
            self._note("expression-failed", message, path, fault.hint)
        return Unfilled(text)

    def _is_of_failed(self, parts: tuple[Piece, ...]) -> bool:
        """Whether it uses a param that failed, which is `Unfilled` as a whole."""
        names = (name for it in parts if isinstance(it, Parsed) for name in it.names)
        return any(isinstance(self._known.get(name), Unfilled) for name in names)

    def _check_names(self, parts: tuple[Piece, ...], path: Path) -> bool:
        """Notes what cannot be evaluated; whether the text must wait for later names."""
        waits = False
        for piece in parts:
            if isinstance(piece, Bad):
                self._note("bad-expression", piece.message, path, piece.hint)
            elif isinstance(piece, Parsed):
                waits = waits or not self._later.isdisjoint(piece.names)
                for name in sorted(piece.names - self._known.keys() - self._later):
                    self.problems.append(self._unknown(name, self._place(path)))
        return waits

    def _unknown(self, name: str, place: Place) -> Problem:
        if name in ITEM_NAMES:
            message = f"{quoted(name)} is known only inside an `each`"
            hint = "put the step into the `do:` of an `each`, or use a param"
            return Problem("unknown-name", message, place, hint)
        if name in self._below:
            own = self._below[0]
            if name == own:
                message, hint = f"the param {quoted(name)} uses itself", "give it a value"
            else:
                message = f"the param {quoted(own)} uses {quoted(name)}, which stands below it"
                hint = f"a param may use those above it: write {quoted(name)} before {quoted(own)}"
            return Problem("unknown-name", message, place, hint)
        known = [*(n for n in self._known if n not in CONSTANTS), *self._later]
        problem = unknown_name(name, known, place)
        define = problem.hint if known else f"give it a value: `params: {{{name}: ...}}`"
        hint = f"{define}; {ESCAPE_HINT}"
        return Problem(problem.code, problem.message, place, hint)

    def _joined(self, parts: tuple[Piece, ...]) -> Value:
        if len(parts) == 1 and isinstance(parts[0], Parsed):
            return self._counted(self._evaluate(parts[0]), parts[0])
        shown: list[str] = []
        letters = 0
        for piece in parts:
            if isinstance(piece, Parsed):
                word = _shown(self._evaluate(piece), piece.text)
            else:
                word = str(piece)
            letters += len(word)
            if letters > LONGEST_TEXT:
                raise Failed("makes a text of more than 64 KiB").of(word[:40])
            shown.append(word)
        return self._counted("".join(shown), parts[0])

    def _counted(self, value: Value, cause: object) -> Value:
        """A copy of `value`, so that nothing is shared. `Failed` when all of it is too much."""
        self._values += 1
        self._letters += len(value) if isinstance(value, str) else 0
        if self._values > MAX_VALUES or self._letters > MAX_LETTERS:
            self._full = True
            text = cause.text if isinstance(cause, Parsed) else str(cause)
            raise Failed("expressions make more than 200,000 values or 8 MiB of text").of(text)
        if isinstance(value, list):
            return [self._counted(part, cause) for part in value]
        if isinstance(value, dict):
            return {key: self._counted(part, cause) for key, part in value.items()}
        return value

    def _evaluate(self, parsed: Parsed) -> Value:
        try:
            node = parsed.node
            answer: Value = check(self._evaluator.eval(parsed.text, previously_parsed=node))
            return answer
        except Failed as fault:
            raise fault.of(parsed.text) from None
        except ZeroDivisionError:
            hint = "give the case a value: `$(a / n if n else 0)`"
            raise Failed("division by zero", hint).of(parsed.text) from None
        except OverflowError:
            raise Failed("the number is too large").of(parsed.text) from None
        except (ArithmeticError, TypeError, ValueError, simpleeval.InvalidExpression) as fault:
            raise Failed(str(fault)).of(parsed.text) from None

    def _field(self, node: ast.Attribute) -> Value:
        """`item.field`: simpleeval would look for a method of that name first."""
        owner = self._evaluator._eval(node.value)
        name = ast.unparse(node.value)
        if not isinstance(owner, dict):
            raise Failed(f"{quoted(name)} has no fields: it is not a mapping")
        if node.attr not in owner:
            hint = unknown_name(node.attr, map(str, owner), None, "field").hint
            raise Failed(f"{quoted(name)} has no field {quoted(node.attr)}", hint)
        value: Value = owner[node.attr]
        return value

    def _note(self, code: str, message: str, path: Path, hint: str = "") -> None:
        self.problems.append(Problem(code, message, self._place(path), hint))

    def _place(self, path: Path) -> Place:
        return self._tree.place(path)


def _kept(value: Value) -> Value:
    """`value` with every text that may hold expressions marked as waiting."""
    if isinstance(value, dict):
        return {key: _kept(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_kept(part) for part in value]
    return Waiting(value) if isinstance(value, str) and _may_hold(value) else value


def _may_hold(text: str) -> bool:
    return "$(" in text or "${" in text


def _shown(value: Value, text: str) -> str:
    """An answer as part of a text: numbers in plain digits, without `.0` or exponent."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else format(Decimal(repr(value)), "f")
    what = "nothing" if value is None else "a list or mapping"
    raise Failed(f"is {what}, which cannot be part of a text").of(text)
