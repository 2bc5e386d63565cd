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
class CompactPlan:
    """A session is cut at `at` tokens down to `to`, in `time` (s) or by a call of `output`."""

    at: int
    to: int
    time: Distribution | None
    output: int


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """An agent with everything filled in (definition, preset, and what its step overrides).

    `prompt` is named blocks in order, (name, tokens). `tools` are (tool, share up to and with it);
    where the shares end below 1 the rest of the turns call no tool. Tokens throughout; `writes`
    in lines for the whole step, at `tokens_per_line`. `compact` None means: at 80 % of the
    server's context.
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


AGENTS_AT_ONCE = "agents at once"
TOOLS_AT_ONCE = "tools at once"


@dataclass(frozen=True, slots=True)
class CapsPlan:
    """What the harness allows: `agents` and `tools` at once, `spawns` agents in a run.

    None: no cap. `per_call`: a place among the agents is held during a call only, else for life.
    """

    agents: int | None = None
    tools: int | None = None
    spawns: int | None = None
    per_call: bool = False
