"""Jobs in several processes, started afresh (spawn): the same on every system, and free of threads.

A script that uses this must guard its own start with `if __name__ == "__main__":`, as always with
spawned processes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.connection import wait
from types import TracebackType
from typing import Self

from agentsim.errors import EngineFault
from agentsim.experiment.executors import Result, Runnable


class Processes:
    """A pool of worker processes, kept for all that runs while it is entered."""

    def __init__(self, workers: int) -> None:
        self._others = {child.pid for child in active_children()}
        with _held():
            self._pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin)

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
        with _held():  # the pool starts its workers when work is given to it
            waiting: list[Future[Result]] = [self._pool.submit(_run, job) for job in jobs]
        for future in waiting:
            try:
                found = future.result()
            except BrokenProcessPool:
                raise EngineFault(
                    "a process that simulates was killed from outside: was the memory full? "
                    "Fewer --jobs need less of it"
                ) from None
            yield found


def _run(job: Runnable[Result]) -> Result:
    return job.run()


@contextlib.contextmanager
def _held() -> Iterator[None]:
    """Signals wait meanwhile, and so they do in the processes that are started here.

    A process that is cut off half started, or by Ctrl-C while it imports, leaves a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(
        signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    )
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """What a worker does first.

    Ctrl-C and a hang-up reach every process of a terminal; only the first one answers to them, and
    ends its workers with SIGTERM.
    """
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):  # SIGHUP stays held, as it was when we were started
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever, and hold stdout open."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
