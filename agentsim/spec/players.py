"""Plans of the tools, pools and people of a run, from their definitions.

A step may say any field of a definition otherwise; what it does not say is taken from there, and
what stands nowhere is a problem or a default that is noted as assumed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agentsim import units
from agentsim.chance import Constant, Distribution
from agentsim.errors import Notice, Place, Problem, Weight
from agentsim.graph import PersonPlan, PoolPlan, QueuePlan, ToolPlan
from agentsim.laws.reading import Reading
from agentsim.records import Part
from agentsim.spec.cast import Cast, Defined
from agentsim.spec.definitions import (
    PersonDef,
    PoolDef,
    QueueDef,
    ToolDef,
    ToolFields,
)
from agentsim.spec.model import At, Report, example_of
from agentsim.spec.presets import preset
from agentsim.spec.problems import quoted, unknown_name
from agentsim.spec.servers import Servers

NOTHING = Constant(0.0)
NamePlace = Callable[[str], Place | None]
ALWAYS = "there at all times"


class Players:
    """Who takes part so far. Pools are all that the file defines; people as steps ask for them."""

    def __init__(self, cast: Cast, servers: Servers, report: Report) -> None:
        self.cast, self.servers, self.report = cast, servers, report
        self._people: dict[str, PersonPlan] = {}
        self._tools: dict[str, ToolPlan | None] = {}
        self._stepped: set[str] = set()
        self._taken: dict[tuple[str, str], float] = {}
        self.told: dict[str, None] = {}
        """What of a harness does not count with some agent: sentences, each once."""
        self.queues: dict[str, QueuePlan] = {}
        self.pools: dict[str, PoolPlan] = {}
        for name in sorted(cast.names("pools")):
            found = cast.find("pools", name)
            if found is not None:
                assert isinstance(found.model, PoolDef)
                self.pools[name] = PoolPlan(name, found.model.capacity)

    def queue(self, defined: Defined) -> int:
        """The number of a merge queue."""
        model = defined.model
        assert isinstance(model, QueueDef)
        if defined.name not in self.queues:
            self.queues[defined.name] = QueuePlan(
                name=defined.name,
                rebase=_some(model.rebase),
                ci=model.ci,
                ci_fails=model.ci_fails or 0.0,
                block=bool(model.on_conflict),
            )
        return list(self.queues).index(defined.name)

    @property
    def notices(self) -> list[Notice]:
        """What a person should know about who takes part."""
        told = [
            f"{quoted(tool)} as the file defines it is also run by {agent}, in {100 * share:.3g} % "
            f"of its tool runs: the preset of {agent} names it; another name would keep them apart"
            for (tool, agent), share in self._taken.items()
            if tool in self._stepped
        ]
        found = [Notice(text, Weight.FILE) for text in (*told, *self.told)]
        if self._people:
            people = ", ".join(self._people)
            text = f"taken as {ALWAYS}, nights and weekends too: {people}"
            found.append(Notice(text, Weight.TAKEN))
        return found

    def take_tool(self, tool: str, agent: str, share: float) -> None:
        """An agent's preset names a tool: where the file defines it for a step, it is told."""
        is_both = tool in self.cast.file["tools"] and preset("tools", tool) is not None
        if is_both and share:
            self._taken[tool, agent] = share

    @property
    def people(self) -> tuple[PersonPlan, ...]:
        """Those that steps ask, in the order in which they first do."""
        return tuple(self._people.values())

    # --- pools and tools ----------------------------------------------------------------------

    def uses(
        self, given: tuple[tuple[str, float], ...] | None, where: NamePlace
    ) -> tuple[tuple[int, float], ...]:
        """(pool index, units); unknown pools and more units than there are get reported.

        `where`: the place of the name of a pool.
        """
        found = []
        order = list(self.pools)
        # by name: the order of keys must not matter
        for name, held in sorted(given or ()):
            self.cast.use("pools", name)
            pool = self.pools.get(name)
            if pool is None:
                if name not in self.cast.file["pools"]:
                    self.report(unknown_name(name, order, where(name), "pool"))
                continue
            if held > pool.capacity:
                has = f"the pool {quoted(name)}, which has {pool.capacity:g}"
                message = f"it uses {held:g} of {has}"
                hint = f"raise `capacity` of {quoted(name)}, or use fewer: it would wait for ever"
                self.report(Problem("never-fits", message, where(name), hint))
            found.append((order.index(name), held))
        return tuple(found)

    def tool(self, name: str, place: Place | None) -> ToolPlan | None:
        """The plan of a tool as an agent runs it."""
        if name not in self._tools:
            self._tools[name] = None
            defined = self.cast.named("tools", name, place)
            if defined is not None:
                self._tools[name] = self.tool_of(defined, None, place, returns=True)
        return self._tools[name]

    def tool_of(
        self,
        defined: Defined,
        step: ToolFields | None,
        place: Place | None,
        *,
        returns: bool,
        at: At | None = None,
    ) -> ToolPlan | None:
        """The plan of one tool, with what a step (`at` that) says otherwise.

        `returns`: an agent reads them.
        """
        tool = defined.model
        assert isinstance(tool, ToolDef)
        if step is not None:
            self._stepped.add(defined.name)
        time = self.field(defined, step, "time")
        if time is None:
            self.missing(defined, "time", place)
            return None
        uses = self.field(defined, step, "uses")
        fails = self.field(defined, step, "fails")
        given = self.field(defined, step, "returns", noted=returns)
        if given is None and returns:
            self.cast.default(defined, "returns", 0)
        self.cast.take(defined, "timeout", "retry")
        tries, wait = tool.retry or (0, 0.0)
        return ToolPlan(
            name=defined.name,
            time=time,
            returns=given or NOTHING,
            uses=self.uses(uses, _named_in(defined, step, at)),
            timeout=tool.timeout,
            fails=fails or 0.0,
            says=fails is not None,
            tries=tries + 1,
            retry_wait=wait,
        )

    def wait(
        self,
        name: str,
        time: Distribution | None,
        uses: tuple[tuple[str, float], ...] | None,
        at: At,
    ) -> ToolPlan:
        """A plain wait, which is a tool run that counts as waiting; of no known time: until when
        is then the business of its step."""
        held = self.uses(uses, lambda pool: at.key_place(("uses", pool)))
        return ToolPlan(name, time or NOTHING, NOTHING, held, part=Part.WAIT)

    # --- people -------------------------------------------------------------------------------

    def person(self, defined: Defined, lines: bool, words: bool) -> int:
        """The number of a person who is asked to read `lines` or `words` or neither."""
        model = defined.model
        assert isinstance(model, PersonDef)
        if defined.name not in self._people:
            self.cast.take(defined, "count", "pickup", "switch")
            for key in ("pickup", "switch"):
                if not defined.has(key):
                    self.cast.default(defined, key, "0s")
            self.cast.default(defined, "hours", ALWAYS, "no hours are given")
            self._people[defined.name] = PersonPlan(
                name=defined.name,
                count=model.count or 1,
                pickup=_some(model.pickup),
                switch=_some(model.switch),
                reading=Reading(),
                decides=_some(model.decides),
                types=model.types,
            )
        if lines or words:
            self._people[defined.name] = self._reader(defined, model, lines, words)
        return list(self._people).index(defined.name)

    def _reader(self, defined: Defined, model: PersonDef, lines: bool, words: bool) -> PersonPlan:
        """The person with a rate for what is read; one that is not given is that of `you`."""
        plan = self._people[defined.name]
        self.cast.take(defined, "reads")
        given = model.reads
        fixed = given.fixed or 0.0 if given else 0.0
        prose, code = (given.prose, given.code) if given else (None, None)
        code, prose = code or plan.reading.code, prose or plan.reading.prose
        usual = preset("people", "you")
        assert usual is not None
        source = usual.why["reads"].source
        if lines and code is None:
            code = self._usual_rate(defined, usual.fields, "code", source)
        if words and prose is None:
            prose = self._usual_rate(defined, usual.fields, "prose", source)
        reading = Reading(fixed=fixed, prose=prose, code=code)
        return replace(plan, reading=reading)

    def _usual_rate(self, defined: Defined, usual: dict[str, Any], key: str, source: str) -> float:
        written = usual["reads"][key]
        self.cast.default(defined, f"reads/{key}", written, source)
        return units.line_rate(written) if key == "code" else units.word_rate(written)

    def types(self, defined: Defined) -> None:
        """A step in which somebody writes takes their speed of it, or none."""
        assert isinstance(defined.model, PersonDef)
        if defined.model.types is None:
            self.cast.default(defined, "types", "as fast as they read and decide")
        self.cast.take(defined, "types")

    def decides(self, defined: Defined, given: Distribution | None) -> Distribution | None:
        """What a person takes to decide: of the step, else of the definition."""
        if given is not None:
            return _some(given)
        assert isinstance(defined.model, PersonDef)
        if defined.model.decides is None:
            self.cast.default(defined, "decides", "0s")
            return None
        self.cast.take(defined, "decides")
        return _some(defined.model.decides)

    # --- fields -------------------------------------------------------------------------------

    def field(self, defined: Defined, step: Any, key: str, *, noted: bool = True) -> Any:
        """A field of the step, else of the definition; what a preset gave is then assumed."""
        own = getattr(step, key) if step is not None else None
        if own is not None:
            return own
        if noted:
            self.cast.take(defined, key)
        return getattr(defined.model, key)

    def missing(self, defined: Defined, key: str, place: Place | None) -> None:
        """A field without which a step would take no time."""
        what, example = example_of(type(defined.model), key)
        one = {"tools": "tool", "agents": "agent"}[defined.kind]
        message = f"the {one} {quoted(defined.name)} has no {quoted(key)}: {what}"
        hint = f"such as `{key}: {example}`"
        if preset(defined.kind, defined.name) is not None:
            hint += f", or `like: {defined.name}` for the preset's"
        self.report(Problem("missing-key", message, defined.place or place, hint))


def _named_in(defined: Defined, step: ToolFields | None, at: At | None) -> NamePlace:
    """Where a tool's pools are named: in its step, else in its definition."""
    if at is not None and step is not None and step.uses is not None:
        return lambda pool: at.key_place(("uses", pool))
    return lambda pool: defined.key_place_of("uses", pool)


def _some(given: Distribution | None) -> Distribution | None:
    """None for a constant 0, which costs nothing and draws nothing."""
    return None if given is None or given.high == 0.0 else given
