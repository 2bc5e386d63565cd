"""`agent: name`: turns of one call and tools, in one session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainValidator

from agentsim.chance import Constant
from agentsim.graph import Agent
from agentsim.spec import values
from agentsim.spec.agents import agent_plan
from agentsim.spec.definitions import AGENT_LATER, AgentFields
from agentsim.spec.fields import Name, Tokens
from agentsim.spec.model import may, need
from agentsim.spec.steps.base import Kind, SaysFields, says_of

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope

    Changes: TypeAlias = str
else:
    Changes = Annotated[
        Any, PlainValidator(lambda value: values.one_of(value, ("changes",), "what it reads"))
    ]


class AgentStep(SaysFields, AgentFields):
    """A run of an agent; any field of its definition may be given otherwise here."""

    agent: Name = need("the agent, of `agents` or a preset", "coder")
    task: Tokens | None = may("tokens that are added first", "2k")
    session: Name | None = may("the session that it goes on in", "implement")
    reads: Changes | None = may("the lines written since it last looked", "changes")


def lower(step: AgentStep, scope: Scope) -> Agent | None:
    """Turns of an agent with everything filled in."""
    defined = scope.cast.named("agents", step.agent, scope.place("agent"))
    if defined is None:
        return None
    plan = agent_plan(
        scope.players, defined, step, step.reads is not None, scope.place(), scope.row.path
    )
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
    )


LATER = {
    **AGENT_LATER,
    "fork": "two branches in one session (`fork`)",
    "approvals": "approvals by several (`approvals`)",
}
KIND = Kind("agent", "an agent step", AgentStep, lower, later=LATER)
