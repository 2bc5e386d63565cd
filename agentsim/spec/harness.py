"""What a harness gives the agents that run in it: prompt, time in each turn, caps, compaction.

An agent runs in the harness that its step or definition names, else in that of the agent around
it, else in that of the file. Where both say something, the agent's own holds: of prompts block by
block, of caps one by one, else the whole field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentsim.chance import Distribution
from agentsim.errors import Place, Problem
from agentsim.graph import COMPACT_KEEPS, COMPACT_OUTPUT, CapsPlan, CompactPlan, TurnTime
from agentsim.spec.cast import Defined
from agentsim.spec.definitions import AgentDef, AgentFields, CapsDef, CompactDef, HarnessDef
from agentsim.spec.model import Where
from agentsim.spec.players import Players
from agentsim.spec.problems import quoted

Blocks = tuple[tuple[str, int], ...]
"""A prompt: named blocks in order, (name, tokens). A bare number has no name."""

# The names of blocks that a bare number stands for: as the presets of agents name them.
BARE = {"prompt": "harness", "subagent_prompt": "subagent_harness"}


@dataclass(frozen=True, slots=True)
class Setting:
    """One agent as a step runs it, in its harness.

    `named`: the step or the definition names the harness, so that it starts with this agent.
    `inside`: another agent starts it.
    """

    players: Players
    defined: Defined
    step: AgentFields
    harness: Defined | None
    named: bool
    inside: bool
    place: Place | None
    where: Where | None = None
    """Where the fields of the step were written."""

    def prompt(self) -> Blocks | None:
        """Blocks with the harness's before the agent's own; None where nobody says any."""
        own: Blocks | None = self.players.field(self.defined, self.step, "prompt")
        key, base = self._base(own)
        if self.harness is None or not base:
            return None if own is None else self._named(own)
        given = dict(own or ())
        if "" in given:
            self._tell(f"its `prompt` is one number, so that it has nothing of the `{key}`")
            return self._named(own or ())
        kept = [name for name, _ in base if name not in given]
        if kept:
            self.players.cast.take(self.harness, key)
        by_preset = self.step.prompt is None and "prompt" in self.defined.why
        # two presets are meant to be together
        for name, size in base if by_preset and key not in self.harness.why else ():
            if given.get(name, size) != size:
                told = f"its preset says {quoted(name)} itself, {given[name]:,} tokens: not the"
                self._tell(f"{told} {size:,}")
        first = tuple((name, given.get(name, size)) for name, size in base)
        names = {name for name, _ in base}
        return self._named((*first, *((n, size) for n, size in own or () if n not in names)))

    def turn_time(self) -> TurnTime | None:
        """What the harness takes in each turn before the call; None: nothing."""
        time: Distribution | None = self._field("turn_time")
        if time is None or time.high == 0.0:
            return None
        who = self.defined if self.harness is None else self.harness
        return TurnTime(who.name, time)

    def compact(self, prompt: int) -> CompactPlan | None:
        """The rule by which the session is cut; `prompt` is what it starts with, in tokens."""
        given: CompactDef | None = self._field("compact")
        if given is None:
            return None
        wrong = ""
        keeps = prompt + COMPACT_KEEPS if given.to is None else given.to
        if given.time is not None and given.output is not None:
            wrong = "`compact` takes either a `time` or the `output` of a call"
        elif isinstance(given.at, float):
            if given.to is not None and keeps < prompt:
                wrong = f"`compact` cuts to {keeps:,} tokens, below the prompt of {prompt:,}"
        elif not prompt <= keeps < given.at:
            wrong = (
                f"`compact` cuts from {given.at:,} to {keeps:,} tokens: `to` must lie below `at` "
                f"and not below the prompt of {prompt:,}"
            )
        if wrong:
            message = f"{quoted(self.defined.name)}: {wrong}"
            hint = "such as `compact: {at: 160k, to: 40k}`, or `{at: 80%}`"
            self.players.report(Problem("bad-value", message, self._place_of("compact"), hint))
            return None
        output = COMPACT_OUTPUT if given.output is None else given.output
        output = 0 if given.time is not None else output
        if isinstance(given.at, float):
            return CompactPlan(0, given.to, given.time, output, share=given.at)
        return CompactPlan(given.at, keeps, given.time, output)

    def caps(self) -> CapsPlan | None:
        """What the agent may start: by itself, else by the harness that starts with it."""
        own: CapsDef | None = self.players.field(self.defined, self.step, "caps")
        return caps_of(self.players, own, self.harness if self.named else None)

    def _place_of(self, key: str) -> Place | None:
        """Where a field is given: in the step, the definition or the harness."""
        if getattr(self.step, key) is not None:
            return self.place if self.where is None else self.where.place((key,))
        own = getattr(self.defined.model, key) is not None or self.harness is None
        source = self.defined if own else self.harness
        return (source and source.place_of(key)) or self.place

    def _field(self, key: str) -> Any:
        """A field of the agent, else of its harness."""
        own = self.players.field(self.defined, self.step, key)
        if own is not None or self.harness is None:
            return own
        return self.players.field(self.harness, None, key)

    def _base(self, own: Blocks | None) -> tuple[str, Blocks]:
        """The harness's blocks for this agent, and the key that they stand under.

        A subagent's where there are any for these; but an agent that names a block of the other
        prompt starts with that.
        """
        if self.harness is None:
            return "prompt", ()
        model = self.harness.model
        assert isinstance(model, HarnessDef)
        main, sub = _blocks(model, "prompt"), _blocks(model, "subagent_prompt")
        names = {name for name, _ in own or ()}
        of_main = names & {name for name, _ in main}
        of_sub = names & {name for name, _ in sub}
        is_sub = bool(sub) and (bool(of_sub - of_main) or (self.inside and not of_main - of_sub))
        return ("subagent_prompt", sub) if is_sub else ("prompt", main)

    def _named(self, blocks: Blocks) -> Blocks:
        """With the agent's name for a bare number; blocks of no tokens left out."""
        return tuple((name or self.defined.name, tokens) for name, tokens in blocks if tokens)

    def _tell(self, what: str) -> None:
        """What of the harness does not count with this agent, which nobody may have meant so."""
        assert self.harness is not None
        text = f"{self.defined.name}: {what} of the harness {quoted(self.harness.name)}"
        self.players.told[text] = None


def setting_of(
    players: Players,
    defined: Defined,
    step: AgentFields,
    around: Defined | None,
    inside: bool,
    place: Place | None,
    where: Where | None = None,
) -> Setting:
    """An agent in its harness; `around`: that of the agent around it, or of the file."""
    model = defined.model
    assert isinstance(model, AgentDef)
    name, at = step.harness, place
    if name is None and model.harness is not None:
        tree, base = defined.spots["harness"]
        name, at = model.harness, tree.place((*base, "harness"))
    if name is None:
        return Setting(players, defined, step, around, False, inside, place, where)
    found = harness_of(players, name, at)
    return Setting(players, defined, step, found, True, inside, place, where)


def harness_of(players: Players, name: str | None, place: Place | None) -> Defined | None:
    """The harness of that name; None where there is none, which is reported."""
    return None if name is None else players.cast.named("harnesses", name, place)


def caps_of(players: Players, own: CapsDef | None, harness: Defined | None) -> CapsPlan | None:
    """The caps that are given, and those of a harness where they say nothing."""
    base: CapsDef | None = None
    if harness is not None:
        assert isinstance(harness.model, HarnessDef)
        base = harness.model.caps
    if own is None and base is None:
        return None
    found: dict[str, Any] = {}
    for key in CapsDef.model_fields:
        found[key] = getattr(own, key) if own is not None else None
        if found[key] is None and base is not None and harness is not None:
            found[key] = getattr(base, key)
            _assume(players, harness, key, found[key])
    return CapsPlan(found["agents"], found["tools"], found["spawns"], bool(found["held"]))


def _assume(players: Players, harness: Defined, key: str, value: object) -> None:
    """Caps of a preset are assumed: all at once, or those that a file's `like:` has left."""
    players.cast.take(harness, "caps")
    why = harness.why.get(f"caps/{key}")
    if why is not None and value is not None:
        players.cast.default(harness, f"caps/{key}", value, why.source)


def _blocks(model: HarnessDef, key: str) -> Blocks:
    given: Blocks | None = getattr(model, key)
    return tuple((name or BARE[key], tokens) for name, tokens in given or ())
