"""What a workflow may define: tools, pools, people, agents. And what it may not define yet."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainValidator

from agentsim import units
from agentsim.spec import values
from agentsim.spec.fields import (
    Density,
    Duration,
    FixedTokens,
    Flag,
    Lines,
    Mix,
    Name,
    PerLine,
    PositiveSeconds,
    Prompt,
    Retry,
    Seconds,
    Share,
    Text,
    Tokens,
    Tools,
    Turns,
    Units,
    Uses,
)
from agentsim.spec.model import Model, may, need


def _only(value: object, now: str, names: tuple[str, ...], what: str) -> str:
    """A choice of which one is simulated and the others are for a later version."""
    chosen = "no" if value is False and now == "no" else value
    if chosen != now and chosen in names:
        raise values.fault(f"not yet: `{chosen}` ({what})", code="not-yet")
    return values.one_of(chosen, (now,), what)


def _sharing(value: object) -> str:
    return _only(value, "count", ("count", "processor"), "how a pool is shared")


def _preempt(value: object) -> str:
    return _only(value, "no", ("no", "resume", "restart"), "pre-emption")


def _size(value: object) -> str:
    return values.one_of(value, ("S", "M", "L"), "a size of work")


def _mark(value: object) -> int | float:
    """Whole tokens, or a share of the context (a float)."""
    if isinstance(value, str) and value.strip().endswith("%"):
        part = values.share(value)
        if not part:
            raise values.fault("expected more than 0 % of the context, such as 80%")
        return float(part)
    return values.tokens_fixed(value)


def _held(value: object) -> bool:
    return values.one_of(value, ("life", "call"), "how long a place is kept") == "call"


def _skim(_: object) -> None:
    raise values.fault("not yet: reading by skimming (`skim`)", code="not-yet")


def _capacity(value: object) -> float:
    if isinstance(value, dict | list):
        raise values.fault("not yet: a capacity that changes with hours or time", code="not-yet")
    return values.above_zero(values.count, "a number of units, such as 2")(value)


def _rate(read: Callable[[object], float]) -> Any:
    return PlainValidator(values.fixed(read, "a reading rate, such as 400 loc/h or 238 wpm"))


def _conflict(value: object) -> bool:
    return values.one_of(value, ("tail", "block"), "where it goes after a conflict") == "block"


if TYPE_CHECKING:
    Capacity: TypeAlias = float
    OnConflict: TypeAlias = bool
    LineRate: TypeAlias = float
    WordRate: TypeAlias = float
    Skim: TypeAlias = None
    Sharing: TypeAlias = str
    Preempt: TypeAlias = str
    Size: TypeAlias = str
    Mark: TypeAlias = int | float
    Whole: TypeAlias = int
    Held: TypeAlias = bool
else:
    Mark = Annotated[Any, PlainValidator(_mark)]
    Whole = Annotated[Any, PlainValidator(lambda value: values.whole(value, 1, 10**6))]
    Held = Annotated[Any, PlainValidator(_held)]
    OnConflict = Annotated[Any, PlainValidator(_conflict)]
    Capacity = Annotated[Any, PlainValidator(_capacity)]
    LineRate = Annotated[Any, _rate(units.line_rate)]
    WordRate = Annotated[Any, _rate(units.word_rate)]
    Skim = Annotated[Any, PlainValidator(_skim)]
    Sharing = Annotated[Any, PlainValidator(_sharing)]
    Preempt = Annotated[Any, PlainValidator(_preempt)]
    Size = Annotated[Any, PlainValidator(_size)]


class ToolFields(Model):
    """What a tool is, and what a step that runs it may say otherwise."""

    time: Duration | None = may("how long one run takes", "{p50: 20s, p90: 90s}")
    returns: Tokens | None = may("tokens that a run puts into the session", "1.2k")
    uses: Uses | None = may("units of pools that a run holds", "{ci: 1}")
    fails: Share | None = may("the chance that a run fails; otherwise it approves", "10%")
    finds: Share | None = may("the chance that a step of it finds each defect", "20%")


class ToolDef(ToolFields):
    """One entry of `tools`."""

    like: Name | None = may("a tool to start from", "shell")
    note: Text | None = may("a remark", "the slow suite")
    timeout: PositiveSeconds | None = may("from a run's own start; it fails then", "10m")
    retry: Retry | None = may("further tries of a run that fails", "2")


class PoolDef(Model):
    """One entry of `pools`."""

    capacity: Capacity = need("how many units there are", "2")
    sharing: Sharing | None = may("how the units are shared out", "count")
    preempt: Preempt | None = may("what a more urgent user does to others", "no")
    note: Text | None = may("a remark", "two runners")


class QueueDef(Model):
    """One entry of `queues`: a merge queue that lets one through at a time."""

    ci: Duration = need("how long CI takes in it", "{p50: 10m, p90: 25m}")
    rebase: Duration | None = may("how long the rebase before it takes", "20s")
    ci_fails: Share | None = may("the chance that CI fails", "5%")
    on_conflict: OnConflict | None = may("comes again last (tail), or keeps its place", "tail")
    note: Text | None = may("a remark", "the trunk")


class ReadsDef(Model):
    """How fast a person reads."""

    later = ("skim",)

    fixed: Seconds | None = may("a part that every piece takes", "3m")
    prose: WordRate | None = may("prose", "238 wpm")
    code: LineRate | None = may("code", "400 loc/h")
    skim: Skim = may("what is only skimmed", "450 wpm")


class PersonDef(Model):
    """One entry of `people`."""

    like: Name | None = may("a person to start from", "you")
    note: Text | None = may("a remark", "on call")
    count: Units | None = may("how many of them there are", "1")
    pickup: Duration | None = may("from the asking until they notice", "{p50: 4m, p90: 40m}")
    switch: Duration | None = may("to get into another item", "90s")
    reads: ReadsDef | None = may("how fast they read", "{code: 400 loc/h, prose: 238 wpm}")
    decides: Duration | None = may("to decide, after reading", "60s")
    types: LineRate | None = may("how fast they write, where a step says `writes`", "60 loc/h")
    defects: Density | None = may("defects in the lines written", "32 per kloc")
    regressions: Share | None = may("the chance that mending a defect makes another", "5%")
    finds: Share | None = may("the chance to find each defect", "35%")


class CompactDef(Model):
    """When and how an agent's session is cut."""

    at: Mark = need("the tokens, or the share of the context, at which it is cut", "160k")
    to: FixedTokens | None = may("what is kept, the prompt included", "40k")
    time: Duration | None = may("how long it takes, where it is no call", "120s")
    output: FixedTokens | None = may("the tokens that the compacting call writes", "2k")


class CapsDef(Model):
    """What may run at once, and in all."""

    agents: Whole | None = may("agents at once", "20")
    tools: Whole | None = may("tools that agents run at once", "10")
    spawns: Whole | None = may("agents that one run may start", "200")
    held: Held | None = may("how long an agent keeps its place: life or call", "call")


class HarnessDef(Model):
    """One entry of `harnesses`: the program that agents run in."""

    like: Name | None = may("a harness to start from", "claude-code")
    note: Text | None = may("a remark", "with our own tools")
    prompt: Prompt | None = may(
        "what sessions start with, before the agent's own", "{harness: 21k}"
    )
    subagent_prompt: Prompt | None = may(
        "the same for agents that another one starts", "{subagent_harness: 11k}"
    )
    turn_time: Duration | None = may("its own time in each turn, before the call", "300ms")
    caps: CapsDef | None = may("what it allows at once, and in all", "{agents: 20, tools: 10}")
    compact: CompactDef | None = may("when it cuts a session", "{at: 80%, output: 4.2k}")


class AsksDef(Model):
    """A permission prompt or a question before a tool run."""

    who: Name = need("who is asked, of `people` or a preset", "you")
    chance: Share = need("in which share of tool runs", "2%")
    time: Duration = need("how long the answer takes, once it is looked at", "10s")


class AgentFields(Model):
    """What an agent is, and what a step that runs it may say otherwise."""

    model: Name | None = may("the role that serves it", "main")
    prompt: Prompt | None = may("what its session starts with", "{harness: 18k, coder: 6k}")
    turns: Turns | None = may("calls in one run of it", "{p50: 22, p90: 60}")
    thinking: Tokens | None = may("thinking tokens of a turn", "{p50: 250, p90: 2k}")
    keeps_thinking: Flag | None = may("whether thinking stays in the session", "no")
    output: Tokens | None = may("visible tokens of a turn", "{p50: 180, p90: 900}")
    tools: Mix | None = may("its tools, by share of all runs", "{shell: 85%, tests: 15%}")
    tools_per_turn: Tools | None = may("tool runs of a turn", "1")
    in_turn: Flag | None = may("tools of one turn run one after another", "no")
    writes: Lines | None = may("lines that one run of it writes", "{p50: 120 loc, p90: 600 loc}")
    tokens_per_line: PerLine | None = may("output tokens of a line", "12")
    defects: Density | None = may("defects in the lines written", "32 per kloc")
    regressions: Share | None = may("the chance that mending a defect makes another", "5%")
    finds: Share | None = may("the chance to find each defect", "35%")
    returns: Tokens | None = may(
        "tokens that it hands to the agent around it", "{p50: 1k, p90: 3k}"
    )
    compact: CompactDef | None = may("when its session is cut", "{at: 160k, to: 40k}")
    harness: Name | None = may("the program that it runs in", "claude-code")
    turn_time: Duration | None = may("the harness's time in each turn, before the call", "300ms")
    caps: CapsDef | None = may("what it may start at once, and in all", "{agents: 5, tools: 3}")
    asks: AsksDef | None = may("who is asked before tool runs", "{who: you, chance: 2%, time: 10s}")
    size: Size | None = may("scales its turns and lines", "M")


class AgentDef(AgentFields):
    """One entry of `agents`."""

    like: Name | None = may("an agent to start from", "coder")
    task: Tokens | None = may("its task where another agent calls it in mid-turn", "1k")
    note: Text | None = may("a remark", "the careful one")


MODELS: MappingProxyType[str, type[Model]] = MappingProxyType(
    {
        "tools": ToolDef,
        "pools": PoolDef,
        "people": PersonDef,
        "agents": AgentDef,
        "queues": QueueDef,
        "harnesses": HarnessDef,
    }
)
ONE = MappingProxyType(
    {
        "tools": "a tool",
        "pools": "a pool",
        "people": "a person",
        "agents": "an agent",
        "queues": "a merge queue",
        "harnesses": "a harness",
    }
)

# Key -> what it is: of the format, for a later version. A row goes when the thing is built.
LATER: MappingProxyType[str, MappingProxyType[str, str]] = MappingProxyType(
    {
        "tools": MappingProxyType({}),
        "pools": MappingProxyType({}),
        "queues": MappingProxyType({"batch": "merges in batches (`batch`)"}),
        "people": MappingProxyType(
            {
                "hours": "working hours of a person (`hours`)",
                "timezone": "a time zone of a person (`timezone`)",
                "holidays": "holidays of a person (`holidays`)",
                "fatigue": "a person who tires (`fatigue`)",
                "share": "a person with a share of their time (`share`)",
                "not": "what a person may not do (`not`)",
                "skills": "skills of a person (`skills`)",
            }
        ),
        "agents": MappingProxyType({}),
        "harnesses": MappingProxyType({}),
    }
)
