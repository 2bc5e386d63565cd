"""The plan of an agent: its definition, and what its step says otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from agentsim.chance import Constant, Distribution
from agentsim.errors import Place
from agentsim.graph import AgentPlan, Delegate, ToolPlan
from agentsim.spec.harness import Setting
from agentsim.spec.model import At
from agentsim.spec.players import NOTHING

TOKENS_PER_LINE = 12

Delegates = Callable[[str, Place | None], int | None]
"""An agent's name, and where it is written -> its number; None where it is wrong (reported)."""


def agent_plan(
    setting: Setting, reads: bool, where: At, path: str, delegate: Delegates
) -> AgentPlan | None:
    """The plan of an agent as one step runs it; None where it is wrong, which is reported.

    `reads`: whether it is given the changes to read, so that their lines count as tokens. `where`,
    `path`: the step's. `delegate` makes the subagent of a name and gives its number.
    """
    return _Maker(setting, where, path, delegate).plan(reads)


class _Maker:
    def __init__(self, setting: Setting, where: At, path: str, delegate: Delegates) -> None:
        self._path, self._delegate, self._setting = path, delegate, setting
        self._players, self._cast = setting.players, setting.players.cast
        self._defined, self._step = setting.defined, setting.step
        self._where, self._place = where, where.place()

    def plan(self, reads: bool) -> AgentPlan | None:
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
            returns=self._field("returns") if self._setting.inside else None,
            compact=self._setting.compact(sum(tokens for _, tokens in prompt)),
            turn_time=self._setting.turn_time(),
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
        upto: list[tuple[ToolPlan | Delegate, float]] = []
        total = 0.0
        is_whole = True
        for i, (name, share) in enumerate(given):
            at = self._place_of_tool(name)
            if not self._cast.knows("tools", name) and self._cast.knows("agents", name):
                self._cast.use("agents", name)  # whatever its share: that may be a param
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

    def _place_of_tool(self, name: str) -> Place:
        """Where the tool is named: in the step, else in the definition."""
        if self._step.tools is not None:
            return self._where.key_place(("tools", name))
        return self._defined.key_place_of("tools", name) or self._place

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
        """Blocks by name, those of its harness first; what nobody says is assumed to be none."""
        blocks = self._setting.prompt()
        if blocks is None:
            self._cast.default(self._defined, "prompt", 0)
        return blocks or ()

    def _per_line(self, counts: bool) -> float:
        """Tokens of a line; where no lines are written or read it does not matter."""
        if counts:
            default = float(TOKENS_PER_LINE)
            return float(self._or_default("tokens_per_line", TOKENS_PER_LINE, default))
        return float(self._field("tokens_per_line", noted=False) or TOKENS_PER_LINE)
