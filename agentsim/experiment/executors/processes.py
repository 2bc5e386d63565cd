"""Jobs in several processes, started afresh (spawn): the same on every system, and free of threads.

A script that uses this must guard its own start with `if __name__ == "__main__":`, as always with
spawned processes.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import active_children, get_context
from types import TracebackType
from typing import Self

from agentsim.experiment.executors import Result, Runnable


class Processes:
    """A pool of worker processes, kept for all that runs while it is entered."""

    def __init__(self, workers: int) -> None:
        self._others = {child.pid for child in active_children()}
        self._pool = ProcessPoolExecutor(workers, get_context("spawn"), _leave_interrupts_alone)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for the workers to end; where something went wrong, end them at once.

        Waiting jobs are not taken back then: the pool answers them when it finds its workers gone.
        """
        if kind is not None:
            for child in active_children():
                if child.pid not in self._others:
                    child.terminate()
        self._pool.shutdown(wait=True, cancel_futures=kind is None)

    def map(self, jobs: Sequence[Runnable[Result]]) -> Iterator[Result]:
        waiting: list[Future[Result]] = [self._pool.submit(_run, job) for job in jobs]
        for future in waiting:
            yield future.result()


def _run(job: Runnable[Result]) -> Result:
    return job.run()


def _leave_interrupts_alone() -> None:
    """Ctrl-C reaches every process of a terminal; only the first one answers to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
