"""The plan of an agent: its definition, and what its step says otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from agentsim.chance import Constant, Distribution
from agentsim.errors import Place, Problem
from agentsim.graph import AgentPlan, CompactPlan, Delegate, ToolPlan
from agentsim.spec.cast import Defined
from agentsim.spec.definitions import AgentFields, CompactDef
from agentsim.spec.players import NOTHING, Players
from agentsim.spec.problems import quoted

TOKENS_PER_LINE = 12

Delegates = Callable[[str, Place | None], int | None]
"""An agent's name, and where it is written -> its number; None where it is wrong (reported)."""

COMPACT_OUTPUT = 2000
COMPACT_KEEPS = 20_000


def agent_plan(
    players: Players,
    defined: Defined,
    step: AgentFields,
    reads: bool,
    place: Place,
    path: str,
    returns: bool,
    delegate: Delegates,
) -> AgentPlan | None:
    """The plan of an agent as one step runs it; None where it is wrong, which is reported.

    `reads`: whether it is given the changes to read, so that their lines count as tokens. `path`:
    the step's. `returns`: whether there is an agent around it. `delegate` makes the subagent of a
    name and gives its number.
    """
    return _Maker(players, defined, step, place, path, delegate).plan(reads, returns)


class _Maker:
    def __init__(
        self,
        players: Players,
        defined: Defined,
        step: AgentFields,
        place: Place,
        path: str,
        delegate: Delegates,
    ) -> None:
        self._path, self._delegate = path, delegate
        self._players, self._cast = players, players.cast
        self._defined, self._step, self._place = defined, step, place

    def plan(self, reads: bool, returns: bool) -> AgentPlan | None:
        """All fields put together."""
        role = self._field("model", noted=False) or "main"
        server = self._players.servers.index(role, self._place)
        turns, output = self._field("turns"), self._field("output")
        for key, value in (("turns", turns), ("output", output)):
            if value is None:
                self._players.missing(self._defined, key, self._place)
        tools = self._mix()
        if turns is None or output is None or tools is None:
            return None
        turns, writes = self._sized(turns, self._field("writes"))
        self._note_turns()
        prompt = self._prompt()
        return AgentPlan(
            name=self._defined.name,
            role=role,
            server=server,
            prompt=prompt,
            turns=turns,
            thinking=self._or_default("thinking", 0, NOTHING),
            output=output,
            keeps_thinking=bool(self._field("keeps_thinking")),
            tools=tools,
            tools_per_turn=self._field("tools_per_turn") if tools else None,
            in_turn=bool(self._field("in_turn")),
            writes=writes,
            tokens_per_line=self._per_line(writes is not None or reads),
            returns=self._field("returns") if returns else None,
            compact=self._compact(sum(tokens for _, tokens in prompt)),
        )

    def _note_turns(self) -> None:
        """Turns that the file gives do not scale the lines of a preset: nobody would guess that."""
        defined, step = self._defined, self._step
        if step.writes is not None or "writes" not in defined.why:
            return
        if step.turns is not None:
            self._cast.turned(defined.name, self._path)
        elif "turns" not in defined.why:
            self._cast.turned(defined.name, defined.name)

    def _field(self, key: str, *, noted: bool = True) -> Any:
        return self._players.field(self._defined, self._step, key, noted=noted)

    def _or_default(self, key: str, written: object, default: Any) -> Any:
        """A field, or what is taken where it stands nowhere; that is then assumed."""
        found = self._field(key)
        if found is not None:
            return found
        self._cast.default(self._defined, key, written)
        return default

    def _mix(self) -> tuple[tuple[ToolPlan | Delegate, float], ...] | None:
        """(tool, share up to and with it); None where a tool is wrong, which is reported."""
        # by name: the order of keys must not matter
        given = sorted(self._field("tools") or ())
        at = self._place
        if self._step.tools is None and self._defined.place is not None:
            at = self._defined.place
        upto: list[tuple[ToolPlan | Delegate, float]] = []
        total = 0.0
        is_whole = True
        for i, (name, share) in enumerate(given):
            if not self._cast.knows("tools", name) and self._cast.knows("agents", name):
                tool: ToolPlan | Delegate | None = self._sub(name, at) if share else None
                is_whole = is_whole and (tool is not None or not share)
            else:
                tool = self._players.tool(name, at)
                is_whole = is_whole and tool is not None
            if self._step.tools is None and "tools" in self._defined.why:
                self._players.take_tool(name, self._defined.name, share)
            total = math.fsum(part for _, part in given[: i + 1])
            if tool is not None and share:
                upto.append((tool, 1.0 if abs(total - 1.0) < 1e-9 else total))
        return tuple(upto) if is_whole else None

    def _sub(self, name: str, at: Place | None) -> Delegate | None:
        number = self._delegate(name, at)
        return None if number is None else Delegate(name, number)

    def _sized(
        self, turns: Distribution, writes: Distribution | None
    ) -> tuple[Distribution, Distribution | None]:
        """`size` scales what the definition says; what a step says itself is meant as it stands."""
        size = self._field("size", noted=False)
        if size is None:
            return turns, writes
        of_turns, of_lines = self._cast.size(size)
        if self._step.turns is None:
            scaled = turns.scaled(of_turns)
            is_one = isinstance(scaled, Constant)
            turns = Constant(max(1.0, float(round(scaled.mean)))) if is_one else scaled
        if self._step.writes is None and writes is not None:
            writes = writes.scaled(of_lines)
        return turns, writes

    def _prompt(self) -> tuple[tuple[str, int], ...]:
        """Blocks by name; a bare number is a block of the agent's own."""
        blocks = self._or_default("prompt", 0, ())
        return tuple((name or self._defined.name, tokens) for name, tokens in blocks if tokens)

    def _compact(self, prompt: int) -> CompactPlan | None:
        given: CompactDef | None = self._field("compact")
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
            message = f"{quoted(self._defined.name)}: {wrong}"
            self._players.report(Problem("bad-value", message, self._place))
            return None
        output = COMPACT_OUTPUT if given.output is None else given.output
        return CompactPlan(given.at, keeps, given.time, 0 if given.time is not None else output)

    def _per_line(self, counts: bool) -> float:
        """Tokens of a line; where no lines are written or read it does not matter."""
        if counts:
            default = float(TOKENS_PER_LINE)
            return float(self._or_default("tokens_per_line", TOKENS_PER_LINE, default))
        return float(self._field("tokens_per_line", noted=False) or TOKENS_PER_LINE)
