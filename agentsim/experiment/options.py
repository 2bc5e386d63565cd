"""What can be asked of an experiment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agentsim.experiment.stopping import RUNS

Progress = Callable[[str, int, int], None]
"""Called with what is being done (`runs levers sensitivity rates crossings
copies`), how much, of what."""


@dataclass(frozen=True, slots=True)
class Options:
    """`precision` (a share) instead of a fixed number of `runs`; `jobs` worker processes."""

    runs: int = RUNS
    precision: float | None = None
    seed: int = 0
    jobs: int = 1
    levers: bool = True
    sensitivity: bool = True
    progress: Progress | None = None
    turn_p90: float | None = None
    """Seconds: how many copies does each server carry so that 9 in 10 turns take no longer?"""

    def __post_init__(self) -> None:
        if self.runs < 1:
            raise ValueError(f"at least one run is needed, got {self.runs}")
        if self.precision is not None and not 0 < self.precision < 1:
            raise ValueError(f"a precision is a share between 0 and 1, got {self.precision:g}")
        if self.turn_p90 is not None and not 0 < self.turn_p90 < 1e9:
            raise ValueError(f"a turn takes more than 0 seconds, got {self.turn_p90:g}")
        if self.jobs < 1:
            raise ValueError(f"at least one process is needed, got {self.jobs}")
