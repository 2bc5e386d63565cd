"""Jobs and executors: the same tallies wherever they run, and a collector left as it was."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
from multiprocessing import active_children
from pathlib import Path

import pytest

from agentsim.chance import Exponential
from agentsim.engine import Simulator
from agentsim.errors import EngineFault
from agentsim.experiment.executors import EXECUTORS, executor_for
from agentsim.experiment.job import Job, run_chunk
from agentsim.experiment.replicate import CHUNK, chunks, replicate
from agentsim.graph import Graph, ToolPlan, Work
from tests.unit.analysis.hand import graph, work

ROOT = Path(__file__).resolve().parents[3]


def random_graph(mean: float = 1.0) -> Graph:
    """One tool whose time is drawn."""
    plain = work(1, "a", 1)
    tool = ToolPlan("a", Exponential(mean), plain.tool.returns)
    return graph(Work(rank=1, path="a", name="a", tool=tool, says=None))


def test_a_chunk_is_a_stretch_of_the_replications() -> None:
    plan = random_graph()
    whole = run_chunk(plan, 5, 0, 6)
    assert [tally.replication for tally in whole] == list(range(6))
    assert run_chunk(plan, 5, 2, 3) == whole[2:5]
    assert len({tally.wall for tally in whole}) == 6
    assert run_chunk(plan, 6, 0, 6) != whole


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_off_meanwhile_and_left_as_it_was(
    enabled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []

    plain = Simulator.__call__

    def watched(self: Simulator, replication: int) -> object:
        seen.append(gc.isenabled())
        return plain(self, replication)

    monkeypatch.setattr(Simulator, "__call__", watched)
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        run_chunk(random_graph(), 0, 0, 2)
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()
    assert seen == [False, False]


def test_the_collector_comes_back_after_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(*_: object) -> object:
        raise EngineFault("deadlock")

    monkeypatch.setattr(Simulator, "__call__", stuck)
    with pytest.raises(EngineFault):
        run_chunk(random_graph(), 0, 0, 1)
    assert gc.isenabled()


def test_chunks_do_not_depend_on_what_was_run_before() -> None:
    plan = random_graph()
    bounds = [(job.first, job.count) for job in chunks(plan, 0, 0, 2 * CHUNK + 5)]
    assert bounds == [(0, CHUNK), (CHUNK, CHUNK), (2 * CHUNK, 5)]
    assert [job.first for job in chunks(plan, 0, 100, 150)] == [100, 100 + CHUNK]


def test_one_and_two_processes_give_the_same_bytes() -> None:
    plan = random_graph()
    one, two = (replicate(plan, 3, runs=CHUNK + 5, jobs=jobs) for jobs in (1, 2))
    assert pickle.dumps([list(tally) for tally in one]) == pickle.dumps(
        [list(tally) for tally in two]
    )


def test_every_executor_gives_results_in_the_order_of_the_jobs() -> None:
    work_list = [Job(random_graph(), 0, first, 1) for first in (4, 0, 2)]
    for make in EXECUTORS.values():
        with make(1) as executor:
            got = [chunk[0].replication for chunk in executor.map(work_list)]
        assert got == [4, 0, 2]


def test_no_process_is_no_executor() -> None:
    with pytest.raises(ValueError, match="at least one"):
        executor_for(0)


def test_an_interrupt_leaves_no_process_behind() -> None:
    def interrupted() -> None:
        with executor_for(2) as executor:
            for _ in executor.map(chunks(random_graph(), 0, 0, 50 * CHUNK)):
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert active_children() == []


def test_a_fault_in_a_worker_arrives_here() -> None:
    broken = Job(None, 0, 0, 1)  # type: ignore[arg-type]
    with pytest.raises(AttributeError), executor_for(2) as executor:
        list(executor.map([broken]))


SCRIPT = """
import sys
from dataclasses import dataclass

@dataclass
class Loaded:
    def run(self):
        return sorted(sys.modules)

if __name__ == "__main__":
    from agentsim.experiment.executors.processes import Processes
    from agentsim.experiment.job import Job
    from tests.unit.analysis.hand import graph, work

    with Processes(1) as executor:
        (tallies,) = executor.map([Job(graph(work(1, "a", 1)), 0, 0, 1)])
        assert tallies[0].wall == 1_000_000_000
        (modules,) = executor.map([Loaded()])
    print(" ".join(modules))
"""


def test_a_worker_loads_no_reader_of_files(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, "utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT)},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    modules = set(done.stdout.split())
    assert "simpy" in modules  # it did simulate
    assert "agentsim.experiment.job" in modules
    assert not {"pydantic", "yaml", "numpy", "rich", "click"} & modules
