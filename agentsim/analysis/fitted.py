"""What a fit of measured rows came to: the figures that are shown of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class FittedRow:
    """One measured figure, and what the fitted law makes of it.

    what: `decode`, `prefill` or `round`; rates in tok/s of all streams together. error: of the
    predicted rate, as a share of the measured one. left_out: why it is not in the fit, or "".
    """

    file: str
    line: int
    what: Literal["decode", "prefill", "round"]
    streams: int
    depth: float
    prompt: float
    output: float
    measured: float
    predicted: float
    error: float
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted profile: its text, every row, and what to beware of."""

    name: str
    text: str
    rows: tuple[FittedRow, ...]
    warnings: tuple[str, ...]
    tools: tuple[str, ...]

    def errors(self, what: str) -> list[float]:
        """Sizes of the errors of the rows of a kind that are in the fit."""
        return [abs(row.error) for row in self.rows if row.what == what and not row.left_out]
