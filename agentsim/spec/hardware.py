"""Hardware profiles: from a file to the server that the engine runs.

`load_profile` reads and checks a profile; `Profile.server` makes a plan of it for some roles.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from agentsim.errors import Place, Problem, Problems
from agentsim.graph import ServerPlan
from agentsim.spec.blame import texts
from agentsim.spec.catalogue import find
from agentsim.spec.problems import refuse
from agentsim.spec.profile_fields import rate_within
from agentsim.spec.profile_reader import PlanReader
from agentsim.spec.quantity import QuantityFaults
from agentsim.spec.reader import read_file, told_apart
from agentsim.spec.tree import Tree


@dataclass(frozen=True, slots=True)
class Profile:
    """A checked profile. `name` is how it was asked for, without folder and ending."""

    name: str
    plan: ServerPlan
    tree: Tree | None = field(default=None, compare=False)

    def place_of(self, limit: int) -> Place | None:
        """Where a quota of the profile was written."""
        return None if self.tree is None else self.tree.place(("limits", limit))

    def place_at(self, key: str) -> Place | None:
        """Where a key at the top of the profile was written."""
        return None if self.tree is None else self.tree.place((key,))

    @property
    def rate(self) -> float:
        """tok/s of one stream at empty context."""
        return self.plan.decode.rate

    def server(self, name: str, roles: tuple[str, ...], rate: float | None = None) -> ServerPlan:
        """The server called `name` for `roles`.

        `rate` scales the whole decode law so that one stream at empty context makes so many
        tok/s; all else stays, and a note says so. `Problems` if it is not a possible rate.
        """
        plan = self.plan
        # no account that is written can hold a `#`, so none is shared by accident
        limits = tuple(replace(it, account=it.account or f"#{name}") for it in plan.limits)
        plan = replace(plan, name=name, roles=roles, limits=limits)
        if rate is None:
            return plan
        try:
            decode = plan.decode.scaled(rate_within(rate, rate))
        except QuantityFaults as fault:
            raise Problems([problem for _, problem in fault.faults]) from None
        note = (
            f"decode scaled from {self.rate:,.4g} to {rate:,.6g} tok/s; "
            "prefill, latency, cache and quotas as they are"
        )
        about = replace(plan.about, notes=(note, *plan.about.notes))
        return replace(plan, decode=decode, about=about)


def load_profile(name: str) -> Profile:
    """The profile that `name` (a name or a path) stands for; raises `Problems`, all at once."""
    path = find("hardware", name)
    tree = read_file(path)
    hint = f"agentsim run {path} --hw NAME"
    told_apart(tree, "decode", "steps", "this is a workflow, not a hardware profile", hint)
    return profile_of(tree, path.stem)


def _without_expressions(problems: list[Problem], tree: Tree) -> list[Problem]:
    """Where a value that is wrong holds an expression, that is why."""
    places = {tree.place(path) for path, text in texts(tree.value) if "$(" in text or "${" in text}
    hint = "a profile takes no expressions: write the value out (`--rates` scales a rate)"
    return [replace(it, hint=hint) if it.place in places else it for it in problems]


def profile_of(tree: Tree, name: str) -> Profile:
    """The profile that a file's tree holds; raises `Problems`."""
    reader = PlanReader(tree)
    plan = reader.plan(name)
    refuse(_without_expressions(reader.problems, tree))
    assert plan is not None
    return Profile(name, plan, tree)
