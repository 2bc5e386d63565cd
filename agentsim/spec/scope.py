"""Where a step is lowered: its place in the file, its name, and what the file defines around it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from agentsim.errors import Place, Problem, Problems
from agentsim.graph import Block, Guard, Node
from agentsim.spec.cast import Cast, Defined
from agentsim.spec.expressions import fill, uses
from agentsim.spec.model import At, check, clean
from agentsim.spec.needs import Needs, needs_of
from agentsim.spec.outline import ROOT, Row, kind_of, outline
from agentsim.spec.players import Players
from agentsim.spec.problems import line_of, quoted, unknown_key
from agentsim.spec.servers import Servers
from agentsim.spec.steps import KINDS, LISTS
from agentsim.spec.steps.base import Kind, Self, StepFields, guard_of
from agentsim.spec.templates import ITEM_NAMES
from agentsim.spec.told import Told
from agentsim.spec.tree import Path, Tree
from agentsim.spec.values import shown
from agentsim.spec.workflow import QualityDef

MOST_NODES = 20_000
MOST_PROBLEMS = 500


class Program:
    """A workflow while it is compiled: its tree, its cast, its names, and what is wrong with it."""

    def __init__(self, tree: Tree, params: Mapping[str, Any], problems: list[Problem]) -> None:
        self.tree = tree
        self.params = params
        self.problems = problems
        self.told: list[Told] = []
        self.nodes = 0
        self.lives: list[Self] = []
        """The agents whose own steps stand around the one that is read, the nearest last."""
        self.harness: Defined | None = None
        """That of the file."""
        self.chances: dict[Path, float] = {}
        """The chance of each branch of a `choose` that was read last."""
        self.quality: QualityDef | None = None
        """What the file says of defects for all who say nothing else."""
        self.counts_defects = False
        """Whether the file, or a step that was read, says anything of them."""
        self.taken: set[str] = set()
        """What of the file's `quality` some step takes."""
        self.unread = False
        """Whether steps stand in the file that were not read, since they are for no item."""
        self.chosen: frozenset[Path] = frozenset()
        """The values that an option decides (`--set`, `--vary`)."""
        self.whole = True
        """Whether every step became a node, in its place: else what is missing may be in it."""
        self.rows = outline(tree, LISTS, self.report)
        self.by_rank = {row.rank: row for row in self.rows.values()}
        self.start: tuple[int, str] | None = None
        """When the workflow starts: nanoseconds since 1970 (UTC), and the zone of its clocks."""
        self.cast: Cast
        self.servers: Servers
        self.players: Players

    def report(self, problem: Problem) -> None:
        """Note a problem; with hundreds of them, reading on is of no use."""
        self.problems.append(problem)
        if len(self.problems) >= MOST_PROBLEMS:
            raise Problems(self.problems)

    def sub_row(self, at: Path, row: Row, name: str) -> Row:
        """The row of a subagent that a step (or one in it) calls in mid-turn; made when it is."""
        key = (*at, "tools", name)
        if key not in self.rows:
            path = f"{row.path}.{name}"
            own = Row(len(self.rows), at, "agent", name, False, path, path)
            self.rows[key] = self.by_rank[own.rank] = own
        return self.rows[key]

    def place_of(self, rank: int, *path: str | int) -> Place:
        """Where a step was written, by its rank."""
        return self.tree.place(self.path_of(rank, *path))

    def path_of(self, rank: int, *path: str | int) -> Path:
        """A part of a step in the tree of the file, by its rank."""
        return (*self.by_rank[rank].at, *path)

    def line(self, path: Path) -> str:
        """`line 4`: where a key is written, with the file where that is an included one."""
        return line_of(self.tree.key_place(path), self.tree.file)

    def tell(self, told: Told) -> None:
        """Note what a person should know: of all items of an `each` once."""
        if told not in self.told:
            self.told.append(told)


class Scope:
    """One step, and what stands around it."""

    def __init__(
        self, program: Program, at: Path, raw: dict[Any, Any], items: Mapping[str, Any]
    ) -> None:
        self.program = program
        self.at = at
        self.raw = raw
        self.items = items
        self.row: Row = program.rows[at]
        self.guard = Guard()
        self.priority = 0.0
        self.name = self.row.name
        """What its draws are keyed by."""

    @property
    def cast(self) -> Cast:
        return self.program.cast

    @property
    def players(self) -> Players:
        return self.program.players

    def place(self, *path: str | int) -> Place:
        """Where a part of the step was written."""
        return self.program.tree.place((*self.at, *path))

    def wrong(
        self, message: str, *path: str | int, code: str = "bad-value", hint: str = ""
    ) -> None:
        """Report a problem with a part of the step."""
        self.program.report(Problem(code, message, self.place(*path), hint))

    def tell(self, key: str, what: str, joint: str = ": ") -> None:
        """Note what a person should know of a part of the step: of all items of an `each` once."""
        path = (*self.at, key)
        text = f"{self.row.path} ({self.program.line(path)}){joint}{what}"
        self.program.tell(Told(text, path))

    def server(self, role: str, *path: str | int) -> int:
        """The number of the server that serves a role."""
        return self.program.servers.index(role, self.place(*path))

    def node(self) -> dict[str, Any]:
        """What every node carries."""
        row = self.row
        return {
            "rank": row.rank,
            "path": row.path,
            "name": self.name,
            "guard": self.guard,
            "priority": self.priority,
        }

    def list(self, key: str) -> list[Any] | None:
        """The steps below a key as they are written; None where it is no list (reported)."""
        given = self.raw.get(key)
        if isinstance(given, list):
            return given
        example = f"`{key}: [{{tool: tests}}]`"
        expected = f"{quoted(key)}: expected a list of steps, such as {example}"
        counted = key == "parallel" and isinstance(given, int)
        hint = f"`each: {given}` runs the steps of its `do` so many times side by side"
        self.wrong(f"{expected}; got {shown(given)}", key, hint=hint if counted else "")
        return None

    def branches(self, key: str) -> tuple[Node, ...]:
        """The steps below a key, side by side."""
        given = self.list(key) or []
        for i, raw in enumerate(given):
            if isinstance(raw, dict) and "needs" in raw:
                message = "`needs` has no meaning among branches, which all start at once"
                self.wrong(message, key, i, "needs", hint="put the steps into a `do:` list")
        return lower_list(self.program, (*self.at, key), given, self.items)[0]

    def block(self, key: str, items: Mapping[str, Any] | None = None) -> Block:
        """The steps below a key, one after another, as a block that nobody wrote."""
        given = self.list(key) or []
        row = self.row
        around = self.items if items is None else items
        nodes, needs = lower_list(self.program, (*self.at, key), given, around)
        return Block(rank=row.rank, path=row.path, name=self.name, steps=nodes, needs=needs)

    def single(self, key: str, beside: Collection[str]) -> Node | None:
        """The one step below a key, which holds other keys (`beside`) too."""
        given = self.raw.get(key)
        assert isinstance(given, dict)
        raw = {name: value for name, value in given.items() if name not in beside}
        return _lower(self.program, (*self.at, key), raw, self.items)

    def depends_on_item(self, key: str) -> bool:
        """Whether the steps below a key name the item (or its number) of the `each` around them."""
        return not ITEM_NAMES.isdisjoint(_free(self.raw.get(key)))


def _free(steps: Any) -> set[str]:
    """The item names that steps use, less those that an inner `each` gives its own body."""
    if not isinstance(steps, list):
        return uses(steps) & ITEM_NAMES
    found: set[str] = set()
    for raw in steps:
        if not isinstance(raw, dict):
            found |= uses(raw)
            continue
        inner = LISTS.get(kind_of(raw, LISTS) or "", ())
        for key, value in raw.items():
            if key not in inner:
                found |= uses(value)
            elif "each" not in raw:
                found |= _free(value)
    return found & ITEM_NAMES


def lower_root(program: Program) -> Block:
    """The steps of the file."""
    given = program.tree.mapping.get("steps")
    nodes, needs = lower_list(program, ROOT, given if isinstance(given, list) else [], {})
    row = program.rows[ROOT]
    return Block(rank=row.rank, path=row.path, name=row.name, steps=nodes, needs=needs)


def lower_list(
    program: Program, at: Path, given: Sequence[Any], items: Mapping[str, Any]
) -> tuple[tuple[Node, ...], Needs | None]:
    """(nodes, needs) of a list of steps; needs is None where none of them says any."""
    nodes = []
    for i, raw in enumerate(given):
        node = _lower(program, (*at, i), raw, items)
        if node is not None:
            nodes.append(node)
        program.whole = program.whole and node is not None
    has_needs = any(isinstance(raw, dict) and "needs" in raw for raw in given)
    needs = needs_of(program, at, given) if has_needs else None
    return tuple(nodes), needs


def _lower(program: Program, at: Path, raw: Any, items: Mapping[str, Any]) -> Node | None:
    """One step as a node; None where it is wrong, which is reported."""
    if not isinstance(raw, dict):
        message = f"expected a step as a mapping, such as `- tool: tests`; got {shown(raw)}"
        program.report(Problem("bad-value", message, program.tree.place(at)))
        return None
    program.nodes += 1
    if program.nodes > MOST_NODES:
        message = f"more than {MOST_NODES:,} steps, those of all items counted"
        hint = "fewer items, or steps that do not name the item: these are read once"
        program.report(Problem("too-many-steps", message, program.tree.place(at), hint))
        raise Problems(program.problems)
    scope = Scope(program, at, raw, items)
    kind = _kind(scope)
    if kind is None:
        return None
    step = _read(scope, kind)
    if step is None:
        _look_further(scope, kind)
        for key in kind.lists:  # what is wrong inside is told as well
            if key == kind.name and not isinstance(raw.get(key), list):
                scope.list(key)
            elif isinstance(raw.get(key), list) and not scope.depends_on_item(key):
                lower_list(program, (*at, key), raw[key], items)
        return None
    scope.guard = guard_of(step)
    scope.priority = step.priority or 0.0
    scope.name = step.draws or scope.name
    _note_chance(scope, step)
    return kind.lower(step, scope)


def _note_chance(scope: Scope, step: StepFields) -> None:
    """The chance of a branch is read with it, and is the business of the `choose` around it."""
    program, at = scope.program, scope.at
    program.chances.pop(at, None)
    if step.chance is None:
        return
    if at[-2] != "choose":
        message = "`chance` has a meaning for the branches of a `choose` only"
        scope.wrong(message, "chance", hint="`choose: [{chance: 30%, do: [...]}, ...]`")
        return
    program.chances[at] = step.chance


def _look_further(scope: Scope, kind: Kind) -> None:
    """Names that nothing has, in what is right of a step that is wrong elsewhere.

    What it would be without its wrong keys is not what was meant, so nothing else is told of it.
    """
    program, own = scope.program, scope.raw
    # a step with steps of its own names nothing else, and these are looked at by themselves
    if uses(own) or any(key in own for key in kind.lists):
        return
    try:
        step = clean(kind.model, {kind.name: own[kind.name]}, own)
    except ValidationError:
        return
    known = len(program.problems)
    kind.lower(step, scope)
    told = [problem for problem in program.problems[known:] if problem.code == "unknown-name"]
    program.problems[known:] = told


def _kind(scope: Scope) -> Kind | None:
    """The kind of a step; None where it has none, or several."""
    raw = scope.raw
    found = [key for key in KINDS if key in raw and key != "do"]
    if len(found) > 1:
        both = " and ".join(map(quoted, found))
        hint = "write two steps, one after the other"
        scope.wrong(f"a step is of one kind, this one is of {both}", code="two-kinds", hint=hint)
        return None
    if found or "do" in raw:
        return KINDS[found[0] if found else "do"]
    common = {*(f.alias or key for key, f in StepFields.model_fields.items())}
    strange = [key for key in raw if key not in common]
    for key in strange:
        place = scope.program.tree.key_place((*scope.at, key))
        scope.program.report(unknown_key(key, KINDS, place, "a step"))
    if not strange:
        hint = "kinds: " + ", ".join(KINDS)
        scope.wrong("a step without a kind, such as `tool: tests`", code="no-kind", hint=hint)
    return None


def _read(scope: Scope, kind: Kind) -> StepFields | None:
    """The fields of a step, filled in with the item around it and checked."""
    own, unfilled = _filled(scope, kind)

    def report(problem: Problem) -> None:
        if problem.place not in unfilled:  # a text that is not filled in is no value either
            scope.program.report(problem)

    where = At(scope.program.tree, scope.at)
    own = {key: value for key, value in own.items() if key not in kind.inserted}
    step = check(kind.model, own, where, report, kind.title, kind.refused)
    return None if unfilled else step


def _filled(scope: Scope, kind: Kind) -> tuple[dict[Any, Any], set[Place | None]]:
    """The step's own fields filled in, and the places where that failed, which is reported."""
    own = scope.raw
    if not uses({key: value for key, value in own.items() if key not in kind.lists}):
        return own, set()
    names = {**scope.program.params, **scope.items}
    leave = [(key,) for key in kind.lists if key in own]
    try:
        filled = fill(scope.program.tree.sub(scope.at), names, leave=leave).value
    except Problems as fault:
        for problem in fault.problems:
            scope.program.report(problem)
        return own, {problem.place for problem in fault.problems}
    assert isinstance(filled, dict)
    return {key: filled[key] for key in own}, set()
