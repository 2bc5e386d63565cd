"""`agent: name`: turns of one call and tools, in one session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainValidator

from agentsim.chance import Constant
from agentsim.errors import Place, Problem
from agentsim.graph import Agent, Ask, Life, Voice
from agentsim.spec import values
from agentsim.spec.agents import TOKENS_PER_LINE, Delegates, agent_plan
from agentsim.spec.cast import Defined
from agentsim.spec.definitions import AgentDef, AgentFields, AsksDef
from agentsim.spec.fields import Flag, Name, Tokens
from agentsim.spec.harness import Setting, setting_of
from agentsim.spec.model import At, may, need
from agentsim.spec.outline import Row
from agentsim.spec.problems import quoted
from agentsim.spec.quality import craft_of
from agentsim.spec.steps.base import Kind, ReviewFields, Self, says_of
from agentsim.spec.tree import Path

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope

    Changes: TypeAlias = str
else:
    Changes = Annotated[
        Any, PlainValidator(lambda value: values.one_of(value, ("changes",), "what it reads"))
    ]


class AgentStep(ReviewFields, AgentFields):
    """A run of an agent; any field of its definition may be given otherwise here."""

    agent: Name = need("the agent, of `agents` or a preset", "coder")
    task: Tokens | None = may("tokens that are added first", "2k")
    session: Name | None = may("the session that it goes on in", "implement")
    reads: Changes | None = may("the lines written since it last looked", "changes")
    fork: Flag | None = may("goes on in a copy of `session`, not in it", "yes")
    do: Any = may("steps of its own, instead of turns", "[{call: self, input: 1k, output: 500}]")


def lower(step: AgentStep, scope: Scope) -> Agent | Life | None:
    """Turns of an agent with everything filled in, or its own steps."""
    defined = scope.cast.named("agents", step.agent, scope.place("agent"))
    if defined is None:
        return None
    inside = bool(scope.program.lives)
    if step.returns is not None and not inside:
        message = "`returns` goes to the agent around it, and there is none around this step"
        scope.wrong(message, "returns", hint="inside the `do:` of an agent, or in `agents`")
        return None
    if "do" in scope.raw:
        return _life(step, defined, inside, scope)
    if step.fork and step.session is None:
        message = "`fork` makes a copy of a session: say of which with `session`"
        scope.wrong(message, "fork", code="missing-key", hint="such as `session: implement`")
        return None
    maker = _Subagents(scope)
    setting = _setting(step, defined, inside, scope)
    delegates = maker.of(scope.at, scope.row, (defined.name,), setting.harness)
    where = At(scope.program.tree, scope.at)
    plan = agent_plan(setting, step.reads is not None, where, scope.row.path, delegates)
    if plan is None:
        return None
    return Agent(
        **scope.node(),
        plan=plan,
        session=step.session,
        label=scope.row.id,
        task=step.task or Constant(0.0),
        reads=step.reads is not None,
        says=says_of(step),
        subs=maker.made(scope.at),
        **_asks(defined, step, scope.at, scope.row, scope),
        fork=bool(step.fork),
        craft=craft_of(scope, defined, step, plan.writes is not None, step.reads is not None),
        caps=setting.caps(),
    )


def _setting(step: AgentStep, defined: Defined, inside: bool, scope: Scope) -> Setting:
    """The agent in its harness: its own, that of the agent around it, or of the file."""
    lives = scope.program.lives
    around = lives[-1].harness if lives else scope.program.harness
    place = scope.place("harness") if step.harness is not None else scope.place()
    where = At(scope.program.tree, scope.at)
    return setting_of(scope.players, defined, step, around, inside, place, where)


def _asks(defined: Defined, step: AgentFields, at: Path, row: Row, scope: Scope) -> dict[str, Any]:
    """Who an agent asks before tool runs, as a step of its own, and the chance of it."""
    asks: AsksDef | None = scope.players.field(defined, step, "asks")
    if asks is None:
        return {}
    own_asks = step.asks is not None
    place = scope.place("asks", "who") if own_asks else defined.place_of("asks", "who")
    who = scope.cast.named("people", asks.who, place)  # whatever the chance: it may be a param
    if who is None or not asks.chance:
        return {}
    own = scope.program.sub_row(at, row, "asks")
    ask = Ask(
        rank=own.rank,
        path=own.path,
        name=own.name,
        priority=scope.priority,
        person=scope.players.person(who, False, False),
        time=asks.time,
        reads="",
        amount=None,
        decides=None,
        writes=None,
        says=None,
    )
    return {"asks": ask, "asks_chance": asks.chance}


MOST_DEEP = 8
"""Agents that call agents that call agents: more is hardly meant."""


class _Subagents:
    """The agents among the tools of a step's agent, and among theirs."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._made: dict[Path, dict[str, Agent]] = {}

    def made(self, at: Path) -> tuple[Agent, ...]:
        """Those that the agent there calls, by number."""
        return tuple(self._made.get(at, {}).values())

    def of(self, at: Path, row: Row, around: tuple[str, ...], harness: Defined | None) -> Delegates:
        """What makes the subagents of the agent that stands there; `around`: who calls it.

        `harness`: what they run in, if they name no other.
        """
        own = self._made.setdefault(at, {})

        def delegate(name: str, place: Place | None) -> int | None:
            if name in around or len(around) > MOST_DEEP:
                calls = " calls ".join(map(quoted, (*around, name)))
                message = f"agents call each other in a circle: {calls}"
                hint = "an agent that calls itself would never end"
                self._scope.program.report(Problem("agents-circle", message, place, hint))
                return None
            if name not in own:
                node = self._node(name, at, row, around, harness, place)
                if node is None:
                    return None
                own[name] = node
            return list(own).index(name)

        return delegate

    def _node(
        self,
        name: str,
        at: Path,
        row: Row,
        around: tuple[str, ...],
        harness: Defined | None,
        place: Place | None,
    ) -> Agent | None:
        scope = self._scope
        defined = scope.cast.named("agents", name, place)
        if defined is None:
            return None
        own, here = scope.program.sub_row(at, row, name), (*at, "tools", name)
        where = place or scope.place()
        fields = AgentFields()
        setting = setting_of(scope.players, defined, fields, harness, True, where)
        delegates = self.of(here, own, (*around, name), setting.harness)
        plan = agent_plan(setting, False, At(scope.program.tree, scope.at), own.path, delegates)
        if plan is None:
            return None
        assert isinstance(defined.model, AgentDef)
        return Agent(
            rank=own.rank,
            path=own.path,
            name=own.name,
            priority=scope.priority,
            plan=plan,
            session=None,
            label=name,
            task=defined.model.task or Constant(0.0),
            reads=False,
            says=None,
            subs=self.made(here),
            caps=setting.caps(),
            **_asks(defined, fields, here, own, scope),
            craft=craft_of(scope, defined, fields, plan.writes is not None, False),
        )


OF_TURNS = (
    "turns",
    "thinking",
    "output",
    "tools",
    "tools_per_turn",
    "in_turn",
    "writes",
    "defects",
    "regressions",
    "size",
    "keeps_thinking",
    "asks",
    "fork",
)


def _life(step: AgentStep, defined: Defined, inside: bool, scope: Scope) -> Life | None:
    """An agent with its own steps: who it is, its session, and what they are."""
    given = [key for key in OF_TURNS if key in scope.raw]
    for key in given:
        message = f"{quoted(key)} is of turns, and this agent has steps of its own (`do`)"
        scope.wrong(message, key, hint="leave one of the two out")
    players = scope.players
    role = players.field(defined, step, "model", noted=False) or "main"
    server = scope.server(role, "agent")
    session = step.session or scope.row.id
    setting = _setting(step, defined, inside, scope)
    prompt = setting.prompt() or ()
    tokens = sum(size for _, size in prompt)
    caps = setting.caps()
    rule, pause = setting.compact(tokens), setting.turn_time()
    voice = Voice(defined.name, tokens, rule, pause, caps is not None)
    scope.program.lives.append(Self(role, server, session, voice, setting.harness))
    try:
        body = scope.block("do")
    finally:
        scope.program.lives.pop()
    per_line = players.field(defined, step, "tokens_per_line", noted=step.reads is not None)
    return Life(
        **scope.node(),
        who=defined.name,
        role=role,
        server=server,
        prompt=prompt,
        session=step.session,
        label=scope.row.id,
        task=step.task or Constant(0.0),
        reads=step.reads is not None,
        tokens_per_line=float(per_line or TOKENS_PER_LINE),
        returns=players.field(defined, step, "returns") if inside else None,
        body=body,
        says=says_of(step),
        craft=craft_of(scope, defined, step, False, step.reads is not None),
        caps=caps,
    )


LATER = {
    "approvals": "approvals by several (`approvals`)",
}
KIND = Kind("agent", "an agent step", AgentStep, lower, lists=("do",), later=LATER)
