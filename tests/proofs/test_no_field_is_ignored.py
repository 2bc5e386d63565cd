"""A number of a file counts: changed, it changes a figure of the answer.

Tried on every number of the workflows and profiles that ship and of tests/cases/valid, first a
little, then by much, so that a cap that does not bind in the file as it is comes to bind. What
rightly changes nothing stands in `IDLE`, with the reason.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from agentsim.errors import EngineFault, Problems
from agentsim.experiment import Options, answer
from agentsim.report import json_
from agentsim.spec import Source
from tests.mutants import ROOT, Keys, Seed, lay_out, reach, seeds

FEW, MORE = 3, 40
"""Runs that are looked at first, and where nothing changed in these."""

FACTORS = (2, 0.5, 1.1, 1.2, 10, 0.1, 0.25, 3, 100, 0.01, 1e-3, 1e-4, 0.02, 0.005, -1)
_TIERED = {"tiers", "timezone"}
INSTEAD_OF_0 = (1, "1s", "1us", 100, 1000, "50%", "100 loc", "100s", "100 per kloc")

TEXTS = {"note", "name", "assumed", "start", "timezone", "id", "url", "as_of"}
"""Keys whose values are words, whatever digits stand in them; `model` of a profile too."""

TOLD = {"measured_to"}
"""What only a warning uses: it must change that."""

_NOT_RUN = "the step never runs in this file"
_ONE_VALUE = "all values are the same one"
IDLE: dict[tuple[str, str], str] = {
    ("m2-ultra", "decode.step.16"): "8 slots: never so many streams",
    ("m2-ultra", "decode.step.32"): "8 slots: never so many streams",
    ("tok100", "decode.step.16"): "8 slots: never so many streams",
    ("tok100", "decode.step.32"): "8 slots: never so many streams",
    **{
        (name, f"decode.step.{streams}"): "8 slots: never so many streams"
        for name in ("dgx-spark", "dgx-spark-qwen3-30b", "m2-ultra-qwen3-30b")
        for streams in (16, 32)
    },
    ("dgx-spark-vllm", "decode.step.16"): "32 at once, and then three: never about 16",
    ("dgx-spark-x2-vllm", "decode.step.16"): "32 at once, and then three: never about 16",
    ("gb300-x4-dsv4", "decode.step.128"): "never more than 40 streams",
    ("gb300-x4-kimi", "decode.step.128"): "never more than 40 streams",
    ("strix-halo", "prefill.rate.65536"): "never so deep",
    ("strix-halo-vulkan", "prefill.rate.65536"): "never so deep",
    **{
        (name, "price.input"): "all that is read enters the cache, at `cache_write`"
        for name in (
            *("claude-opus", "claude-sonnet", "claude-haiku"),
            *("gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna"),
        )
    },
    **{
        (name, "price.tiers.0.input"): "all that is read enters the cache, at `cache_write`"
        for name in ("claude-haiku", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna")
    },
    ("a-budget", "budget.money"): "nothing is bought",
    ("a-budget", "budget.chance"): "every run keeps to it",
    ("a-person-rejects", "steps.0.retry"): "what is rejected is not tried again",
    ("a-run-that-fails", "steps.1.wait"): _NOT_RUN,
    ("a-tool-that-never-fails", "steps.2.wait"): _NOT_RUN,
    ("a-choice", "steps.0.choose.1.wait"): _NOT_RUN,
    ("every-kind", "caps.*"): "never so many at once",
    ("every-kind", "agents.boss.caps.agents"): "never so many at once; see caps-of-an-agent",
    ("every-kind", "harnesses.rig.caps.tools"): "never so many at once; see a-harness",
    ("every-kind", "harnesses.rig.compact.*"): "90 % are not reached; see a-mark-by-the-context",
    ("every-kind", "steps.11.do.1.returns"): "nothing is asked after it; see an-agent-with-steps",
    ("every-kind", "params.items.1"): "`join: 1`: the first item is enough",
    ("every-kind", "agents.worker.compact.to"): "100k are not reached; see a-session-that-is-cut",
    ("every-kind", "agents.worker.compact.output"): "100k are not reached",
    ("every-kind", "steps.1.priority"): "nothing is scarce there; see who-goes-first",
    ("every-kind", "steps.2.retry"): "three tries of its tool fail in 1 of 1,000 runs",
    ("every-kind", "steps.4.approves.0"): "a later verdict stands before anything asks for it",
    ("every-kind", "steps.4.approves.1"): "a later verdict stands before anything asks for it",
    ("items", "steps.3.do.0.wait"): _NOT_RUN,
    ("names", "tools.unused.time"): _NOT_RUN,
    ("odd-but-right", "steps.1.max_output"): "its answer is of 10 tokens",
    ("odd-but-right", "steps.4.wait"): _NOT_RUN,
    ("presets", "tools.tests.fails"): "only agents run it: that is told in a warning",
    ("rounds", "steps.2.do.0.wait"): _NOT_RUN,
    ("rounds-that-run-out", "steps.1.wait"): _NOT_RUN,
    ("sessions", "steps.4.limit"): "more at once would be in one session, which is refused",
    ("values-that-are-one", "steps.2.wait.*"): _NOT_RUN,
    ("values-that-are-one", "steps.2.wait.uniform.0"): _NOT_RUN,
    ("values-that-are-one", "steps.3.wait.mixture.*.weight"): _ONE_VALUE,
    ("values-that-are-one", "steps.5.wait.p50"): "between p10 and p90, which are alike",
    ("verdicts", "steps.2.wait"): _NOT_RUN,
    ("words", "steps.5.writes"): "nobody reads it; see a-person-writes",
}
"""(file, path) -> why this number changes nothing there. `*` stands for any part of a path."""

# What runs on a profile: long and short contexts, many streams at once, sessions that go on.
PROFILED = {
    "agentsim": 1,
    "start": "2026-12-05T10:00",
    "timezone": "UTC",
    "agents": {"worker": {"turns": 2, "output": 200, "thinking": 50, "prompt": 600}},
    "steps": [
        {"each": 40, "do": [{"call": "main", "id": "many", "input": 900, "output": 90}]},
        {"agent": "worker", "task": 300},
        {"wait": "20s"},
        {
            "parallel": [
                {"call": "main", "id": f"{n} long", "input": 90, "output": n}
                for n in (60, 120, 180)
            ]
        },
        {"agent": "worker", "id": "again", "session": "worker", "task": 300},
    ],
}
NUMBER = re.compile(r"(\$?)([0-9]+(?:\.[0-9]+)?)(\s*[a-zA-Zµ%/ ].*)?")


def leaves(value: Any, at: Keys = ()) -> Iterator[Keys]:
    """The paths of all numbers, bare or with a unit."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key not in TEXTS:
                yield from leaves(part, (*at, key))
    elif isinstance(value, list):
        for key, part in enumerate(value):
            yield from leaves(part, (*at, key))
    elif (isinstance(value, int | float) and not isinstance(value, bool)) or (
        isinstance(value, str) and NUMBER.fullmatch(value)
    ):
        yield at


def others(value: Any) -> Iterator[Any]:
    """Other numbers for a number, in its unit; what was whole is whole at first."""
    found = NUMBER.fullmatch(str(value))
    number = float(found[2]) if found else float(value)
    if not number:
        yield from INSTEAD_OF_0
        return
    for factor in FACTORS:
        if isinstance(value, str):
            assert found is not None
            yield f"{found[1]}{number * factor:.10g}{found[3] or ''}"
        elif isinstance(value, float):
            yield value * factor
        else:
            yield round(value * factor)
            if round(value * factor) != value * factor:
                yield value * factor


def figures(seed: Seed, value: Any, folder: Path, runs: int) -> Any:
    """All figures of the answer; None where the file is refused."""
    path = folder / seed.path.name
    path.write_text(yaml.safe_dump(value, sort_keys=False, allow_unicode=True), "utf-8")
    if seed.is_profile:
        beside = folder / "beside.yaml"
        beside.write_text(yaml.safe_dump(PROFILED), "utf-8")
        asked = Source(str(beside), (str(path),))
    else:
        asked = Source(str(path), (hardware_of(seed, folder),))
    try:
        found = json_.answer(answer(asked, Options(runs=runs, levers=False, sensitivity=False)))
    except (Problems, EngineFault):
        return None
    found.pop("assumed")  # repeats what was written
    if found["budget"]:
        budget = found["budget"]
        verdict = budget["met"] >= budget["chance"]
        found["budget"] = {"verdict": verdict, "met": budget["met"], "by": budget["met_by"]}
    return found


def hardware_of(seed: Seed, folder: Path) -> str:
    """The profile that a case names at its top, else `cerebras`."""
    given = re.search(r"^# hardware: (.+)$", seed.text, re.MULTILINE)
    if given is None:
        return "cerebras"
    box = folder / "box.yaml"
    box.write_text(yaml.safe_dump({"agentsim": 1, **yaml.safe_load(given[1])}), "utf-8")
    return str(box)


def without_words(found: Any) -> Any:
    """Figures alone: what is only told again is no effect."""
    return {key: part for key, part in found.items() if key not in {"warnings", "hardware"}}


def counts(seed: Seed, at: Keys, folder: Path, runs: int, most: int = 99) -> str:
    """What a number does: `changes`, `refused` whatever it is, or `nothing` in `most` tries."""
    base = companion(seed, at)
    plain = figures_of(seed, repr(base), folder, runs)
    assert plain is not None
    written = reach(base, at)
    accepted = 0
    for new in others(written):
        value = copy.deepcopy(base)
        reach(value, at[:-1])[at[-1]] = new
        found = None if new == written else figures(seed, value, folder, runs)
        if found is None:
            continue
        accepted += 1
        if at[-1] in TOLD:
            changes = found["warnings"] != plain["warnings"]
        else:
            changes = without_words(found) != without_words(plain)
        if changes:
            return "changes"
        if accepted == most:
            break
    return "nothing" if accepted else "refused"


_PLAIN: dict[tuple[str, str, int], Any] = {}


def figures_of(seed: Seed, base: str, folder: Path, runs: int) -> Any:
    """`figures` of a file that is asked for again and again."""
    key = (str(seed.path), base, runs)
    if key not in _PLAIN:
        _PLAIN.clear()
        _PLAIN[key] = figures(seed, ast.literal_eval(base), folder, runs)
    return _PLAIN[key]


def limit_of(seed: Seed, at: Keys) -> Any:
    """The quota of the file that a path is in."""
    return seed.value["limits"][at[1]]


def holds(limit: Any, most: Any, refill: Any) -> None:
    """Lets a quota hold so much: a bucket that fills like that, or a window."""
    if "bucket" in limit:
        limit.update(bucket=most, refill=refill)
    else:
        limit["window"]["allow"] = most


def companion(seed: Seed, at: Keys) -> Any:
    """The file, with what binds before this number out of the way."""
    value = copy.deepcopy(seed.value)
    if not seed.is_profile:
        return value
    if at[0] == "limits":  # one quota at a time, and small enough to be empty when it is filled
        limit = value["limits"][at[1]]
        for other in value["limits"]:
            holds(other, "1G", "1G/s")
        holds(limit, 4 if limit["count"] == "requests" else "3k", limit_of(seed, at).get("refill"))
    if at[0] == "price" and "tiers" in value["price"]:
        if "tiers" not in at:
            value["price"] = {k: it for k, it in value["price"].items() if k not in _TIERED}
        elif at[-1] != "above":
            value["price"]["tiers"][at[2]]["above"] = 1
    if "max_output" in value and at != ("max_output",):
        value["max_output"] = 900
    return value


def idle(seed: Seed, at: Keys) -> bool:
    """Whether a row of `IDLE` names this number."""
    rows = (pattern.split(".") for file, pattern in IDLE if file == seed.path.stem)
    return any(
        len(parts) == len(at)
        and all(it in ("*", str(key)) for it, key in zip(parts, at, strict=True))
        for parts in rows
    )


@cache
def all_seeds() -> dict[str, Seed]:
    return {f"{seed.path.parent.name}/{seed.path.stem}": seed for seed in seeds()}


@pytest.mark.parametrize("name", all_seeds())
def test_every_number_counts(name: str, tmp_path: Path) -> None:
    seed = all_seeds()[name]
    lay_out(list(all_seeds().values()), tmp_path)
    wrong = []
    for at in leaves(seed.value):
        if at == ("agentsim",) or (seed.is_profile and at == ("model",)):
            continue
        does = counts(seed, at, tmp_path, FEW, 3 if idle(seed, at) else 99)
        if does == "nothing" and not idle(seed, at):
            does = counts(seed, at, tmp_path, MORE)
        if (does == "changes") == idle(seed, at):
            wrong.append(f"{does}: {'.'.join(map(str, at))} = {reach(seed.value, at)}")
    assert not wrong, f"{seed.path.relative_to(ROOT)}\n" + "\n".join(wrong)


def test_every_row_of_the_list_is_of_a_number() -> None:
    left = {
        (file, pattern)
        for file, pattern in IDLE
        for seed in all_seeds().values()
        if seed.path.stem == file
        for at in leaves(seed.value)
        if re.fullmatch(pattern.replace(".", r"\.").replace("*", "[^.]+"), ".".join(map(str, at)))
    }
    assert left == set(IDLE)
