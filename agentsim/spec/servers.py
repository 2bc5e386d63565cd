"""Which profile serves which role: `--hw NAME`, `--hw role=NAME`, `NAME#2`, `--rates`.

Roles bound to one profile share one server; `#2` makes another of the same profile. A server is
named by the first role bound to it, in order of declaration.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agentsim import units
from agentsim.errors import Place, Problem, Problems
from agentsim.graph import ServerPlan, Terms
from agentsim.spec import catalogue
from agentsim.spec.hardware import Profile, load_profile
from agentsim.spec.machines import Bound, on_machines
from agentsim.spec.model import Report
from agentsim.spec.problems import given, quoted, unknown_name
from agentsim.spec.profile_fields import rate_within
from agentsim.spec.values import plain

DEFAULT = "claude-opus"
MOST_SERVERS = 999
"""The highest number behind `#`."""

_BOUND = re.compile(r"([^./#=,\s][^./#=,]*)=(.+)", re.DOTALL)
_NUMBERED = re.compile(r"(.+)#(?!0+\Z)([0-9]{1,3})", re.DOTALL)  # counted from 1
_NUMBER = re.compile(r"(.*)#([^#/]*)", re.DOTALL)
"""What is meant as a profile and a number, right or wrong: a `#` in a folder's name is neither."""


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
        self._written: dict[str, str] = {}  # target -> as it was given, with its role
        self._asked: set[str] = set()
        self.complete = True
        """Whether every role that was asked for has a server: else their numbers mean nothing."""
        self._read_hardware(hardware)
        self._rates = self._read_rates(rates)
        self.is_default = not hardware
        for target in dict.fromkeys(filter(None, [*self._bound.values(), self._rest])):
            self._profile(target)

    def index(self, role: str, place: Place | None) -> int:
        """The number of the server that serves a role; 0 where it is not bound, which is noted."""
        self._asked.add(role)
        if role in self._index:
            return self._index[role]
        target = self._bound.get(role, self._rest)
        if target is None:
            self._unbound.setdefault(role, place)
            self.complete = False
            return 0
        profile = self._profile(target)
        key = self._key(target)
        if profile is None or key is None:
            self.complete = False
            return 0
        server = self._servers.setdefault(key, _Server(profile))
        server.roles.append(role)
        self._index[role] = list(self._servers).index(key)
        return self._index[role]

    def plans(self, every_step: bool = True) -> tuple[ServerPlan, ...]:
        """All servers, in order; what is wrong with the binding is reported.

        Where a step could not be read, `every_step` is false: it may have asked for any role.
        """
        self._bind_spares()
        self._report_roles(every_step)
        plans = []
        for (_, number), server in self._servers.items():
            rate, profile = self._rate(server), server.profile
            try:
                plan = profile.server(server.roles[0], tuple(server.roles), rate)
                plans.append(Bound(plan, profile, number))
            except Problems as fault:
                self._report_all(fault)
                self.complete = False
        self._report_accounts()
        return on_machines(
            [it._replace(plan=self._with_spares(it.plan)) for it in plans], self._report
        )

    def _bind_spares(self) -> None:
        """Roles whose servers serve what a quota sends back, and what theirs send back in turn."""
        done = 0
        while done < len(self._servers):
            server = list(self._servers.values())[done]
            for i, limit in enumerate(server.profile.plan.limits):
                if limit.spare:
                    self.index(limit.spare, server.profile.place_of(i))
            done += 1
        for start, server in enumerate(self._servers.values()):
            for i, limit in enumerate(server.profile.plan.limits):
                if limit.spare in self._index:
                    self._report_circle(start, server, i, self._index[limit.spare])

    def _report_circle(self, start: int, server: _Server, limit: int, other: int) -> None:
        """A call must not come back to a server that has no room for it."""
        plans = [it.profile.plan for it in self._servers.values()]
        found, ahead = {other}, [other]
        while ahead:
            spares = (it.spare for it in plans[ahead.pop()].limits)
            more = {self._index[spare] for spare in spares if spare in self._index} - found
            found |= more
            ahead += more
        if start not in found:
            return
        role = quoted(server.profile.plan.limits[limit].spare)
        who = quoted(server.profile.name)
        if other == start:
            message = f"the fallback role {role} is served by {who} itself, whose quota is full"
        else:
            message = f"the fallback from {who} to the role {role} leads back to {who}"
        hint = f"bind another machine: `--hw {server.profile.plan.limits[limit].spare}=NAME`"
        place = server.profile.place_of(limit)
        self._report(Problem("fallback-circle", message, place, hint))
        self.complete = False

    def _with_spares(self, plan: ServerPlan) -> ServerPlan:
        """With the numbers of the servers that serve what its quotas send back."""
        if not any(limit.spare for limit in plan.limits):
            return plan
        limits = (replace(it, fallback=self._index.get(it.spare, -1)) for it in plan.limits)
        return replace(plan, limits=tuple(limits))

    def _report_accounts(self) -> None:
        """Profiles of one account that give its quota otherwise would be counted in two."""
        seen: dict[tuple[str, str], tuple[Profile, dict[Terms, str]]] = {}
        for server in self._servers.values():
            profile = server.profile
            own: dict[tuple[str, str], dict[Terms, str]] = {}
            where: dict[tuple[str, str], int] = {}
            for i, limit in enumerate(profile.plan.limits):
                if limit.account:
                    key = limit.account, limit.count
                    own.setdefault(key, {})[limit.terms] = limit.words
                    where.setdefault(key, i)
            for key, quotas in own.items():
                first, others = seen.setdefault(key, (profile, quotas))
                if quotas.keys() == others.keys():
                    continue
                both = f"{quoted(first.name)} and {quoted(profile.name)}"
                message = (
                    f"{both} name the account {quoted(key[0])}, but give its quota of {key[1]} "
                    f"differently: {' and '.join(sorted(others.values()))}, and "
                    f"{' and '.join(sorted(quotas.values()))}"
                )
                hint = "write the same quota in both, or name two accounts"
                place = profile.place_of(where[key])
                self._report(Problem("two-quotas", message, place, hint))

    def _report_roles(self, every_step: bool) -> None:
        if self._unbound:
            roles = ", ".join(map(quoted, self._unbound))
            many = "roles are" if len(self._unbound) > 1 else "role is"
            first = next(iter(self._unbound))
            message = f"the {many} bound to no hardware: {roles}"
            hint = f"add `--hw {first}=NAME`, or `--hw NAME` for all that are left"
            self._report(Problem("unbound-role", message, self._unbound[first], hint))
        for option, bound in (("--hw ", self._bound), ("--rates ", self._rates)):
            for role, value in bound.items():
                if every_step and role and role not in self._asked:
                    text = value if isinstance(value, str) else plain(value)
                    place = given(option, f"{role}={text}")
                    self._report(unknown_name(role, self._asked, place, "role"))

        self._report_idle_rest(every_step)
        self._report_idle_rate(every_step)

    def _report_idle_rest(self, every_step: bool) -> None:
        """Hardware for all roles without their own, where there is none: `A`, `main=B` means B."""
        if self._rest is None or self.is_default or not every_step or not self._asked:
            return
        if self._asked <= set(self._bound):
            message = f"--hw binds {quoted(self._rest)} to no role, since each has its own"
            hint = "leave it out; several side by side: `agentsim compare FILE --hw A --hw B`"
            self._report(Problem("unused-hardware", message, given("--hw ", self._rest), hint))

    def _report_idle_rate(self, every_step: bool) -> None:
        """A rate for all roles without their own, where there is none: `main=5,6` means two."""
        rest = self._rates.get("")
        if rest is None or not every_step or not self._asked or not self._asked <= set(self._rates):
            return
        message = f"--rates: {plain(rest)} is for no role, since each has a rate of its own"
        hint = "one rate a role; several side by side: `agentsim sweep FILE --rates 5,6`"
        self._report(Problem("bad-value", message, given("--rates ", plain(rest)), hint))

    def _rate(self, server: _Server) -> float | None:
        """The rate that a server is scaled to; roles that share one must agree."""
        rates = {role: self._rates.get(role, self._rates.get("")) for role in server.roles}
        if len(set(rates.values())) > 1:
            roles = ", ".join(map(quoted, server.roles))
            other = next(role for role in server.roles if role in self._rates)
            message = f"--rates gives the roles {roles} different rates, but they share one server"
            hint = f"give them the same rate, or bind `--hw {other}=NAME#2`"
            text = self._rates[other]
            place = given("--rates ", f"{other}={plain(text)}")
            self._report(Problem("shared-rate", message, place, hint))
            return None
        return rates[server.roles[0]]

    def _read_hardware(self, hardware: Sequence[str]) -> None:
        for text in hardware:
            found = _BOUND.fullmatch(text)
            role, target = (found[1], found[2]) if found else ("", text)
            if role in self._bound or (not role and self._rest is not None):
                what = f"role {quoted(role)}" if role else "the roles without their own"
                message = f"--hw binds {what} twice"
                hint = (
                    "several machines side by side: `agentsim compare FILE --hw A --hw B`; the "
                    "roles of one: `--hw ROLE=NAME`"
                )
                self._report(Problem("bad-value", message, given("--hw ", text), hint))
            elif role:
                self._bound[role] = target
            else:
                self._rest = target
            self._written.setdefault(target, text)
        if not hardware:
            self._rest = DEFAULT

    def _read_rates(self, rates: Sequence[str]) -> dict[str, float]:
        """Role -> tok/s; the role "" is every role that has none of its own."""
        found: dict[str, float] = {}
        for written in rates:
            role, equals, text = written.partition("=")
            role, text = (role, text) if equals else ("", written)
            place = given("--rates ", written)
            try:
                rate = rate_within(units.rate(text, bare=True), text)
            except ValueError as fault:
                hint = "tok/s of one stream, such as `--rates 200` or `--rates main=200`"
                self._report(Problem("bad-value", f"--rates: {fault}", place, hint))
                continue
            if equals and not role.strip():
                message = "--rates: there is no role before the `=`"
                hint = "such as `--rates main=200`, or `--rates 200` for all roles"
                self._report(Problem("bad-value", message, place, hint))
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
                self._report_all(self._placed(fault, target))
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
                wrong = self._wrong_number(target)
                self._report_all(
                    self._placed(fault if wrong is None else Problems([wrong]), target)
                )
        return self._keys[target]

    def _placed(self, fault: Problems, target: str) -> Problems:
        """What is wrong in no file is wrong with the option that named it."""
        option = given("--hw ", self._written.get(target, target))
        return Problems(replace(it, place=it.place or option) for it in fault.problems)

    def _wrong_number(self, target: str) -> Problem | None:
        """What is wrong with the part behind `#`, of a target that stands for no profile."""
        found = _NUMBER.fullmatch(target)
        if found is None or found[2].endswith(catalogue.SUFFIXES):
            return None
        profile, number = found[1], found[2]
        place = given("--hw ", self._written.get(target, target))
        if not profile:
            message = "there is no profile before the `#`"
            hint = "write `NAME#2` for a second server of the profile NAME"
            return Problem("bad-value", message, place, hint)
        if _NUMBERED.fullmatch(target):
            return None  # the number is right, so the profile is not
        shown = f"{quoted(number)} is none" if number else "there is none"
        message = f"behind `#` stands the number of a server, 1 to {MOST_SERVERS}: {shown}"
        hint = f"`{profile}` is its first server, `{profile}#2` a second one of the same profile"
        return Problem("bad-value", message, place, hint)

    def _report_all(self, fault: Problems) -> None:
        for problem in fault.problems:
            self._report(problem)


def profile_files(hardware: Sequence[str]) -> list[Path]:
    """The files of the profiles that `--hw` names, or of the one that is taken without it."""
    found = []
    for text in hardware or (DEFAULT,):
        bound = _BOUND.fullmatch(text)
        try:
            name = _named(bound[2] if bound else text)[0]
            found.append(catalogue.find("hardware", name))
        except Problems:  # told where it is loaded
            continue
    return found


def _named(target: str) -> tuple[str, str]:
    """(profile, number): `spark#2` is the second server of `spark`; without it the first."""
    found = _NUMBERED.fullmatch(target)
    return (found[1], str(int(found[2]))) if found else (target, "1")
