"""`make bench`: what the simulator costs, each figure beside a bare SimPy loop of the same run.

Machines differ, and one may change its speed from minute to minute, so a figure in seconds is also
given as it would be where the bare loop serves 139,000 customers a second (the machine on which
the goals were set): the bare loop runs before and after each command that is timed.

`python -m tests.benchmarks [PYTHON]`: with the Python of an environment that holds the compiled
program (`make fast`), the long commands are timed there too.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from math import fsum
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks import loops

HERE = Path(__file__).parent
REFERENCE = 139_000.0
ROUNDS = 5


def main() -> int:
    print(f"{'what':<46} {'here':>12} {'ratio':>9} {'goal':>10} {'aim':>8}")
    bare = statistics.median(loops.clocked(loops.bare) for _ in range(ROUNDS))
    row("bare SimPy M/M/16", f"{bare:,.0f}/s", "1.00", "", "")
    paired("M/M/16, our bench, generators", loops.through_bench, 1.4, 1.5)
    paired("M/M/16, our bench, callbacks", loops.by_callbacks, 2.5, 3.5)
    paired("calls through a batching server", loops.batching, 0.6, 1.0)
    long_calls()
    accuracy()
    with tempfile.TemporaryDirectory() as folder:
        starts(folder)
        studies(Program("plain", sys.executable, folder))
        if sys.argv[1:]:
            studies(Program("compiled", str(Path(sys.argv[1]).absolute()), folder))
    return 0


def row(what: str, here: str, ratio: str, goal: str, aim: str) -> None:
    print(f"{what:<46} {here:>12} {ratio:>9} {goal:>10} {aim:>8}", flush=True)


def paired(what: str, run: Callable[[], int], goal: float, aim: float) -> None:
    """Our loop and the bare one in turn: the median of the ratios."""
    speeds, ratios = [], []
    for _ in range(ROUNDS):
        base = loops.clocked(loops.bare)
        speed = loops.clocked(run)
        speeds.append(speed)
        ratios.append(speed / base)
    ratio = statistics.median(ratios)
    row(what, f"{statistics.median(speeds):,.0f}/s", f"{ratio:.2f} x", f">= {goal} x", f"{aim} x")


def long_calls() -> None:
    ratios = []
    for _ in range(ROUNDS):
        short = loops.clocked(lambda: loops.batching(320))
        ratios.append(loops.clocked(lambda: loops.batching(20_000)) / short)
    row(
        "calls/s at 20,000 tokens over 320", "", f"{statistics.median(ratios):.2f}", ">= 0.9", "1.0"
    )


def accuracy() -> None:
    """The batch's closed form against the plain loop over tokens, on 2,000 calls."""
    fluid, exact = loops.latencies()
    mean = abs(fsum(fluid) / fsum(exact) - 1)
    last = int(0.99 * len(exact))
    p99 = abs(sorted(fluid)[last] / sorted(exact)[last] - 1)
    row("fluid against token loop: mean latency", "", f"{mean:.3%}", "<= 0.2 %", "0.05 %")
    row("fluid against token loop: p99", "", f"{p99:.3%}", "<= 0.1 %", "0.05 %")


class Program(NamedTuple):
    """One way in which agentsim is installed."""

    name: str
    python: str
    folder: str

    def seconds(self, *arguments: str) -> float:
        """What a command takes, start-up included."""
        own = {**os.environ, "PYTHONPATH": str(HERE.parent.parent)}
        began = time.perf_counter()
        done = subprocess.run(
            [self.python, "-m", "agentsim", *arguments],
            cwd=self.folder,
            capture_output=True,
            check=False,
            env=own if self.python == sys.executable else None,
        )
        took = time.perf_counter() - began
        if done.returncode not in (0, 1):
            raise SystemExit(done.stderr.decode())
        return took


def scaled(run: Callable[[], float], rounds: int) -> tuple[float, float]:
    """Medians of a command's seconds here, and as they would be on the reference machine."""
    here, there = [], []
    bare = loops.clocked(loops.bare)
    for _ in range(rounds):
        took = run()
        before, bare = bare, loops.clocked(loops.bare)
        here.append(took)
        there.append(took * (before + bare) / 2 / REFERENCE)
    return statistics.median(here), statistics.median(there)


PLAIN = ("--no-levers", "--no-sensitivity", "--json")


def starts(folder: str) -> None:
    program = Program("plain", sys.executable, folder)
    cold, there = scaled(lambda: program.seconds("--version"), 7)
    row("agentsim --version", f"{cold:.2f} s", f"{there:.2f} s", "<= 0.25 s", "0.10 s")
    small = ("run", "first", "--hw", "claude-opus", "--runs", "50", *PLAIN)
    cold, there = scaled(lambda: program.seconds(*small), 5)
    row("a small run, cold", f"{cold:.2f} s", f"{there:.2f} s", "<= 0.6 s", "0.3 s")


def studies(program: Program) -> None:
    """859,000 calls and as many tool runs."""
    for name, goal, aim in (("hosted", "<= 6 s", "3 s"), ("box", "<= 8 s", "5 s")):
        work, hardware = HERE / "worktrees.yaml", HERE / f"{name}.yaml"
        run = ("run", str(work), "--hw", str(hardware), "--runs", "1000", *PLAIN)

        def timed(jobs: str, run: tuple[str, ...] = run) -> float:
            return program.seconds(*run, "--jobs", jobs)

        two, there = scaled(lambda: timed("2"), 3)
        what = f"1,000 runs, {name}, 2 processes, {program.name}"
        row(what, f"{two:.1f} s", f"{there:.1f} s", goal, aim)
        if name == "hosted":
            shares = [timed("1") / timed("2") for _ in range(3)]
            ratio = f"{statistics.median(shares):.2f} x"
            row(f"two processes over one, {program.name}", "", ratio, ">= 1.8 x", "1.9 x")
            # the greatest of all children so far: of the other program, where that took more
            most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
            what = f"memory of 1,000 runs in one process, up to {program.name}"
            row(what, f"{most:.0f} MB", "", "<= 150 MB", "80 MB")


if __name__ == "__main__":
    raise SystemExit(main())
