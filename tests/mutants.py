"""Files that were right, broken in one to three places: what the proofs about bad input work on."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from agentsim.spec.reader import read_file

ROOT = Path(__file__).resolve().parents[1]

Keys = tuple[Any, ...]


@dataclass(frozen=True)
class Seed:
    """A file that is right: a workflow, or a hardware profile."""

    path: Path
    is_profile: bool
    text: str
    value: Any


def seeds() -> list[Seed]:
    """All workflows and profiles that ship, and all of tests/cases/valid."""
    folders = [("workflows", False), ("hardware", True), ("tests/cases/valid", False)]
    return [
        Seed(path, is_profile, path.read_text("utf-8"), read_file(path).value)
        for folder, is_profile in folders
        for path in sorted((ROOT / folder).glob("*.yaml"))
    ]


def lay_out(all_: list[Seed], folder: Path) -> None:
    """Puts the files that others `include` beside what will be written to `folder`."""
    named = {name for seed in all_ for name in re.findall(r"include: ([\w.-]+)", seed.text)}
    for seed in all_:
        if seed.path.name in named:
            (folder / seed.path.name).write_text(seed.text, "utf-8")


def paths(value: Any, at: Keys = ()) -> Iterator[Keys]:
    """The paths of all that stands in a tree, itself left out."""
    if at:
        yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from paths(value[key], (*at, key))


def reach(value: Any, at: Keys) -> Any:
    for key in at:
        value = value[key]
    return value


# --- trees ------------------------------------------------------------------------------------

HUGE = [10**15, 1e300, 1e18, 99_999, 20_001, 5_000_000, "9e99s", "99999d", "36500d", "1000G"]
SMALL = [0, "0s", 0.0, 1e-300, "1ns", "0%", "0 loc", 5e-324, "0.0001 tok/s", -0.0]
NEGATIVE = [-1, -1e9, "-5s", "-5%", "-3 loc", -0.5]
OTHERS: list[Any] = [None, True, False, "", " ", "x", "yes", "no", "any", "go on", "self", "é" * 90]
OTHERS += [
    [],
    {},
    [[]],
    [None],
    {"x": 1},
    {1: 2},
    ["a"] * 9,
    "$(n)",
    "$(item)",
    "$(1/0)",
    "${",
    "$(",
]
OTHERS += [{"p50": "1s", "p90": "0s"}, {"uniform": ["5s", "1s"]}, {"mean": "1s", "cv": 1e200}]
OTHERS += [
    {"values": []},
    {"mixture": []},
    {"like": "coder"},
    {"p50": 4, "p90": 2e7},
    "a.b",
    "100%",
]
OTHERS += [{"geometric": 1e9}, {"poisson": 1e9}, {"exponential": "9999d"}, {"mean": 5, "cv": 50}]
OTHERS += [{"geometric": {"p": "0.0001%"}}, {"p0.1": 1, "p99.9": 9}, "2026-11-30T10:00", "85%", 1]
_WORDS = (
    "id needs when timeout retry or priority do between agent tool wait call loop each parallel "
    "person session reads approves limit join turns like size budget fork compact tools prompt "
    "count uses hours decode rate step fit total prefill cache ttl slots limits price output input "
    "thinking writes returns time fails note params steps people pools agents workload choose "
    "attempts merge queues quality harness caps spread context max_output latency draws pick"
)
NAMES = _WORDS.split()


def _drop(dice: random.Random, owner: Any, key: Any) -> None:
    del owner[key]


def _rename(dice: random.Random, owner: Any, key: Any) -> None:
    if isinstance(owner, dict):
        new = dice.choice([*NAMES, 7, f"{key}x", str(key)[:-1], str(key).upper()])
        owner[new] = owner.pop(key)


def _other(dice: random.Random, owner: Any, key: Any) -> None:
    owner[key] = copy.deepcopy(dice.choice(dice.choice([HUGE, SMALL, NEGATIVE, OTHERS])))


def _number(dice: random.Random, owner: Any, key: Any) -> None:
    """Another number with the same unit, or the same one without it."""
    value = owner[key]
    factor = dice.choice([0, -1, 0.5, 2, 10, 1000, 1e6, 1e12, 1e300])
    if isinstance(value, int | float) and not isinstance(value, bool):
        owner[key] = value * factor
    elif isinstance(value, str) and (found := re.match(r"\$?([0-9.]+)", value)):
        rest = value[found.end() :] if dice.random() < 0.8 else dice.choice(["", "s", "%", " loc"])
        owner[key] = f"{float(found[1].strip('.') or 0) * factor:g}{rest}"
    else:
        _other(dice, owner, key)


def _nest(dice: random.Random, owner: Any, key: Any) -> None:
    for _ in range(dice.choice([1, 1, 2, 70])):
        owner[key] = [owner[key]] if dice.random() < 0.5 else {dice.choice(NAMES): owner[key]}


def _add(dice: random.Random, owner: Any, key: Any) -> None:
    if isinstance(owner, dict):
        owner[dice.choice(NAMES)] = copy.deepcopy(dice.choice([*HUGE, *SMALL, *OTHERS]))
    else:
        owner.insert(key, copy.deepcopy(dice.choice(OTHERS)))


def _again(dice: random.Random, owner: Any, key: Any) -> None:
    if isinstance(owner, list):
        owner += [copy.deepcopy(owner[key]) for _ in range(dice.choice([1, 2, 300]))]


TREES: list[Callable[[random.Random, Any, Any], None]] = [
    _drop, _rename, _other, _other, _number, _number, _number, _nest, _add, _again,
]  # fmt: skip


def _in_trees(dice: random.Random, seed: Seed, all_: list[Seed]) -> str:
    value = copy.deepcopy(seed.value)
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        places = list(paths(value))
        if not places:
            break
        at = dice.choice(places)
        owner, key = reach(value, at[:-1]), at[-1]
        if dice.random() < 0.12:  # something of another file, or of another place of this one
            other = dice.choice(all_).value if dice.random() < 0.5 else value
            owner[key] = copy.deepcopy(reach(other, dice.choice(list(paths(other)))))
        else:
            dice.choice(TREES)(dice, owner, key)
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, default_flow_style=None)


# --- texts ------------------------------------------------------------------------------------


def _truncated(dice: random.Random, text: str) -> str:
    return text[: dice.randrange(len(text) + 1)]


def _without_a_piece(dice: random.Random, text: str) -> str:
    at = dice.randrange(len(text))
    return text[:at] + text[at + dice.choice([1, 1, 2, 30]) :]


def _line_again(dice: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    at = dice.randrange(len(lines))
    lines.insert(dice.choice([at, dice.randrange(len(lines))]), lines[at])
    return "".join(lines)


def _aliased(dice: random.Random, text: str) -> str:
    """An anchor before one value and its alias in place of another, or no anchor at all."""
    found = list(re.finditer(r"(?<=: )[^\s,{}\[\]#&*\"']+", text))
    for match in sorted(dice.sample(found, min(len(found), 2)), key=lambda m: -m.start()):
        mark = dice.choice(["&a ", "*a ", "*b ", "&a *a ", "!x ", "<<: *a "])
        keep = match[0] if mark[0] == "&" and "*" not in mark else ""
        text = text[: match.start()] + mark + keep + text[match.end() :]
    return text


def _pasted(dice: random.Random, text: str) -> str:
    junk = [
        "\t",
        "\x00",
        "\x1b[2J",
        "\u202e",
        "漢字",
        ": ",
        "- ",
        "{",
        "]",
        "'",
        '"',
        "|",
        ">",
        "---\n",
    ]
    junk += [
        "\n",
        "\r",
        "%",
        "@",
        "`",
        "$(",
        "${",
        "}",
        "é" * 200,
        "\ud7ff",
        "\ufeff",
        "? ",
        "<<: x\n",
    ]
    at = dice.randrange(len(text) + 1)
    return text[:at] + dice.choice(junk) + text[at:]


TEXTS = [_truncated, _without_a_piece, _line_again, _aliased, _pasted]


def mutant(number: int, all_: list[Seed]) -> tuple[Seed, bytes]:
    """The file with that number: the same each time."""
    dice = random.Random(number)
    seed = dice.choice(all_)
    kind = dice.random()
    if kind < 0.7:
        return seed, _in_trees(dice, seed, all_).encode("utf-8", "surrogatepass")
    if kind < 0.97:
        return seed, dice.choice(TEXTS)(dice, seed.text).encode("utf-8")
    data = bytearray(seed.text.encode("utf-8"))  # bytes that are no text
    for _ in range(dice.choice([1, 5, len(data)])):
        data[dice.randrange(len(data))] = dice.randrange(256)
    return seed, bytes(data)
