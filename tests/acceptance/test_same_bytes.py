"""The same question gets the same bytes: twice, with another hash seed, another machine zone,
another order of keys in the files, and another number of processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.runs import write

WORKFLOW: dict[str, Any] = {
    "start": "2026-11-30T10:00",
    "timezone": "Europe/Amsterdam",
    "params": {"rounds": 3, "lines": 40},
    "budget": {"wall": "2h", "chance": "80%"},
    "tools": {
        "shell": {
            "time": {"p50": "2s", "p90": "9s", "per": "task"},
            "returns": {"p50": 90, "p90": 400},
        },
        "tests": {"time": {"p50": "20s", "p90": "70s"}, "returns": 80, "uses": {"ci": 1, "db": 1}},
        "lint": {"time": {"exponential": "4s"}, "returns": 10, "fails": "20%", "uses": {"db": 1}},
    },
    "pools": {"ci": {"capacity": 2}, "db": {"capacity": 2}},
    "people": {
        "dev": {"count": 1, "pickup": {"p50": "2m", "p90": "9m"}, "switch": "30s"},
        "ann": {"count": 2, "pickup": {"exponential": "1m"}, "switch": "10s"},
    },
    "agents": {
        "coder": {
            "model": "main",
            "prompt": {"harness": "4k", "coder": "1k"},
            "turns": {"p50": 4, "p90": 9},
            "thinking": {"p50": 90, "p90": 300},
            "output": {"p50": 100, "p90": 400},
            "tools": {"shell": "60%", "tests": "25%", "lint": "15%"},
            "tools_per_turn": {"poisson": 1.3},
            "writes": "$(lines) loc",
        },
        "reviewer": {
            "model": "small",
            "prompt": {"harness": "4k", "reviewer": 500},
            "turns": 2,
            "output": {"p50": 100, "p90": 400},
            "tools": {"shell": "100%"},
        },
    },
    "steps": [
        {"agent": "coder", "id": "implement", "task": "1k"},
        {
            "loop": "$(rounds)",
            "id": "until-clean",
            "do": [{"agent": "reviewer", "reads": "changes", "approves": ["10%", "60%"]}],
            "between": [{"agent": "coder", "session": "implement", "turns": 2}],
        },
        {
            "each": 4,
            "id": "parts",
            "limit": 3,
            "do": [
                {"agent": "coder", "id": "part", "timeout": "5m", "or": "go on"},
                {"person": "ann", "id": "look", "reads": "changes", "decides": "20s"},
            ],
        },
        {
            "id": "race",
            "parallel": [
                {"tool": "tests", "id": "t"},
                {"tool": "lint", "id": "l", "retry": 1, "or": "go on"},
                {"wait": {"exponential": "30s"}, "id": "w", "uses": {"ci": 1}},
            ],
            "join": 2,
        },
        {"person": "dev", "id": "accept", "reads": "changes", "approves": "80%"},
    ],
}
HARDWARE: dict[str, Any] = {
    "decode": {"step": {1: "9ms", 2: "12ms", 4: "17ms"}, "per_context_token": "150ns"},
    "prefill": {"rate": "3000 tok/s", "schedule": "exclusive"},
    "latency": {"p50": "20ms", "p90": "60ms"},
    "slots": 3,
    "cache": {"kind": "ttl", "ttl": "5m"},
    "price": {"input": 1, "output": 4, "cached": 0.1},
}

LINE = re.compile(rb"\(line \d+\)")

ORDERED = frozenset({"prompt"})
"""Mappings whose order is a meaning of its own: blocks of a prompt, one after another."""


def turned(value: Any, key: str = "") -> Any:
    """The same with the keys of every mapping in the opposite order."""
    if isinstance(value, dict) and key not in ORDERED:
        return {name: turned(value[name], str(name)) for name in reversed(value)}
    if isinstance(value, list):
        return [turned(entry) for entry in value]
    return value


def answer(folder: Path, *options: str, turn: bool = False, **env: str) -> bytes:
    """What `run --json` writes, from a process of its own."""
    for name, content in (("workflow.yaml", WORKFLOW), ("hardware.yaml", HARDWARE)):
        path = write(folder, name, content)
        if turn:
            whole = turned(yaml.safe_load(path.read_text(encoding="utf-8")))
            path.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    command = [sys.executable, "-m", "agentsim", "run", "workflow.yaml", "--hw", "hardware.yaml"]
    command += ["--json", "--runs", "30", "--seed", "5", *options]
    root = str(Path(__file__).resolve().parents[2])
    around = {**os.environ, "PYTHONPATH": root, **env}
    done = subprocess.run(command, cwd=folder, env=around, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    found = answer(tmp_path_factory.mktemp("first"), "--jobs", "1", PYTHONHASHSEED="1", TZ="UTC")
    assert len(found) > 2000
    return found


def test_twice(first: bytes, tmp_path: Path) -> None:
    assert answer(tmp_path, "--jobs", "1", PYTHONHASHSEED="1", TZ="UTC") == first


def test_another_hash_seed_and_zone(first: bytes, tmp_path: Path) -> None:
    found = answer(tmp_path, "--jobs", "1", PYTHONHASHSEED="77", TZ="Asia/Kathmandu")
    assert found == first


def test_two_processes(first: bytes, tmp_path: Path) -> None:
    assert answer(tmp_path, "--jobs", "2", PYTHONHASHSEED="2") == first


def test_another_order_of_keys(first: bytes, tmp_path: Path) -> None:
    """Of definitions, of the fields of a step, of pools that are used and of tools by share.

    Only the lines differ at which a warning says that something stands.
    """
    found = answer(tmp_path, "--jobs", "1", turn=True)
    assert found != first
    assert LINE.sub(b"", found) == LINE.sub(b"", first)


def test_another_seed_is_another_answer(first: bytes, tmp_path: Path) -> None:
    assert answer(tmp_path, "--seed", "6") != first


def test_keys_are_turned_in_every_mapping() -> None:
    found = turned({"a": 1, "prompt": {"x": 1, "y": 2}, "b": [{"c": 1, "d": 2}]})
    assert list(found) == ["b", "prompt", "a"]
    assert list(found["b"][0]) == ["d", "c"]
    assert list(found["prompt"]) == ["x", "y"]
