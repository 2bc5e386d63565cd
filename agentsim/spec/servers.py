"""Which profile serves which role: `--hw NAME`, `--hw role=NAME`, `NAME#2`, `--rates`.

Roles bound to one profile share one server; `#2` makes another of the same profile. A server is
named by the first role bound to it, in order of declaration.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agentsim import units
from agentsim.errors import Place, Problem, Problems
from agentsim.graph import ServerPlan
from agentsim.spec import catalogue
from agentsim.spec.hardware import Profile, load_profile
from agentsim.spec.model import Report
from agentsim.spec.problems import quoted, unknown_name

DEFAULT = "claude-opus"

_BOUND = re.compile(r"([^./#=,\s][^./#=,]*)=(.+)", re.DOTALL)
_NUMBERED = re.compile(r"(.+)#([0-9]{1,3})", re.DOTALL)


@dataclass(slots=True)
class _Server:
    """A server while roles are still being bound to it."""

    profile: Profile
    roles: list[str] = field(default_factory=list)


class Servers:
    """The servers of a run. `index(role)` binds a role when a step first asks for it."""

    def __init__(self, hardware: Sequence[str], rates: Sequence[str], report: Report) -> None:
        self._report = report
        self._bound: dict[str, str] = {}
        self._rest: str | None = None
        self._profiles: dict[str, Profile | None] = {}
        self._keys: dict[str, tuple[str, str] | None] = {}
        self._servers: dict[tuple[str, str], _Server] = {}
        self._index: dict[str, int] = {}
        self._unbound: dict[str, Place | None] = {}
        self._read_hardware(hardware)
        self._rates = self._read_rates(rates)
        self.is_default = not hardware
        for target in dict.fromkeys(filter(None, [*self._bound.values(), self._rest])):
            self._profile(target)

    def index(self, role: str, place: Place | None) -> int:
        """The number of the server that serves a role; 0 where it is not bound, which is noted."""
        if role in self._index:
            return self._index[role]
        target = self._bound.get(role, self._rest)
        if target is None:
            self._unbound.setdefault(role, place)
            return 0
        profile = self._profile(target)
        key = self._key(target)
        if profile is None or key is None:
            return 0
        server = self._servers.setdefault(key, _Server(profile))
        server.roles.append(role)
        self._index[role] = list(self._servers).index(key)
        return self._index[role]

    def plans(self) -> tuple[ServerPlan, ...]:
        """All servers, in order; what is wrong with the binding is reported."""
        self._report_roles()
        plans = []
        for server in self._servers.values():
            rate = self._rate(server)
            try:
                plans.append(server.profile.server(server.roles[0], tuple(server.roles), rate))
            except Problems as fault:
                self._report_all(fault)
        return tuple(plans)

    def _report_roles(self) -> None:
        used = [*self._index, *self._unbound]
        if self._unbound:
            roles = ", ".join(map(quoted, self._unbound))
            many = "roles are" if len(self._unbound) > 1 else "role is"
            first = next(iter(self._unbound))
            message = f"the {many} bound to no hardware: {roles}"
            hint = f"add `--hw {first}=NAME`, or `--hw NAME` for all that are left"
            self._report(Problem("unbound-role", message, self._unbound[first], hint))
        for option, given in (("--hw", self._bound), ("--rates", self._rates)):
            for role in given:
                if role and role not in used:
                    place = Place(option, 1, 1)
                    self._report(unknown_name(role, used, place, "role"))

    def _rate(self, server: _Server) -> float | None:
        """The rate that a server is scaled to; roles that share one must agree."""
        rates = {role: self._rates.get(role, self._rates.get("")) for role in server.roles}
        if len(set(rates.values())) > 1:
            roles = ", ".join(map(quoted, server.roles))
            other = next(role for role in server.roles if role in self._rates)
            message = f"--rates gives the roles {roles} different rates, but they share one server"
            hint = f"give them the same rate, or bind `--hw {other}=NAME#2`"
            self._report(Problem("shared-rate", message, Place("--rates", 1, 1), hint))
            return None
        return rates[server.roles[0]]

    def _read_hardware(self, hardware: Sequence[str]) -> None:
        for given in hardware:
            found = _BOUND.fullmatch(given)
            role, target = (found[1], found[2]) if found else ("", given)
            if role in self._bound or (not role and self._rest is not None):
                what = f"role {quoted(role)}" if role else "the roles without their own"
                message = f"--hw binds {what} twice"
                hint = "several profiles side by side: `agentsim compare`"
                self._report(Problem("bad-value", message, Place("--hw", 1, 1), hint))
            elif role:
                self._bound[role] = target
            else:
                self._rest = target
        if not hardware:
            self._rest = DEFAULT

    def _read_rates(self, rates: Sequence[str]) -> dict[str, float]:
        """Role -> tok/s; the role "" is every role that has none of its own."""
        found: dict[str, float] = {}
        for given in rates:
            role, equals, text = given.partition("=")
            role, text = (role, text) if equals else ("", given)
            place = Place("--rates", 1, 1)
            try:
                rate = units.rate(text, bare=True)
            except ValueError as fault:
                self._report(Problem("bad-value", f"--rates: {fault}", place))
                continue
            if role in found:
                message = f"--rates gives {quoted(role) if role else 'all roles'} two rates"
                hint = "several rates side by side: `agentsim sweep`"
                self._report(Problem("bad-value", message, place, hint))
            found[role] = rate
        return found

    def _profile(self, target: str) -> Profile | None:
        """The profile that a target names; None where it is wrong, which is reported once."""
        key = self._key(target)
        if key is None:
            return None
        if key[0] not in self._profiles:
            self._profiles[key[0]] = None
            try:
                self._profiles[key[0]] = load_profile(_named(target)[0])
            except Problems as fault:
                self._report_all(fault)
        return self._profiles[key[0]]

    def _key(self, target: str) -> tuple[str, str] | None:
        """What makes two targets the same server: the file, and the number behind `#`."""
        if target not in self._keys:
            name, number = _named(target)
            self._keys[target] = None
            try:
                path = os.path.realpath(catalogue.find("hardware", name))
                self._keys[target] = path, number
            except Problems as fault:
                self._report_all(fault)
        return self._keys[target]

    def _report_all(self, fault: Problems) -> None:
        for problem in fault.problems:
            self._report(problem)


def _named(target: str) -> tuple[str, str]:
    """(profile, number): `spark#2` is the second server of `spark`; without it the first."""
    found = _NUMBERED.fullmatch(target)
    return (found[1], str(int(found[2]))) if found else (target, "1")
