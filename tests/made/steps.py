"""Random steps of every kind, for the made workflows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.made.cast import AGENTS, PEOPLE, POOLS, QUEUES, TOOLS, CastMaker

Step = dict[str, Any]

LISTS = ("setup", "do", "between", "parallel", "choose", "rework")
"""Where steps stand in a step."""


def all_steps(value: Any, parts: dict[str, Any]) -> Iterator[Step]:
    """All steps of a list, those of included files and whoever picks among them."""
    for step in value:
        yield step
        for key in LISTS:
            yield from all_steps(step.get(key, ()), parts)
        if isinstance(step.get("pick"), dict):
            yield step["pick"]
        if "include" in step:
            yield from all_steps(parts[step["include"]]["steps"], parts)


class Maker(CastMaker):
    """One workflow and its hardware.

    `speaker`: the agent whose steps are being made, where nothing else can speak in its session
    at the same time. `inside`: somewhere within an agent's steps. `merging`: within the rework of
    a merge, where another would wait for it.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.count = 0
        self.parts: dict[str, dict[str, Any]] = {}
        self.speaker: str | None = None
        self.inside = self.merging = False

    def id(self) -> str:
        self.count += 1
        return f"s{self.count}"

    @contextmanager
    def speaking(self, speaker: str | None) -> Iterator[None]:
        before, self.speaker = self.speaker, speaker
        yield
        self.speaker = before

    def steps(self, depth: int, most: int = 4) -> list[Step]:
        count = self.random.randint(1, most)
        if not self.chance(0.3):
            return [self.step(depth) for _ in range(count)]
        with self.speaking(None):
            steps = [self.step(depth) for _ in range(count)]
        for i, step in enumerate(steps):
            if i and self.chance(0.5) and "session" not in step:
                before = [other["id"] for other in steps[:i]]
                step["needs"] = self.random.sample(before, self.random.randint(0, 1))
        return steps

    def step(self, depth: int) -> Step:
        head: Step = {"id": self.id()}
        leaf = depth == 0 or self.chance(0.4)
        step = {**head, **(self.leaf() if leaf else self.group(head["id"], depth - 1))}
        if self.chance(0.2):
            step["timeout"] = f"{self.pick(1, 5, 12, 40)}s"
        if self.chance(0.15):
            step["retry"] = self.pick(1, {"tries": 2, "wait": "3s"})
        if self.chance(0.7):
            step["or"] = "go on"
        if self.chance(0.15):
            step["when"] = self.pick("approved", "changes", ["changes", "failed"], "yes")
        if self.chance(0.2):
            step["priority"] = self.random.randint(-2, 2)
        if self.chance(0.1):
            step["draws"] = self.pick("one", "two")
        return step

    # --- leaves -------------------------------------------------------------------------------

    def leaf(self) -> Step:
        says = {"approves": self.says()} if self.chance(0.5) else {}
        if self.speaker is not None and self.chance(0.4):
            return self.own_call(self.speaker) | says
        kind = self.random.randrange(7)
        if kind == 0:
            uses = {"uses": self.units()} if self.chance(0.6) else {}
            return {"wait": self.time(6), **uses, **says}
        if kind == 1:
            uses = {"uses": self.units()} if self.chance(0.4) else {}
            return {"tool": self.pick(*TOOLS), **uses, **says}
        if kind == 2:
            return self.ask()
        if kind == 3:
            return {
                "call": self.pick("main", "small"),
                "prompt": {"harness": 900},
                "input": self.tokens(300),
                "thinking": self.tokens(50),
                "output": self.tokens(150),
                **({"max_output": 400} if self.chance(0.5) else {}),
                **says,
            }
        if kind == 4 and not self.merging:
            return self.merge(0)
        agent = {"agent": self.pick(*AGENTS), "task": 100, **says}
        return agent | ({"reads": "changes"} if self.chance(0.5) else {}) | self.returned()

    def returned(self) -> Step:
        """What an agent hands to the one around it."""
        if not self.inside or self.chance(0.5):
            return {}
        return {"returns": self.pick(0, 30, {"geometric": 70})}

    def says(self) -> Any:
        return [self.share(), self.share()] if self.chance(0.3) else self.share()

    def own_call(self, speaker: str) -> Step:
        """A call of the agent around, or turns of another agent in its session."""
        if self.chance(0.3):
            return {"agent": self.pick(*AGENTS), "session": speaker, "turns": 2}
        added = self.pick(0, 60, self.tokens(100))
        return {"call": "self", "input": added, "output": self.tokens(90)}

    def units(self) -> dict[str, int]:
        names = self.random.sample(sorted(POOLS), self.pick(1, 1, 2))
        return {name: self.random.randint(1, POOLS[name]) for name in names}

    def ask(self) -> Step:
        step: Step = {"person": self.pick(*PEOPLE), "approves": self.says()}
        kind = self.random.randrange(3)
        if kind == 0:
            step["time"] = self.time(8)
        else:
            step["reads"] = ("changes", "80 words")[kind - 1]
        if self.chance(0.2):
            step["writes"] = "10 loc"
        if self.chance(0.05):
            step |= {"approves": "50%", "rejects": "20%"}
        return step

    def merge(self, depth: int) -> Step:
        step: Step = {"merge": self.pick(*QUEUES)}
        if self.chance(0.7):
            step["conflict"] = self.pick(True, "40%", ["60%", "20%"])
        if self.chance(0.7):
            self.merging, before = True, self.merging
            step["rework"] = self.steps(depth, 2)
            self.merging = before
        return step

    # --- groups -------------------------------------------------------------------------------

    def group(self, name: str, depth: int) -> Step:
        kind = self.random.randrange(11)
        if kind == 0:
            return {"do": self.steps(depth, 3)}
        if kind == 1:
            return self.loop(depth)
        if kind == 2:
            return {**self.join(3), "parallel": self.branches(depth, 3)}
        if kind == 3:
            return self.items(depth)
        if kind == 4:
            arms = [{**self.step(depth), "chance": share} for share in ("30%", "50%")]
            return {"choose": arms}
        if kind == 5:
            return self.attempts(depth)
        if kind == 6:
            return self.include(depth)
        if kind == 7:
            return self.forks()
        if kind == 8 and not self.merging:
            return self.merge(depth)
        if kind == 9:
            return self.talk()
        return self.life(name, depth)

    def loop(self, depth: int) -> Step:
        loop: Step = {"loop": self.random.randint(1, 3), "do": self.steps(depth, 2)}
        if self.chance(0.3):
            # the wait: rounds that take no time would never end
            pause = {"id": self.id(), "wait": "7s"}
            loop = {"loop": {"within": "30s"}, "do": [pause, *loop["do"]]}
        if self.chance(0.5):
            loop["between"] = self.steps(0, 2)
        return loop

    def branches(self, depth: int, count: int) -> list[Step]:
        """Side by side: only one of them may speak in the session of the agent around."""
        first = self.step(depth)
        with self.speaking(None):
            return [first, *(self.step(depth) for _ in range(count - 1))]

    def life(self, name: str, depth: int) -> Step:
        """An agent with steps of its own, in the session that has the step's name."""
        life: Step = {"agent": self.pick(*AGENTS), "task": self.pick(0, 70), **self.returned()}
        self.inside, before = True, self.inside
        with self.speaking(name):
            first, last = (
                {"id": self.id(), "call": "self", "input": self.pick(0, 60), "output": 80}
                for _ in range(2)
            )
            if self.chance(0.3):
                between = self.meanwhile(name)
            else:  # in a group: a graph of needs would put the last beside what speaks too
                between = {"id": self.id(), "do": self.steps(depth, 3), "or": "go on"}
            life["do"] = [first, between, *([last] if self.chance(0.7) else [])]
        self.inside = before
        if self.chance(0.4):
            life["approves"] = self.says()
        return life

    def meanwhile(self, speaker: str) -> Step:
        """Somebody speaks in a session, and others hand back to it at the same time."""
        speaks = {**self.own_call(speaker), "id": self.id(), "or": "go on"}
        if self.chance(0.3):
            speaks["timeout"] = "3s"
        others = [{"tool": "shell", "id": self.id(), "time": self.time(3)} for _ in range(2)]
        return {"id": self.id(), "parallel": [speaks, *others]}

    def attempts(self, depth: int) -> Step:
        with self.speaking(None):
            step: Step = {"attempts": self.random.randint(1, 3), "do": self.steps(depth, 2)}
            if self.chance(0.4):
                step["setup"] = self.steps(0, 1)
        if self.chance(0.5):
            step |= {"succeeds": self.share(), "correlation": "50%"}
        if self.chance(0.4):
            step["limit"] = 1
        pick: Any = "first"
        if self.chance(0.7):
            who = {"person": "dev"} if self.chance(0.6) else {"agent": self.pick(*AGENTS)}
            right = {"right": "70%"} if "succeeds" in step else {}
            pick = {**who, "reads": "changes", "every": self.chance(0.5), **right}
        return {**step, "pick": pick}

    def join(self, count: int) -> Step:
        if self.chance(0.5):
            return {}
        return {"join": self.pick("any", "all", self.random.randint(1, count))}

    def items(self, depth: int) -> Step:
        count = self.random.randint(1, 5)
        step: Step = {"each": count, **self.join(count)}
        if self.chance(0.6):
            step["limit"] = self.random.randint(1, 3)
            if self.chance(0.4):
                step["release"] = "waves"
        with self.speaking(self.speaker if step.get("limit") == 1 else None):
            step["do"] = self.steps(depth, 2)
        if self.chance(0.3):
            step["each"] = [f"{self.random.randint(0, 9)}s" for _ in range(count)]
            step["do"] = [{"wait": "$(item)", "id": self.id()}, *step["do"]]
        return step

    def include(self, depth: int) -> Step:
        """Steps of another file, with a tool and a param of its own."""
        name = f"part-{self.id()}.yaml"
        tool = name.removesuffix(".yaml")
        again = {"loop": "$(rounds)", "id": self.id(), "do": [{"tool": tool, "id": self.id()}]}
        self.parts[name] = {
            "params": {"rounds": 1},
            "tools": {tool: {"time": self.time(3), "returns": 20}},
            "steps": [*self.steps(depth, 2), again],
        }
        return {"include": name, **({"params": {"rounds": 2}} if self.chance(0.6) else {})}

    def forks(self) -> Step:
        """A writer, and agents that each go on in a copy of its session."""
        write = self.id()
        copies = [
            {"agent": self.pick(*AGENTS), "id": self.id(), "session": write, "fork": True}
            for _ in range(2)
        ]
        on = {"agent": "coder", "id": self.id(), "session": copies[0]["id"], "turns": 1}
        branches: list[Step] = copies
        if self.chance(0.5):  # one of them while the writer is at work again
            more = {"agent": "coder", "id": self.id(), "session": write}
            pause = {"wait": self.time(5), "id": self.id()}
            branches = [more, {"do": [pause, copies[0]], "id": self.id()}, copies[1]]
        aside = {"parallel": branches, "id": self.id()}
        return {"do": [{"agent": "coder", "id": write}, aside, on]}

    def talk(self) -> Step:
        """A writer and its fixes in one session, with a review between."""
        write, fix, ask = (self.id() for _ in range(3))
        return {
            "do": [
                {"agent": "coder", "id": write},
                {"person": "dev", "id": ask, "reads": "changes", "approves": "30%"},
                {"agent": "coder", "id": fix, "session": write, "turns": 2, "when": "changes"},
            ]
        }
