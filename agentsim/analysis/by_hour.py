"""What machines cost that are paid by the hour: of each replication, by server and role.

Servers of one machine are one machine: it is paid once. What it costs is split between them and
between the roles of each by how long their calls last, waits included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentsim.analysis.gather import Calls, in_service
from agentsim.graph import ServerPlan
from agentsim.laws.price import Hourly
from agentsim.records import SECOND


def machines(servers: Sequence[ServerPlan]) -> tuple[tuple[Hourly, tuple[int, ...]], ...]:
    """Each machine that is paid by the hour, with its servers."""
    found: dict[str, tuple[Hourly, list[int]]] = {}
    for i, plan in enumerate(servers):
        if plan.hourly is not None:
            name = f"#{i}" if plan.machine is None else plan.machine.name
            found.setdefault(name, (plan.hourly, []))[1].append(i)
    return tuple((hourly, tuple(own)) for hourly, own in found.values())


def paid(
    machine: tuple[Hourly, tuple[int, ...]],
    servers: Sequence[ServerPlan],
    calls: Sequence[Calls],
    wall: int,
) -> Mapping[int, tuple[float, ...]]:
    """Dollars by server, and in each by role. `wall`: nanoseconds of the run."""
    hourly, own = machine
    time = wall
    if hourly.used:
        starts = [at for i in own for at in calls[i].starts]
        ends = [at for i in own for at in calls[i].ends]
        time = in_service(starts, ends)[0]
    dollars = hourly.cost(time / SECOND)
    lasted = {i: _lasted(servers[i].roles, calls[i]) for i in own}
    whole = sum(map(sum, lasted.values()))
    if not whole:  # nothing was called: nobody has more of it than another
        lasted = {i: [1] * len(servers[i].roles) for i in own}
        whole = sum(map(sum, lasted.values()))
    return {i: tuple(dollars * part / whole for part in parts) for i, parts in lasted.items()}


def _lasted(roles: tuple[str, ...], calls: Calls) -> list[int]:
    """Nanoseconds of all calls of each role."""
    found = dict.fromkeys(roles, 0)
    for facts, time in zip(calls.facts, calls.lasted, strict=True):
        found[facts.role] += time
    return list(found.values())
