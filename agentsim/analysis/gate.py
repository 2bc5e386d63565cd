"""Whether the runs keep to a budget: the answer as data."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class BudgetFindings:
    limits: dict[str, float]
    chance: float  # wanted
    met: float  # share of runs
    met_by: dict[str, float | None] = field(default_factory=dict)
    """Share of runs that met each limit by itself; a failed run meets none. None: not known."""
    ci95: tuple[float, float] | None = None
    """Wilson's interval of `met` at 95 %; None where nothing is drawn, and below six runs."""
    unpriced: tuple[str, ...] = ()
    """Profiles that were called and give no price, where the verdict hangs on what they cost.

    `met` is then of all else: no more runs than that can have kept to it.
    """
    plans: tuple[str, ...] = ()
    """Profiles that were called and are paid by the month."""

    @property
    def is_known(self) -> bool:
        """Whether there is a verdict."""
        return not self.unpriced

    @property
    def is_met(self) -> bool:
        """Whether enough of the runs kept within all limits, for certain: that of the exit code."""
        return self.is_known and self.met >= self.chance

    @property
    def is_close(self) -> bool:
        """Whether other random numbers might turn the verdict: `chance` lies in the interval.

        Not where all runs must keep to it: that can be refuted and never be shown.
        """
        if self.ci95 is None or self.chance >= 1.0 or not self.is_known:
            return False
        return self.ci95[0] <= self.chance <= self.ci95[1]
