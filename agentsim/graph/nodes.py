"""The nodes of a compiled run. A step of a workflow becomes one node.

A node's `rank` is its place in declaration order and its index in `Graph.steps`. `name` is what
its draws are keyed by: its id where that is unique in the file, else its path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from agentsim.chance import Distribution
from agentsim.graph.cast import AgentPlan, CapsPlan, ToolPlan, Voice
from agentsim.laws.calendar import Moment, TimeOfDay
from agentsim.records import Verdict


@dataclass(frozen=True, slots=True)
class Guard:
    """What stands around a step: whether it runs, how long it may take, how often it is tried.

    `when` empty means always; a constant false means `never`. Seconds throughout.
    """

    when: tuple[Verdict, ...] = ()
    never: bool = False
    timeout: float | None = None
    tries: int = 1
    retry_wait: float = 0.0
    go_on: bool = False

    def skips(self, verdict: Verdict | None) -> bool:
        """Whether the step is left out, given the last verdict in scope."""
        return self.never or (bool(self.when) and verdict not in self.when)


PLAIN = Guard()


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    rank: int
    path: str
    name: str
    guard: Guard = PLAIN
    priority: float = 0.0


@dataclass(frozen=True, slots=True)
class Says:
    """How a step decides: chance to approve by round (the last one holds on), and to reject.

    `clean`: it approves where it finds nothing and nothing that was found is left, instead.
    """

    approves: tuple[float, ...]
    rejects: float = 0.0
    clean: bool = False

    @property
    def can_approve(self) -> bool:
        return self.clean or any(share > 0.0 for share in self.approves)

    @property
    def can_ask(self) -> bool:
        """Whether it may ask for changes, or reject."""
        return self.clean or any(share < 1.0 for share in self.approves)

    def verdict(self, round_: int, u: float) -> Verdict:
        """What one draw `u` says in that round (from 0): approving and rejecting are one draw."""
        approves = self.approves[min(round_, len(self.approves) - 1)]
        if u < approves:
            return Verdict.APPROVED
        return Verdict.REJECTED if u >= 1.0 - self.rejects else Verdict.CHANGES


@dataclass(frozen=True, slots=True)
class Craft:
    """What a step does to quality; it counts only where `Graph.quality` is set.

    It puts in `defects` a line of those that it writes. If it `mends`, all that was found before it
    began, or by itself, is mended when it ends, each with the chance `regressions` to put in
    another. `finds`: the chance to find each that it looks at; None: it looks at nothing.
    """

    mends: bool = False
    defects: float = 0.0
    regressions: float = 0.0
    finds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block(Node):
    """Steps one after another; with `needs` (for each step the positions it waits for) a graph."""

    steps: tuple[Node, ...]
    needs: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Node):
    """One request. `session` None: a new one, named by the step's id (`label`).

    `voice`: it is an agent that speaks, in a step of its own.
    """

    role: str
    server: int
    session: str | None
    label: str
    prompt: tuple[tuple[str, int], ...]
    input: Distribution
    thinking: Distribution
    output: Distribution
    max_output: int | None
    says: Says | None
    voice: Voice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent(Node):
    """Turns of call + tools in one session; first come `task` tokens and, with `reads`, changes.

    `subs`: the agents among its tools; each run of one has the number of the run in its place.
    `asks`: who is asked before a tool run, with a chance of `asks_chance`. `fork`: it does not go
    on in `session` but in a copy of it. `caps`: on what it starts.
    """

    plan: AgentPlan
    session: str | None
    label: str
    task: Distribution
    reads: bool
    says: Says | None
    subs: tuple[Agent, ...] = ()
    asks: Ask | None = None
    asks_chance: float = 0.0
    fork: bool = False
    caps: CapsPlan | None = None
    craft: Craft | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Life(Node):
    """An agent with steps of its own: `body` runs while its session is open.

    Tools and agents in it return their tokens to that session; it `returns` tokens to the one
    around it. Tokens throughout. `caps`: on what it starts.
    """

    who: str
    role: str
    server: int
    prompt: tuple[tuple[str, int], ...]
    session: str | None
    label: str
    task: Distribution
    reads: bool
    tokens_per_line: float
    returns: Distribution | None
    body: Block
    says: Says | None
    caps: CapsPlan | None = None
    craft: Craft | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Node):
    """One tool run, or a wait. `until`: it takes no time of its own but lasts until then."""

    tool: ToolPlan
    says: Says | None
    craft: Craft | None = None
    until: TimeOfDay | Moment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask(Node):
    """Asks a person: `time` (s) in all, or what is read plus `decides` (s).

    `reads` is `changes`, `answer`, `lines`, `words` or empty; `amount` the lines or words of the
    last two. `writes` lines.
    """

    person: int
    time: Distribution | None
    reads: str
    amount: Distribution | None
    decides: Distribution | None
    writes: Distribution | None
    says: Says | None
    craft: Craft | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork(Node):
    """Branches side by side.

    `parallel`: each of `branches` once. `each` (`items` set): item i runs branches[i], or the one
    branch that all items share; every item is a task of its own. `limit` items at once, refilled
    as one ends, or in `waves`. `join` is how many must end: 0 = all; the others are cancelled.
    """

    branches: tuple[Node, ...]
    items: int | None = None
    limit: int | None = None
    waves: bool = False
    join: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Choose(Node):
    """One of `branches` by chance; `upto`: the share of each, those before it counted in.

    Where the shares end below 1, the rest of the runs take none of them.
    """

    branches: tuple[Node, ...]
    upto: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts(Node):
    """The items of `fork` are tries of the same work in worktrees of their own; one is picked.

    `succeeds`: the chance that one which ends well is right (None: certain), `correlation` how far
    they are right together. `pick`: the step of whoever picks a right one with the chance `right`;
    None: the first that succeeds. `every`: the lines of all attempts are read for it.
    """

    fork: Fork
    succeeds: float | None
    correlation: float
    pick: Node | None
    every: bool
    right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop(Node):
    """At most `rounds` rounds of `body`, `between` before a further one; leaves when approved.

    `within` (seconds from its start): no round begins at or after that. What a loop that runs out
    does: `changes_fail` after `changes`, `failed_fail` after `failed`.
    """

    body: Block
    between: Block | None
    rounds: int
    within: float | None = None
    changes_fail: bool = False
    failed_fail: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(Node):
    """Through merge queue number `queue`; `conflict`: the chance at each try, the last holds on.

    `rework` is done after a conflict or failed CI, before it comes again; None: it fails then.
    """

    queue: int
    conflict: tuple[float, ...]
    rework: Block | None

    def chance(self, number: int) -> float:
        """Of a conflict at that try (from 0)."""
        return self.conflict[min(number, len(self.conflict) - 1)]


def inner_of(node: Node) -> tuple[Node, ...]:
    """The nodes that stand directly in a node."""
    match node:
        case Block(steps=steps):
            return steps
        case Fork(branches=branches) | Choose(branches=branches):
            return branches
        case Attempts(fork=fork, pick=pick):
            return (fork,) if pick is None else (fork, pick)
        case Life(body=body):
            return (body,)
        case Merge(rework=rework):
            return () if rework is None else (rework,)
        case Loop(body=body, between=between):
            return (body,) if between is None else (body, between)
        case Agent(subs=subs, asks=asks):
            return subs if asks is None else (*subs, asks)
        case Call() | Work() | Ask():
            return ()
        case _:  # a new kind of node would else be passed over by all that walk
            raise TypeError(f"{type(node).__name__} does not say what stands in it")


def with_inner(node: Node, inner: tuple[Node, ...]) -> Node:
    """The node with other nodes in it: as many, in the order of `inner_of`."""
    match node:
        case Block():
            return replace(node, steps=inner)
        case Fork() | Choose():
            return replace(node, branches=inner)
        case Attempts():
            assert isinstance(inner[0], Fork)
            return replace(node, fork=inner[0], pick=inner[1] if len(inner) > 1 else None)
        case Agent():
            asks = next((own for own in inner if isinstance(own, Ask)), None)
            subs = tuple(own for own in inner if isinstance(own, Agent))
            return replace(node, subs=subs, asks=asks)
        case Life():
            assert isinstance(inner[0], Block)
            return replace(node, body=inner[0])
        case Merge():
            rework = inner[0] if inner else None
            assert rework is None or isinstance(rework, Block)
            return replace(node, rework=rework)
        case Loop():
            body, between = inner[0], inner[1] if len(inner) > 1 else None
            assert isinstance(body, Block)
            assert between is None or isinstance(between, Block)
            return replace(node, body=body, between=between)
        case _:
            assert not inner
            return node


def holds(node: Node) -> bool:
    """Whether a node is there for those that stand in it, and does no work itself."""
    return isinstance(node, Block | Fork | Choose | Attempts | Life | Loop)


def repeats(node: Node) -> bool:
    """Whether a node does what stands in it for each item, round, call or try: longer places."""
    items = isinstance(node, Fork) and node.items is not None
    return items or isinstance(node, Loop | Agent | Merge)


def walk(node: Node) -> Iterator[Node]:
    """A node and all that stands in it; a body shared by items once."""
    yield node
    for inner in inner_of(node):
        yield from walk(inner)
