"""`call: role`: one request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentsim.chance import Constant
from agentsim.graph import Call
from agentsim.spec.fields import FixedTokens, Name, Prompt, Tokens
from agentsim.spec.model import may, need
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
    role, session, voice = step.call, step.session, None
    if role == "self":
        if not scope.program.lives:
            message = "`call: self` asks the agent whose steps these are, and there is none around"
            hint = "`agent: coder` with a `do:` list around it, or the name of a role"
            scope.wrong(message, "call", hint=hint)
            return None
        role, server, own, voice, _ = scope.program.lives[-1]
        session = own if session is None else session
    else:
        server = scope.server(role, "call")
    return Call(
        **scope.node(),
        role=role,
        server=server,
        session=session,
        label=scope.row.id,
        prompt=tuple((name or scope.row.id, size) for name, size in step.prompt or () if size),
        input=step.input,
        thinking=step.thinking or Constant(0.0),
        output=step.output,
        max_output=step.max_output,
        says=says_of(step),
        voice=voice,
    )


KIND = Kind("call", "a call step", CallStep, lower)
