"""The top of a workflow file: its name, start, budget, params. And what it may not hold yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from types import MappingProxyType
from typing import Any

from agentsim.errors import Notice, Place, Problem, Problems, Weight
from agentsim.graph import Budget
from agentsim.laws.calendar import instants
from agentsim.spec.clock_changes import offset_of
from agentsim.spec.definitions import CapsDef
from agentsim.spec.expressions import Unfilled, Waiting, fill, unfilled, uses
from agentsim.spec.fields import (
    Density,
    Dollars,
    Name,
    PositiveSeconds,
    Share,
    Text,
    Version,
)
from agentsim.spec.flow import flow
from agentsim.spec.model import At, Model, Report, check, clean, may, need
from agentsim.spec.problems import given, quoted, unknown_name
from agentsim.spec.templates import ITEM_NAMES, is_name
from agentsim.spec.tree import Tree
from agentsim.spec.values import shown
from agentsim.spec.zones import like_zone, zone_named

LATER: Mapping[str, str] = MappingProxyType(
    {
        "workload": "work that arrives (`workload`)",
    }
)


class BudgetDef(Model):
    """Limits that all must hold; the run is then a gate."""

    wall: PositiveSeconds | None = may("the wall time", "4h")
    without_people: PositiveSeconds | None = may("the wall time less people", "1h")
    person: PositiveSeconds | None = may("the time that people work", "30m")
    money: Dollars | None = may("dollars", "$5")
    chance: Share | None = may("the share of runs that must meet them", "80%")


class QualityDef(Model):
    """Defects, of all who say nothing else."""

    defects: Density | None = may("in the lines of agents and people that write", "32 per kloc")
    regressions: Share | None = may("the chance that mending a defect makes another", "5%")
    finds: Share | None = may("the chance of who reads `changes` to find each defect", "35%")
    correlation: Share | None = may("how far all find and miss the same defects", "57%")


class Workflow(Model):
    """The keys of a workflow file."""

    agentsim: Version = need("the version of the format", "1")
    name: Text | None = may("its title", "Feature with review")
    note: Text | None = may("a remark", "as we worked in November")
    start: Text | None = may("the date and time at which it starts", "2026-11-30T10:00")
    timezone: Text | None = may("the zone of `start`", "Europe/Amsterdam")
    budget: BudgetDef | None = may("limits that must hold", "{wall: 4h, chance: 80%}")
    harness: Name | None = may("the program that all agents run in", "claude-code")
    caps: CapsDef | None = may("what the harness allows", "{agents: 20, held: call}")
    quality: QualityDef | None = may("defects", "{defects: 32 per kloc, finds: 35%}")
    params: Any = may("values that expressions use", "{loops: 4}")
    tools: Any = may("tools by name", "{tests: {time: 70s}}")
    pools: Any = may("shared resources by name", "{ci: {capacity: 2}}")
    people: Any = may("people by name", "{dev: {count: 1}}")
    agents: Any = may("agents by name", "{coder: {like: coder, turns: 8}}")
    harnesses: Any = may("harnesses by name", "{slim: {prompt: 2k}}")
    queues: Any = may("merge queues by name", "{trunk: {ci: 10m}}")
    steps: Any = need("what is done, one after another", "[{agent: coder}]")


@dataclass(frozen=True, slots=True)
class Top:
    """The top of a file, read."""

    name: str
    budget: Budget | None
    caps: CapsDef | None
    harness: str | None
    start: float | None
    zone: str | None
    notices: tuple[Notice, ...]
    quality: QualityDef | None


def top_of(tree: Tree, stem: str, report: Report) -> Top:
    """What stands beside the definitions and steps; all that is wrong is reported."""
    found = check(Workflow, tree.value, At(tree, ()), report, "a workflow", LATER)
    value = tree.mapping
    if "steps" in value and not isinstance(value["steps"], list):
        message = "`steps`: expected a list of steps, such as `- agent: coder`"
        place = tree.place(("steps",))
        report(Problem("bad-value", f"{message}; got {shown(value['steps'])}", place))
    if found is None:
        # what is right by itself is looked at all the same
        rest = {
            key: value[key]
            for key in ("budget", "caps", "harness", "quality", "start", "timezone")
            if key in value
        }
        found = clean(Workflow, {"agentsim": 1, "steps": []}, rest)
    budget = _budget(found.budget, tree, report)
    start, zone, notices = _start(found, tree, report)
    if found.quality is not None and not found.quality.model_fields_set:
        message = "`quality` says nothing: `defects`, `regressions`, `finds` or `correlation`"
        hint = "such as `defects: 32 per kloc`"
        report(Problem("missing-key", message, tree.place(("quality",)), hint))
    return Top(
        found.name or stem,
        budget,
        found.caps,
        found.harness,
        start,
        zone,
        notices,
        found.quality,
    )


def _budget(given: BudgetDef | None, tree: Tree, report: Report) -> Budget | None:
    if given is None:
        return None
    limits = (given.wall, given.without_people, given.person, given.money)
    if all(limit is None for limit in limits):
        message = "`budget` has no limit: `wall`, `without_people`, `person` or `money`"
        report(Problem("missing-key", message, tree.place(("budget",)), "such as `wall: 4h`"))
    if given.chance == 0.0:
        message = "`budget.chance`: expected more than 0 %: no run would have to keep to it"
        place = tree.place(("budget", "chance"))
        report(Problem("bad-value", message, place, "such as `chance: 80%`"))
    return Budget(*limits, chance=0.5 if given.chance is None else given.chance)


def _start(
    given: Workflow, tree: Tree, report: Report
) -> tuple[float | None, str | None, tuple[Notice, ...]]:
    """(UTC seconds since 1970, zone, warnings) of the start."""
    zone = _zone(given.timezone, tree.place(("timezone",)), report)
    if given.start is None or zone is None:
        idle = given.start is None and given.timezone is not None
        told = ["`timezone` counts for nothing without a `start`"] if idle else []
        return None, given.timezone, _of_file(told)
    moment = _moment(given.start, zone, tree.place(("start",)), report)
    if moment is None:
        return None, given.timezone, ()
    told = ["`start` is given without a `timezone`: UTC is taken"]
    if given.timezone is not None:
        told = list(_doubts(given.start, moment, zone))
    return moment.timestamp(), str(zone), _of_file(told)


def _of_file(told: Iterable[str]) -> tuple[Notice, ...]:
    return tuple(Notice(text, Weight.FILE) for text in told)


def _doubts(text: str, moment: datetime, zone: tzinfo) -> Iterator[str]:
    """What may be meant otherwise by a `start` that was written as `text`."""
    written, then = datetime.fromisoformat(text), f"{moment:%Y-%m-%dT%H:%M}"
    if written.tzinfo is None:
        for instant in instants(written, zone)[1:]:
            second = datetime.fromtimestamp(instant, zone)
            yield (
                f"`start`: in {zone} the clocks show {then} twice: the first is taken, at "
                f"{offset_of(moment)}; {then}{offset_of(second)} is the second"
            )
    elif written.utcoffset() != moment.utcoffset() and not text.endswith(("Z", "z")):
        yield (
            f"`start` is at {offset_of(written)}, and {zone} is at {offset_of(moment)} then: "
            f"it begins at {then} there"
        )


def _zone(name: str | None, place: Place, report: Report) -> tzinfo | None:
    meant = "UTC" if name is None else name
    zone = zone_named(meant)
    if zone is None:
        message = f"`timezone`: unknown zone {quoted(name)}"
        report(Problem("bad-value", message, place, like_zone(meant)))
    return zone


def _moment(text: str, zone: tzinfo, place: Place, report: Report) -> datetime | None:
    hint = "such as 2026-11-30T10:00"
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        message = f"`start`: expected a date and time; got {quoted(text)}"
        report(Problem("bad-value", message, place, hint))
        return None
    if not 1971 <= found.year <= 2999:
        message = f"`start`: the year {found.year} is not used: 1971 to 2999 are"
        report(Problem("bad-value", message, place, hint))
        return None
    if found.tzinfo is not None:
        return found.astimezone(zone)
    local = datetime.fromtimestamp(instants(found, zone)[0], zone)
    local = local.replace(microsecond=found.microsecond)
    if local.replace(tzinfo=None) != found:
        later = (found + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M")
        message = f"`start`: in {zone} the clocks skip {quoted(text)}"
        report(Problem("bad-value", message, place, f"such as {later}"))
        return None
    return local


def mapping_of(tree: Tree) -> dict[Any, Any]:
    """The mapping at the top of a file. Raises `Problems` where there is none."""
    if isinstance(tree.value, dict):
        return tree.value
    what = "is empty" if tree.value is None else "is no mapping"
    hint = "a workflow begins with `agentsim: 1`, a `name:` and its `steps:`"
    raise Problems([Problem("bad-value", f"the file {what}", tree.place(), hint)])


def filled(
    tree: Tree, sets: Sequence[tuple[str, object]], report: Report
) -> tuple[Tree, dict[str, Any]]:
    """The tree with its params put in, and these; what names an item waits. Raises `Problems`
    where expressions make too much text; others that fail are reported and stay as written.

    `sets` are values given on the command line, in order.
    """
    mapping_of(tree)
    names = _params(tree, sets, report)
    # An unknown name waits as well: it is reported where it is used, beside all else there.
    later = ITEM_NAMES | (uses(tree) - set(names))
    whole = fill(tree, names, later=later, leave={("params",)}, report=report)
    for key, value in whole.mapping.items():
        if key not in ("steps", "params") and _waits(value):
            try:
                fill(whole.sub((key,)), names)  # an item is known only inside an `each`
            except Problems as fault:
                for problem in fault.problems:
                    report(problem)
    return whole, names


def _waits(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_waits, value.values()))
    if isinstance(value, list):
        return any(map(_waits, value))
    return isinstance(value, Waiting) and bool(uses(value))


def _params(tree: Tree, sets: Sequence[tuple[str, object]], report: Report) -> dict[str, Any]:
    """Name -> value; a param may use those written before it."""
    written = tree.mapping.get("params")
    if written is not None and not isinstance(written, dict):
        message = f"`params`: expected a mapping, such as {{loops: 4}}; got {shown(written)}"
        report(Problem("bad-value", message, tree.place(("params",))))
    params: dict[Any, Any] = written if isinstance(written, dict) else {}
    chosen = dict(sets)
    for name, value in chosen.items():
        if name not in params:
            place = given("--set ", f"{name}={'' if value is None else flow(value)}")
            report(unknown_name(name, map(str, params), place, "param"))
    found: dict[str, Any] = {}
    names = [str(name) for name in params]
    for i, name in enumerate(params):
        if not is_name(name):
            hint = "letters, digits and _, not starting with a digit, and no word of expressions"
            message = f"{quoted(name)} cannot be the name of a param"
            report(Problem("bad-value", message, tree.key_place(("params", name)), hint))
            continue
        if name in chosen:
            found[name] = chosen[name]
            continue
        try:
            own = tree.sub(("params", name))
            value = fill(own, found, below=names[i:], report=report).value
            found[name] = Unfilled("") if unfilled(value) else value
        except Problems as fault:  # far too much of it
            for problem in fault.problems:
                report(problem)
            found[name] = Unfilled("")
    return found
