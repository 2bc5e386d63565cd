"""Chance: distributions drawn by inverse transform, and the keyed streams that they are drawn from.

The hot path is `distribution.at(next(stream))`.
"""

from agentsim.chance.base import Distribution
from agentsim.chance.continuous import (
    Constant,
    Exponential,
    LogNormal,
    Triangular,
    Uniform,
    lognormal_mean_cv,
    lognormal_p50_p90,
    triangular,
    uniform,
)
from agentsim.chance.discrete import Discrete, Geometric, Poisson, discrete, geometric
from agentsim.chance.mixed import Capped, Mixture, PerTask, capped, mixture
from agentsim.chance.quantiles import QuantileTable, quantiles
from agentsim.chance.scaled import Scaled
from agentsim.chance.streams import blend, blender, blocks, first, key_of, uniforms

__all__ = [
    "Capped",
    "Constant",
    "Discrete",
    "Distribution",
    "Exponential",
    "Geometric",
    "LogNormal",
    "Mixture",
    "PerTask",
    "Poisson",
    "QuantileTable",
    "Scaled",
    "Triangular",
    "Uniform",
    "blend",
    "blender",
    "blocks",
    "capped",
    "discrete",
    "first",
    "geometric",
    "key_of",
    "lognormal_mean_cv",
    "lognormal_p50_p90",
    "mixture",
    "quantiles",
    "triangular",
    "uniform",
    "uniforms",
]
