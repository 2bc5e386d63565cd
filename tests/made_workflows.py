"""Random valid workflows with everything that can be simulated, each from a seed.

Built so that no file is refused: ids are unique, sessions are gone on with only in the list that
opened them, needs look backwards, contexts and buckets hold what is asked.
"""

from __future__ import annotations

import random
from typing import Any

Step = dict[str, Any]

POOLS = {"ci": 2, "gpu": 1, "cores": 4}
PEOPLE = ("dev", "lead")
AGENTS = ("coder", "checker")
TOOLS = ("shell", "tests", "flaky")


class Maker:
    """One workflow and its hardware."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"workflow {seed}")
        self.count = 0

    # --- small things -------------------------------------------------------------------------

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def time(self, mean: float) -> Any:
        """A time: constant half of the time (on whole seconds, so that ties happen)."""
        kind = self.random.randrange(5)
        if kind < 2:
            return f"{self.random.randint(0, round(2 * mean))}s"
        if kind == 2:
            return {"exponential": f"{mean}s"}
        if kind == 3:
            return {"p50": f"{mean}s", "p90": f"{3 * mean}s", "per": "task"}
        return {"uniform": ["0s", f"{2 * mean}s"]}

    def tokens(self, mean: int) -> Any:
        kind = self.random.randrange(3)
        if kind == 0:
            return self.random.choice((0, 1, mean))
        if kind == 1:
            return {"p50": mean, "p90": 4 * mean}
        return {"geometric": mean}

    def share(self) -> str:
        return f"{self.random.choice((0, 30, 60, 100))}%"

    # --- the cast -----------------------------------------------------------------------------

    def cast(self) -> dict[str, Any]:
        people = {}
        for name in PEOPLE:
            people[name] = {
                "count": self.random.randint(1, 2),
                "pickup": self.time(5),
                "switch": self.time(2),
                "reads": {"code": "4000 loc/h", "prose": "240 wpm", "fixed": "1s"},
                "decides": "3s",
            }
        tools: dict[str, Any] = {
            "shell": {"time": self.time(2), "returns": self.tokens(200)},
            "tests": {"time": self.time(9), "returns": 50, "uses": {"ci": 1}, "timeout": "30s"},
            "flaky": {
                "time": self.time(3),
                "returns": 10,
                "fails": self.share(),
                "retry": {"tries": self.random.randint(0, 2), "wait": "2s"},
            },
        }
        return {
            "pools": {name: {"capacity": units} for name, units in POOLS.items()},
            "people": people,
            "tools": tools,
            "agents": {name: self.agent(name) for name in AGENTS},
        }

    def agent(self, name: str) -> dict[str, Any]:
        agent: dict[str, Any] = {
            "model": self.random.choice(("main", "small")),
            "prompt": {"harness": 900, name: 100},
            "turns": self.random.choice((1, 2, {"p50": 3, "p90": 6})),
            "thinking": self.tokens(60),
            "keeps_thinking": self.chance(0.5),
            "output": self.tokens(100),
            "tools": {"shell": "50%", "tests": "20%", "flaky": "20%"},
            "tools_per_turn": self.random.choice((1, 2, {"poisson": 1.5})),
            "in_turn": self.chance(0.3),
        }
        if self.chance(0.5):
            agent["writes"] = {"p50": "20 loc", "p90": "60 loc"}
        if self.chance(0.4):
            agent["compact"] = {"at": 2200, "to": 1500}
            agent["compact"] |= {"time": "7s"} if self.chance(0.5) else {"output": 150}
        return agent

    # --- steps --------------------------------------------------------------------------------

    def steps(self, depth: int, most: int = 4) -> list[Step]:
        steps = [self.step(depth) for _ in range(self.random.randint(1, most))]
        if self.chance(0.3):
            for i, step in enumerate(steps):
                if i and self.chance(0.5) and "session" not in step:
                    before = [other["id"] for other in steps[:i]]
                    step["needs"] = self.random.sample(before, self.random.randint(0, 1))
        return steps

    def step(self, depth: int) -> Step:
        self.count += 1
        head: Step = {"id": f"s{self.count}"}
        leaf = depth == 0 or self.chance(0.45)
        step = {**head, **(self.leaf() if leaf else self.group(depth - 1))}
        if self.chance(0.2):
            step["timeout"] = f"{self.random.choice((1, 5, 12, 40))}s"
        if self.chance(0.15):
            step["retry"] = self.random.choice((1, {"tries": 2, "wait": "3s"}))
        if self.chance(0.7):
            step["or"] = "go on"
        if self.chance(0.15):
            step["when"] = self.random.choice(("approved", "changes", ["changes", "failed"], "yes"))
        if self.chance(0.2):
            step["priority"] = self.random.randint(-2, 2)
        return step

    def leaf(self) -> Step:
        kind = self.random.randrange(6)
        says = {"approves": self.share()} if self.chance(0.5) else {}
        if kind == 0:
            uses = {"uses": self.units()} if self.chance(0.6) else {}
            return {"wait": self.time(6), **uses, **says}
        if kind == 1:
            name = self.random.choice(TOOLS)
            uses = {"uses": self.units()} if self.chance(0.4) else {}
            return {"tool": name, **uses, **says}
        if kind == 2:
            return self.ask()
        if kind == 3:
            return {
                "call": self.random.choice(("main", "small")),
                "prompt": {"harness": 900},
                "input": self.tokens(300),
                "thinking": self.tokens(50),
                "output": self.tokens(150),
                **({"max_output": 400} if self.chance(0.5) else {}),
                **says,
            }
        reads = {"reads": "changes"} if self.chance(0.5) else {}
        return {"agent": self.random.choice(AGENTS), "task": 100, **reads, **says}

    def units(self) -> dict[str, int]:
        """One pool: two taken in two orders could wait for each other for ever."""
        name = self.random.choice(tuple(POOLS))
        return {name: self.random.randint(1, POOLS[name])}

    def ask(self) -> Step:
        step: Step = {"person": self.random.choice(PEOPLE), "approves": self.share()}
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

    def group(self, depth: int) -> Step:
        kind = self.random.randrange(7)
        if kind == 6:
            return self.attempts(depth)
        if kind == 5:
            arms = [{**self.step(depth), "chance": share} for share in ("30%", "50%")]
            return {"choose": arms}
        if kind == 0:
            return {"do": self.steps(depth, 3)}
        if kind == 1:
            loop: Step = {"loop": self.random.randint(1, 3), "do": self.steps(depth, 2)}
            if self.chance(0.2):
                # the wait: rounds that take no time would never end
                loop = {"loop": {"within": "30s"}, "do": [*loop["do"], self.pause()]}
            if self.chance(0.5):
                loop["between"] = self.steps(0, 2)
            return loop
        if kind == 2:
            return {**self.join(3), "parallel": [self.step(depth) for _ in range(3)]}
        if kind == 3:
            return self.items(depth)
        return self.talk()

    def attempts(self, depth: int) -> Step:
        step: Step = {"attempts": self.random.randint(1, 3), "do": self.steps(depth, 2)}
        if self.chance(0.5):
            step |= {"succeeds": self.share(), "correlation": "50%"}
        if self.chance(0.4):
            step["limit"] = 1
        pick: Any = "first"
        if self.chance(0.6):
            pick = {"person": "dev", "reads": "changes", "every": self.chance(0.5), "right": "70%"}
        return {**step, "pick": pick}

    def pause(self) -> Step:
        self.count += 1
        return {"id": f"s{self.count}", "wait": "7s"}

    def join(self, count: int) -> Step:
        if self.chance(0.5):
            return {}
        return {"join": self.random.choice(("any", "all", self.random.randint(1, count)))}

    def items(self, depth: int) -> Step:
        count = self.random.randint(1, 5)
        step: Step = {"each": count, "do": self.steps(depth, 2), **self.join(count)}
        if self.chance(0.6):
            step["limit"] = self.random.randint(1, 3)
            if self.chance(0.4):
                step["release"] = "waves"
        if self.chance(0.3):
            step["each"] = [f"{self.random.randint(0, 9)}s" for _ in range(count)]
            self.count += 1
            step["do"] = [{"wait": "$(item)", "id": f"s{self.count}"}, *step["do"]]
        return step

    def talk(self) -> Step:
        """A writer and its fixes in one session, with a review between."""
        self.count += 3
        write, fix, ask = (f"s{self.count - i}" for i in range(3))
        return {
            "do": [
                {"agent": "coder", "id": write},
                {"person": "dev", "id": ask, "reads": "changes", "approves": "30%"},
                {"agent": "coder", "id": fix, "session": write, "turns": 2, "when": "changes"},
            ]
        }

    # --- hardware -----------------------------------------------------------------------------

    def server(self) -> dict[str, Any]:
        server: dict[str, Any] = {
            "decode": {"rate": "100 tok/s"},
            "price": {"input": 3, "output": 15, "cached": 0.3, "cache_write": 3.75},
        }
        if self.chance(0.4):
            server["decode"] = {
                "step": {1: "10ms", 2: "13ms", 4: "19ms"},
                "per_context_token": "500ns",
            }
        if self.chance(0.3):
            server["decode"]["spread"] = "30%"
        if self.chance(0.3):
            server["first_token"] = {"value": self.time(1), "per_input_token": "200us"}
        else:
            server["prefill"] = {"rate": "1500 tok/s", "per_context_token": "50ns"}
            server["latency"] = self.random.choice(("0s", "0.5s", {"exponential": "0.4s"}))
        if self.chance(0.6):
            server["slots"] = self.random.choice((1, 2, 3))
            if "prefill" in server and self.chance(0.5):
                server["prefill"]["schedule"] = self.random.choice(("exclusive", "separate"))
        if self.chance(0.6):
            server["cache"] = {
                "kind": "ttl",
                "ttl": self.random.choice(("5s", "1m")),
                "covers": self.random.choice(("prompt", "all")),
                "block": self.random.choice((1, 64)),
            }
        if self.chance(0.4):
            server["limits"] = [{"count": "requests", "bucket": 3, "refill": "0.5/s"}]
            if self.chance(0.5):
                limit = {"count": "output", "bucket": 9000, "refill": "200/s"}
                limit |= {"reserve": "max_output", "refund": self.chance(0.5)}
                server["limits"].append(limit)
                server["max_output"] = 2000
        if self.chance(0.3):
            server["context"] = 20_000
        return server


def drop_impossible(steps: list[Step], heard: bool) -> None:
    """Takes out each `when` that no step before it could meet: such a file is refused.

    `heard`: a review that may approve or ask for changes stands last before the list. A tool that
    may fail never asks for changes, and what comes out of a group is not looked into.
    """
    graph = any("needs" in step for step in steps)
    outer = heard
    for step in steps:
        if graph:
            heard = outer
        if step.get("when", "yes") != "yes" and not heard:
            del step["when"]
        inside = heard and step.get("when", "yes") == "yes"
        lists = [step[key] for key in ("do", "between", "parallel", "choose") if key in step]
        for i, inner in enumerate(lists):
            if "parallel" in step or "choose" in step:
                for branch in inner:
                    drop_impossible([branch], inside)
            else:
                drop_impossible(inner, inside and i == 0)
        if lists or step.get("tool") == "flaky":
            heard = False
        if "approves" in step:
            heard = True


def made(seed: int) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """(workflow, profile of `main`, profile of `small`)."""
    maker = Maker(seed)
    workflow = {**maker.cast(), "steps": maker.steps(3)}
    drop_impossible(workflow["steps"], heard=False)
    return workflow, maker.server(), maker.server()
