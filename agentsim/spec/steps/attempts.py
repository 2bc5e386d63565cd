"""`attempts: 5`: tries of the same work in worktrees of their own, of which one is picked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import PlainValidator

from agentsim.graph import Agent, Ask, Attempts, Block, Fork, Node
from agentsim.spec import values
from agentsim.spec.fields import Flag, Share
from agentsim.spec.model import At, Model, check, may, need
from agentsim.spec.needs import in_turn
from agentsim.spec.steps.base import Kind, StepFields
from agentsim.spec.steps.each import Limit

if TYPE_CHECKING:
    from agentsim.spec.scope import Scope

    Count: TypeAlias = int
else:
    Count = Annotated[
        Any, PlainValidator(lambda value: values.whole(value, 1, 10_000, "attempts, such as 5"))
    ]

LIKELY = 0.6
"""The correlation of attempts of one model at one task: our judgement (docs/facts.md)."""


class AttemptsStep(StepFields):
    """The same work several times over; one attempt is taken, the others are thrown away."""

    attempts: Count = need("how many tries", "5")
    do: Any = need("the steps of an attempt", "[{agent: coder}]")
    setup: Any = may("steps before them in each worktree", "[{tool: shell}]")
    limit: Limit | None = may("how many attempts run at once", "2")
    succeeds: Share | None = may("the chance that an attempt which ends well is right", "60%")
    correlation: Share | None = may("how far attempts succeed and fail together", "60%")
    pick: Any = need("who picks, or `first`", "{person: you, reads: changes}")


class PickFields(Model):
    """What a pick has beside the step of whoever picks."""

    every: Flag | None = may("reads the lines of every attempt, not of the picked one", "yes")
    right: Share | None = may("the chance to pick a right one where there is one", "80%")


def lower(step: AttemptsStep, scope: Scope) -> Attempts | None:
    """A fork of tasks of their own, and the step of whoever picks."""
    body = _body(scope)
    pick, fields = _pick(step, scope)
    if fields is None:
        return None
    if step.succeeds is None and step.correlation is not None:
        message = "`correlation` says how far successes go together: give `succeeds` too"
        scope.wrong(message, "correlation", code="missing-key", hint="such as `succeeds: 60%`")
    if step.succeeds is None and fields.right is not None:
        message = "`right` says how often a right attempt is picked, and none is wrong: "
        message += "give `succeeds` too"
        hint = "such as `succeeds: 60%` beside `pick`"
        scope.wrong(message, "pick", "right", code="missing-key", hint=hint)
    if step.succeeds is not None and step.correlation is None and step.attempts > 1:
        told = (
            "attempts are taken to succeed independently; those of one model go together, so a "
            f"`correlation` of about {100 * LIKELY:.0f} % is likelier"
        )
        scope.tell("attempts", told)
    if step.succeeds is None:
        told = "all that end well count as right, since no `succeeds` is given"
        scope.tell("attempts", told)
    _tell_of_every(pick, fields, step, scope)
    inner = scope.node()
    fork = Fork(
        rank=inner["rank"],
        path=inner["path"],
        name=inner["name"],
        branches=(body,),
        items=step.attempts,
        limit=step.limit,
    )
    return Attempts(
        **inner,
        fork=fork,
        succeeds=step.succeeds,
        correlation=step.correlation or 0.0,
        pick=pick,
        every=bool(fields.every),
        right=1.0 if fields.right is None else fields.right,
    )


def _tell_of_every(pick: Node | None, fields: PickFields, step: AttemptsStep, scope: Scope) -> None:
    """Whoever picks by lines may be meant to look at those of all, and does not by default."""
    reads = isinstance(pick, Agent) and pick.reads
    reads = reads or (isinstance(pick, Ask) and pick.reads == "changes")
    if reads and fields.every is None and step.attempts > 1:
        scope.tell(
            "pick", "reads the lines of the picked one only; `every: yes` reads those of all"
        )


def _body(scope: Scope) -> Block:
    """The set-up, then the steps, as one list."""
    body = scope.block("do")
    if "setup" not in scope.raw:
        return body
    setup = scope.block("setup")
    before = len(setup.steps)
    needs = None
    if setup.needs is not None or body.needs is not None:
        last = (before - 1,) if before else ()
        own = body.needs if body.needs is not None else in_turn(len(body.steps))
        moved = [tuple(i + before for i in one) or last for one in own]
        needs = (*(setup.needs if setup.needs is not None else in_turn(before)), *moved)
    return Block(
        rank=body.rank,
        path=body.path,
        name=body.name,
        steps=(*setup.steps, *body.steps),
        needs=needs,
    )


def _pick(step: AttemptsStep, scope: Scope) -> tuple[Node | None, PickFields | None]:
    """(the step of whoever picks, what else the pick says); no fields where it is wrong."""
    if step.pick == "first":
        return None, PickFields()
    own = set(PickFields.model_fields)
    given = step.pick if isinstance(step.pick, dict) else {}
    if not {"person", "agent"} & given.keys():
        message = (
            "`pick`: expected who picks, such as `{person: you}` or `{agent: reviewer}`, "
            f"or `first`; got {values.shown(step.pick)}"
        )
        scope.wrong(message, "pick")
        return None, None
    if "needs" in given:
        message = "`needs` has no meaning in a pick, which comes when all attempts have ended"
        scope.wrong(message, "pick", "needs", hint="leave it out")
    where = At(scope.program.tree, (*scope.at, "pick"))
    said = {key: value for key, value in given.items() if key in own}
    fields = check(PickFields, said, where, scope.program.report, "a pick", {})
    node = scope.single("pick", own)
    return node, fields if node is not None else None


KIND = Kind("attempts", "an attempts step", AttemptsStep, lower, lists=("setup", "do", "pick"))
