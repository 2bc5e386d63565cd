"""Who and what takes part: tools, pools, people, agents. All frozen, picklable, hashable."""

from __future__ import annotations

from dataclasses import dataclass

from agentsim.chance import Distribution
from agentsim.laws.reading import Reading
from agentsim.records import Part


@dataclass(frozen=True, slots=True)
class PoolPlan:
    """A counted shared resource: `capacity` units, first come first served within a priority."""

    name: str
    capacity: float


@dataclass(frozen=True, slots=True)
class QueuePlan:
    """A merge queue, one at a time: seconds of `rebase` and `ci`, and the chance that CI fails.

    `block`: what has a conflict keeps its place while it is worked over, else it comes again last.
    """

    name: str
    rebase: Distribution | None
    ci: Distribution
    ci_fails: float
    block: bool


@dataclass(frozen=True, slots=True)
class PersonPlan:
    """A human role. `pickup` and `switch` are seconds; `reading` turns amounts into seconds.

    `types`: lines a second that they write; None: writing takes no time of its own.
    """

    name: str
    count: int
    pickup: Distribution | None
    switch: Distribution | None
    reading: Reading
    decides: Distribution | None
    types: float | None = None


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """One kind of tool run. `time` in seconds, `returns` in tokens, `uses` (pool index, units).

    `part` is what its running time counts as: `TOOL`, or `WAIT` for a plain wait.
    `says` is true where `fails` was given: a run that ends well then approves.
    `timeout` (seconds) counts from its own start, the wait for a pool excluded.
    """

    name: str
    time: Distribution
    returns: Distribution
    uses: tuple[tuple[int, float], ...] = ()
    timeout: float | None = None
    fails: float = 0.0
    says: bool = False
    tries: int = 1
    retry_wait: float = 0.0
    part: Part = Part.TOOL


@dataclass(frozen=True, slots=True)
class Delegate:
    """An agent among an agent's tools: the `number` of it among the subagents of the step."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class TurnTime:
    """What a harness (by name; else the agent's) takes in each turn, in seconds: `OTHER` time."""

    name: str
    time: Distribution


COMPACT_AT = 0.8
"""Share of the context at which an agent without `compact` compacts (docs/model.md, "Agents
and sessions")."""

COMPACT_KEEPS = 20_000
COMPACT_OUTPUT = 2_000


@dataclass(frozen=True, slots=True)
class CompactPlan:
    """A session is cut at `at` tokens down to `to`, in `time` (s) or by a call of `output`.

    `share`: at that share of the server's context instead; `to` is then None where it is not given.
    """

    at: int
    to: int | None
    time: Distribution | None
    output: int
    share: float | None = None


def marks_of(rule: CompactPlan | None, prompt: int, context: int | None) -> tuple[int, int] | None:
    """(session tokens at which to compact, tokens left afterwards); None: never.

    `prompt`: what the session starts with, which stays; not always the prompt of the agent whose
    rule it is, which may go on in another's session. Without a rule at 80 % of the context, to the
    prompt and 20k.
    """
    if rule is not None and rule.share is None:
        # a session that fills its context is compacted whatever was asked for
        return (rule.at if context is None else min(rule.at, context)), max(rule.to or 0, prompt)
    if context is None:
        return None
    at = int((COMPACT_AT if rule is None or rule.share is None else rule.share) * context)
    asked = None if rule is None else rule.to
    to = prompt + COMPACT_KEEPS if asked is None else max(asked, prompt)
    # where that would not be below the mark, half of what is left keeps the agent going
    return at, min(to, (prompt + at) // 2)


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """An agent with everything filled in (definition, preset, and what its step overrides).

    `prompt` is named blocks in order, (name, tokens). `tools` are (tool, share up to and with it);
    where the shares end below 1 the rest of the turns call no tool. Tokens throughout; `writes`
    in lines for the whole step, at `tokens_per_line`. `compact` None means: at 80 % of the
    server's context. `turn_time`: what its harness takes in each turn before the call.
    """

    name: str
    role: str
    server: int
    prompt: tuple[tuple[str, int], ...]
    turns: Distribution
    thinking: Distribution
    output: Distribution
    keeps_thinking: bool = False
    tools: tuple[tuple[ToolPlan | Delegate, float], ...] = ()
    tools_per_turn: Distribution | None = None
    in_turn: bool = False
    writes: Distribution | None = None
    tokens_per_line: float = 12.0
    returns: Distribution | None = None
    compact: CompactPlan | None = None
    turn_time: TurnTime | None = None


@dataclass(frozen=True, slots=True)
class Voice:
    """How an agent speaks in steps of its own (`call: self`): by these rules of its agent.

    `prompt`: what its session starts with, in tokens. `capped`: it has caps of its own, which
    count what it starts and not itself.
    """

    who: str
    prompt: int
    compact: CompactPlan | None
    turn_time: TurnTime | None
    capped: bool


AGENTS_AT_ONCE = "agents at once"
TOOLS_AT_ONCE = "tools at once"


def cap_name(what: str, who: str = "") -> str:
    """What a cap is called: `agents at once`, of the agent of a step `agents at once in lead`."""
    return f"{what} in {who}" if who else what


@dataclass(frozen=True, slots=True)
class CapsPlan:
    """What may run at once, `agents` and `tools`, and how many agents may start, `spawns`.

    Of a graph: in a run. Of an agent: what it starts, itself not counted, each time that it runs.

    None: no cap. `per_call`: a place among the agents is held during a call only, else for life.
    """

    agents: int | None = None
    tools: int | None = None
    spawns: int | None = None
    per_call: bool = False
