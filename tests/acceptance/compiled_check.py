"""Hold the compiled engine to the plain one: the same bytes from both, for every shipped workflow.

A program, not a test module: `python tests/acceptance/compiled_check.py PLAIN COMPILED`, two
commands `agentsim`. `make compiled` runs it where there is a C compiler. The tests of the engine
run on the compiled one too, away from the sources.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "tests" / "benchmarks"
HARDWARE = ("claude-opus", "m2-ultra")
RUNS = 20
WORKFLOWS = 300  # random ones, of every kind of step

# A line for each random workflow: its number, and what stands for all that happened in a run.
TRACES = """
import hashlib, pathlib, sys, tempfile
from agentsim.engine import simulate
from agentsim.errors import EngineFault
from tests.made.workflows import loaded, made

with tempfile.TemporaryDirectory() as folder:
    for seed in range(int(sys.argv[1])):
        graph = loaded(pathlib.Path(folder), made(seed))
        try:
            told = repr(simulate(graph, 1, seed))
        except EngineFault as fault:
            told = str(fault)
        print(seed, hashlib.sha256(told.encode()).hexdigest())
"""


class Run(NamedTuple):
    """One question to both."""

    workflow: str
    hardware: str

    def asked(self, command: str, folder: str) -> tuple[int, bytes, bytes]:
        runs = ("--runs", str(RUNS), "--no-sensitivity")
        done = subprocess.run(
            [command, "run", self.workflow, "--hw", self.hardware, "--json", *runs],
            cwd=folder,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr


def main() -> None:
    plain, compiled = (str(Path(one).absolute()) for one in sys.argv[1:3])
    if not _is_compiled(compiled) or _is_compiled(plain):
        sys.exit("compiled check: the first command must be plain Python, the second compiled")
    runs = [
        Run(str(path), name) for path in sorted(ROOT.glob("workflows/*.yaml")) for name in HARDWARE
    ]
    runs += [
        Run(str(BENCH / "worktrees.yaml"), str(BENCH / f"{n}.yaml")) for n in ("box", "hosted")
    ]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda run: _both(run, plain, compiled, folder), runs))
        answered = sum(code in (0, 1) for code in answers)
        if answered < len(runs) / 2:
            sys.exit(f"compiled check: only {answered} of {len(runs)} runs gave an answer")
        _away_from_the_sources(Path(folder))
        told = list(pool.map(lambda command: _traces(command, folder), (plain, compiled)))
        if told[0] != told[1]:
            sys.exit("compiled check: random workflows go another way\n" + _first(*told))
        done = _python(compiled, folder, "-m", "pytest", "-q", "-n", "2", "tests/unit/engine")
        if done.returncode:
            sys.exit(f"compiled check: tests fail with the compiled engine\n{done.stdout}")
    print(f"compiled: the same bytes in {len(runs)} answers and {WORKFLOWS} random workflows;")
    print(f"compiled: {done.stdout.splitlines()[-1]} (tests of the engine)")


def _away_from_the_sources(folder: Path) -> None:
    """Tests and what they read, in a folder without the sources, which Python would find first."""
    shutil.copytree(ROOT / "tests", folder / "tests")
    for name in ("hardware", "workflows", "pyproject.toml"):
        (folder / name).symlink_to(ROOT / name)


def _python(command: str, folder: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    python = str(Path(command).parent / "python")
    return subprocess.run(
        [python, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def _traces(command: str, folder: str) -> list[str]:
    done = _python(command, folder, "-c", TRACES, str(WORKFLOWS))
    if done.returncode:
        sys.exit(f"compiled check: random workflows end badly\n{done.stderr}")
    return done.stdout.splitlines()


def _first(one: list[str], other: list[str]) -> str:
    return next(f"{a}\n{b}" for a, b in zip(one, other, strict=True) if a != b)


def _both(run: Run, plain: str, compiled: str, folder: str) -> int:
    """The exit code that both end with."""
    one, other = run.asked(plain, folder), run.asked(compiled, folder)
    if one != other:
        sys.exit(f"compiled check: {run.workflow} on {run.hardware} differs\n{other[2].decode()}")
    return one[0]


def _is_compiled(command: str) -> bool:
    code = "import agentsim.engine.world as world; print(world.__file__)"
    # not from the folder of the sources, which Python would take first
    done = _python(command, tempfile.gettempdir(), "-c", code)
    return not done.stdout.strip().endswith(".py")


if __name__ == "__main__":
    main()
