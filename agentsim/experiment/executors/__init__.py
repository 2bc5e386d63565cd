"""Where jobs run: in this process, or in several. The result is the same bytes either way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType, TracebackType
from typing import Protocol, Self, TypeVar

Result_co = TypeVar("Result_co", covariant=True)
Result = TypeVar("Result")


class Runnable(Protocol[Result_co]):
    """A piece of work that can be sent to another process."""

    def run(self) -> Result_co: ...


class Executor(Protocol):
    """Runs jobs while it is entered."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def map(self, jobs: Sequence[Runnable[Result]]) -> Iterator[Result]:
        """The results in the order of the jobs, whatever ends first."""
        ...


def _serial(workers: int) -> Executor:
    from agentsim.experiment.executors.serial import Serial

    return Serial()


def _processes(workers: int) -> Executor:
    from agentsim.experiment.executors.processes import Processes

    return Processes(workers)


EXECUTORS: MappingProxyType[str, Callable[[int], Executor]] = MappingProxyType(
    {"serial": _serial, "processes": _processes}
)
"""Name -> maker, from the number of workers. A maker imports its module when it is asked."""


def executor_for(workers: int) -> Executor:
    """One worker is this process itself; ValueError below one."""
    if workers < 1:
        raise ValueError(f"at least one process is needed, got {workers}")
    return EXECUTORS["serial" if workers == 1 else "processes"](workers)
