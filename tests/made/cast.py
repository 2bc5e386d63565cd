"""Random casts and hardware profiles: who and what takes part in the made workflows."""

from __future__ import annotations

import random
from typing import Any

POOLS = {"ci": 2, "gpu": 1, "cores": 4}
PEOPLE = ("dev", "lead")
AGENTS = ("coder", "checker")
SUBAGENTS = ("scout", "digger")  # the first calls the second; no step runs them by itself
TOOLS = ("shell", "tests", "flaky", "wide")
QUEUES = ("trunk", "train")


class Dice:
    """Small things, each drawn from one seed."""

    def __init__(self, seed: int, what: str = "workflow") -> None:
        self.random = random.Random(f"{what} {seed}")

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, *values: Any) -> Any:
        return self.random.choice(values)

    def time(self, mean: float) -> Any:
        """A time: constant half of the time (on whole seconds, so that ties happen)."""
        kind = self.random.randrange(6)
        if kind < 3:
            return f"{self.random.randint(0, round(2 * mean))}s"
        if kind == 3:
            return {"exponential": f"{mean}s"}
        if kind == 4:
            per = self.pick("task", {"task": "60%"})
            return {"p50": f"{mean}s", "p90": f"{3 * mean}s", "per": per}
        return {"uniform": ["0s", f"{2 * mean}s"]}

    def tokens(self, mean: int) -> Any:
        kind = self.random.randrange(3)
        if kind == 0:
            return self.pick(0, 1, mean)
        if kind == 1:
            return {"p50": mean, "p90": 4 * mean}
        return {"geometric": mean}

    def share(self) -> str:
        return f"{self.pick(0, 30, 60, 100)}%"


class CastMaker(Dice):
    """Tools, pools, people, agents, merge queues and caps; and the servers."""

    def cast(self) -> dict[str, Any]:
        cast = {
            "pools": {name: {"capacity": units} for name, units in POOLS.items()},
            "people": {name: self.person() for name in PEOPLE},
            "tools": self.tools(),
            "agents": {name: self.agent(name) for name in (*AGENTS, *SUBAGENTS)},
            "queues": {
                "trunk": self.queue("tail"),
                "train": self.queue("block"),
            },
        }
        return cast | ({"caps": self.caps()} if self.chance(0.45) else {})

    def person(self) -> dict[str, Any]:
        person = {
            "count": self.random.randint(1, 2),
            "pickup": self.time(5),
            "switch": self.time(2),
            "reads": {"code": "4000 loc/h", "prose": "240 wpm", "fixed": "1s"},
            "decides": "3s",
        }
        return person | ({"types": "3600 loc/h"} if self.chance(0.3) else {})

    def tools(self) -> dict[str, Any]:
        return {
            "shell": {"time": self.time(2), "returns": self.tokens(200)},
            "tests": {"time": self.time(9), "returns": 50, "uses": {"ci": 1}, "timeout": "30s"},
            "flaky": {
                "time": self.time(3),
                "returns": 10,
                "fails": self.share(),
                "retry": {"tries": self.random.randint(0, 2), "wait": "2s"},
            },
            "wide": {"time": self.time(4), "returns": 30, "uses": {"gpu": 1, "cores": 3}},
        }

    def queue(self, after: str) -> dict[str, Any]:
        queue = {"ci": self.time(6), "ci_fails": self.pick("0%", "30%"), "on_conflict": after}
        return queue | ({"rebase": self.time(2)} if self.chance(0.7) else {})

    def caps(self) -> dict[str, Any]:
        """Held for life, few places may all be held by agents that wait for their own."""
        caps: dict[str, Any] = {"held": self.pick("life", "call")}
        if self.chance(0.8):
            caps["agents"] = self.pick(1, 2, 2, 3, 5)
        if self.chance(0.5):
            caps["tools"] = self.random.randint(1, 2)
        if self.chance(0.3) or len(caps) == 1:
            caps["spawns"] = self.pick(2, 6, 40)
        return caps

    def agent(self, name: str) -> dict[str, Any]:
        calls = {"coder": "scout", "checker": "scout", "scout": "digger"}.get(name)
        agent: dict[str, Any] = {
            "model": self.pick("main", "small"),
            "prompt": {"harness": 900, name: 100},
            "turns": self.pick(1, 2, {"p50": 3, "p90": 6}),
            "thinking": self.tokens(60),
            "keeps_thinking": self.chance(0.5),
            "output": self.tokens(100),
            "tools": {"shell": "40%", "tests": "15%", "flaky": "15%", "wide": "10%"},
            "tools_per_turn": self.pick(1, 2, {"poisson": 1.5}),
            "in_turn": self.chance(0.3),
        }
        if calls is not None and self.chance(0.3):
            agent["tools"][calls] = "20%"
        if name in SUBAGENTS:
            agent |= {"turns": self.random.randint(1, 2), "task": self.pick(0, 80)}
        if self.chance(0.4):
            agent["returns"] = self.pick(40, {"geometric": 90})
        if self.chance(0.25):
            who = self.pick(*PEOPLE)
            agent["asks"] = {"who": who, "chance": self.pick("25%", "100%"), "time": self.time(2)}
        if self.chance(0.5):
            agent["writes"] = {"p50": "20 loc", "p90": "60 loc"}
        if self.chance(0.15):
            agent["size"] = self.pick("S", "L")
        if self.chance(0.4):
            agent["compact"] = {"at": 2200, "to": 1500}
            agent["compact"] |= {"time": "7s"} if self.chance(0.5) else {"output": 150}
        return agent

    # --- hardware -----------------------------------------------------------------------------

    def server(self) -> dict[str, Any]:
        server: dict[str, Any] = {
            "decode": self.decode(),
            "price": {"input": 3, "output": 15, "cached": 0.3, "cache_write": 3.75},
        }
        if self.chance(0.3):
            server["decode"]["spread"] = "30%"
        if self.chance(0.2):
            server["decode"]["jitter"] = "80%"
        if self.chance(0.3):
            server["first_token"] = {"value": self.time(1), "per_input_token": "200us"}
        else:
            server["prefill"] = {"rate": "1500 tok/s", "per_context_token": "50ns"}
            server["latency"] = self.pick("0s", "0.5s", {"exponential": "0.4s"})
        if self.chance(0.6):
            server["slots"] = self.pick(1, 2, 3)
            if "prefill" in server and self.chance(0.5):
                server["prefill"]["schedule"] = self.pick("exclusive", "separate", "chunked")
                if server["prefill"]["schedule"] == "chunked":
                    server["prefill"] |= self.pick({}, {"chunk": 64}, {"fixed": "20ms"})
        if self.chance(0.6):
            server["cache"] = {
                "kind": "ttl",
                "ttl": self.pick("5s", "1m"),
                "covers": self.pick("prompt", "all"),
                "block": self.pick(1, 64),
            }
            if self.chance(0.4):
                server["cache"] = {"kind": "lru", "capacity": self.pick("1k", "10k", "1M")}
                server["cache"] |= {"evicts": self.pick("entries", "tokens")}
            elif "slots" in server and self.chance(0.5):
                server["cache"] = {"kind": "slot", "block": self.pick(1, 64)}
            if self.chance(0.1):
                server["cache"]["degrades"] = {"after": self.pick("0s", "20s"), "to": "60%"}
        if self.chance(0.4):
            server |= {"limits": self.limits(), "max_output": 2000}
            if any(limit.get("on_limit") == "reject" for limit in server["limits"]):
                server["on_reject"] = self.pick(
                    {"wait": "reset"},
                    {"waits": ["1s", "5s"]},
                    {"first": "2s", "tries": 6, "jitter": "50%"},
                )
        if self.chance(0.4):
            server["context"] = self.pick(4_000, 20_000)
        if self.chance(0.2):
            server["faults"] = self.faults()
        schedule = server.get("prefill", {"schedule": "chunked"}).get("schedule")
        if "slots" in server and schedule != "chunked" and self.chance(0.3):
            after, recover = self.pick(("20s", "3s"), ("2s", "1s"), ("1m", "9h"))
            server["throttle"] = {"after": after, "factor": "50%", "recover": recover}
        return server

    def faults(self) -> dict[str, Any]:
        """Calls that fail, mostly with further tries."""
        found: dict[str, Any] = self.pick(
            {"error": "10%", "overload": "10%", "dropped": "10%"},
            {"timeout": "8s", "dropped": "20%"},
            {"outage": [{"from": "5s", "for": "3s"}, {"from": "60s", "for": "10s"}]},
        )
        if self.chance(0.8):
            found["retry"] = self.pick(
                {"waits": ["1s", "5s", "20s"]},
                {"first": "1s", "factor": 3, "at_most": "20s", "tries": 9, "jitter": "50%"},
            )
        return found

    def decode(self) -> dict[str, Any]:
        if self.chance(0.5):
            return {"rate": "100 tok/s"}
        return self.pick(
            {"step": {1: "10ms", 2: "13ms", 4: "19ms"}, "per_context_token": "500ns"},
            {"fit": {"a": "8ms", "b": "1ms", "d": "2ms"}, "tokens_per_step": 1.5},
            {"step": "20ms", "tokens_per_step": {"thinking": 3, "visible": 1.5}},
            {"total": {1: "100 tok/s", 4: "200 tok/s"}},
        )

    def limits(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [{"count": "requests", "bucket": 3, "refill": "0.5/s"}]
        if self.chance(0.5):
            limit = {"count": "output", "bucket": 9000, "refill": "200/s"}
            found.append(limit | {"reserve": "max_output", "refund": self.chance(0.5)})
        if self.chance(0.2):
            window = {"size": "10s", "allow": 5}
            on_limit = self.pick("wait", "reject")
            found.append({"count": "requests", "window": window, "on_limit": on_limit})
        if self.chance(0.2):
            window = {"size": "60s", "allow": 9000, "resume_delay": "7s"}
            found.append({"count": "output", "session_window": window})
        if self.chance(0.3):
            found.append({"count": "uncached_input", "bucket": 30_000, "refill": "900/s"})
        return found
