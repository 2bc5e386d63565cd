"""Harnesses and agents' own caps in the random workflows: put over what has been made.

With a seed of its own, so that the workflow below is the one that it was without.
"""

from __future__ import annotations

from typing import Any

from tests.made.cast import AGENTS, SUBAGENTS, Dice
from tests.made.steps import Step, all_steps

File = dict[str, Any]

PRESET = "claude-code"
OWN = ("lean", "slim")


class Harnesses(Dice):
    """What stands around agents: in the file, in their definitions and at their steps."""

    def dress(self, workflow: File, parts: dict[str, File], servers: tuple[File, ...]) -> None:
        """Half of the workflows have something of it."""
        if not self.chance(0.5):
            return
        harnesses = {"lean": self.lean(), "slim": self.slim()}
        top = self.pick(None, "lean", "slim", PRESET)
        workflow["harnesses"] = harnesses
        if top is not None:
            workflow["harness"] = top
        for name in (*AGENTS, *SUBAGENTS):
            self.agent(workflow["agents"][name], top)
        if top == PRESET:
            self.room(workflow, servers)
        for step in all_steps(workflow["steps"], parts):
            if "agent" in step:
                self.step(step)
        if self.chance(0.5):
            at = self.pick(0, len(workflow["steps"]))
            workflow["steps"].insert(at, self.team())

    def lean(self) -> File:
        """One of the file's own."""
        blocks = self.pick(500, {"harness": 700}, {"harness": 300, "rules": 150})
        harness: File = {"prompt": blocks}
        if self.chance(0.5):
            harness["subagent_prompt"] = self.pick(250, {"subagent_harness": 400})
        if self.chance(0.7):
            harness["turn_time"] = self.time(1)
        if self.chance(0.5):
            harness["caps"] = self.caps()
        if self.chance(0.4):
            harness["compact"] = self.pick(
                {"at": "60%", "output": 120}, {"at": 2600, "to": 1400, "time": "4s"}
            )
        return harness

    def slim(self) -> File:
        """The preset with a small prompt; what it says of caps and compaction is left, or not."""
        harness: File = {"like": PRESET, "prompt": {"harness": 800}, "subagent_prompt": 350}
        if self.chance(0.5):
            harness["turn_time"] = self.time(0.5)
        if self.chance(0.5):
            harness["caps"] = self.caps()
        return harness

    def agent(self, agent: File, top: str | None) -> None:
        """Its own words of it, and its prompt without the block that a harness has too."""
        if self.chance(0.5):
            agent["prompt"].pop("harness")
            if top == PRESET:
                agent.pop("compact", None)  # a mark below the prompt is refused
        if top != PRESET and self.chance(0.3):
            agent["harness"] = self.pick(*OWN)
        if self.chance(0.2):
            agent["turn_time"] = self.time(1)
        if self.chance(0.35):
            agent["caps"] = self.caps()

    def step(self, step: Step) -> None:
        if self.chance(0.1):
            step["harness"] = self.pick(*OWN)
        if self.chance(0.1):
            step["turn_time"] = self.time(1)
        if self.chance(0.3 if "do" in step else 0.1):
            step["caps"] = self.caps()

    def team(self) -> Step:
        """An agent that starts several, side by side or one by one, under caps of its own."""
        one: Step = {"agent": self.pick(*AGENTS), "id": "h-one", "turns": 2}
        each: Step = {"each": 4, "id": "h-each", "do": [one], "or": "go on"}
        if self.chance(0.3):
            each["limit"] = self.pick(1, 2)
        caps = self.caps() | {"held": self.pick("call", "life")}
        if self.chance(0.5):
            caps["spawns"] = self.pick(1, 3)
        first, last = (
            {"id": name, "call": "self", "input": 20, "output": 40} for name in ("h-1", "h-2")
        )
        team: Step = {"agent": "checker", "id": "h-team", "do": [first, each, last]}
        return {**team, "caps": caps, "or": "go on"}

    def caps(self) -> File:
        """What an agent may start: mostly held for calls, since held for life all may wait."""
        caps: File = {}
        if self.chance(0.7):
            caps["agents"] = self.pick(1, 1, 2, 3)
            caps["held"] = self.pick("call", "call", "life")
        if self.chance(0.5):
            caps["tools"] = self.random.randint(1, 2)
        if self.chance(0.25) or not caps:
            caps["spawns"] = self.pick(1, 3, 9)
        return caps

    @staticmethod
    def room(workflow: File, servers: tuple[File, ...]) -> None:
        """The preset's own prompt takes a context and a bucket that hold it."""
        for server in servers:
            if "context" in server:
                server["context"] = 60_000
            for limit in server.get("limits", ()):
                if limit["count"] == "uncached_input":
                    limit |= {"bucket": 300_000, "refill": "9000/s"}
