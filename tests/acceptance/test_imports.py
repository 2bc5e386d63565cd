"""What a start loads: the reason why `--help` answers at once and a worker stays small.

Each test asks a fresh interpreter for the modules that it imported (`-X importtime`).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEAVY = {"numpy", "networkx", "matplotlib"}
ROOMS_OF_A_WORKER = ("records", "chance", "laws", "graph", "engine", "analysis")

# Imports every module of the rooms that it is given.
WALK = """
import pkgutil, sys
for room in sys.argv[1:]:
    # by the import statement: importlib's own way leaves no line in the list
    exec(f"import agentsim.{room} as module")
    for found in pkgutil.walk_packages(getattr(module, "__path__", []), f"{module.__name__}."):
        exec(f"import {found.name}")
"""


def loaded(root: Path, *arguments: str, codes: tuple[int, ...] = (0,)) -> set[str]:
    """Top-level and dotted names of all modules that `python ARGUMENTS` imported."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in codes, done.stderr[-2000:]
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    names = {line.rpartition("|")[2].strip() for line in lines}
    assert "agentsim" in names
    return names


def test_importing_the_package_loads_none_of_its_rooms(root: Path) -> None:
    names = loaded(root, "-c", "import agentsim")
    assert not {name for name in names if name.startswith("agentsim.")}
    assert "importlib.metadata" not in names


def test_help_loads_no_library_of_a_run(root: Path) -> None:
    names = loaded(root, "-m", "agentsim", "--help")
    assert not names & (HEAVY | {"simpy", "pydantic", "yaml"})


def test_help_loads_no_room_below_the_command_line(root: Path) -> None:
    names = loaded(root, "-m", "agentsim", "--help")
    rooms = {name.split(".")[1] for name in names if name.startswith("agentsim.")}
    assert rooms <= {"__main__", "cli", "errors"}


def test_a_small_run_loads_nothing_heavy(root: Path) -> None:
    run = ("-m", "agentsim", "run", "first", "--hw", "cerebras", "--runs", "20", "--seed", "0")
    names = loaded(root, *run, codes=(0, 1))  # 1: the budget of the file is missed
    assert "agentsim.engine" in names
    assert not names & HEAVY


def test_a_worker_needs_no_reader(root: Path) -> None:
    """Graphs travel to worker processes as they are: reading YAML stays with the parent."""
    names = loaded(root, "-c", WALK, *ROOMS_OF_A_WORKER)
    assert "simpy" in names
    assert not names & (HEAVY | {"pydantic", "yaml", "click", "rich"})
