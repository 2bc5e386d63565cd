"""Where the step was written at which a run cannot go on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentsim.errors import EngineFault

if TYPE_CHECKING:
    from agentsim.spec import Source


@contextmanager
def placed(source: Source, label: str = "") -> Iterator[None]:
    """Faults of runs of `source` get the place of their step; `label` stands before the message."""
    try:
        yield
    except EngineFault as fault:
        told = EngineFault(f"{label}: {fault}" if label else str(fault), fault.hint, fault.step)
        if fault.step:
            from agentsim.spec import place_of

            told.place = place_of(source, fault.step)
        raise told from None
