"""Which servers of a run stand on one machine, and how many of their models its memory holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from agentsim.errors import Problem
from agentsim.graph import MachinePlan, ServerPlan
from agentsim.laws.price import Hourly
from agentsim.spec.hardware import Profile
from agentsim.spec.model import Report
from agentsim.spec.problems import quoted


class Bound(NamedTuple):
    """A server with its profile, and the number behind `#`: that of its machine too."""

    plan: ServerPlan
    profile: Profile
    number: str


def on_machines(servers: Sequence[Bound], report: Report) -> tuple[ServerPlan, ...]:
    """The servers, each with its own machine by name and with the places that it has.

    Profiles that name one machine share it under one number. One that names none has its own. What
    they say differently of it is reported.
    """
    given: dict[str, tuple[Profile, int]] = {}
    for plan, profile, number in servers:
        if plan.machine is None or plan.machine.places is None:
            continue
        name, places = _name(plan, plan.machine, number), plan.machine.places
        first, other = given.setdefault(name, (profile, places))
        if places != other:
            message = (
                f"{quoted(first.name)} and {quoted(profile.name)} share the machine "
                f"{quoted(plan.machine.name)}, but give its `models_in_memory` differently: "
                f"{other} and {places}"
            )
            hint = "write the same number in both, or name two machines"
            place = profile.place_at("models_in_memory")
            report(Problem("bad-value", message, place, hint))
    hourly = _by_hour(servers, report)
    found = []
    for plan, _, number in servers:
        machine = plan.machine
        if machine is not None:
            name = _name(plan, machine, number)
            places = given[name][1] if name in given else 1
            machine = replace(machine, name=name, places=places)
            plan = _paid(plan, hourly.get(name))  # noqa: PLW2901
        found.append(replace(plan, machine=machine))
    return tuple(found)


def _by_hour(servers: Sequence[Bound], report: Report) -> dict[str, Hourly]:
    """What each machine costs by the hour, by its name; said differently it is reported."""
    given: dict[str, tuple[Profile, Hourly]] = {}
    for plan, profile, number in servers:
        if plan.machine is None or plan.hourly is None:
            continue
        name = _name(plan, plan.machine, number)
        first, other = given.setdefault(name, (profile, plan.hourly))
        if plan.hourly != other:
            message = (
                f"{quoted(first.name)} and {quoted(profile.name)} share the machine "
                f"{quoted(plan.machine.name)}, but say differently what it costs by the hour: "
                f"${other.rate:,.6g} and ${plan.hourly.rate:,.6g}"
            )
            hint = "write the same `price` in both: it is paid once"
            report(Problem("bad-value", message, profile.place_at("price"), hint))
    return {name: hourly for name, (_, hourly) in given.items()}


def _paid(plan: ServerPlan, hourly: Hourly | None) -> ServerPlan:
    """A server that says nothing of money has its machine's price."""
    if hourly is None or plan.is_priced or plan.monthly is not None:
        return plan
    lacks = tuple(key for key in plan.about.left_out if key != "price")
    return replace(plan, hourly=hourly, about=replace(plan.about, left_out=lacks))


def _name(plan: ServerPlan, machine: MachinePlan, number: str) -> str:
    """`spark`, `spark#2`; of a server that shares none `#` and its own, which nobody can write."""
    if not machine.name:
        return f"#{plan.name}"
    return machine.name if number == "1" else f"{machine.name}#{number}"
