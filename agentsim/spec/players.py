"""Plans of the tools, pools, people and agents of a run, from their definitions.

A step may say any field of a definition otherwise; what it does not say is taken from there, and
what stands nowhere is a problem or a default that is noted as assumed.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

from agentsim import units
from agentsim.chance import Constant, Distribution
from agentsim.errors import Place, Problem
from agentsim.graph import AgentPlan, CompactPlan, PersonPlan, PoolPlan, ToolPlan
from agentsim.laws.reading import Reading
from agentsim.records import Part
from agentsim.spec.cast import Cast, Defined
from agentsim.spec.definitions import (
    AgentFields,
    CompactDef,
    PersonDef,
    PoolDef,
    ToolDef,
    ToolFields,
)
from agentsim.spec.model import Report, example_of
from agentsim.spec.presets import preset
from agentsim.spec.problems import not_yet, quoted, unknown_name
from agentsim.spec.servers import Servers

NOTHING = Constant(0.0)
TOKENS_PER_LINE = 12
COMPACT_OUTPUT = 2000
COMPACT_KEEPS = 20_000

ALWAYS = "there at all times"

T = TypeVar("T")


class Players:
    """Who takes part so far. Pools are all that the file defines; people as steps ask for them."""

    def __init__(self, cast: Cast, servers: Servers, report: Report) -> None:
        self._cast, self._servers, self._report = cast, servers, report
        self._people: dict[str, PersonPlan] = {}
        self._tools: dict[str, ToolPlan | None] = {}
        self.pools: dict[str, PoolPlan] = {}
        for name in cast.names("pools"):
            found = cast.find("pools", name)
            if found is not None:
                assert isinstance(found.model, PoolDef)
                self.pools[name] = PoolPlan(name, found.model.capacity)

    @property
    def notes(self) -> list[str]:
        """What a person should know about who takes part."""
        if not self._people:
            return []
        return [f"taken as {ALWAYS}, nights and weekends too: {', '.join(self._people)}"]

    @property
    def people(self) -> tuple[PersonPlan, ...]:
        """Those that steps ask, in the order in which they first do."""
        return tuple(self._people.values())

    # --- pools and tools ----------------------------------------------------------------------

    def uses(
        self, given: tuple[tuple[str, float], ...] | None, place: Place | None
    ) -> tuple[tuple[int, float], ...]:
        """(pool index, units); unknown pools and more units than there are get reported."""
        found = []
        order = list(self.pools)
        for name, held in given or ():
            pool = self.pools.get(name)
            if pool is None:
                if name not in self._cast.file["pools"]:
                    self._report(unknown_name(name, order, place, "pool"))
                continue
            if held > pool.capacity:
                has = f"the pool {quoted(name)}, which has {pool.capacity:g}"
                message = f"it uses {held:g} of {has}"
                hint = f"raise `capacity` of {quoted(name)}, or use fewer: it would wait for ever"
                self._report(Problem("never-fits", message, place, hint))
            found.append((order.index(name), held))
        return tuple(found)

    def tool(self, name: str, place: Place | None) -> ToolPlan | None:
        """The plan of a tool as an agent runs it."""
        if name not in self._tools:
            self._tools[name] = None
            defined = self._cast.named("tools", name, place)
            if defined is not None:
                self._tools[name] = self.tool_of(defined, None, place, returns=True)
        return self._tools[name]

    def tool_of(
        self, defined: Defined, step: ToolFields | None, place: Place | None, *, returns: bool
    ) -> ToolPlan | None:
        """The plan of one tool, with what a step says otherwise. `returns`: an agent reads them."""
        tool = defined.model
        assert isinstance(tool, ToolDef)
        time = self._field(defined, step, "time")
        if time is None:
            self._missing(defined, "time", place)
            return None
        uses = self._field(defined, step, "uses")
        fails = self._field(defined, step, "fails")
        given = self._field(defined, step, "returns", noted=returns)
        if given is None and returns:
            self._cast.default(defined, "returns", 0)
        self._cast.take(defined, "timeout", "retry")
        tries, wait = tool.retry or (0, 0.0)
        return ToolPlan(
            name=defined.name,
            time=time,
            returns=given or NOTHING,
            uses=self.uses(uses, place),
            timeout=tool.timeout,
            fails=fails or 0.0,
            says=fails is not None,
            tries=tries + 1,
            retry_wait=wait,
        )

    def wait(
        self,
        name: str,
        time: Distribution,
        uses: tuple[tuple[str, float], ...] | None,
        place: Place,
    ) -> ToolPlan:
        """A plain wait, which is a tool run that counts as waiting."""
        return ToolPlan(name, time, NOTHING, self.uses(uses, place), part=Part.WAIT)

    # --- people -------------------------------------------------------------------------------

    def person(self, defined: Defined, lines: bool, words: bool) -> int:
        """The number of a person who is asked to read `lines` or `words` or neither."""
        model = defined.model
        assert isinstance(model, PersonDef)
        if defined.name not in self._people:
            self._cast.take(defined, "count", "pickup", "switch")
            for key in ("pickup", "switch"):
                if not defined.has(key):
                    self._cast.default(defined, key, "0s")
            self._cast.default(defined, "hours", ALWAYS, "no hours are given")
            self._people[defined.name] = PersonPlan(
                name=defined.name,
                count=model.count or 1,
                pickup=_some(model.pickup),
                switch=_some(model.switch),
                reading=Reading(),
                decides=_some(model.decides),
            )
        if lines or words:
            self._people[defined.name] = self._reader(defined, model, lines, words)
        return list(self._people).index(defined.name)

    def _reader(self, defined: Defined, model: PersonDef, lines: bool, words: bool) -> PersonPlan:
        """The person with a rate for what is read; one that is not given is that of `you`."""
        plan = self._people[defined.name]
        self._cast.take(defined, "reads")
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
        return PersonPlan(plan.name, plan.count, plan.pickup, plan.switch, reading, plan.decides)

    def _usual_rate(self, defined: Defined, usual: dict[str, Any], key: str, source: str) -> float:
        written = usual["reads"][key]
        self._cast.default(defined, f"reads/{key}", written, source)
        return units.line_rate(written) if key == "code" else units.word_rate(written)

    def decides(self, defined: Defined, given: Distribution | None) -> Distribution | None:
        """What a person takes to decide: of the step, else of the definition."""
        if given is not None:
            return _some(given)
        assert isinstance(defined.model, PersonDef)
        if defined.model.decides is None:
            self._cast.default(defined, "decides", "0s")
            return None
        self._cast.take(defined, "decides")
        return _some(defined.model.decides)

    # --- agents -------------------------------------------------------------------------------

    def agent(
        self, defined: Defined, step: AgentFields, reads: bool, place: Place
    ) -> AgentPlan | None:
        """The plan of one agent, with what its step says otherwise."""
        role = self._field(defined, step, "model", noted=False) or "main"
        server = self._servers.index(role, place)
        turns, output = (self._field(defined, step, key) for key in ("turns", "output"))
        for key, value in (("turns", turns), ("output", output)):
            if value is None:
                self._missing(defined, key, place)
        tools = self._mix(defined, step, place)
        if turns is None or output is None or tools is None:
            return None
        writes = self._field(defined, step, "writes")
        turns, writes = self._sized(defined, step, turns, writes)
        prompt = self._prompt(defined, step)
        compact = self._compact(defined, step, sum(tokens for _, tokens in prompt), place)
        per_turn = self._field(defined, step, "tools_per_turn") if tools else None
        return AgentPlan(
            name=defined.name,
            role=role,
            server=server,
            prompt=prompt,
            turns=turns,
            thinking=self._or_default(defined, step, "thinking", 0, NOTHING),
            output=output,
            keeps_thinking=bool(self._field(defined, step, "keeps_thinking")),
            tools=tools,
            tools_per_turn=per_turn,
            in_turn=bool(self._field(defined, step, "in_turn")),
            writes=writes,
            tokens_per_line=self._per_line(defined, step, writes is not None or reads),
            returns=self._field(defined, step, "returns", noted=False),
            compact=compact,
        )

    def _mix(
        self, defined: Defined, step: AgentFields, place: Place
    ) -> tuple[tuple[ToolPlan, float], ...] | None:
        """(tool, share up to and with it); None where a tool is wrong, which is reported."""
        given = self._field(defined, step, "tools") or ()
        at = place if step.tools is not None else defined.place or place
        upto: list[tuple[ToolPlan, float]] = []
        shares: list[float] = []
        is_whole = True
        for name, share in given:
            if not self._cast.knows("tools", name) and self._cast.knows("agents", name):
                what = f"an agent among an agent's tools ({quoted(name)}: a subagent in mid-turn)"
                self._report(not_yet(what, at))
                is_whole = False
                continue
            tool = self.tool(name, at)
            shares.append(share)
            total = math.fsum(shares)
            if tool is None:
                is_whole = False
            elif share:
                upto.append((tool, 1.0 if abs(total - 1.0) < 1e-9 else total))
        return tuple(upto) if is_whole else None

    def _sized(
        self,
        defined: Defined,
        step: AgentFields,
        turns: Distribution,
        writes: Distribution | None,
    ) -> tuple[Distribution, Distribution | None]:
        """`size` scales what the definition says; what a step says itself is meant as it stands."""
        size = self._field(defined, step, "size", noted=False)
        if size is None:
            return turns, writes
        of_turns, of_lines = self._cast.size(size)
        if step.turns is None:
            scaled = turns.scaled(of_turns)
            is_one = isinstance(scaled, Constant)
            turns = Constant(max(1.0, float(round(scaled.mean)))) if is_one else scaled
        if step.writes is None and writes is not None:
            writes = writes.scaled(of_lines)
        return turns, writes

    def _prompt(self, defined: Defined, step: AgentFields) -> tuple[tuple[str, int], ...]:
        blocks = self._or_default(defined, step, "prompt", 0, ())
        return tuple((name or defined.name, tokens) for name, tokens in blocks if tokens)

    def _compact(
        self, defined: Defined, step: AgentFields, prompt: int, place: Place
    ) -> CompactPlan | None:
        given: CompactDef | None = self._field(defined, step, "compact")
        if given is None:
            return None
        keeps = prompt + COMPACT_KEEPS if given.to is None else given.to
        wrong = ""
        if given.time is not None and given.output is not None:
            wrong = "`compact` takes either a `time` or the `output` of a call"
        elif not prompt <= keeps < given.at:
            wrong = (
                f"`compact` cuts from {given.at:,} to {keeps:,} tokens: `to` must lie below `at` "
                f"and not below the prompt of {prompt:,}"
            )
        if wrong:
            self._report(Problem("bad-value", f"{quoted(defined.name)}: {wrong}", place))
            return None
        output = COMPACT_OUTPUT if given.output is None else given.output
        return CompactPlan(given.at, keeps, given.time, 0 if given.time is not None else output)

    def _per_line(self, defined: Defined, step: AgentFields, counts: bool) -> float:
        if not counts:
            return self._field(defined, step, "tokens_per_line", noted=False) or TOKENS_PER_LINE
        number: float = self._or_default(
            defined, step, "tokens_per_line", TOKENS_PER_LINE, float(TOKENS_PER_LINE)
        )
        return number

    # --- fields -------------------------------------------------------------------------------

    def _field(self, defined: Defined, step: Any, key: str, *, noted: bool = True) -> Any:
        """A field of the step, else of the definition; what a preset gave is then assumed."""
        own = getattr(step, key) if step is not None else None
        if own is not None:
            return own
        if noted:
            self._cast.take(defined, key)
        return getattr(defined.model, key)

    def _or_default(
        self, defined: Defined, step: AgentFields, key: str, written: object, default: T
    ) -> Any | T:
        found = self._field(defined, step, key)
        if found is None:
            self._cast.default(defined, key, written)
            return default
        return found

    def _missing(self, defined: Defined, key: str, place: Place | None) -> None:
        """A field without which a step would take no time."""
        what, example = example_of(type(defined.model), key)
        one = {"tools": "tool", "agents": "agent"}[defined.kind]
        message = f"the {one} {quoted(defined.name)} has no {quoted(key)}: {what}"
        hint = f"such as `{key}: {example}`"
        if preset(defined.kind, defined.name) is not None:
            hint += f", or `like: {defined.name}` for the preset's"
        self._report(Problem("missing-key", message, defined.place or place, hint))


def _some(given: Distribution | None) -> Distribution | None:
    """None for a constant 0, which costs nothing and draws nothing."""
    return None if given is None or given.high == 0.0 else given
