"""`call: role`: one request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentsim.chance import Constant
from agentsim.graph import Call
from agentsim.spec.fields import FixedTokens, Name, Prompt, Tokens
from agentsim.spec.model import may, need
from agentsim.spec.problems import not_yet
from agentsim.spec.steps.base import Kind, SaysFields, says_of

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope


class CallStep(SaysFields):
    """One request to the server of a role."""

    call: Name = need("the role that is asked", "main")
    input: Tokens = need("new tokens that it sends, beside its session", "2k")
    output: Tokens = need("visible tokens that it gets", "500")
    thinking: Tokens | None = may("thinking tokens before them", "{p50: 250, p90: 2k}")
    session: Name | None = may("the session that it goes on in", "chat")
    prompt: Prompt | None = may("what its session starts with", "{system: 4k}")
    max_output: FixedTokens | None = may("the most it may answer", "8k")


def lower(step: CallStep, scope: Scope) -> Call | None:
    """One request; its prompt stands before its input where it opens a session."""
    if step.call == "self":
        place = scope.place("call")
        scope.program.report(not_yet("`call: self`, inside an agent's own steps", place))
        return None
    return Call(
        **scope.node(),
        role=step.call,
        server=scope.server(step.call, "call"),
        session=step.session,
        label=scope.row.id,
        prompt=tuple((name or scope.row.id, size) for name, size in step.prompt or () if size),
        input=step.input,
        thinking=step.thinking or Constant(0.0),
        output=step.output,
        max_output=step.max_output,
        says=says_of(step),
    )


KIND = Kind("call", "a call step", CallStep, lower)
