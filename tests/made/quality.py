"""Defects in the random workflows: who puts them in, finds and mends them, put over what was made.

With a seed of its own, so that the workflow below is the one that it was without.
"""

from __future__ import annotations

from tests.made.cast import AGENTS, PEOPLE, SUBAGENTS, TOOLS, Dice
from tests.made.harness import File
from tests.made.steps import Step, all_steps

CLEAN = "when clean"


class Quality(Dice):
    """Words of defects in the file, in definitions and at steps; and loops of review and fix."""

    def dress(self, workflow: File, parts: dict[str, File]) -> None:
        """More than half of the workflows have something of it."""
        if not self.chance(0.6):
            return
        if self.chance(0.7):
            workflow["quality"] = self.whole()
        self.definitions(workflow)
        for step in all_steps(workflow["steps"], parts):
            self.step(step, workflow)
        if self.chance(0.7):
            at = self.pick(0, len(workflow["steps"]))
            workflow["steps"].insert(at, self.review())

    def density(self) -> str:
        return f"{self.pick(0, 30, 150, 400)} per kloc"

    def finds(self) -> str:
        return f"{self.pick(0, 35, 60, 100)}%"

    def regressions(self) -> str:
        return f"{self.pick(0, 20, 60)}%"

    def whole(self) -> File:
        """What holds of all who say nothing else."""
        quality: File = {"defects": self.density()} if self.chance(0.8) else {}
        if self.chance(0.6):
            quality["regressions"] = self.regressions()
        if self.chance(0.8):
            quality["finds"] = self.finds()
        if self.chance(0.6) or not quality:
            quality["correlation"] = f"{self.pick(0, 57, 100)}%"
        return quality

    def definitions(self, workflow: File) -> None:
        for name in (*AGENTS, *SUBAGENTS):
            self.words(workflow["agents"][name], 0.25)
        for name in PEOPLE:
            self.words(workflow["people"][name], 0.25)
        for name in TOOLS:
            if self.chance(0.4):
                workflow["tools"][name]["finds"] = self.finds()

    def words(self, of: File, share: float) -> None:
        if self.chance(share):
            of["defects"] = self.density()
        if self.chance(share):
            of["regressions"] = self.regressions()
        if self.chance(share):
            of["finds"] = self.finds()

    def step(self, step: Step, workflow: File) -> None:
        """What a step says itself; `when clean` goes by what something finds."""
        if "tool" in step or ("agent" in step and "do" in step):
            if self.chance(0.3):
                step["finds"] = self.finds()
        elif "agent" in step or "person" in step:
            self.words(step, 0.12)
            if "writes" not in step and self.chance(0.15):
                step["writes"] = self.pick("0 loc", "12 loc")
        else:
            return
        if "approves" in step and self.chance(0.5):
            step["approves"] = CLEAN
            section = next(key for key in ("tool", "agent", "person") if key in step)
            defined = workflow.get(f"{section}s" if section != "person" else "people", {})
            if "finds" not in defined.get(step[section], {}):
                step.setdefault("finds", self.finds())

    # --- loops of review and fix --------------------------------------------------------------

    def review(self) -> Step:
        """Written once, then looked at and mended until it is clean; perhaps several times over."""
        looks: list[Step] = [
            {"tool": "shell", "id": "q-test", "finds": self.finds(), "or": "go on"},
            {"agent": "checker", "id": "q-agent", "reads": "changes", "finds": self.finds()},
            {"person": "lead", "id": "q-person", "reads": "changes", "finds": self.finds()},
        ]
        if self.chance(0.4):  # a reading that is cut short, and done again
            looks[2] |= {"timeout": self.pick("30s", "36s", "45s"), "or": "go on"}
            looks[2]["retry"] = {"tries": 2, "wait": "2s"}
        looks = self.random.sample(looks, self.pick(1, 2))
        looks[-1]["approves"] = CLEAN
        if len(looks) == 2 and self.chance(0.3):
            looks = [{"parallel": looks, "id": "q-both"}]
        write: Step = {"agent": "coder", "id": "q-write", **self.written()}
        fix: Step = {"agent": "coder", "id": "q-fix", "session": "q-write", "turns": 1}
        if self.chance(0.4):
            fix = {"person": "dev", "id": "q-fix", "time": "4s"}
        fix |= {"writes": self.pick("0 loc", "5 loc")}
        if self.chance(0.5):
            fix["regressions"] = self.pick("20%", "60%")
        rounds: Step = {"loop": self.pick(2, 4), "id": "q-loop", "do": looks, "between": [fix]}
        rounds["or"] = "go on"
        return self.around([write, rounds])

    def written(self) -> File:
        return {"writes": self.pick("30 loc", {"p50": "40 loc", "p90": "90 loc"}),
                "defects": self.pick("80 per kloc", "300 per kloc")}  # fmt: skip

    def around(self, steps: list[Step]) -> Step:
        """Nothing, items, worktrees, an agent, tries or a time limit around the steps."""
        around: Step = {"id": "q-around", "do": steps, "or": "go on"}
        kind = self.random.randrange(6)
        if kind == 0:
            return self.items(steps)
        elif kind == 1:
            around |= {"attempts": 2, "succeeds": "70%", "correlation": "50%"}
            who = self.pick({"person": "dev", "id": "q-who"}, {"agent": "checker", "id": "q-who"})
            around["pick"] = who | {"reads": "changes", "finds": self.finds()}
        elif kind == 2:
            around |= {"attempts": 2, "pick": "first"}
        elif kind == 3:
            around |= {"agent": "checker", "finds": self.finds(), "approves": CLEAN}
        elif kind == 4:
            around |= {"retry": {"tries": 2, "wait": "2s"}, "timeout": self.pick("20s", "60s")}
        return around

    def items(self, steps: list[Step]) -> Step:
        """Something written before, then items, then items again that look at and mend it all."""
        before: Step = {"person": "dev", "id": "q-before", "time": "1s", "writes": "30 loc"}
        look: Step = {"tool": "shell", "id": "q-look", "time": self.time(2), "finds": "60%"}
        mend: Step = {"person": "lead", "id": "q-mend", "time": "1s", "writes": "0 loc"}
        each: Step = {"each": 2, "id": "q-items", "limit": self.pick(1, 2), "do": steps}
        again: Step = {"each": 2, "id": "q-again", "do": [{**look, "approves": CLEAN}, mend]}
        return {
            "id": "q-around",
            "do": [{**before, "defects": "100 per kloc"}, {**each, "or": "go on"}, again],
            "or": "go on",
        }
