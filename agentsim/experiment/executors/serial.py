"""Jobs one after another, in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

from agentsim.experiment.executors import Result, Runnable


class Serial:
    """Runs a job when its result is asked for."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def map(self, jobs: Sequence[Runnable[Result]]) -> Iterator[Result]:
        for job in jobs:
            yield job.run()
