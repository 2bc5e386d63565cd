"""Experiments around a run: many replications, levers, sensitivity, sweeps, comparisons.

Importing this room loads neither pydantic nor yaml, so that a worker process starts quickly: what
reads files is imported where a source is given.
"""

from agentsim.experiment.answer import answer
from agentsim.experiment.compare import Compared, compare
from agentsim.experiment.grid import Grid
from agentsim.experiment.options import Options
from agentsim.experiment.replicate import replicate
from agentsim.experiment.sweep import SweepResult, sweep

__all__ = [
    "Compared",
    "Grid",
    "Options",
    "SweepResult",
    "answer",
    "compare",
    "replicate",
    "sweep",
]
