"""Experiments around a run: many replications, levers, sensitivity, sweeps over the decode speed.

Importing this room loads neither pydantic nor yaml, so that a worker process starts quickly: what
reads files is imported where a source is given.
"""

from agentsim.experiment.answer import answer
from agentsim.experiment.options import Options
from agentsim.experiment.replicate import replicate
from agentsim.experiment.sweep import SweepResult, sweep

__all__ = ["Options", "SweepResult", "answer", "replicate", "sweep"]
