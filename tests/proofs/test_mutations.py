"""However a right file is broken, it ends in an answer or in problems with their places.

Never in another exception, never late, never in much memory. A few hundred files are tried each
time; AGENTSIM_MUTATIONS=10000 tries so many (three minutes), AGENTSIM_MUTATIONS_FROM=5000
begins at that number.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from agentsim.engine import world
from agentsim.errors import EngineFault, Problems
from agentsim.experiment import Options, answer
from agentsim.report import document, hardware, json_, terminal
from agentsim.spec import Source
from agentsim.spec.explained import explanations
from agentsim.spec.hardware import load_profile
from tests.mutants import Seed, lay_out, mutant, seeds

COUNT = int(os.environ.get("AGENTSIM_MUTATIONS", "300"))
FIRST = int(os.environ.get("AGENTSIM_MUTATIONS_FROM", "0"))
SECONDS = 5.0
MEGABYTES = 300
RUNS = 3
EVENTS = 3_000  # of one replication: a file may well be right and mean a million

PROFILED = {
    "agentsim": 1,
    "agents": {"worker": {"turns": 3, "output": 200, "thinking": 50, "prompt": "2k"}},
    "steps": [
        {"agent": "worker", "task": "1k"},
        {"agent": "worker", "session": "worker"},
        {"parallel": [{"call": "main", "id": i, "input": 900, "output": 90} for i in "abc"]},
    ],
}
"""What runs on a broken profile."""

if not hasattr(signal, "setitimer"):
    pytest.skip("no timer here that could end what hangs", allow_module_level=True)


class TooLate(BaseException):
    """Raised from a signal: nothing on the way may catch it."""


def ring(*_: object) -> None:
    raise TooLate


@pytest.fixture(autouse=True)
def capped(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Runs that would be long end soon, and what hangs is broken off."""
    monkeypatch.setattr(world, "STEPS", EVENTS)
    monkeypatch.setattr(world, "SPANS", EVENTS)
    monkeypatch.setattr(world, "SAME_INSTANT", 10 * EVENTS)
    before = signal.signal(signal.SIGALRM, ring)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def megabytes() -> float:
    """The most memory that this process has had so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def play(path: Path, seed: Seed, beside: Path) -> str:
    """What the file ends in: `answer`, `endless`, or `problems`."""
    try:
        if seed.is_profile:
            plan = load_profile(str(path)).plan
            terminal.draw(hardware.shown(plan))
            json_.text(hardware.show_data(plan))
            asked = Source(str(beside), (str(path),))
        else:
            asked = Source(str(path), ("cerebras",))
        found = answer(asked, Options(runs=RUNS, levers=False, sensitivity=False))
    except EngineFault:
        return "endless"
    except Problems as fault:
        check(fault)
        return "problems"
    terminal.draw(document.answer(found))
    json_.text(json_.answer(found))
    return "answer"


def check(fault: Problems) -> None:
    assert fault.problems
    for problem in fault.problems:
        assert problem.code in explanations(), problem
        assert problem.message, problem
        assert problem.place is not None, problem


def wrong(number: int, path: Path, all_: list[Seed], beside: Path, ends: Counter[str]) -> str:
    """What is wrong with how the file of that number ends; "" if nothing is."""
    seed, data = mutant(number, all_)
    path.write_bytes(data)
    began, before = time.process_time(), megabytes()
    signal.setitimer(
        signal.ITIMER_REAL, 6 * SECONDS
    )  # by the clock: another process may be at work
    try:
        ends[play(path, seed, beside)] += 1
    except TooLate:
        return "it hangs"
    except AssertionError as fault:
        return f"a problem without a place or a code: {fault}"
    except Exception:
        return traceback.format_exc(limit=-3)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    took, grew = time.process_time() - began, megabytes() - before
    if took > SECONDS:
        return f"it takes {took:.1f} s"
    return f"it takes {grew:.0f} MB" if grew > MEGABYTES else ""


def test_a_broken_file_ends_in_an_answer_or_in_problems(tmp_path: Path) -> None:
    all_ = seeds()
    lay_out(all_, tmp_path)
    beside = tmp_path / "beside.yaml"
    beside.write_text(yaml.safe_dump(PROFILED), "utf-8")
    path = tmp_path / "broken.yaml"
    ends: Counter[str] = Counter()
    faults = []
    for number in range(FIRST, FIRST + COUNT):
        if fault := wrong(number, path, all_, beside, ends):
            faults.append(f"--- number {number}, from {mutant(number, all_)[0].path.name}: {fault}")
    print(f"{COUNT} files: {dict(ends)}, {megabytes():.0f} MB at most")
    assert not faults, f"{len(faults)} of {COUNT}\n" + "\n".join(faults[:20])
    assert ends["problems"] > COUNT / 4
    assert ends["answer"] > COUNT / 20


def test_the_same_number_is_the_same_file() -> None:
    all_ = seeds()
    assert len(all_) > 60
    assert [mutant(n, all_)[1] for n in range(50)] == [mutant(n, all_)[1] for n in range(50)]
    assert len({mutant(n, all_)[1] for n in range(50)}) > 45
