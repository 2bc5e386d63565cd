"""What every step may hold, and what a kind of step is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from agentsim.graph import Guard, Node, Says, Voice
from agentsim.spec.fields import (
    Approves,
    GoOn,
    Ids,
    Name,
    Number,
    PositiveSeconds,
    Retry,
    Share,
    Shares,
    Text,
    When,
)
from agentsim.spec.model import Model, may

if TYPE_CHECKING:
    from agentsim.spec.cast import Defined
    from agentsim.spec.scope import Scope


class Self(NamedTuple):
    """The agent whose steps are being read: what `call: self` asks, where, and by which rules."""

    role: str
    server: int
    session: str
    voice: Voice
    harness: Defined | None


class StepFields(Model):
    """The fields of every kind of step."""

    id: Name | None = may("its name, for paths and draws", "implement")
    note: Text | None = may("a remark", "the long one")
    needs: Ids | None = may("the steps that must be done before it", "[build, lint]")
    when: When | None = may("runs only after this verdict, or if yes", "changes")
    timeout: PositiveSeconds | None = may("from its start; it fails then", "10m")
    retry: Retry | None = may("further tries when it fails", "2")
    or_: GoOn | None = may("what happens after it failed", "go on", alias="or")
    priority: Number | None = may("who goes first where something is scarce", "10")
    draws: Name | None = may("draws the same numbers as other steps of this name", "task-1")
    chance: Share | None = may("its share, as a branch of `choose`", "30%")


COMMON_LATER: Mapping[str, str] = MappingProxyType(
    {
        "budget": "a budget of a step (`budget`)",
    }
)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of step: its model, how it becomes a node, the keys that hold steps of its own.

    `later` are keys (of the format) that this version refuses; `inserted` keys that no person
    writes, put in before steps are read.
    """

    name: str
    title: str
    model: type[StepFields]
    lower: Callable[[Any, Scope], Node | None]
    lists: tuple[str, ...] = ()
    later: Mapping[str, str] = field(default_factory=dict)
    inserted: tuple[str, ...] = ()

    @property
    def refused(self) -> dict[str, str]:
        """All keys that are for a later version."""
        return {**COMMON_LATER, **self.later}


def guard_of(step: StepFields) -> Guard:
    """What stands around a step."""
    tries, wait = step.retry or (0, 0.0)
    when = step.when
    return Guard(
        when=when if isinstance(when, tuple) else (),
        never=when is False,
        timeout=step.timeout,
        tries=tries + 1,
        retry_wait=wait,
        go_on=bool(step.or_),
    )


class SaysFields(StepFields):
    """A step that may approve."""

    approves: Shares | None = may("its chance to approve, by round", "[10%, 30%, 60%]")


class ReviewFields(SaysFields):
    """A step that may approve, by chance or by what it finds."""

    approves: Approves | None = may(
        "its chance to approve, by round; or by what it finds", "[10%, 30%, 60%]"
    )


def says_of(step: SaysFields, rejects: float | None = None) -> Says | None:
    """The verdict of a step; None where it gives none."""
    if step.approves is None and rejects is None:
        return None
    if step.approves == ():  # `when clean`
        return Says((), rejects or 0.0, clean=True)
    return Says(step.approves or (0.0,), rejects or 0.0)
